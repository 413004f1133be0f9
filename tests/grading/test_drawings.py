"""The positions that a text shows, and their pictures."""

import re

from pages import BOARD, PILES, example, failed, results_of
from tables import each

from grading.assignments.games import game_of, read_transcripts
from grading.assignments.nim.positions import PilePosition, find_piles
from grading.assignments.othello.positions import Board, draw_board, find_boards, move_on
from grading.assignments.positions import compare_positions, describe
from grading.diagnosis.example import example_of
from grading.installation import TRANSCRIPTS_FOLDER
from grading.reports.html.examples import figure_of
from grading.reports.html.pages import report_page
from grading.sessions.difference import Difference
from grading.sessions.transcript import Transcript


def test_positions_of_all_games():
    assert find_boards(BOARD) == [
        Board(('....', '.WB.', '.BW.', '....'), 'B: 2  W: 2', 'TURN: B')]
    assert find_piles(PILES + PILES) == [PilePosition((('0', 3), ('1', 12)))] * 2
    assert find_piles('COINS: 10  TURN: C\n') == [PilePosition((('', 10),))]
    assert find_piles('\nThere are 33 stones remaining...\n') == [PilePosition((('', 33),))]
    assert find_piles('Starting State:\n3  0\nPlayer 1 takes 3 tokens from the pile 1.\n'
                          'State:\n0  0\n') == [PilePosition((('1', 3), ('2', 0))),
                                                PilePosition((('1', 0), ('2', 0)))]


@each('text', ['', 'INVALID\n', 'B W .\n', 'B\nW\n', 'FULL\nFULL\n', 'pile x = 3'])
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
    both = figure()
    assert [panel.heading for panel in both.panels] == ['Expected', 'Printed']
    assert both.note == 'Different: row 2, column 3.'
    assert all(panel.caption == 'B: 2  W: 2, TURN: B' for panel in both.panels)
    for panel in both.panels:
        assert panel.picture.count('h144v144h-144z') == 1
        assert panel.picture.count('class="hatch"') == panel.picture.count('class="differs"') == 1
        assert panel.picture.count('class="move"') == 1
        assert 'The move is to row 2, column 4. Different: row 2, column 3.' in panel.picture
    assert [len(dots(panel.picture, 'disc white')) for panel in both.panels] == [2, 3]


def test_a_picture_is_of_what_was_printed():
    picture = draw_board(Board(('B.', '.W')), 'Printed')
    assert (dots(picture, 'disc black'), dots(picture, 'disc white')) == ([(42, 42)], [(78, 78)])
    assert dots(picture, 'disc rim') == [(42, 42), (78, 78)]


def test_a_sketch_is_of_what_was_printed_and_of_the_last_move():
    board = Board(('B.W', '.W.'))
    picture = board.sketch('2 2')
    assert (dots(picture, 'black'), dots(picture, 'white')) == (
        [(2.2, 2.2)], [(6.2, 2.2), (4.2, 4.2)])
    assert dots(picture, 'last') == [(4.2, 4.2)]
    assert re.findall('>([0-9])</text>', picture) == ['1', '2', '1', '2', '3']
    assert picture.count('class="move"') == 1
    assert dots(board.sketch('7 7'), 'last') == dots(board.sketch('B . W'), 'last') == []
    piles = PilePosition((('0', 3), ('1', 0), ('2', 11))).sketch('2')
    assert dots(piles, 'token')[:5] == [(1, 1), (3, 1), (5, 1), (1, 7), (3, 7)]
    assert dots(piles, 'token')[-1] == (1, 9)
    assert dots(PilePosition((('', 0),)).sketch(''), 'token') == []


def test_one_board_where_the_text_alone_differs():
    same = figure(printed=BOARD.replace('  W', ' W'))
    assert [panel.heading for panel in same.panels] == ['Expected and printed']
    assert same.note == 'The pictures are the same. The blanks of "B: 2  W: 2" differ.'


def test_no_cell_of_the_board_before_is_marked():
    before, expected, _ = figure(before=BOARD).panels
    assert 'hatch' in expected.picture
    assert 'hatch' not in before.picture
    assert 'class="move"' in before.picture


def test_the_board_before_where_none_was_due():
    refused = figure(expected='INVALID\n', printed='VALID\n' + BOARD, before=BOARD)
    assert [panel.heading for panel in refused.panels] == ['Before', 'Printed, but not expected']
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


@each('typed', ['0 1', '5 5', '99 99', 'x', '', None])
def test_a_move_off_the_board_has_no_frame(typed):
    assert 'class="move"' not in figure(typed=typed).panels[0].picture


@each('game, printed', [
    ('piles', 'pile 0 = 999999999\n'), ('othello', '\n'.join(['. ' * 30] * 30)),
    ('piles', ''.join(f'pile {i} = 1\n' for i in range(40)))])
def test_what_is_too_large_is_not_drawn(game, printed):
    assert figure(game=game, printed=printed) is None


def test_no_picture_where_no_position_is():
    assert figure(expected='FULL\n', printed='full\n') is None


def test_piles():
    piles = figure(game='piles', expected=PILES.replace('12', '9'), printed=PILES, typed='3',
                   before=PILES)
    before, expected, printed = (panel.picture for panel in piles.panels)
    assert [(len(dots(picture, 'token')), picture.count('"taken"'))
            for picture in (before, expected, printed)] == [(15, 0), (12, 3), (15, 0)]
    assert piles.note == 'Different: pile 1.'
    assert 'pile 0: 3, pile 1: 9. Different: pile 1.' in expected


def test_differences_in_words():
    cells = [(1, column) for column in range(1, 10)]
    board = Board(('B' * 9,) * 2)
    assert describe(board, cells).endswith('row 1, column 6; 3 more.')
    assert describe(board, cells[:7]).endswith('row 1, column 7.')
    assert describe(PilePosition((('', 3),)), ['']) == 'Differs.'
    assert describe(board, []) == ''


def test_what_stood_before_is_drawn_after_refusals():
    """An answer that refuses a move shows no position: the one before it is the last."""
    transcript = Transcript.read(TRANSCRIPTS_FOLDER / 'othello/invalid_moves.txt')
    refusals = [number for number, step in enumerate(transcript.steps) if number
                and step.output == 'INVALID\n']
    assert refusals[2] == refusals[0] + 2
    board = transcript.steps[refusals[0] - 1].output
    assert find_boards(board)
    for number in refusals[:3]:
        assert example_of(Difference(transcript, number, 'differs', b'what?'),
                          game_of(transcript)).before == board
    at_start = example_of(Difference(transcript, 0, 'differs', b''), game_of(transcript))
    assert (at_start.before, at_start.typed) == ('', None)


def test_boards_that_are_the_same_are_two_where_their_turns_differ():
    board = 'B: 1  W: 1\n. .\nB W\nTURN: {}\n'
    two = figure(expected=board.format('B'), printed=board.format('W'))
    assert [panel.caption[-7:] for panel in two.panels] == ['TURN: B', 'TURN: W']
    assert two.note == (
        'The pictures are the same. "TURN: B" is expected, "TURN: W" was printed.')
