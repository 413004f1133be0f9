"""The pages of submissions, classes and sessions, and the pictures of positions."""

import html
import re
from dataclasses import replace
from functools import partial

import pytest
from pages import (
    BOARD,
    CHARACTERS,
    HOSTILE,
    OTHER,
    PASSED,
    PILES,
    SESSION,
    Reader,
    a_class,
    assert_harmless,
    example,
    failed,
    finding,
    missing_in,
    not_run,
    played_wrong,
    results_of,
    session_result,
    words_of,
)
from random_cases import for_any

from grading.assignments.choice import read_sessions
from grading.engine.example import example_of
from grading.games import game_of
from grading.games.nim.positions import PilePosition, find_piles
from grading.games.othello.positions import Board, find_boards
from grading.installation import TRANSCRIPTS_FOLDER
from grading.reports.pages import index_page, report_page, scores_of, session_page
from grading.reports.pictures import (
    compare_texts,
    describe_cells,
    differing_cells,
    draw,
    figure_of,
    playthrough_of,
    positions_to_compare,
)
from grading.reports.wording import INCOMPLETE
from grading.results import FRESH, Crash, Interruption, Place
from grading.sessions.transcript import parse, read_session

BOARD_LINES = '\n'.join(f'|{line}' for line in BOARD.splitlines())

GAME = '$ othello_console.py\n|FULL\n4\n'
PAGES = {  # for each page: texts it contains, and texts it does not
    'what is typed': (partial(report_page, results_of(failed(typed='2 4'))), ['Typed 2 4'], []),
    'nothing is typed': (partial(report_page, results_of(failed(typed=None))), [], ['Typed']),
    'an empty line': (
        partial(report_page, results_of(failed(typed=''))),
        ['Typed an empty line'],
        [],
    ),
    'alone': (partial(report_page, results_of(PASSED)), [], ['index.html']),
    'of a class': (
        partial(report_page, results_of(PASSED), '../index.html'),
        ['href="../index.html"'],
        [],
    ),
    'all right': (partial(report_page, results_of(PASSED, score=1)), ['Everything is correct'], []),
    'not all': (
        partial(report_page, results_of(PASSED, failed(), score=1)),
        [],
        ['Everything is correct'],
    ),
    'no grade': (
        partial(report_page, replace(results_of(), score=None, output='it cannot be read')),
        ['not graded', 'it cannot be read'],
        [],
    ),
    'the smallest game': (
        partial(report_page, results_of(failed(FRESH, step=1), smallest=GAME)),
        ['Correct up to here FULL Typed 2 4'],
        [],
    ),
}


def test_a_report_contains_everything():
    page = report_page(
        results_of(
            failed(),
            PASSED,
            not_run(),
            submission='doejane_12345',
            late=True,
            seed=17,
            score=1,
            reach=['the network'],
            notes=['left out: x: a link'],
            ended=Interruption('time limit', '240'),
            complete=False,
        )
    )
    assert (
        missing_in(
            page,
            [
                'doejane_12345',
                '1 of 3 points',
                INCOMPLETE,
                'the network',
                'x: a link',
                'late',
                'the time limit of 240 s',
                '1 of 3 passed',
                'a message',
                'not run',
                'does not print the expected output, line 12',
            ],
        )
        == []
    )
    assert '17' not in words_of(page)  # only the teacher may know the seed
    assert page.count('<details') == 3  # for failed sessions, sessions not run, passed sessions
    assert_harmless(page)


@pytest.mark.parametrize(
    ('text', 'wrong', 'typed'),
    [
        ('|? \\\n# end of input\n|\n|a\n', 1, [[]]),  # nothing was typed before the wrong output
        ('1\n# end of input\n|a\n', 2, [['1']]),
        ('|?\n1\n|a\n', 1, [[]]),
    ],
)
def test_what_was_typed_before_the_wrong_output(text, wrong, typed):
    before = playthrough_of(parse(text, 'a'), wrong)[0]
    assert [lines for _, lines, _, _ in before] == typed


