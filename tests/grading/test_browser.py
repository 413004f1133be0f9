"""The pages in Chromium: on phones and screens, in light and dark, with search and links."""

from contextlib import nullcontext
from unittest import mock

import pytest
from browser import CHROMIUM, chromium
from pages import (
    HOSTILE,
    PASSED,
    Reader,
    a_class,
    a_report,
    a_session,
    assert_harmless,
    example,
    failed,
    finding,
    results_of,
)

import grading.results
from grading.installation import TRANSCRIPTS_FOLDER
from grading.reports.pages import index_page, report_page, session_page
from grading.results import Crash, Place
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
def test_a_report_on_a_phone(browser, large, scheme):
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


def test_a_report_on_a_screen(browser, large):
    browser.open(large, 1100, 800)
    found = browser.evaluate(PROBE)
    assert (found['whole'], found['cut'], found['boards']) == (1100, 0, 3)


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


def test_headers_are_above_their_columns_on_a_phone(browser, tmp_path):
    browser.open(written(tmp_path, a_class()), 390, 800)
    left = """[...document.querySelectorAll('#submissions {} > tr:last-child > *')].filter(
        cell => cell.getBoundingClientRect().height).map(
        cell => Math.round(cell.getBoundingClientRect().left))"""
    assert browser.evaluate(left.format('thead')) == browser.evaluate(left.format('tbody'))


def test_an_underline_is_below_underscores(browser, tmp_path):
    """The underline of a link is below the underscores in its text.

    In most fonts, an underscore ends a quarter of the font's size below the baseline.
    """
    name = 'transcripts/othello/over_at_start.txt'
    browser.open(
        written(tmp_path, report_page(results_of(failed(name), findings=[finding(name)]))),
        1280,
        800,
    )
    assert browser.evaluate("""(() => {
        const style = getComputedStyle(document.querySelector('.shown a'));
        return parseFloat(style.textUnderlineOffset) / parseFloat(style.fontSize) > 0.3; })()""")


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


@pytest.mark.parametrize('width', [390, 1280])
def test_a_class_is_searched(browser, tmp_path, width):
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
    assert browser.requests == []


def click(selector):
    """Return JavaScript that clicks the first element matching a selector."""
    return f"document.querySelector('{selector}').click() || ''"


def test_a_class_is_sorted(browser, tmp_path):
    """A class is sorted by any column, first ascending and then descending."""
    page = index_page(
        [
            results_of(*[PASSED] * count, submission=name, score=score, late=late)
            for name, score, count, late in (
                ('zoe', 2, 9, True),
                ('ann', 10, 10, False),
                ('Bob', 9.5, 11, False),
            )
        ]
    )
    browser.open(written(tmp_path, page), 1280, 800)
    for column, names in enumerate(
        [
            ['ann', 'Bob', 'zoe'],
            ['zoe', 'Bob', 'ann'],
            ['zoe', 'ann', 'Bob'],
            ['Bob', 'ann', 'zoe'],
        ],
        1,
    ):
        header = f'th:nth-child({column})'
        browser.evaluate(click(f'{header} button'))
        assert browser.evaluate(SHOWN) == names, column
        assert browser.evaluate(
            "[...document.querySelectorAll('[aria-sort]')].map(th => th.ariaSort)"
        ) == ['ascending']
        browser.evaluate(click(f'{header} button'))
        assert browser.evaluate(f"document.querySelector('{header}').ariaSort") == 'descending'
        if column < 4:
            assert browser.evaluate(SHOWN) == names[::-1]


def test_a_class_is_filtered_by_a_fault_and_by_a_session(browser, tmp_path):
    browser.open(written(tmp_path, a_class()), 1280, 800)
    found = "document.getElementById('search-found').textContent"
    for selector, names, what in [
        ('[data-what=one-run]', ['doe-jane'], '1 of 3: one-run'),
        ('[data-what=a]', ['doe-jane', 'roe'], '2 of 3: a'),
        ('#search-all', ['best', 'doe-jane', 'roe'], ''),
    ]:
        browser.evaluate(click(selector))
        assert (browser.evaluate(SHOWN), browser.evaluate(found)) == (names, what)
    assert browser.evaluate('document.activeElement.id') == 'search-text'


