"""The transcripts show every situation that matters, and the models agree with all transcripts."""

import functools
import itertools
import re

import pytest
from models import INTEGER, MODELS, name_of_game, outputs, recorded, transcripts
from situations import OF_THE_CORPUS, SITUATIONS, Session, missing, optimal_moves


@functools.cache
def sessions():
    return [Session(transcript) for transcript in transcripts('othello')]


def test_there_are_transcripts():
    assert {game: len(transcripts(game)) >= 20 for game in MODELS} == dict.fromkeys(MODELS, True)
    assert len(transcripts()) > 120


def test_othello_situations_are_shown():
    assert missing({**SITUATIONS, **OF_THE_CORPUS}, sessions()) == []


def test_a_game_is_recorded_with_most_and_with_fewest_discs_winning():
    shown = {'<': set(), '>': set()}
    for session in sessions():
        if len(session.turns) > 1:
            inputs_without_rule = (*session.inputs[:3], *session.inputs[4:])
            shown[session.wins].add(inputs_without_rule)
    assert shown['<'] & shown['>']


class NimSession:
    """A Nim transcript, and what happens in it."""

    def __init__(self, transcript):
        self.words = transcript.arguments
        self.optimal_moves = optimal_moves(transcript)
        self.game = name_of_game(transcript)
        self.inputs = transcript.inputs
        self.output = transcript.output
        self.is_invalid = self.output == 'Invalid Game.\n'
        # Each answer, with what is printed before and after it.
        steps = transcript.steps
        self.answers = [
            (before.input, before.output, after.output)
            for before, after in itertools.pairwise(steps)
        ]
        self.refused = [
            answer
            for answer, _, after in self.answers
            if after.startswith(('INVALID\n', 'This is not', 'You MUST'))
        ]

    def record(self):
        """Return the integers of each line of a recorded game; None for a line of anything else."""
        return [
            [int(cell) for cell in line.split(';')]
            if all(INTEGER.fullmatch(cell) for cell in line.split(';'))
            else None
            for line in self.inputs
        ]

    def becomes_valid(self, change):
        """Return whether an invalid recorded game becomes valid if its lines are changed."""
        return (
            self.game == 'recorded'
            and self.is_invalid
            and self.inputs
            and recorded(change(self.inputs)) != 'Invalid Game.\n'
        )


def excess(session):
    """Return how many more counters the piles hold than line 1 of a recorded game says.

    Return 0 if the game is not recorded, or if anything else in it is wrong.
    """
    if session.game != 'recorded' or len(session.inputs) < 2:
        return 0
    total, sizes = session.record()[:2]
    if not total or not sizes:
        return 0
    if not session.becomes_valid(lambda lines: [f'{sum(sizes)};{len(sizes)}', *lines[1:]]):
        return 0
    return sum(sizes) - total[0]


def takes_from_no_pile(session):
    """Return whether a move of an invalid recorded game names a pile that does not exist."""
    if not session.is_invalid or len(session.inputs) < 2:
        return False
    first, _, *moves = session.record()
    if first is None or len(first) != 2:
        return False
    return any(move and move[0] >= first[1] for move in moves)


# Each of these functions returns a condition: a function that returns whether a session meets it.


def prints(*patterns):
    """Return the condition that each pattern matches somewhere in a session's output."""
    return lambda session: all(re.search(pattern, session.output) for pattern in patterns)


def refuses(game, *answers):
    """Return the condition that a session of a game refuses these answers."""
    return lambda session: session.game == game and {*answers} <= {*session.refused}


def types(game, number, answer):
    """Return the condition that line `number`, from 0, of the input of a game is `answer`."""
    return lambda session: session.game == game and session.inputs[number].upper() == answer


def has_prompts(game):
    """Return the condition that a session of a game has prompts."""
    return lambda session: session.game == game and '--prompts' in session.words


def becomes_valid(change):
    """Return the condition that a session is an invalid recorded game that a change makes valid."""
    return lambda session: session.becomes_valid(change)