@pytest.mark.parametrize(
    ('page', 'text'),
    [
        (PAGES['what is typed'][0], BOARD),
        (PAGES['what is typed'][0], OTHER),
        (PAGES['the smallest game'][0], GAME),
    ],
)
def test_texts_are_on_the_page_unchanged(page, text):
    assert text in Reader(page()).text


def test_lines_that_differ_are_marked():
    page = report_page(results_of(failed(printed=BOARD.replace('  W', ' W').rstrip('\n'))))
    counts = {'class="row differs"': 4, 'no newline': 1, '<span class="space"> </span>': 4 + 3 + 2}
    assert {part: page.count(part) for part in counts} == counts
    assert BOARD in Reader(page).text.replace(' no newline', '\n')


@pytest.mark.parametrize(
    ('lines', 'others', 'differing'),
    [('INVALID\n' + BOARD, BOARD, ['INVALID']), (BOARD, 'INVALID\n' + BOARD, [])],
)
def test_an_extra_line_marks_no_other_line(lines, others, differing):
    assert [
        line.rstrip('\n') for line, differs, _ in compare_texts(lines, others)[0] if differs
    ] == differing


def test_a_finding_is_shown_once_with_all_its_sessions():
    names = [f'transcripts/othello/{name}.txt' for name in '0a12']
    page = report_page(
        results_of(
            *map(failed, names),
            findings=[
                finding(names[0], *names[2:], points=3),
                finding(
                    names[1],
                    id='',
                    advice='',
                    points=0,
                    cut=names[1:2],
                    sentence='crashes at a.py, line 3 (KeyError)',
                ),
            ],
        )
    )
    assert (
        missing_in(
            page,
            [
                '1. The program flips discs in one direction only. Seen in 3 sessions. '
                'Nothing else is wrong in these sessions (3 points). one-run Look in all directions.',
                '2. The program crashes at a.py, line 3 (KeyError). Seen in 1 session. '
                'What follows in this session cannot be seen yet.',
                '3 sessions failed: one-run',
                '1 session failed: crashes at a.py',
            ],
        )
        == []
    )
    assert words_of(page).count('Look in all directions.') == 1
    assert re.findall('href="#(.*?)"', page) == ['test-1', 'test-2']
    assert sorted(re.findall('id="(.*?)"', page)) == ['test-1', 'test-2', 'test-3', 'test-4']
    assert page.index('What to fix') < page.index('<svg') < page.index('Sessions</h2>')


def test_a_place_in_the_program_is_shown_with_its_finding():
    places = [
        Place('game.py', first, last, '', 'ran', ['a'], start, context)
        for first, last, start, context in (
            (7, 8, 6, 'x = 1\nif x:\n    y()\nz()'),
            (5, 5, 4, 'a\nb\nx = 1'),
            (1, 1, 1, 'import x'),
        )
    ]
    shows = example('a', hint='look', errors=['<b>'], printed='hint: no')
    page = report_page(
        results_of(
            failed(),
            findings=[finding('a', places=places, example=shows), finding('b', id='other')],
        )
    )
    text = words_of(page)
    assert (
        text.count(
            'Ran mostly when the output was wrong: game.py, lines 1, 5, '
            '7 to 8 1 import x 4 a 5 b 6 x = 1 7 if x: 8 y() 9 z()'
        )
        == 1
    )
    assert page.count('<span class="row marked">') == 4
    assert page.count('class="source"') == 2  # in two pieces
    parts = ['Stderr: <b> Hint: look', 'game.py', 'other']
    assert sorted(parts, key=text.index) == parts
    assert text.count('Hint: ') == 1


COURSE = parse(
    f"""$ othello_console.py
|FULL
4
B
{BOARD_LINES}
2 4
{BOARD_LINES}
9 9
|INVALID
1 1
{BOARD_LINES}
""",
    'a',
)