def test_a_class_is_sorted_and_filtered_by_keyboard_alone(browser, tmp_path):
    browser.open(written(tmp_path, a_class()), 1280, 800)
    for selector, names in [
        ('#by-fault ~ ol summary', ['best', 'doe-jane', 'roe']),
        ('[data-what=one-run]', ['doe-jane']),
        ('#search-all', ['best', 'doe-jane', 'roe']),
        ('th:nth-child(1) button', ['best', 'doe-jane', 'roe']),
        ('th:nth-child(2) button', ['roe', 'best', 'doe-jane']),
    ]:
        for _ in range(50):
            browser.press('Tab')
            if browser.evaluate(f"document.activeElement.matches('{selector}')"):
                break
        assert browser.evaluate('getComputedStyle(document.activeElement).outlineStyle') != 'none'
        browser.press('Enter')
        assert browser.evaluate(SHOWN) == names, selector


def test_no_script_but_the_page_s_own_runs(browser, tmp_path):
    """A changed script does not run: the page has no search, and shows the whole class."""
    browser.open(written(tmp_path, a_class().replace('// Searches', '// searches')), 1280, 800)
    assert browser.evaluate(
        "[...document.querySelectorAll('#search, button')].every("
        "one => one.hidden) && document.getElementById('search').hidden"
    )
    assert browser.evaluate(SHOWN) == ['best', 'doe-jane', 'roe']


# Finds barriers to reading a page: low contrast, skipped levels of headings, fields without
# labels, cells without headers, and scrolling areas out of reach of the keyboard.
COMPLAINTS = """
(() => {
  document.querySelectorAll('details').forEach(one => one.open = true);
  const complaints = [];
  const numbers = color => color.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(c => c / 255).map(
    c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4
  ).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = element => {
    for (let around = element; around; around = around.parentElement) {
      const color = numbers(getComputedStyle(around).backgroundColor);
      if (color[3] !== 0) return color;
    }
    return [255, 255, 255];
  };
  for (const element of document.querySelectorAll('body *')) {
    if (!element.closest('script, title, desc') && [...element.childNodes].some(
        node => node.nodeType === 3 && node.data.trim())) {
      const style = getComputedStyle(element);
      const own = light(numbers(element.closest('svg') ? style.fill : style.color));
      const other = light(behind(element));
      const contrast = (Math.max(own, other) + 0.05) / (Math.min(own, other) + 0.05);
      if (contrast < 4.5) complaints.push(`contrast ${contrast}: ${element.textContent}`);
    }
    const scrolls = ['auto', 'scroll'].includes(getComputedStyle(element).overflowX);
    if (scrolls && element.tabIndex < 0) complaints.push(`keyboard: ${element.outerHTML}`);
  }
  let level = 0;
  for (const heading of document.querySelectorAll('h1, h2, h3, h4')) {
    const own = Number(heading.tagName[1]);
    if (own > level + 1) complaints.push(`heading: ${heading.outerHTML}`);
    level = own;
  }
  for (const field of document.querySelectorAll('input'))
    if (!field.labels.length) complaints.push('label');
  for (const header of document.querySelectorAll('th'))
    if (!header.scope || !header.textContent.trim()) complaints.push(`scope: ${header.outerHTML}`);
  if (document.querySelectorAll('main').length !== 1) complaints.push('main');
  if (!document.documentElement.lang) complaints.push('lang');
  return complaints;
})()
"""


@pytest.mark.parametrize('scheme', ['light', 'dark'])
@pytest.mark.parametrize('page', [a_class, a_report, a_session])
def test_pages_are_accessible(browser, tmp_path, page, scheme):
    browser.open(written(tmp_path, page()), 1280, 800, scheme)
    assert browser.evaluate(COMPLAINTS) == []


