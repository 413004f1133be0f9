"""Classic Nim leaves two choices to a program: its wording, and its move in a lost position."""

import random
import shlex
from unittest import mock

import pytest
from assigned import transcripts_for
from graders import graded
from models import MODELS, name_of_game, transcripts
from programs import SAMPLES
from running import rest_long

import grading.engine.fresh
from grading.assignments.choice import assignment_named, choose_sessions
from grading.engine.fresh import play_fresh
from grading.games import leave_choices_open
from grading.games.nim.open_choices import leave_open, moves_of, with_other_moves
from grading.installation import ROOT
from grading.sessions.comparison import Alignment
from grading.sessions.transcript import TranscriptError, parse, read_session
from grading.sessions.verdict import Dialogue, PlayedSession

SESSIONS = {prompts: transcripts_for('piles', prompts=prompts) for prompts in (True, False)}
LOST = {
    prompts: [transcript for transcript in sessions if transcript.others]
    for prompts, sessions in SESSIONS.items()
}
WRONG = ['crashes', 'takes nothing', 'takes too many', 'gives', 'takes twice']


def played(kind, prompts, sessions, words=1, **settings):
    """Grade the sample program; return the tests of its results.

    `kind` says how it moves in a lost position, and `words` how often it prints each message.
    """
    command = f'python3 own_words.py {shlex.quote(kind)} {words} {"" if prompts else "none"}'
    return graded(
        SAMPLES / 'own_words.py',
        None,
        sessions,
        here=True,
        game='piles',
        prompts=prompts,
        command=command,
        **settings,
    )['tests']


@pytest.mark.parametrize('prompts', SESSIONS)
@pytest.mark.parametrize('words', rest_long(range(3)))
def test_a_right_program_with_free_text_passes(words, prompts):
    """A right program may print each of its messages not at all, once or twice.

    Each case plays a third of the sessions.
    """
    some = SESSIONS[prompts][words::3]
    for sessions, at_once in (
        (some, False),
        ([session for session in some if not session.others], True),
    ):
        tests = played('at random', prompts, sessions, words, at_once=at_once)
        assert [test['output'] for test in tests] == [''] * len(sessions)


@pytest.mark.parametrize('transcript', SESSIONS[True] + SESSIONS[False])
def test_at_once_requires_a_repeated_question(transcript):
    """With all input at once, a repeated question is required after the preceding prompt.

    It may have any text.
    """

    def is_right(words, cut=0):
        alignment = Alignment(transcript, transcript.steps)
        printed = ''
        for step in transcript.steps:
            is_asked = any(line.rule == 'question' for line in step.expected)
            text = printed[: len(printed) - cut * is_asked]
            printed = text + (words if is_asked else step.output)
        alignment.take(printed.encode())
        alignment.end()
        return alignment.is_whole

    assert all(map(is_right, ('?', 'Well?\n', '\nHm.\nAgain? ', 'So!\n\nIt is: ')))
    asks = any(line.rule == 'question' for step in transcript.steps for line in step.expected)
    assert is_right('') is not (asks and '--prompts' in transcript.arguments)
    if '--prompts' in transcript.arguments:
        assert is_right('Again? ', 3) is not asks


PROMPTED = (
    '|How many piles? \\\n1\n|How many in pile 0? \\\n0\n|How many in pile 0? \\\n3\n|pile 0 = 3\n'
)
BARE = '1\n0\n|INVALID\n3\n|pile 0 = 3\n'


@pytest.mark.parametrize(
    ('text', 'printed', 'verdict'),
    [
        (PROMPTED, 'How many in pile 0? ', 'enough'),
        (PROMPTED, 'No.\nPile 0? ', 'enough'),
        (PROMPTED, 'How many piles? ', 'wrong'),
        (PROMPTED, 'No.\nHow many in pile 1? ', 'wrong'),
        (PROMPTED, '', 'begun'),
        (PROMPTED, 'pile 0 = 0\n', 'wrong'),
        (BARE, '', 'enough'),
        (BARE, 'No.\n', 'enough'),
        (BARE, 'pile 0 = 0\n', 'wrong'),
    ],
)
def test_a_repeated_question_is_no_other_question_of_the_assignment(text, printed, verdict):
    """A repeated question may not be another question of the assignment.

    Without prompts, the program may also print nothing there.
    """
    found = lined_up(leave_open(parse(text, 'a')), 2, printed.encode())
    assert found.verdict(is_waiting=bool(printed)).replace('right', 'enough') == verdict