def test_a_session_unfolds_completely():
    """The page shows what happened before the fault, and how the session should continue."""
    page = report_page(
        results_of(failed('a', step=3), replace(PASSED, name='b')),
        '',
        [COURSE, parse('\n'.join(COURSE.lines), 'b')],
    )
    wrong, right = words_of(re.sub('<text.*?</text>', '', page)).split('1 session passed')
    whole, before, after = (
        ' '.join(' '.join(line.lstrip('|') for line in lines).split())
        for lines in (COURSE.lines[1:], COURSE.lines[1:11], COURSE.lines[19:])
    )
    assert whole in right
    assert f'Correct up to here {before} Typed 2 4' in wrong
    assert f'How the session should continue {after}' in wrong
    assert page.count('<svg class="sketch"') == 2 + 3
    assert page.count('class="last"') == 1 + 2
    assert_harmless(page)


@pytest.mark.parametrize(
    ('page', 'part', 'count'),
    [
        (partial(report_page, results_of(not_run('a')), '', [COURSE]), 'class="course"', 0),
        (
            partial(report_page, results_of(*[not_run(reason='no executable module')] * 3)),
            'no executable module',
            1,
        ),
    ],
)
def test_sessions_that_were_not_run_only_have_a_reason(page, part, count):
    assert page().count(part) == count


def test_hostile_names_and_outputs_are_text():
    session = parse(f'$ othello_console.py\n{HOSTILE}\n|{HOSTILE}\n{HOSTILE}\n', HOSTILE)
    texts = dict.fromkeys(('typed', 'expected', 'printed', 'before', 'hint'), HOSTILE)
    shows = example(HOSTILE, errors=[HOSTILE], crash=Crash(HOSTILE, HOSTILE, 1, HOSTILE), **texts)
    place = Place(HOSTILE, 1, 1, HOSTILE, HOSTILE, [HOSTILE], 1, HOSTILE)
    page = report_page(
        results_of(
            failed(HOSTILE, **texts),
            findings=[
                finding(
                    HOSTILE,
                    id=HOSTILE,
                    sentence=HOSTILE,
                    advice=HOSTILE,
                    example=shows,
                    places=[place],
                )
            ],
            submission=HOSTILE,
            notes=[HOSTILE],
            ended=Interruption('failure', HOSTILE),
            reach=[HOSTILE],
            confinement=HOSTILE,
        ),
        '',
        [session],
    )
    assert_harmless(page)
    assert Reader(page).text.count(HOSTILE) == 33
    assert HOSTILE[:20] in html.unescape(re.search('<title>(.*?)</title>', page)[1])
    index = index_page(
        [
            results_of(
                PASSED,
                submission=HOSTILE,
                ended=Interruption('failure', HOSTILE),
                findings=[finding(HOSTILE, id=HOSTILE, sentence=HOSTILE)],
            ),
            replace(results_of(submission=HOSTILE, output=HOSTILE), score=None),
        ]
    )
    assert_harmless(index)
    assert HOSTILE in Reader(index).text


def test_no_program_can_fill_a_page():
    """A page stays short even if every text influenced by a program is very long."""

    def page(text, lines):
        shows = example(
            'a', text, lines, errors=[text], hint=text, typed=text, crash=Crash(text, text, 1, text)
        )
        place = Place(text, 1, 1, lines, 'ran', ['a'], 1, lines)
        found = finding('a', sentence=text, advice=text, example=shows, places=[place])
        return report_page(results_of(failed(), findings=[found]))

    assert len(page('x ' * 9000, 'x\n' * 9000)) < len(page('x', 'x')) + 15_000


@pytest.mark.long
@for_any(
    20,
    lambda of: [
        of.text('BW. \t\n0123456789pile=INVALIDCOS:', max_size=200),
        of.text(CHARACTERS, max_size=9),
    ],
)
def test_any_output_makes_a_page(printed, typed):
    test = failed(printed=printed, before=printed, expected=BOARD, typed=typed)
    page = report_page(results_of(test))
    assert_harmless(page)
    text = Reader(page).text
    for line, _, _ in compare_texts(example(printed=printed).printed_text, BOARD)[0]:
        assert line.rstrip('\n') in text