@pytest.mark.parametrize(
    ('right', 'wrong', 'complaint'),
    [
        ('scope="row"', '', 'scope'),
        ('for="search-text"', '', 'label'),
        ('<main>', '', 'main'),
        ('<h2', '<h4', 'heading'),
        ('--soft: #66645c', '--soft: #aaa', 'contrast'),
    ],
)
def test_barriers_are_found(browser, tmp_path, right, wrong, complaint):
    browser.open(written(tmp_path, a_class().replace(right, wrong)), 1280, 800)
    assert browser.evaluate(COMPLAINTS)[0].startswith(complaint)


TO_A_SESSION = results_of(failed(), findings=[finding('transcripts/othello/a.txt')])
OPENED = "document.querySelector('details:has(#test-1)').open"
CLASS_IS_SHOWN = "document.getElementById('class').getBoundingClientRect().height > 0"


@pytest.mark.parametrize(
    ('results', 'index', 'place', 'shown'),
    [
        (TO_A_SESSION, '', 'test-1', OPENED),
        (results_of(PASSED), '../index.html', 'class', CLASS_IS_SHOWN),
    ],
    ids=['a session', 'the class'],
)
def test_a_fragment_shows_its_target(browser, tmp_path, results, index, place, shown):
    """The fragment of the address shows the element it names.

    Only then does a report show its link to the class: a report may be passed on alone.
    """
    browser.open(written(tmp_path, report_page(results, index)), 1280, 800)
    assert browser.evaluate(shown) is False
    browser.evaluate(f"location.hash = '{place}'")
    assert browser.evaluate(shown) is True


def test_each_fault_of_a_class_is_on_one_line(browser, tmp_path):
    found = [finding('a', id=f'fault-{number}') for number in range(34)]
    page = index_page([results_of(failed(), submission=name, findings=found) for name in 'ab'])
    browser.open(written(tmp_path, page), 1280, 800)
    heights = browser.evaluate(
        "[...document.querySelectorAll('#by-fault ~ ol > li')].map("
        'line => line.getBoundingClientRect().height)'
    )
    assert (len(heights), max(heights) < 45) == (34, True), heights


def test_two_spaces_stay_two(browser, tmp_path):
    advised = finding('a', advice='Print "B: 2  W: 2".')
    browser.open(
        written(tmp_path, report_page(results_of(failed(), findings=[advised]))), 1280, 800
    )
    shown = browser.evaluate("document.querySelector('.advice').innerText")
    assert shown == 'Print "B: 2  W: 2".'


@pytest.mark.parametrize('is_bounded', [True, False])
def test_no_program_can_fill_a_page(browser, tmp_path, is_bounded):
    """A page stays short even if every text influenced by a program is very long."""
    many = 'x ' * 9000, 'x\n' * 9000
    with (
        nullcontext()
        if is_bounded
        else mock.patch.object(grading.results, 'clean', lambda text, has_lines=False: text)
    ):
        shows = example(
            'a',
            *many,
            errors=many[:1],
            hint=many[0],
            typed=many[0],
            crash=Crash(many[0], many[0], 1, many[0]),
        )
        long = finding(
            'a',
            sentence=many[0],
            advice=many[0],
            example=shows,
            places=[Place(many[0], 1, 1, many[1], 'ran', ['a'], 1, many[1])],
        )
        page = report_page(results_of(failed(), findings=[long]))
    browser.open(written(tmp_path, page), 1280, 800)
    height = browser.evaluate('document.documentElement.scrollHeight')
    assert (height < 8000) == is_bounded, height


def test_the_browser_records_what_a_page_fetches(browser, tmp_path):
    path = written(tmp_path, '<img src="http://fetched.example/control">')
    browser.open(path, 1100, 800)
    assert browser.requests == ['http://fetched.example/control']
