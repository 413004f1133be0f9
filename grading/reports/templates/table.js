// Searches, sorts and filters the table of submissions. Without JavaScript, the table is static.
(() => {
  const table = document.getElementById('submissions');
  if (!table) return;
  const rows = [...table.tBodies[0].rows];
  const headers = [...table.tHead.rows[0].cells];
  const field = document.getElementById('search-text');
  const status = document.getElementById('search-found');
  const all = document.getElementById('search-all');
  let only = null;
  const show = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) {
      const text = `${row.textContent} ${row.dataset.ids}`.toLowerCase();
      row.hidden = !words.every(word => text.includes(word))
        || (only !== null && !row.dataset.keys.split(' ').includes(only.dataset.only));
    }
    const found = rows.filter(row => !row.hidden).length;
    all.hidden = !words.length && !only;
    status.textContent = all.hidden ? ''
      : `${found} of ${rows.length}${only ? `: ${only.dataset.what}` : ''}`;
  };
  const choose = button => { only = button; show(); table.scrollIntoView(); };
  const sort = header => {
    const isDescending = header.getAttribute('aria-sort') === 'ascending';
    const value = row => row.cells[header.cellIndex].dataset.value
      ?? row.cells[header.cellIndex].textContent.trim();
    const order = new Intl.Collator('en', {numeric: true});
    rows.sort((left, right) => (isDescending ? -1 : 1) * (header.dataset.number
      ? value(left) - value(right) : order.compare(value(left), value(right))));
    for (const other of headers) other.removeAttribute('aria-sort');
    header.setAttribute('aria-sort', isDescending ? 'descending' : 'ascending');
    table.tBodies[0].append(...rows);
  };
  for (const header of headers) {
    const button = document.createElement('button');
    button.append(...header.childNodes);
    button.addEventListener('click', () => sort(header));
    header.append(button);
  }
  for (const button of document.querySelectorAll('[data-only]')) {
    button.hidden = false;
    button.addEventListener('click', () => choose(button));
  }
  field.addEventListener('input', show);
  all.addEventListener('click', () => { field.value = ''; choose(null); field.focus(); });
  table.classList.add('sorted');
  document.getElementById('search').hidden = false;
})();
