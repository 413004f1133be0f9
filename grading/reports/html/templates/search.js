// Shows only the submissions whose line contains what is typed. Without scripts there is no field.
(() => {
  const field = document.getElementById('search-text');
  const rows = [...document.querySelectorAll('#submissions > tbody > tr')];
  const said = document.getElementById('search-found');
  document.getElementById('search').hidden = false;
  field.addEventListener('input', () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every(word => text.includes(word));
      found += !row.hidden;
    }
    said.textContent = words.length ? `${found} of ${rows.length}` : '';
  });
})();
