"""The positions that a text shows, and their pictures."""

import re

from pages import BOARD, PILES, example, failed, played_wrong, results_of
from tables import each

from grading.assignments.game import Comparison, compare_positions, describe
from grading.assignments.games import game_of, read_transcripts
from grading.assignments.nim import PilePosition, find_piles
from grading.assignments.othello import Board, find_boards, move_on
from grading.diagnosis.example import example_of
from grading.installation import TRANSCRIPTS_FOLDER
from grading.reports.pages import draw, figure_of, report_page
from grading.sessions.transcript import Transcript


@each('find, text, positions', [
    (find_boards, BOARD, [Board(('....', '.WB.', '.BW.', '....'), 'B: 2  W: 2', 'TURN: B')]),
    (find_boards, '  B: 1 W: 2  \nBW\n W\t. \n', [Board(('BW', 'W.'), 'B: 1 W: 2')]),
    (find_boards, 'B W\nW B\n. . .\n. . .\n', [Board(('BW', 'WB')), Board(('...', '...'))]),
    (find_piles, PILES + PILES, [PilePosition((('0', 3), ('1', 12)))] * 2),
    (find_piles, 'COINS: 10  TURN: C\n', [PilePosition((('', 10),))]),
    (find_piles, '\nThere are 33 stones remaining...\n', [PilePosition((('', 33),))]),
    (find_piles, 'Starting State:\n3  0\nPlayer 1 takes 3 tokens from the pile 1.\n'
                 'State:\n0  0\n', [PilePosition((('1', 3), ('2', 0))),
                                   PilePosition((('1', 0), ('2', 0)))]),
    *((find, text, []) for find in (find_boards, find_piles)
      for text in ('', 'INVALID\n', 'B W .\n', 'B\nW\n', 'FULL\nFULL\n', 'pile x = 3'))])
def test_positions_are_found_however_they_are_spaced(find, text, positions):
    assert find(text) == positions


STATES = 'State:\n0  3\nState:\n0  {}\nState:\n1  1\n'.format
ONE = find_boards(BOARD)[0]


@each('find, before, typed, expected, printed, compared, differing, move', [
    (find_piles, '', '0;3', STATES(1), STATES(2),
     [PilePosition((('1', 0), ('2', number))) for number in (3, 1, 2)], ['2'], None),
    (find_boards, BOARD, '1 1', 'INVALID\n', 'INVALID\n' + BOARD, [ONE, None, ONE], [], (1, 1)),
    (find_boards, '', '1 1', BOARD, BOARD + BOARD, [ONE, None, ONE], [], (1, 1))])
def test_the_first_positions_that_differ_are_compared(find, before, typed, expected, printed,
                                                      compared, differing, move):
    """A board too many is compared with none."""
    found = compare_positions(find, before, typed, expected, printed)
    assert [found.before, found.expected, found.printed] == compared
    assert (found.differing, move_on(found.typed)) == (differing, move)


def test_every_position_of_the_transcripts_is_found():
    marks = {'othello': r'^B: \d+  W: \d+$', 'piles': r'pile 0 = \d+$', 'recorded': r'State:$',
             'tlcw': r'COINS: \d', 'stones': r'There are \d+ stones'}
    for transcript in read_transcripts():
        game = game_of(transcript)
        found = sum(len(game.positions(step.output)) for step in transcript.steps)
        due = re.findall(marks[game.name], transcript.output, re.MULTILINE)
        assert found == len(due), transcript.name


def figure(**about):
    return figure_of(example(**about))


def dots(picture, kind):
    """Return where a picture has dots of a kind, as pairs of x and y."""
    ways = re.findall(f'<path class="{kind}" d="(.*?)"', picture)
    return [tuple(map(float, point)) for way in ways
            for point in re.findall(r'M([\d.]+) ([\d.]+)h0', way)]


def test_expected_beside_printed():
    panels, note = figure()
    assert [panel.heading for panel in panels] == ['Expected', 'Printed']
    assert note == 'Different: row 2, column 3.'
    assert all(panel.caption == 'B: 2  W: 2, TURN: B' for panel in panels)
    for panel in panels:
        assert panel.picture.count('h144v144h-144z') == 1
        assert panel.picture.count('class="hatch"') == panel.picture.count('class="differs"') == 1
        assert panel.picture.count('class="move"') == 1
        assert 'The move is to row 2, column 4. Different: row 2, column 3.' in panel.picture
    assert [len(dots(panel.picture, 'disc white')) for panel in panels] == [2, 3]


def picture_of(position, typed='', title=''):
    """Return the picture of a position after an input line; without a title, a sketch."""
    return draw(position, title, Comparison(None, None, None, typed))


@each('picture, shown', [
    (picture_of(Board(('B.', '.W')), title='Printed'), {
        'disc black': [(42, 42)], 'disc white': [(78, 78)], 'disc rim': [(42, 42), (78, 78)]}),
    (picture_of(Board(('B.W', '.W.')), '2 2'), {
        'black': [(2.2, 2.2)], 'white': [(6.2, 2.2), (4.2, 4.2)], 'last': [(4.2, 4.2)]}),
    (picture_of(Board(('B.W', '.W.')), '7 7'), {'last': []}),
    (picture_of(Board(('B.W', '.W.')), 'B . W'), {'last': []}),
    (picture_of(PilePosition((('0', 3), ('1', 0), ('2', 11))), '2'), {
        'token': [(1, 1), (3, 1), (5, 1), *((x, 7) for x in range(1, 20, 2)), (1, 9)]}),
    (picture_of(PilePosition((('', 0),))), {'token': []})])