@pytest.mark.long
@pytest.mark.parametrize('prompts', LOST)
@pytest.mark.parametrize('kind', WRONG)
def test_an_illegal_move_in_a_lost_position_fails(kind, prompts):
    tests = played(kind, prompts, LOST[prompts])
    assert len(tests) >= 3
    assert {test['extra_data']['example']['kind'] for test in tests} == {
        'ended' if kind == 'crashes' else 'differs'
    }


@pytest.mark.parametrize('transcript', LOST[True] + LOST[False])
def test_a_session_goes_on_after_each_legal_move(transcript):
    """After each legal move in a lost position, the session goes on until the user wins.

    The output may arrive in any pieces.
    """
    rng = random.Random(1)
    for number, sizes, _, _ in list(moves_of(transcript))[:1]:
        for pile, size in enumerate(sizes):
            for count in range(1, size + 1):
                after = [*sizes[:pile], size - count, *sizes[pile + 1 :]]
                states = ''.join(f'pile {i} = {left}\n' for i, left in enumerate(after))
                before = ''.join(f'pile {i} = {left}\n' for i, left in enumerate(sizes))
                whole = (before + 'Hm.\nSo!\n' + states).encode()
                session = transcript
                for end in [*sorted(rng.choices(range(len(whole)), k=5)), len(whole)]:
                    if lined_up(session, number, whole[:end]).verdict() == 'wrong':
                        session = next(
                            other
                            for other in session.others(session, number)
                            if lined_up(other, number, whole[:end]).verdict() != 'wrong'
                        )
                assert session.inputs[:number] == transcript.inputs[:number]
                assert session.output.endswith('You win ... this time\n')
                assert [
                    (pile, taken) for step, _, pile, taken in moves_of(session) if step == number
                ] == [(pile, count)]


def lined_up(session, number, printed):
    alignment = Alignment(session, [session.steps[number]])
    alignment.take(printed)
    return alignment


def test_a_computer_that_can_win_has_no_choice():
    session = leave_choices_open(
        read_session(ROOT / 'transcripts' / 'nim' / 'piles' / 'the_only_optimal_move.txt')
    )
    assert session.others is None
    number, sizes, pile, taken = next(moves_of(session))
    assert (sizes, pile, taken) == ([5, 1, 10, 4], 2, 10)
    assert list(with_other_moves(session, number)) == []


def test_at_once_leaves_out_sessions_that_depend_on_the_program():
    for at_once in (False, True):
        found = choose_sessions(assignment_named('piles'), True, at_once=at_once).sessions
        assert any(transcript.others for transcript in found) is not at_once


def test_at_once_replaces_fresh_games_that_depend_on_the_program():
    """With all input at once, fresh games whose input depends on the program are replaced."""
    right = mock.Mock(side_effect=lambda transcript: PlayedSession(transcript, Dialogue()))
    assert play_fresh('piles', 20, right, seed=4, prompts=True, is_at_once=True).games_played == 20
    games = [call.args[0] for call in right.call_args_list]
    assert len(games) == 20
    assert not any(transcript.others for transcript in games)


def test_at_once_refuses_a_single_session_that_depends_on_the_program(tmp_path):
    """With no session left to play, the grader refuses --at-once: it could not fail a program."""
    path = tmp_path / 'lost.txt'
    path.write_text(LOST[True][0].text)
    with pytest.raises(TranscriptError, match='cannot be played with --at-once: its input'):
        choose_sessions(assignment_named(str(path)), at_once=True)


@pytest.mark.long
@pytest.mark.parametrize('kind', ['at random', *WRONG])
def test_fresh_games_reach_lost_positions(kind, monkeypatch):
    monkeypatch.setattr(grading.engine.fresh, 'SHRINKING_RUNS', 0)
    monkeypatch.setattr(grading.engine.fresh, 'MAX_OTHERS', 0)
    (test,) = played(kind, True, [], fresh=3, seed=8)
    assert (test['status'] == 'passed') is (kind == 'at random'), test['output']


def test_only_words_that_an_assignment_leaves_open_are_free_text():
    for transcript in transcripts():
        assert not any(line.is_free_text for step in transcript.steps for line in step.expected)
        model = MODELS[name_of_game(transcript)]
        for step in leave_choices_open(transcript).steps:
            for line in step.expected:
                if line.has_newline:
                    assert line.is_free_text == model.is_left_free(line.text), transcript.name