# The page of a class

SUNDRY = partial(
    index_page,
    [
        results_of(
            PASSED,
            failed(),
            submission='b',
            score=1,
            late=True,
            findings=[finding('a', id='rare'), finding('a', id='common')],
        ),
        results_of(PASSED, failed(), submission='a', score=1, findings=[finding('a', id='common')]),
        results_of(PASSED, PASSED, submission='best', score=2),
        replace(results_of(submission='lost', output='no permission'), score=None),
    ],
)
ELSE = finding('a', id='', sentence='prints something else')
UNCONFINED = partial(
    index_page,
    [
        results_of(PASSED, submission=name, confinement=kind)
        for name, kind in (('a', 'none'), ('b', 'bwrap'), ('c', 'none'))
    ],
)
OF_A_CLASS = {  # for each page: texts it contains, and texts it does not
    'by score and by fault': (
        SUNDRY,
        [
            'othello: 4 submissions',
            'Full marks1',
            'Not graded1',
            'Median1 points',
            'Mean1.33 of 2 points',
            '2 programs flips discs in one direction only Show only these in the table: '
            'common ab common 2 points 1 program',
            'rare 1 point',
            'lost: no permission',
            '2 / 2',
        ],
        [],
    ),
    'what was not run may give more back': (
        partial(index_page, [results_of(failed(), not_run(), findings=[finding('a', id='slow')])]),
        ['slow 1 point'],
        [],
    ),
    'an empty class': (partial(index_page, []), ['0 submissions'], []),
    'what its programs do': (
        a_class,
        [
            '1 program flips discs in one direction only Show only these',
            'roe 0 / 1 crashes at a.py, line 3 (KeyError) · left out: x',
            '1 program fails in a way that no known fault explains Show only these in the table: '
            'fails in a way that no known fault explains roe 1 point',
            'href="./grades.csv"',
            '>Remarks<',
        ],
        ['without a sandbox', '>Passed<'],
    ),
    'no column is empty': (
        partial(index_page, [results_of(PASSED, score=1)]),
        [],
        ['>Remarks<', '>Not graded<', 'By fault'],
    ),
    'nothing was run': (
        partial(index_page, [results_of(not_run(), late=True)]),
        ['>could not be run</summary>', '>late · a message<'],
        [],
    ),
    'remarks are sentences, each once; ids are found, not shown': (
        partial(index_page, [results_of(failed(), findings=[finding('a'), ELSE, ELSE])]),
        ['>flips discs in one direction only · prints something else<', 'data-ids="one-run"'],
        [],
    ),
    'no sandbox': (
        UNCONFINED,
        ['3 submissions 2 programs ran without a sandbox: they could read and change'],
        [],
    ),
    'passed sessions, where they are not the score': (
        partial(index_page, [results_of(PASSED, PASSED, score=1)]),
        ['>Passed<'],
        [],
    ),
}


@pytest.mark.parametrize(('page', 'parts', 'others'), [*PAGES.values(), *OF_A_CLASS.values()])
def test_what_a_page_says(page, parts, others):
    page = page()
    assert missing_in(page, parts) == []
    assert [part for part in others if part in page] == []


@pytest.mark.parametrize(
    ('page', 'pattern', 'found'),
    [
        (
            SUNDRY,
            r'href="\./(\w+)/report\.html#class"',
            ['best', 'a', 'b', 'a', 'b', 'b', 'a', 'b'],
        ),
        (UNCONFINED, '>ran without a sandbox<', ['>ran without a sandbox<'] * 2),
        (
            partial(
                index_page,
                [
                    results_of(PASSED, submission=name, digest=digest)
                    for name, digest in (
                        ('ann', 'x'),
                        ('bob', ''),
                        ('cleo', 'x'),
                        ('dan', 'y'),
                        ('eve', ''),
                        ('fay', 'x'),
                    )
                ],
            ),
            'the same program as ([^<]*)<',
            ['cleo, fay', 'ann, fay', 'ann, cleo'],
        ),
    ],
)
def test_repeated_texts_on_the_page_of_a_class(page, pattern, found):
    assert re.findall(pattern, page()) == found


