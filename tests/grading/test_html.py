"""The pages for people: what they show, and what no submission can make of them."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser

import pytest
from browser import CHROMIUM, chromium
from hypothesis import given, settings
from hypothesis import strategies as st

from grading.assignments.find import game_of
from grading.assignments.nim.positions import PilePosition, find_piles
from grading.assignments.othello.drawing import draw_board
from grading.assignments.othello.positions import Board, find_boards, move_on
from grading.assignments.positions import compare_positions, describe
from grading.project import FOLDER, all_transcripts
from grading.reports.details import details
from grading.reports.html.figures import figure_of
from grading.reports.html.index import index_page, source_of
from grading.reports.html.lines import lines_of
from grading.reports.html.page import report_page
from grading.sessions.difference import Difference
from grading.sessions.transcript import Transcript

in_browser = pytest.mark.skipif(not CHROMIUM, reason='Chromium is not installed')

HOSTILE = ('<img src="http://fetched.example/a.png" onerror="document.title=1">'
           '<script src="http://fetched.example/b.js"></script></pre></style>'
           '<style>body{background:url(http://fetched.example/c.png)}</style>'
           '"\'&amp; {{ 7 * 7 }} {% raw %} javascript:alert(1) ]]> <!-- \\u202e')
BOARD = 'VALID\nB: 2  W: 2\n. . . .\n. W B .\n. B W .\n. . . .\nTURN: B\n'
OTHER = BOARD.replace('. W B .', '. W W .')
SEARCH = source_of('search.js')
FAULT = 'one-run'
PILES = 'pile 0 = 3\npile 1 = 12\nYour turn ...\n'


def failed(name='transcripts/othello/a.txt', game='othello', **about):
    """Return a failed test as results hold it."""
    return {'name': name, 'score': 0, 'max_score': 1, 'status': 'failed', 'output': 'a message',
            'visibility': 'visible',
            'extra_data': {'kind': 'differs', 'game': game, 'faults': [], 'line': 12,
                           'typed': '2 4', 'expected': BOARD, 'printed': OTHER, 'before': '',
                           **about}}


PASSED = {'name': 'transcripts/othello/b.txt', 'score': 1, 'max_score': 1, 'status': 'passed',
          'output': '', 'visibility': 'visible', 'extra_data': {}}


def results_of(*tests, submission='somebody', output='', score=0, **about):
    """Return results as results.json holds them."""
    return {'score': score, 'execution_time': 1.25, 'visibility': 'visible', 'output': output,
            'tests': list(tests),
            'extra_data': {'submission': submission, 'game': 'othello', 'prompts': False,
                           'confinement': 'bwrap', 'reach': [], 'notes': [], 'ended': '',
                           'faults': [], 'late': None, **about}}


class Reader(HTMLParser):
    """What a page consists of: the elements with their attributes, and the text."""

    def __init__(self, page):
        super().__init__()
        self.elements = []
        self.text = ''
        self.style = ''
        self.script = ''
        self._tag = None
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self._tag = tag

    def handle_endtag(self, tag):
        self._tag = None

    def handle_data(self, data):
        if self._tag == 'style':
            self.style += data
        elif self._tag == 'script':
            self.script += data
        else:
            self.text += data


def assert_harmless(page):
    """No scripts but our own, nothing fetched, no links but to results and places in the page."""
    reader = Reader(page)
    tags = [tag for tag, _ in reader.elements]
    assert tags.count('script') == (reader.script != '')
    assert reader.script in ('', SEARCH)
    assert not {*tags} & {'img', 'link', 'iframe', 'object', 'embed', 'base', 'form', 'use',
                       'image', 'video', 'audio', 'source', 'foreignobject'}
    assert not re.search(r'url\(|@import|expression|src\s*:', reader.style)
    for tag, attributes in reader.elements:
        names = set(attributes)
        assert not [name for name in names if name.startswith('on')]
        assert not names & {'src', 'srcset', 'action', 'background', 'data', 'xlink:href'}, tag
        assert 'url(' not in (attributes.get('style') or '')
        assert re.match(r'#test-\d+$|\./[\w%.~-]+/report\.html$|\./grades\.csv$|\.\./index\.html$',
                        attributes.get('href', '#test-1'))


# ---------------------------------------------------------------------------------- positions

def test_positions_of_all_games():
    assert find_boards(BOARD) == [
        Board(('....', '.WB.', '.BW.', '....'), 'B: 2  W: 2', 'TURN: B')]
    assert find_piles(PILES + PILES) == [PilePosition((('0', 3), ('1', 12)))] * 2
    assert find_piles('COINS: 10  TURN: C\n') == [PilePosition((('', 10),))]
    assert find_piles('\nThere are 33 stones remaining...\n') == [PilePosition((('', 33),))]
    assert find_piles('Starting State:\n3  0\nPlayer 1 takes 3 tokens from the pile 1.\n'
                          'State:\n0  0\n') == [PilePosition((('1', 3), ('2', 0))),
                                                PilePosition((('1', 0), ('2', 0)))]


@pytest.mark.parametrize(
    'text', ['', 'INVALID\n', 'B W .\n', 'B\nW\n', 'FULL\nFULL\n', 'pile x = 3'])
def test_no_position(text):
    assert find_boards(text) == find_piles(text) == []


def test_a_position_is_seen_however_it_is_spaced():
    board = find_boards('  B: 1 W: 2  \nBW\n W\t. \n')[0]
    assert board == Board(('BW', 'W.'), 'B: 1 W: 2')


def test_boards_of_two_widths_are_two_boards():
    assert len(find_boards('B W\nW B\n. . .\n. . .\n')) == 2


def test_the_first_positions_that_differ_are_compared():
    wrong = 'State:\n0  3\nState:\n0  2\nState:\n1  1\n'
    comparison = compare_positions(find_piles, '', '0;3', wrong.replace('0  2', '0  1'), wrong)
    assert comparison.expected == PilePosition((('1', 0), ('2', 1)))
    assert comparison.printed == PilePosition((('1', 0), ('2', 2)))
    assert comparison.before == PilePosition((('1', 0), ('2', 3)))
    assert comparison.differing == ['2']
    assert move_on(comparison.typed) is None


def test_a_board_too_many_is_compared_with_none():
    comparison = compare_positions(find_boards, BOARD, '1 1', 'INVALID\n', 'INVALID\n' + BOARD)
    assert (comparison.expected, move_on(comparison.typed)) == (None, (1, 1))
    assert comparison.printed == comparison.before == find_boards(BOARD)[0]
    again = compare_positions(find_boards, '', '1 1', BOARD, BOARD + BOARD)
    assert (again.expected, again.printed) == (None, find_boards(BOARD)[0])


@pytest.mark.parametrize('path', all_transcripts(), ids=lambda path: path.stem)
def test_every_position_of_the_transcripts_is_found(path):
    transcript = Transcript.read(path)
    game = game_of(transcript)
    found = sum(len(game.positions(step.output)) for step in transcript.steps)
    marks = {'othello': r'^B: \d+  W: \d+$', 'piles': r'pile 0 = \d+$', 'recorded': r'State:$',
             'tlcw': r'COINS: \d', 'stones': r'There are \d+ stones'}
    assert found == len(re.findall(marks[game.name], transcript.output, re.MULTILINE))


@settings(max_examples=60)
@given(st.text(alphabet='BW. \t\n0123456789pile=INVALIDCOS:', max_size=200), st.text(max_size=9))
def test_any_output_makes_a_page(printed, typed):
    test = failed(printed=printed, before=printed, expected=BOARD, typed=typed)
    assert_harmless(report_page(results_of(test)))
    assert lines_of(printed, BOARD) is not None


# ----------------------------------------------------------------------------------- pictures

def figure(**about):
    return figure_of(failed(**about)['extra_data'])


def test_expected_beside_printed():
    both = figure()
    assert [panel.heading for panel in both.panels] == ['Expected', 'Printed']
    assert both.note == 'Differs in row 2, column 3.'
    assert all(panel.caption == 'B: 2  W: 2, TURN: B' for panel in both.panels)
    for panel in both.panels:
        assert panel.picture.count('class="cell"') == 16
        assert panel.picture.count('class="hatch"') == panel.picture.count('class="differs"') == 1
        assert panel.picture.count('class="move"') == 1
        assert 'The move is to row 2, column 4. Differs in row 2, column 3.' in panel.picture
    assert both.panels[0].picture.count('disc white') == 2
    assert both.panels[1].picture.count('disc white') == 3


def test_a_picture_is_of_what_was_printed():
    picture = draw_board(Board(('B.', '.W')), 'Printed')
    assert re.findall(r'<circle class="disc (\w+)" cx="([\d.]+)" cy="([\d.]+)"', picture) == [
        ('black', '42', '42'), ('white', '78', '78')]


def test_one_board_where_the_text_alone_differs():
    same = figure(printed=BOARD.replace('  W', ' W'))
    assert [panel.heading for panel in same.panels] == ['Expected and printed']
    assert same.note == 'The pictures are alike. The blanks of "B: 2  W: 2" differ.'


def test_no_cell_of_the_board_before_is_marked():
    before, expected, _ = figure(before=BOARD).panels
    assert 'hatch' in expected.picture
    assert 'hatch' not in before.picture
    assert 'class="move"' in before.picture


def test_the_board_before_where_none_was_due():
    refused = figure(expected='INVALID\n', printed='VALID\n' + BOARD, before=BOARD)
    assert [panel.heading for panel in refused.panels] == ['Before', 'Printed, though not due']
    assert [panel.heading for panel in figure(expected='INVALID\n', printed='', before=BOARD).panels
            ] == ['Before']


def test_where_nothing_was_printed():
    silent = figure(printed='INVALID\n', before=BOARD)
    assert [panel.heading for panel in silent.panels] == ['Before', 'Expected']
    assert all('class="move"' in panel.picture for panel in silent.panels)
    assert silent.note == 'No board was printed.'
    assert figure(game='piles', expected=PILES, printed='').note == 'No piles were printed.'
    page = report_page(results_of(failed(printed='')))
    assert 'row differs"' not in page
    assert '(nothing)' in page


@pytest.mark.parametrize('typed', ['0 1', '5 5', '99 99', 'x', '', None])
def test_a_move_off_the_board_has_no_frame(typed):
    assert 'class="move"' not in figure(typed=typed).panels[0].picture


@pytest.mark.parametrize(('game', 'printed'), [
    ('piles', 'pile 0 = 999999999\n'), ('othello', '\n'.join(['. ' * 30] * 30)),
    ('piles', ''.join(f'pile {i} = 1\n' for i in range(40)))])
def test_what_is_too_large_is_not_drawn(game, printed):
    assert figure(game=game, printed=printed) is None


def test_no_picture_where_no_position_is():
    assert figure(expected='FULL\n', printed='full\n') is None
    assert figure_of(PASSED['extra_data']) is None


def test_piles():
    piles = figure(game='piles', expected=PILES.replace('12', '9'), printed=PILES, typed='3',
                   before=PILES)
    before, expected, printed = (panel.picture for panel in piles.panels)
    assert (before.count('"token"'), before.count('"taken"')) == (15, 0)
    assert (expected.count('"token"'), expected.count('"taken"')) == (12, 3)
    assert (printed.count('"token"'), printed.count('"taken"')) == (15, 0)
    assert piles.note == 'Differs in pile 1.'
    assert 'pile 0: 3, pile 1: 9. Differs in pile 1.' in expected


def test_differences_in_words():
    cells = [(1, column) for column in range(1, 10)]
    board = Board(('B' * 9,) * 2)
    assert describe(board, cells).endswith('row 1, column 6; 3 more.')
    assert describe(board, cells[:7]).endswith('row 1, column 7.')
    assert describe(PilePosition((('', 3),)), ['']) == 'Differs.'
    assert describe(board, []) == ''


# ------------------------------------------------------------------------------------- report

def test_a_report_says_everything():
    page = report_page(results_of(
        failed(), PASSED, failed('transcripts/othello/c.txt', kind='not run'),
        submission='doejane_12345', output='the faults', late=True, seed=17, score=1,
        reach=['the network'], notes=['left out: x: a link'], ended='the time limit of 240 s'))
    text = Reader(page).text
    for part in ('doejane_12345', '1 of 3 points', 'the faults', 'the network', 'x: a link', 'late',
                 '17', 'the time limit of 240 s', '1 of 3 passed', 'a message', 'not run',
                 'prints something else, line 12'):
        assert part in ' '.join(text.split()), part
    assert page.count('<details') == 3         # one that failed, those not run, those that passed
    assert_harmless(page)


def test_texts_beside_the_pictures():
    reader = Reader(report_page(results_of(failed(typed='2 4'))))
    assert BOARD in reader.text
    assert OTHER in reader.text
    assert 'Typed 2 4' in reader.text


def test_lines_that_differ_are_marked():
    page = report_page(results_of(failed(printed=BOARD.replace('  W', ' W').rstrip('\n'))))
    assert page.count('class="row differs"') == 4
    assert page.count('no newline') == 1
    assert BOARD in Reader(page).text.replace(' no newline', '\n')
    assert page.count('<span class="blank"> </span>') == 4 + 3 + 1 + 1


def test_a_line_too_many_marks_no_other():
    differing = [line.text for line in lines_of('INVALID\n' + BOARD, BOARD) if line.differs]
    assert differing == ['INVALID']
    assert not any(line.differs for line in lines_of(BOARD, 'INVALID\n' + BOARD))


def told(*sessions, name=FAULT, **about):
    """Return what is told of a cause, as results hold it."""
    place = {**failed(**about)['extra_data'], 'name': sessions[0], 'message': 'a message'}
    return {'id': name, 'sentence': 'turns over one run only', 'advice': 'Look in all directions.',
            'sessions': [*sessions], 'place': place}


def test_a_cause_is_told_once_and_its_sessions_stand_together():
    tests = [failed(f'transcripts/othello/{i}.txt', faults=[FAULT]) for i in range(3)]
    tests.insert(1, failed(course=[['B: 1\n', '1 1']]))
    beside = {**told(tests[1]['name'], name=''), 'advice': '',
              'sentence': 'crashes at a.py, line 3 (KeyError)'}
    page = report_page(results_of(
        *tests, told=[told(tests[0]['name'], *(test['name'] for test in tests[2:])), beside]))
    text = ' '.join(Reader(page).text.split())
    for part in ('1. The program turns over one run only', 'Look in all directions.',
                 'in 3 sessions', '2. These aside, the program crashes at a.py, line 3',
                 '3 sessions failed: one-run', '1 session failed: crashes at a.py', 'B: 1 1 1'):
        assert part in text, part
    assert text.count('Look in all directions.') == 1
    assert re.findall('href="#(.*?)"', page) == ['test-1', 'test-2']
    assert sorted(re.findall('id="(.*?)"', page)) == ['test-1', 'test-2', 'test-3', 'test-4']
    assert page.index('What to mend') < page.index('<svg') < page.index('Sessions</h2>')


def test_a_place_in_the_program_stands_with_its_cause():
    where = [{'entry': 1, 'file': 'game.py', 'first': 7, 'last': 8, 'why': 'ran', 'sessions': ['a'],
              'start': 6, 'context': 'x = 1\nif x:\n    y()\nz()'}]
    causes = [told('a'), {**told('b'), 'id': 'other'}]
    page = report_page(results_of(failed(), told=causes, where=where))
    text = ' '.join(Reader(page).text.split())
    assert text.count('game.py, lines 7 to 8 6 x = 1 7 if x: 8 y() 9 z()') == 1
    assert page.count('<span class="row told">') == 2
    assert text.index('game.py') < text.index('other')


def test_the_class_is_linked_to_only_if_there_is_one():
    assert 'index.html' not in report_page(results_of(PASSED))
    assert 'href="../index.html"' in report_page(results_of(PASSED), '../index.html')


def test_all_right():
    assert 'All is right' in report_page(results_of(PASSED, score=1))
    assert 'All is right' not in report_page(results_of(PASSED, failed(), score=1))


def test_the_smallest_game_is_shown():
    fresh = {**PASSED, 'name': 'fresh games', 'status': 'failed',
             'extra_data': {'smallest': '4\n4\nB\n>\n'}}
    assert '\n4\n4\nB\n>\n' in Reader(report_page(results_of(fresh))).text.replace('game', '')


def test_why_nothing_was_run():
    tests = [{**failed(kind='not run'), 'output': 'no executable module'}] * 3
    assert report_page(results_of(*tests)).count('no executable module') == 1


def test_no_grade():
    page = report_page({**results_of(), 'score': None, 'output': 'it cannot be read'})
    assert 'not graded' in page
    assert 'it cannot be read' in page


def test_hostile_names_and_outputs_are_text():
    about = {key: HOSTILE for key in ('typed', 'expected', 'printed', 'before', 'smallest', 'kind')}
    page = report_page(results_of(
        {**failed(HOSTILE, **about, faults=[HOSTILE]), 'output': HOSTILE}, submission=HOSTILE,
        output=HOSTILE, notes=[HOSTILE], ended=HOSTILE, reach=[HOSTILE], confinement=HOSTILE))
    assert_harmless(page)
    assert Reader(page).text.count(HOSTILE) > 12
    assert HOSTILE[:20] in html.unescape(re.search('<title>(.*?)</title>', page)[1])
    index = index_page([
        results_of(PASSED, submission=HOSTILE, faults=[HOSTILE], ended=HOSTILE),
        {**results_of(submission=HOSTILE, output=HOSTILE), 'score': None}])
    assert_harmless(index)
    assert HOSTILE in Reader(index).text


# -------------------------------------------------------------------------------------- index

def test_a_class_by_score_and_by_fault():
    page = index_page([
        results_of(PASSED, failed(), submission='b', score=1, faults=['rare', 'common'], late=True),
        results_of(PASSED, failed(), submission='a', score=1, faults=['common']),
        results_of(PASSED, PASSED, submission='best', score=2),
        {**results_of(submission='lost', output='no permission'), 'score': None}])
    links = re.findall(r'href="\./(\w+)/report\.html"', page)
    assert links == ['a', 'b', 'b', 'best', 'a', 'b']
    text = ' '.join(Reader(page).text.split())
    for part in ('othello: 4 submissions', 'Full marks1', 'Not graded1', 'Median1 points',
                 'common in 2 programs', 'rare in 1 program', 'lost: no permission', '2 / 2'):
        assert part in text, part


@pytest.mark.parametrize(
    'name', ['../x', 'javascript:alert(1)', '//fetched.example', 'a b#c?d', '%2e'])
def test_links_lead_into_the_folder_of_results(name):
    page = index_page([results_of(PASSED, submission=name)])
    assert re.search(r'href="(?!\./grades\.csv")\./[\w%.~-]+/report\.html"', page)
    assert_harmless(page)


def test_an_empty_class():
    assert '0 submissions' in index_page([])


# ---------------------------------------------------------------------------- a real browser

ROWS = [' '.join('BW'[(row + column) % 2] if {row, column} & {0, 15} else '.'
                 for column in range(16)) for row in range(16)]
LARGE = 'B: 30  W: 30\n' + '\n'.join(ROWS) + '\nTURN: B\n'

# Measures what of the boards is outside of what is to be seen; and, as a control, where it is cut.
PROBE = '''
(() => {
  document.querySelectorAll('details').forEach(one => one.open = true);
  function cutOff() {
    let gone = 0;
    for (const cell of document.querySelectorAll('svg :is(rect, circle, text)')) {
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
  const found = {
    width: innerWidth, whole: document.documentElement.scrollWidth, cut: cutOff(),
    elements: document.documentElement.outerHTML,
    cells: [...document.querySelectorAll('.cell')].filter(
      cell => cell.getBoundingClientRect().width > 9).length,
    tokens: document.querySelectorAll('.token').length,
    discs: [...document.querySelectorAll('.disc')].map(disc => {
      const box = disc.getBoundingClientRect();
      return [disc.getAttribute('class'), box.left + box.width / 2, box.top + box.height / 2]; }),
  };
  const style = document.createElement('style');
  style.textContent = 'svg { max-width: none !important; } .panel { overflow: hidden; }';
  document.head.append(style);
  found.control = cutOff();
  style.remove();
  return found;
})()
'''


@pytest.fixture(scope='module')
def browser(tmp_path_factory):
    """A page of Chromium."""
    with chromium(tmp_path_factory.mktemp('browser')) as page:
        yield page


@pytest.fixture
def large(tmp_path):
    """A report with large boards and piles, and hostile texts."""
    boards = {'expected': LARGE, 'printed': LARGE.replace('. W', '. B', 1), 'faults': ['one']}
    piles = {'game': 'piles', 'expected': 'pile 0 = 60\npile 999 = 59\n',
             'printed': 'pile 0 = 60\npile 999 = 60\n'}
    return written(tmp_path, report_page(results_of(
        {**failed(**boards), 'output': HOSTILE}, failed(**piles), submission=HOSTILE)))


def written(folder, page):
    """Write a page; return its path."""
    path = folder / 'page.html'
    path.write_text(page, encoding='utf-8')
    return path


@in_browser
@pytest.mark.parametrize('scheme', ['light', 'dark'])
def test_on_a_phone(browser, large, scheme):
    """No cell is cut off, whatever is shown stays text, nothing is fetched, in light and dark."""
    browser.open(large, 390, 2400, scheme)
    found = browser.evaluate(PROBE)
    assert found['control'] > 0                     # else nothing would be found
    assert (found['width'], found['whole'], found['cut']) == (390, 390, 0)
    assert (found['cells'], found['tokens'], len(found['discs'])) == (512, 239, 120)
    assert browser.requests == []
    assert_harmless(found['elements'])
    assert Reader(found['elements']).text.count(HOSTILE) >= 2
    picture = browser.picture()
    assert (picture.brightness(2, 2) > 200) == (scheme == 'light')
    for kind, x, y in found['discs']:
        brightness = picture.brightness(x, y)
        assert brightness > 200 if kind == 'disc white' else brightness < 60, (kind, x, y)


@in_browser
def test_on_a_screen(browser, large):
    browser.open(large, 1100, 800)
    found = browser.evaluate(PROBE)
    assert (found['whole'], found['cut'], found['cells']) == (1100, 0, 512)


def a_class():
    """Return the page of a class of three."""
    sentence = [{'id': FAULT, 'sentence': 'turns over one run only'}]
    beside = [{'id': '', 'sentence': 'crashes at a.py, line 3 (KeyError)'}]
    return index_page([
        results_of(PASSED, failed(), submission='doe-jane', faults=[FAULT], told=sentence, score=1),
        results_of(failed(), submission='roe', told=beside, notes=['left out: x']),
        results_of(PASSED, submission='best', score=1)])


def test_a_class_says_what_its_programs_do():
    text = ' '.join(Reader(a_class()).text.split())
    assert 'The program turns over one run only. one-run in 1 program' in text
    assert 'roe 0 / 1 0 / 1 crashes at a.py, line 3 (KeyError)left out: x' in text
    assert 'href="./grades.csv"' in a_class()


def test_no_column_of_a_class_is_empty():
    assert '>Note<' in a_class()
    page = index_page([results_of(PASSED, score=1)])
    assert not re.search('>Note<|>What is wrong<|>Not graded<|By fault', page)
    assert '>Note<' not in index_page([results_of(PASSED, failed(), faults=[FAULT])])


SHOWN = """[...document.querySelectorAll('#submissions > tbody > tr')]
    .filter(row => row.getBoundingClientRect().height).map(row => row.cells[0].textContent)"""


def search_for(words):
    """Return the JavaScript that types words into the field for a search."""
    return f"""(() => {{
        const field = document.getElementById('search-text');
        field.value = '{words}';
        field.dispatchEvent(new Event('input'));
        return document.getElementById('search-found').textContent; }})()"""


@in_browser
@pytest.mark.parametrize('width', [390, 1280])
def test_a_class_is_searched(browser, tmp_path, width):
    browser.open(written(tmp_path, a_class()), width, 800)
    for words, names in [('JANE', ['doe-jane']), ('one-run', ['doe-jane']), ('a.py crash', ['roe']),
                         ('nobody', []), ('', ['best', 'doe-jane', 'roe'])]:
        found = browser.evaluate(search_for(words))
        assert browser.evaluate(SHOWN) == names, words
        assert found == (f'{len(names)} of 3' if words else '')
    assert browser.requests == []


@in_browser
def test_no_script_but_the_page_s_own_runs(browser, tmp_path):
    """A page whose script is another has no search, and shows all."""
    browser.open(written(tmp_path, a_class().replace('// Shows', '// shows')), 1280, 800)
    assert browser.evaluate("document.getElementById('search').hidden")
    assert browser.evaluate(SHOWN) == ['best', 'doe-jane', 'roe']


# What keeps people from reading a page: too little contrast, levels of headings left out, fields
# without labels, cells without headers, what scrolls and cannot be reached by keyboard.
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


def a_report():
    """Return the page of a submission with all that a page can show."""
    where = [{'entry': 1, 'file': 'a.py', 'first': 2, 'last': 2, 'why': 'ran', 'sessions': ['a'],
              'start': 1, 'context': 'x\ny\nz'}]
    return report_page(results_of(
        failed(faults=[FAULT], course=[['B: 1\n', '1 1']]), PASSED, failed(kind='not run'),
        told=[told('a')], where=where, notes=['a note'], ended='the time limit'), '../index.html')


@in_browser
@pytest.mark.parametrize('scheme', ['light', 'dark'])
@pytest.mark.parametrize('page', [a_class(), a_report()], ids=['class', 'report'])
def test_nothing_keeps_people_from_reading(browser, tmp_path, page, scheme):
    browser.open(written(tmp_path, page), 1280, 800, scheme)
    assert browser.evaluate(COMPLAINTS) == []


@in_browser
@pytest.mark.parametrize(('right', 'wrong', 'complaint'), [
    ('scope="row"', '', 'scope'), ('for="search-text"', '', 'label'), ('<main>', '', 'main'),
    ('h2>', 'h4>', 'heading'), ('--soft: #66645c', '--soft: #aaa', 'contrast')])
def test_what_keeps_people_from_reading_is_seen(browser, tmp_path, right, wrong, complaint):
    browser.open(written(tmp_path, a_class().replace(right, wrong)), 1280, 800)
    assert browser.evaluate(COMPLAINTS)[0].startswith(complaint)


@in_browser
def test_a_link_opens_the_session_that_it_leads_to(browser, tmp_path):
    page = report_page(results_of(failed(), told=[told('transcripts/othello/a.txt')]))
    browser.open(written(tmp_path, page), 1280, 800)
    opened = "document.querySelector('details:has(#test-1)').open"
    assert not browser.evaluate(opened)
    browser.evaluate("location.hash = 'test-1'")
    assert browser.evaluate(opened)


@in_browser
def test_what_a_page_fetches_is_seen(browser, tmp_path):
    path = written(tmp_path, '<img src="http://fetched.example/control">')
    browser.open(path, 1100, 800)
    assert browser.requests == ['http://fetched.example/control']


def test_what_stood_before_is_drawn_after_refusals():
    """An answer that refuses a move shows no position: the one before it is the last."""
    transcript = Transcript.read(FOLDER / 'othello/invalid_moves.txt')
    refusals = [number for number, step in enumerate(transcript.steps) if number
                and step.output == 'INVALID\n']
    assert refusals[2] == refusals[0] + 2
    board = transcript.steps[refusals[0] - 1].output
    assert find_boards(board)
    for number in refusals[:3]:
        assert details(Difference(transcript, number, 'differs', b'what?'))['before'] == board
    assert details(Difference(transcript, 0, 'differs', b''))['before'] == ''


def test_boards_that_are_the_same_are_two_where_their_turns_differ():
    board = 'B: 1  W: 1\n. .\nB W\nTURN: {}\n'
    about = {'game': 'othello', 'expected': board.format('B'), 'printed': board.format('W')}
    figure = figure_of(about)
    assert [panel.caption[-7:] for panel in figure.panels] == ['TURN: B', 'TURN: W']
    assert figure.note == (
        'The pictures are alike. "TURN: B" is due, "TURN: W" was printed.')
