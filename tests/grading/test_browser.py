"""The three kinds of pages in Chromium: a report, a session and a class."""

import pytest
from browser import CHROMIUM, chromium
from pages import (
    HOSTILE,
    PASSED,
    Reader,
    a_class,
    assert_harmless,
    failed,
    results_of,
)

from grading.installation import TRANSCRIPTS_FOLDER
from grading.reports.pages import report_page, session_page
from grading.sandbox.calls import filter_of_calls
from grading.sessions.transcript import parse

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not CHROMIUM, reason='Chromium is not installed'),
    # Chromium installs filters of system calls, and hangs if the kernel does not support them.
    pytest.mark.skipif(not filter_of_calls(), reason='there is no filter of system calls here'),
]

ROWS = [
    ' '.join('BW'[(row + column) % 2] if {row, column} & {0, 15} else '.' for column in range(16))
    for row in range(16)
]
LARGE = 'B: 30  W: 30\n' + '\n'.join(ROWS) + '\nTURN: B\n'

# Counts the cut-off parts of boards. As a control, it counts them again with a style meant to cut
# them off.
PROBE = r"""
(() => {
  document.querySelectorAll('details').forEach(one => one.open = true);
  function cutOff() {
    let gone = 0;
    for (const cell of document.querySelectorAll('svg :is(rect, circle, path, text)')) {
      const box = cell.getBoundingClientRect();
      for (let around = cell.parentElement; around; around = around.parentElement) {
        const free = around !== document.documentElement && around.tagName !== 'svg'
          && getComputedStyle(around).overflow === 'visible';
        const edge = around.getBoundingClientRect();
        if (!free && (box.left < edge.left - 1 || box.right > edge.right + 1
                      || box.top < edge.top - 1 || box.bottom > edge.bottom + 1))
          gone++;
      }
    }
    return gone;
  }
  const light = color => color.match(/[\d.]+/g).slice(0, 3).reduce((sum, c) => sum + c / 3, 0);
  // The class of each, that of what is to be seen in its place, and how bright it is.
  const dotsOf = selector => [...document.querySelectorAll(selector)].flatMap(
    path => [...path.getAttribute('d').matchAll(/M(\S+) (\S+)h/g)].map(([, x, y]) => {
      const place = new DOMPoint(Number(x), Number(y)).matrixTransform(path.getScreenCTM());
      const seen = document.elementFromPoint(place.x, place.y);
      return [path.getAttribute('class'), seen && seen.getAttribute('class'),
              seen && light(getComputedStyle(seen).stroke)]; }));
  const found = {
    width: innerWidth, whole: document.documentElement.scrollWidth, cut: cutOff(),
    elements: document.documentElement.outerHTML,
    boards: [...document.querySelectorAll('.grid')].filter(
      grid => grid.getBoundingClientRect().width > 16 * 9).length,
    paper: light(getComputedStyle(document.body).backgroundColor),
    tokens: dotsOf('.token:not(.rim)').length, discs: dotsOf('.disc:not(.rim)'),
  };
  const style = document.createElement('style');
  style.textContent = 'svg { max-width: none !important; } .panel { overflow: hidden; }';
  document.head.append(style);
  found.control = cutOff();
  style.remove();
  return found;
})()
"""


@pytest.fixture(scope='module')
def browser(tmp_path_factory):
    """Yield a page in Chromium."""
    with chromium(tmp_path_factory.mktemp('browser')) as page:
        yield page


@pytest.fixture
def large(tmp_path):
    """Write a report with large boards, large piles and hostile text; return its path."""
    session = '$ othello_console.py\n' + 2 * ''.join(f'|{line}\n' for line in LARGE.splitlines())
    boards = {'expected': LARGE, 'printed': LARGE.replace('. W', '. B', 1)}
    piles = {
        'game': 'piles',
        'expected': 'pile 0 = 60\npile 999 = 59\n',
        'printed': 'pile 0 = 60\npile 999 = 60\n',
    }
    return written(
        tmp_path,
        report_page(
            results_of(
                failed(**boards, hint=HOSTILE),
                failed('b', **piles),
                PASSED,
                submission=HOSTILE,
            ),
            '',
            [parse(session, PASSED.name)],
        ),
    )


def written(folder, page):
    """Write a page; return its path."""
    path = folder / 'page.html'
    path.write_text(page, encoding='utf-8')
    return path


@pytest.mark.parametrize('scheme', ['light', 'dark'])
def test_a_report_on_a_phone(browser, large, scheme, tmp_path):
    """On a phone, no cell is cut off, hostile text stays text, and nothing is fetched."""
    browser.open(large, 390, 2400, scheme)
    found = browser.evaluate(PROBE)
    assert found['control'] > 0  # the probe can find cut-off cells
    assert (found['width'], found['whole'], found['cut']) == (390, 390, 0)
    assert (found['boards'], found['tokens'], len(found['discs'])) == (3, 239, 120)
    assert browser.requests == []
    assert_harmless(found['elements'])
    assert Reader(found['elements']).text.count(HOSTILE) >= 2
    assert (found['paper'] > 200) == (scheme == 'light')
    assert {kind for kind, _, _ in found['discs']} == {'disc black', 'disc white'}
    for kind, seen, brightness in found['discs']:
        assert kind == seen
        assert brightness > 200 if kind == 'disc white' else brightness < 60
    # A page that fetches something would be noticed.
    browser.open(written(tmp_path, '<img src="http://fetched.example/control">'), 390, 2400)
    assert browser.requests == ['http://fetched.example/control']