@pytest.mark.parametrize(
    'name', ['../x', 'javascript:alert(1)', '//fetched.example', 'a b#c?d', '%2e']
)
def test_links_lead_into_the_folder_of_results(name):
    page = index_page([results_of(PASSED, submission=name)])
    assert re.search(r'href="(?!\./grades\.csv")\./[\w%.~-]+/report\.html#class"', page)
    assert_harmless(page)


def test_scores_in_a_picture_and_in_words():
    graded = [
        results_of(PASSED, PASSED, PASSED, PASSED, score=score, submission=f'{score}')
        for score in (0, 0, 0.4, 3.99, 4)
    ]
    scores = scores_of(graded)
    assert (round(scores['mean'], 3), scores['median'], scores['most']) == (1.678, 0.4, 4)
    assert scores['bins'] == [((0, 1), 3), ((1, 2), 0), ((2, 3), 0), ((3, 4), 2)]
    picture = re.search('<svg class="histogram".*?</svg>', index_page(graded), re.DOTALL)[0]
    heights = re.findall('height="([0-9.]+)"', picture)
    assert heights == ['120.0', '0.0', '0.0', '80.0']
    assert re.findall('>([^<]+)</text>', picture) == [
        'programs',
        '3',
        '0',
        '1',
        '2',
        '2',
        '3',
        '4',
        'points',
    ]


@pytest.mark.parametrize(
    ('most', 'edges'),
    [
        (28, [0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 28]),
        (2.5, [0, 1, 2, 2.5]),
        (0, [0, 1]),
        (100, [*range(0, 101, 10)]),
    ],
)
def test_scores_are_in_ranges_of_whole_points(most, edges):
    bins = scores_of([results_of(replace(PASSED, max_score=most), score=most)])['bins']
    assert [least for (least, _), _ in bins] + [bins[-1][0][1]] == edges
    assert [count for _, count in bins] == [0] * (len(bins) - 1) + [1]


def test_faults_of_single_programs_are_folded():
    """Such faults follow the table of submissions and the faults of several programs."""
    page = index_page(
        [
            results_of(
                failed(),
                submission=f'{number}',
                findings=[
                    finding('a', id='common', sentence='is one'),
                    finding('a', id=f'f{number}'),
                ],
            )
            for number in range(10)
        ]
    )
    parts = ['Remarks', 'is one Show', '10 faults, each in a single program', 'f3 1 point']
    assert sorted(parts, key=words_of(page).index) == parts
    assert re.findall('class="within".*</nav>', page)[0].count('href="#by-') == 3


def test_each_session_says_how_many_fail_it():
    names = [f'transcripts/othello/{name}.txt' for name in 'ab']
    page = index_page(
        [
            results_of(failed(names[0]), failed(names[1]), submission='x'),
            results_of(
                failed(names[0]), session_result(names[1], 'passed', score=1), submission='y'
            ),
            results_of(not_run(names[0]), not_run(names[1]), submission='z'),
        ],
        names[1:],
    )
    assert '2 sessions that at least one program fails 2 programs a Show' in words_of(page)
    assert re.findall('<a href="./(session-[0-9]+.html)"', page) == ['session-1.html']