NIM_SITUATIONS = {
    'recorded: nothing': lambda s: not s.inputs and s.is_invalid,
    'recorded: no game named': lambda s: not s.words,
    'recorded: one counter and no moves': lambda s: s.inputs == ['1;1', '1'] and not s.is_invalid,
    'recorded: Player 1 loses': lambda s: s.output.endswith('Player 1 loses.\n') and s.inputs[2:],
    'recorded: Player 2 loses': prints(r'Player 2 loses\.\n\Z'),
    'recorded: only the last move is wrong': lambda s: (
        s.becomes_valid(lambda lines: [*lines[:-1], '1;3']) and len(s.inputs) > 4
    ),
    'recorded: piles of more than line 1 says': lambda s: excess(s) > 0,
    'recorded: piles of less than line 1 says': lambda s: excess(s) < 0,
    'recorded: wrong number of piles': lambda s: (
        s.becomes_valid(lambda lines: ['12;4', *lines[1:]])
        and len(s.record()[1]) != s.record()[0][1]
    ),
    'recorded: taking none': lambda s: (
        s.game == 'recorded'
        and s.is_invalid
        and [row[1:] for row in s.record()[2:3] if row] == [[0]]
    ),
    'recorded: emptying all': lambda s: (
        s.becomes_valid(lambda lines: [line.replace('2;6', '2;5') for line in lines])
        and sum(count for _, count in s.record()[2:]) == s.record()[0][0]
    ),
    'recorded: no such pile': takes_from_no_pile,
    'recorded: comma for semicolon': becomes_valid(
        lambda lines: [line.replace(',', ';') for line in lines]
    ),
    'recorded: too early an end': becomes_valid(lambda lines: [*lines, '1;3']),
    'recorded: moves after the end': becomes_valid(lambda lines: lines[:-1]),
    'piles: a single pile': types('piles', 0, '1'),
    'piles: ten piles': types('piles', 0, '10'),
    'piles: refused empty pile': lambda s: (
        s.game == 'piles'
        and any(
            answer.isdigit() and f'pile {answer} = 0\n' in before
            for answer, before, after in s.answers
            if after.startswith('INVALID')
        )
    ),
    'piles: refused numbers': refuses('piles', '0', '-1', '3'),
    'piles: malformed answers': refuses('piles', '', 'two', '1.0', '1_0'),
    'piles: prompts': has_prompts('piles'),
    'piles: the computer must move at random': lambda s: 0 in s.optimal_moves,
    'piles: several optimal moves': lambda s: max(s.optimal_moves, default=0) > 1,
    'piles: the user wins': prints(r'You win \.\.\. this time\n\Z'),
    'stones: the computer wins and leads': prints('The Python!!!', 'Evidently, reptilian'),
    'stones: the computer wins and does not lead Player One': lambda s: (
        re.search(r': 1\n.*: 0\nThe Python: 1\n', s.output) and 'Evidently' not in s.output
    ),
    'stones: the computer wins and does not lead Player Two': lambda s: (
        re.search(r': 0\n.*: 1\nThe Python: 1\n', s.output) and 'Evidently' not in s.output
    ),
    'stones: three rounds with the score carried over': prints(
        'Get ready for round 3', r': 1\n.*: 1\nThe Python: 0\n'
    ),
    'stones: long name and ID': lambda s: (
        s.game == 'stones' and len(s.inputs[0].strip()) > 30 and len(s.inputs[1]) > 9
    ),
    'stones: fewer than three left': lambda s: (
        s.game == 'stones'
        and {'1', '2'} <= {*re.findall(r'There are (\d+)', s.output)}
        and 'from 1 to 2!' in s.output
        and 'from 1 to 1!' in s.output
    ),
    'stones: refused answers': refuses('stones', '', 'many', '29', '51', '0', '4', 'two'),
    'stones: prompts': has_prompts('stones'),
    'tlcw: cheating by too many': lambda s: (
        'You are cheating!' in s.output and int(s.inputs[-1]) > int(s.inputs[1])
    ),
    'tlcw: cheating by zero': lambda s: 'You are cheating!' in s.output and s.inputs[-1] == '0',
    'tlcw: computer first': types('tlcw', 2, 'C'),
    'tlcw: user first': types('tlcw', 2, 'U'),
    'tlcw: the user wins': prints(r'thank you for playing!\n\Z'),
    'tlcw: the computer takes all': prints('The computer takes all '),
    'tlcw: refused numbers': refuses('tlcw', '1', '0', '-1', '6', '7'),
    'tlcw: malformed answers': refuses('tlcw', '', 'ten', '1.0', 'B'),
    'tlcw: prompts': has_prompts('tlcw'),
}


def test_nim_situations_are_shown():
    nim_sessions = [
        NimSession(transcript)
        for game in MODELS
        if game != 'othello'
        for transcript in transcripts(game)
    ]
    assert missing(NIM_SITUATIONS, nim_sessions) == []


@pytest.mark.parametrize('game', MODELS)
def test_outputs_by_the_models(game):
    for transcript in transcripts(game):
        assert [step.output for step in transcript.steps] == outputs(
            game, transcript.inputs, transcript.arguments
        ), transcript.name


# Patterns of the input that an assignment promises, and whose output it defines: a cell, a number,
# an answer in stones, a line of a recorded game.
CELL = re.compile(r'-?(0|[1-9][0-9]{0,8}) -?(0|[1-9][0-9]{0,8})')
NUMBER = re.compile(r'-?(0|[1-9][0-9]{0,8})')
ANSWER = re.compile(r' *|-?(0|[1-9][0-9]*)|[0-9]+[ ;][0-9]+|[A-Za-z]([A-Za-z0-9 ]*[A-Za-z0-9])?')
RECORD = re.compile(r'[-a-z0-9;,.]+')


def is_promised(transcript):
    """Return whether an assignment promises all input of a session, and defines all its output."""
    game, lines = name_of_game(transcript), transcript.inputs
    if game == 'othello':
        session = Session(transcript)
        return (
            all(line and line == line.strip(' \t\ufeff') for line in session.setup)
            and session.turns[0] in (None, session.first)
            and all(map(CELL.fullmatch, lines[len(session.setup) :]))
        )
    if game == 'piles':
        is_open = any(
            number > 1 or (number == 0 and '--seed' not in transcript.command)
            for number in optimal_moves(transcript)
        )
        return not is_open and all(map(NUMBER.fullmatch, lines))
    if game == 'tlcw':
        return all(NUMBER.fullmatch(line) or line in [*'CcUu'] for line in lines)
    if game == 'stones':
        return all(map(ANSWER.fullmatch, lines))
    takes_none = any(re.fullmatch('[0-9]+;(0|-[0-9]+)', line) for line in lines[2:])
    return (
        all(map(RECORD.fullmatch, lines))
        and not takes_none
        and ' 1 tokens' not in transcript.output
    )


def test_sessions_beyond_the_assignment_are_marked_so():
    for transcript in transcripts():
        assert is_promised(transcript) != transcript.is_beyond, transcript.name


@pytest.mark.parametrize('options', [[], ['--prompts']], ids=['plain', 'prompts'])
@pytest.mark.parametrize('game', ['piles', 'stones', 'tlcw'])
def test_eight_transcripts_leave_the_computer_no_choice(game, options):
    found = [
        transcript.name
        for transcript in transcripts(game)
        if [*transcript.arguments] == [game, *options] and is_promised(transcript)
    ]
    assert len(found) >= 8