def test_a_picture_is_of_what_was_printed_and_of_the_last_move(picture, shown):
    assert {kind: dots(picture, kind) for kind in shown} == shown


def test_a_sketch_has_numbers_and_marks_the_last_move():
    picture = picture_of(Board(('B.W', '.W.')), '2 2')
    assert re.findall('>([0-9])</text>', picture) == ['1', '2', '1', '2', '3']
    assert picture.count('class="move"') == 1


TWO = 'B: 1  W: 1\n. .\nB W\nTURN: {}\n'.format
SAME = 'The pictures are the same. '


@each('about, headings, note', [
    ({}, ['Expected', 'Printed'], 'Different: row 2, column 3.'),
    ({'printed': BOARD.replace('  W', ' W')}, ['Expected and printed'],
     f'{SAME}The blanks of "B: 2  W: 2" differ.'),
    ({'expected': TWO('B'), 'printed': TWO('W')}, ['Expected', 'Printed'],
     f'{SAME}"TURN: B" is expected, "TURN: W" was printed.'),
    ({'expected': 'INVALID\n', 'printed': 'VALID\n' + BOARD, 'before': BOARD},
     ['Before', 'Printed, but not expected'], '"INVALID" is expected, "VALID" was printed.'),
    ({'expected': 'INVALID\n', 'printed': '', 'before': BOARD}, ['Before'],
     '"INVALID" is expected, but was not printed.'),
    ({'printed': 'INVALID\n', 'before': BOARD}, ['Before', 'Expected'], 'No board was printed.'),
    ({'game': 'piles', 'expected': PILES, 'printed': ''}, ['Expected'], 'No piles were printed.')])
def test_positions_stand_side_by_side_where_they_differ(about, headings, note):
    panels, said = figure(**about)
    assert ([panel.heading for panel in panels], said) == (headings, note)


def test_boards_that_are_the_same_are_two_where_their_turns_differ():
    panels, _ = figure(expected=TWO('B'), printed=TWO('W'))
    assert [panel.caption[-7:] for panel in panels] == ['TURN: B', 'TURN: W']


def test_no_cell_of_the_board_before_is_marked():
    before, expected, _ = (panel.picture for panel in figure(before=BOARD)[0])
    assert ('hatch' in expected, 'hatch' in before, 'class="move"' in before) == (True, False, True)


def test_where_nothing_was_printed():
    panels, _ = figure(printed='INVALID\n', before=BOARD)
    assert all('class="move"' in panel.picture for panel in panels)
    page = report_page(results_of(failed(printed='')))
    assert ('row differs"' in page, '(nothing)' in page) == (False, True)


@each('typed', ['0 1', '5 5', '99 99', 'x', '', None])
def test_a_move_off_the_board_has_no_frame(typed):
    assert 'class="move"' not in figure(typed=typed)[0][0].picture


@each('about', [
    {'game': 'piles', 'printed': 'pile 0 = 999999999\n'}, {'printed': '\n'.join(['. ' * 30] * 30)},
    {'game': 'piles', 'printed': ''.join(f'pile {i} = 1\n' for i in range(40))},
    {'expected': 'FULL\n', 'printed': 'full\n'}])
def test_what_is_too_large_or_no_position_is_not_drawn(about):
    assert figure(**about) is None


def test_piles():
    panels, note = figure(game='piles', expected=PILES.replace('12', '9'), printed=PILES, typed='3',
                          before=PILES)
    before, expected, printed = (panel.picture for panel in panels)
    assert [(len(dots(picture, 'token')), picture.count('"taken"'))
            for picture in (before, expected, printed)] == [(15, 0), (12, 3), (15, 0)]
    assert note == 'Different: pile 1.'
    assert 'pile 0: 3, pile 1: 9. Different: pile 1.' in expected


WIDE = Board(('B' * 9,) * 2)
SIX = 'Different: ' + '; '.join(f'row 1, column {column}' for column in range(1, 7))


@each('position, differing, words', [
    (WIDE, [(1, column) for column in range(1, 10)], f'{SIX}; and 3 more.'),
    (WIDE, [(1, column) for column in range(1, 8)], f'{SIX}; and 1 more.'),
    (PilePosition((('', 3),)), [''], 'Differs.'), (WIDE, [], '')])
def test_differences_in_words(position, differing, words):
    assert describe(position, differing) == words


def test_what_stood_before_is_drawn_after_refusals():
    """An answer that refuses a move shows no position: the one before it is the last."""
    transcript = Transcript.read(TRANSCRIPTS_FOLDER / 'othello/invalid_moves.txt')
    refusals = [number for number, step in enumerate(transcript.steps) if number
                and step.output == 'INVALID\n']
    assert refusals[2] == refusals[0] + 2
    board = transcript.steps[refusals[0] - 1].output
    assert find_boards(board)
    for number in refusals[:3]:
        assert example_of(played_wrong(transcript, number, 'differs', b'what?'),
                          game_of(transcript)).before == board
    at_start = example_of(played_wrong(transcript, 0, 'differs'), game_of(transcript))
    assert (at_start.before, at_start.typed) == ('', None)