def test_a_page_of_a_session():
    """The page shows the session and the programs that fail it, the most frequent finding first."""
    session = parse(SESSION, 'transcripts/othello/a.txt')
    crash = finding(session.name, id='', sentence='crashes')
    page = session_page(
        session,
        [
            *(
                results_of(failed(), submission=name, findings=[finding(session.name)])
                for name in ('doe', 'Ann')
            ),
            results_of(failed(), submission='roe', findings=[crash, finding('b')]),
            results_of(not_run(session.name), submission='old'),
            results_of(PASSED, submission='best'),
        ],
    )
    parts = [
        'The session 4',
        'Programs that fail this session',
        'Programs that fail this session The program flips '
        'discs in one direction only. 2 programs Anndoe a message 1 program old '
        'The program crashes. 1 program roe',
    ]
    assert sorted(parts, key=words_of(page).index) == parts
    assert page.count('<svg class="sketch"') == 1
    assert_harmless(page)
    assert 'No program fails this session.' in session_page(session, [results_of(PASSED)])


def test_hostile_texts_on_the_page_of_a_session():
    session = parse(f'$ othello_console.py\n|{HOSTILE}\n{HOSTILE}\n', HOSTILE)
    page = session_page(
        session,
        [
            results_of(
                failed(HOSTILE), submission=HOSTILE, findings=[finding(HOSTILE, sentence=HOSTILE)]
            )
        ],
    )
    assert_harmless(page)
    assert Reader(page).text.count(HOSTILE) == 6


# Finding positions in texts, and drawing them


@pytest.mark.parametrize(
    ('find', 'text', 'positions'),
    [
        (find_boards, BOARD, [Board(('....', '.WB.', '.BW.', '....'), 'B: 2  W: 2', 'TURN: B')]),
        (find_boards, '  B: 1 W: 2  \nBW\n W\t. \n', [Board(('BW', 'W.'), 'B: 1 W: 2')]),
        (find_boards, 'B W\nW B\n. . .\n. . .\n', [Board(('BW', 'WB')), Board(('...', '...'))]),
        (find_piles, PILES + PILES, [PilePosition((('0', 3), ('1', 12)))] * 2),
        (find_piles, 'COINS: 10  TURN: C\n', [PilePosition((('', 10),))]),
        (find_piles, '\nThere are 33 stones remaining...\n', [PilePosition((('', 33),))]),
        (
            find_piles,
            'Starting State:\n3  0\nPlayer 1 takes 3 tokens from the pile 1.\nState:\n0  0\n',
            [PilePosition((('1', 3), ('2', 0))), PilePosition((('1', 0), ('2', 0)))],
        ),
        *(
            (find, text, [])
            for find in (find_boards, find_piles)
            for text in ('', 'INVALID\n', 'B W .\n', 'B\nW\n', 'FULL\nFULL\n', 'pile x = 3')
        ),
    ],
)
def test_positions_are_found_however_they_are_spaced(find, text, positions):
    assert find(text) == positions


STATES = 'State:\n0  3\nState:\n0  {}\nState:\n1  1\n'.format
ONE = find_boards(BOARD)[0]


@pytest.mark.parametrize(
    ('find', 'before', 'expected', 'printed', 'compared', 'differing'),
    [
        (
            find_piles,
            '',
            STATES(1),
            STATES(2),
            [PilePosition((('1', 0), ('2', number))) for number in (3, 1, 2)],
            ['2'],
        ),
        (find_boards, BOARD, 'INVALID\n', 'INVALID\n' + BOARD, [ONE, None, ONE], []),
        (find_boards, '', BOARD, BOARD + BOARD, [ONE, None, ONE], []),
    ],
)
def test_the_first_positions_that_differ_are_compared(
    find, before, expected, printed, compared, differing
):
    """An extra board is compared with nothing."""
    found = positions_to_compare(find, before, expected, printed)
    assert [*found] == compared
    assert differing_cells(*found[1:]) == differing