# Finds in the course of a session: lines that take more than one row, the left edges of the
# pictures, pictures without their whole border, and what precedes typed lines.
COURSE = """
(() => {
  document.querySelectorAll('details').forEach(one => one.open = true);
  const wraps = text => text.getBoundingClientRect().height
    > parseFloat(getComputedStyle(text).lineHeight) * text.textContent.split('\\n').length + 1;
  const cuts = svg => {
    const grid = svg.querySelector('.grid'), {width, height} = svg.viewBox.baseVal;
    const box = grid.getBBox(), half = parseFloat(getComputedStyle(grid).strokeWidth) / 2;
    return box.x + box.width + half > width || box.y + box.height + half > height; };
  const texts = [...document.querySelectorAll('.course pre:not(:only-child)')];
  const boards = [...document.querySelectorAll('.course svg')];
  return {
    boards: boards.length, wrapped: texts.filter(wraps).map(text => text.textContent),
    cut: boards.filter(cuts).length,
    places: [...new Set(boards.map(svg => Math.round(svg.getBoundingClientRect().left
      - svg.parentElement.getBoundingClientRect().left)))],
    marks: [...new Set([...document.querySelectorAll('.course b')].map(
      typed => getComputedStyle(typed, '::before').content))],
  }; })()
"""
MOVES = TRANSCRIPTS_FOLDER / 'othello' / 'worked_example.txt'
WIDE = '\n'.join(
    [
        '$ othello_console.py',
        '|FULL',
        '16',
        '16',
        'B',
        '>',
        *ROWS,
        *(2 * [*(f'|{line}' for line in LARGE.splitlines()), '3 3']),
        '|VALID',
        '',
    ]
)


@pytest.mark.parametrize('width', [390, 1280])
@pytest.mark.parametrize(
    ('text', 'boards'), [(WIDE, 2), (MOVES.read_text(encoding='utf-8'), 13)], ids=['16x16', '4x4']
)
def test_the_course_of_a_session(browser, tmp_path, text, boards, width):
    """The boards of a session are whole and aligned, and no line is broken.

    Nothing is inserted before typed lines.
    """
    page = session_page(parse(text, 'transcripts/othello/a.txt'), [])
    browser.open(written(tmp_path, page), width, 800)
    found = browser.evaluate(COURSE)
    assert len(found.pop('places')) == 1
    assert found == {'boards': boards, 'wrapped': [], 'cut': 0, 'marks': ['none']}
    assert browser.evaluate('document.documentElement.scrollWidth') == width


# Finds the names in the visible rows of the class.
SHOWN = """[...document.querySelectorAll('#submissions > tbody > tr')]
    .filter(row => row.getBoundingClientRect().height).map(row => row.cells[0].textContent)"""


def search_for(words):
    """Return JavaScript that types words into the search field, and returns what is found."""
    return f"""(() => {{
        const field = document.getElementById('search-text');
        field.value = '{words}';
        field.dispatchEvent(new Event('input'));
        return document.getElementById('search-found').textContent; }})()"""


def click(selector):
    """Return JavaScript that clicks the first element matching a selector."""
    return f"document.querySelector('{selector}').click() || ''"


@pytest.mark.parametrize('width', [390, 1280])
def test_a_class_is_searched_filtered_and_sorted(browser, tmp_path, width):
    """The script of the page works, and no other script does."""
    browser.open(written(tmp_path, a_class()), width, 800)
    for words, names in [
        ('JANE', ['doe-jane']),
        ('one-run', ['doe-jane']),
        ('a.py crash', ['roe']),
        ('nobody', []),
        ('', ['best', 'doe-jane', 'roe']),
    ]:
        found = browser.evaluate(search_for(words))
        assert browser.evaluate(SHOWN) == names, words
        assert found == (f'{len(names)} of 3' if words else '')
    for selector, names in [
        ('[data-what=one-run]', ['doe-jane']),
        ('[data-what=a]', ['doe-jane', 'roe']),
        ('#search-all', ['best', 'doe-jane', 'roe']),
        ('th:nth-child(2) button', ['roe', 'best', 'doe-jane']),
        ('th:nth-child(1) button', ['best', 'doe-jane', 'roe']),
        ('th:nth-child(1) button', ['roe', 'doe-jane', 'best']),
    ]:
        browser.evaluate(click(selector))
        assert browser.evaluate(SHOWN) == names, selector
    assert browser.requests == []
    changed = a_class().replace('// Searches', '// searches')
    browser.open(written(tmp_path, changed), width, 800)
    assert browser.evaluate("document.getElementById('search').hidden")
    assert browser.evaluate(SHOWN) == ['best', 'doe-jane', 'roe']