def test_every_position_of_the_transcripts_is_found():
    marks = {
        'othello': r'^B: \d+  W: \d+$',
        'piles': r'pile 0 = \d+$',
        'recorded': r'State:$',
        'tlcw': r'COINS: \d',
        'stones': r'There are \d+ stones',
    }
    for transcript in read_sessions():
        game = game_of(transcript)
        found = sum(len(game.positions(step.output)) for step in transcript.steps)
        marked = re.findall(marks[game.name], transcript.output, re.MULTILINE)
        assert found == len(marked), transcript.name


def figure(**about):
    return figure_of(example(**about))


def dots(picture, kind):
    """Return the positions of all dots of a kind in a picture, as pairs of x and y."""
    ways = re.findall(f'<path class="{kind}" d="(.*?)"', picture)
    return [
        tuple(map(float, point))
        for way in ways
        for point in re.findall(r'M([\d.]+) ([\d.]+)h0', way)
    ]


def test_expected_beside_printed():
    panels, note = figure()
    headings, pictures, captions = zip(*panels, strict=False)
    assert headings == ('Expected', 'Printed')
    assert note == 'Different: row 2, column 3.'
    assert captions == ('B: 2  W: 2, TURN: B',) * 2
    for picture in pictures:
        assert picture.count('h144v144h-144z') == 1
        assert picture.count('class="hatch"') == picture.count('class="differs"') == 1
        assert picture.count('class="move"') == 1
        assert 'The move is to row 2, column 4. Different: row 2, column 3.' in picture
    assert [len(dots(picture, 'disc white')) for picture in pictures] == [2, 3]


@pytest.mark.parametrize(
    ('picture', 'shown'),
    [
        (
            partial(draw, Board(('B.', '.W')), 'Printed'),
            {'disc black': [(42, 42)], 'disc white': [(78, 78)], 'disc rim': [(42, 42), (78, 78)]},
        ),
        (
            partial(draw, Board(('B.W', '.W.')), typed='2 2'),
            {'black': [(2.2, 2.2)], 'white': [(6.2, 2.2), (4.2, 4.2)], 'last': [(4.2, 4.2)]},
        ),
        (partial(draw, Board(('B.W', '.W.')), typed='7 7'), {'last': []}),
        (partial(draw, Board(('B.W', '.W.')), typed='B . W'), {'last': []}),
        (
            partial(draw, PilePosition((('0', 3), ('1', 0), ('2', 11))), typed='2'),
            {'token': [(1, 1), (3, 1), (5, 1), *((x, 7) for x in range(1, 20, 2)), (1, 9)]},
        ),
        (partial(draw, PilePosition((('', 0),))), {'token': []}),
    ],
)
def test_a_picture_shows_the_printed_position_and_the_last_move(picture, shown):
    assert {kind: dots(picture(), kind) for kind in shown} == shown


def test_a_sketch_has_numbers_and_marks_the_last_move():
    picture = draw(Board(('B.W', '.W.')), typed='2 2')
    assert re.findall('>([0-9])</text>', picture) == ['1', '2', '1', '2', '3']
    assert picture.count('class="move"') == 1


TWO = 'B: 1  W: 1\n. .\nB W\nTURN: {}\n'.format
SAME = 'The pictures are the same. '


@pytest.mark.parametrize(
    ('about', 'headings', 'note'),
    [
        ({}, ['Expected', 'Printed'], 'Different: row 2, column 3.'),
        (
            {'printed': BOARD.replace('  W', ' W')},
            ['Expected and printed'],
            f'{SAME}The spaces in "B: 2  W: 2" differ.',
        ),
        (
            {'expected': TWO('B'), 'printed': TWO('W')},
            ['Expected', 'Printed'],
            f'{SAME}"TURN: B" is expected, but "TURN: W" was printed.',
        ),
        (
            {'expected': 'INVALID\n', 'printed': 'VALID\n' + BOARD, 'before': BOARD},
            ['Before', 'Printed, but not expected'],
            '"INVALID" is expected, but "VALID" was printed.',
        ),
        (
            {'expected': 'INVALID\n', 'printed': '', 'before': BOARD},
            ['Before'],
            '"INVALID" is expected, but was not printed.',
        ),
        (
            {'printed': 'INVALID\n', 'before': BOARD},
            ['Before', 'Expected'],
            'No board was printed.',
        ),
        (
            {'game': 'piles', 'expected': PILES, 'printed': ''},
            ['Expected'],
            'No piles were printed.',
        ),
    ],
)
def test_different_positions_are_side_by_side(about, headings, note):
    panels, actual_note = figure(**about)
    assert ([heading for heading, *_ in panels], actual_note) == (headings, note)
    # Equal boards are drawn twice if their TURN lines differ.
    assert 'TURN: W' not in note or [caption[-1] for *_, caption in panels] == ['B', 'W']


def test_no_cell_of_the_board_before_is_marked():
    before, expected, _ = (picture for _, picture, _ in figure(before=BOARD)[0])
    assert ('hatch' in expected, 'hatch' in before, 'class="move"' in before) == (True, False, True)


def test_pictures_if_nothing_was_printed():
    panels, _ = figure(printed='INVALID\n', before=BOARD)
    assert all('class="move"' in picture for _, picture, _ in panels)
    page = report_page(results_of(failed(printed='')))
    assert ('row differs"' in page, '(nothing)' in page) == (False, True)


@pytest.mark.parametrize('typed', ['0 1', '5 5', '99 99', 'x', '', None])
def test_a_move_off_the_board_has_no_frame(typed):
    assert 'class="move"' not in figure(typed=typed)[0][0][1]


@pytest.mark.parametrize(
    'about',
    [
        {'game': 'piles', 'printed': 'pile 0 = 999999999\n'},
        {'printed': '\n'.join(['. ' * 30] * 30)},
        {'game': 'piles', 'printed': ''.join(f'pile {i} = 1\n' for i in range(40))},
        {'expected': 'FULL\n', 'printed': 'full\n'},
    ],
)
def test_large_positions_and_other_texts_are_not_drawn(about):
    assert figure(**about) is None


def test_piles():
    panels, note = figure(
        game='piles', expected=PILES.replace('12', '9'), printed=PILES, typed='3', before=PILES
    )
    before, expected, printed = (picture for _, picture, _ in panels)
    assert [
        (len(dots(picture, 'token')), picture.count('"taken"'))
        for picture in (before, expected, printed)
    ] == [(15, 0), (12, 3), (15, 0)]
    assert note == 'Different: pile 1.'
    assert 'pile 0: 3, pile 1: 9. Different: pile 1.' in expected


WIDE = Board(('B' * 9,) * 2)
SIX = 'Different: ' + '; '.join(f'row 1, column {column}' for column in range(1, 7))


@pytest.mark.parametrize(
    ('position', 'differing', 'words'),
    [
        (WIDE, [(1, column) for column in range(1, 10)], f'{SIX}; and 3 more.'),
        (WIDE, [(1, column) for column in range(1, 8)], f'{SIX}; and 1 more.'),
        (PilePosition((('', 3),)), [''], 'Differs.'),
        (WIDE, [], ''),
    ],
)
def test_differences_in_words(position, differing, words):
    assert describe_cells(position, differing) == words


def test_the_last_position_is_drawn_after_refusals():
    """The answer to a refused move shows no position, so the position before it is drawn."""
    transcript = read_session(TRANSCRIPTS_FOLDER / 'othello/invalid_moves.txt')
    refusals = [
        number
        for number, step in enumerate(transcript.steps)
        if number and step.output == 'INVALID\n'
    ]
    assert refusals[2] == refusals[0] + 2
    board = transcript.steps[refusals[0] - 1].output
    assert find_boards(board)
    for number in refusals[:3]:
        assert (
            example_of(
                played_wrong(transcript, number, 'differs', b'what?'), game_of(transcript)
            ).before
            == board
        )
    at_start = example_of(played_wrong(transcript, 0, 'differs'), game_of(transcript))
    assert (at_start.before, at_start.typed) == ('', None)
