"""No finding contradicted by a session is reported: the tests plant false ones of each kind."""

from dataclasses import replace

import pytest

from grading.diagnosis.claims import CLAIM_ABOUT, CLAIMS, keep_true, with_plain_differences
from grading.diagnosis.diagnose import diagnose
from grading.diagnosis.exchange import Exchange, first_wrong_exchange
from grading.diagnosis.finding import Fault
from grading.diagnosis.manners import NO_FLUSH
from grading.diagnosis.what_happens import difference_in_words
from grading.games import GAMES, game_of
from grading.games.known_faults import faults_of
from grading.games.nim.open_choices import leave_open
from grading.sessions.transcript import parse
from grading.sessions.verdict import Dialogue, PlayedSession, failure_in

MOVES = '4 4\n|VALID\n|TURN: W\n1 1\n|INVALID\n|TURN: W\n'
RIGHT = '', 'VALID\nTURN: W\n', 'INVALID\nTURN: W\n'
# For each kind of sentence: a session, output showing the sentence, and output contradicting it.
SHOWN = {
    'words': (MOVES, ['', 'OK\nTURN: W\n'], ['', 'TURN: W\nVALID\n']),
    'separators': ('1\n|a b\n|b a\n', ['', 'a,b\nb a\n'], ['', 'b a\na b\n']),
    'missing-lines': (MOVES, ['', 'TURN: W\n'], ['', 'INVALID\nTURN: W\n']),
    'never INVALID': (
        MOVES,
        ['', *RIGHT[1:2], 'TURN: W\n'],
        ['', 'INVALID\nTURN: W\n', *RIGHT[2:]],
    ),
    'always INVALID': (
        MOVES.replace('INVALID', 'VALID'),
        ['', *['INVALID\nTURN: W\n'] * 2],
        ['', 'VALID\nTURN: W\n', 'INVALID\nTURN: W\n'],
    ),
    'always Invalid Game.': (
        '0;1\n|State:\n|3\n',
        ['', 'Invalid Game.\n'],
        ['', 'Player 1 takes 1 tokens from the pile 1.\n'],
    ),
    'never Player 2 takes': (
        '1;1\n|Player 2 takes 1 tokens\n|State:\n',
        ['', 'Player 1 takes 1 tokens\nState:\n'],
        ['', 'State:\nPlayer 2 takes 1 tokens\n'],
    ),
    'never Goodbye': (
        'n\n|Goodbye, and thank you\n|Bye\n',
        ['', 'Great! Get ready\n'],
        ['', 'Great! Get ready\nGoodbye, and thank you\n'],
    ),
    'after INVALID': (
        MOVES,
        [*RIGHT[:2], 'INVALID\nB: 3\nTURN: W\n'],
        [*RIGHT[:2], 'B: 3\nTURN: W\n'],
    ),
    'adds The Python is hissing': (
        '3\n|Score\n',
        ['', 'Score\nThe Python is hissing.\n'],
        ['', 'The Python wins.\nScore\n'],
    ),
    'repeats State:': (
        '1;1\n|State:\n|5  5\n|State:\n|5  4\n',
        ['', 'State:\n5  4\nState:\n5  4\n'],
        ['', 'State:\n5  3\nState:\n5  4\n'],
    ),
    'announces I remove 0': (
        '1\n|I remove 1 from pile 0\n|pile 0 = 2\n',
        ['', 'I remove 0 from pile 0\npile 0 = 3\n'],
        ['', 'I remove 2 from pile 0\npile 0 = 1\n'],
    ),
    'accepts INVALID': (MOVES, [*RIGHT[:2], *RIGHT[1:2]], ['', 'OK\nTURN: W\n', *RIGHT[2:]]),
}


def planted(name, text, printed):
    """Return a fault with a sentence of a kind, in a session with the output `printed`."""
    played = first_wrong_exchange(text, *printed).played
    kind = {'claim': name} if ' ' in name else {'id': name}
    examples = [line.text for step in played.session.steps for line in step.expected]
    return Fault(played, examples=examples, sentence=f'planted: {name}', **kind)


@pytest.mark.parametrize('name', SHOWN)
def test_a_false_sentence_of_each_kind_is_not_reported(name):
    text, shown, contradicted = SHOWN[name]
    fault = planted(name, text, shown)
    kept, dropped = keep_true([fault], fault.sessions)
    assert ([finding.sentence for finding in kept], dropped) == ([fault.sentence], [])
    fault = planted(name, text, contradicted)
    kept, dropped = keep_true([fault], fault.sessions)
    is_kept = name in HAS_EFFECTS
    assert (kept, dropped) == (([fault], []) if is_kept else ([], fault.sessions))


def test_each_claim_about_a_nim_program_is_tested():
    games = [game for name, game in GAMES.items() if name != 'othello']
    claims = {known.claim for game in games for known in faults_of(game).known} - {''}
    assert len(claims) == 6
    assert claims <= {*SHOWN}


# Other sessions may show only the effects of these faults.
HAS_EFFECTS = 'accepts INVALID', 'announces I remove 0'


def test_each_kind_of_sentence_is_tested():
    assert {*CLAIMS, *CLAIM_ABOUT} - {'prompts'} == {name.partition(' ')[0] for name in SHOWN}


def named(played, name):
    """Return a played session under another name."""
    return replace(played, session=replace(played.session, name=name))


def test_a_session_that_contradicts_a_sentence_is_dropped_from_it():
    shown, contradicted = (
        named(planted('words', MOVES, SHOWN['words'][number]).clearest, str(number))
        for number in (1, 2)
    )
    [kept], dropped = keep_true(
        [Fault(contradicted, id='words', sessions=[contradicted, shown])],
        [contradicted, shown],
    )
    assert (kept.clearest, kept.sessions, dropped) == (shown, [shown], [contradicted])


def test_a_finding_excludes_contradictory_findings():
    """If a finding excludes others, it is reported without them.

    If a program answers INVALID to every move, the report does not also say that the program leaves
    out INVALID or never prints it.
    """
    text, printed, _ = SHOWN['always INVALID']
    always = planted('always INVALID', text, printed)
    left_out = planted('missing-lines', MOVES, [*RIGHT[:2], 'INVALID MOVE\nTURN: W\n'])
    never = planted('never INVALID', MOVES, ['', 'TURN: W\n'])
    failed = [fault.clearest for fault in (always, left_out, never)]
    kept, _ = keep_true([always, left_out, never], failed)
    assert [finding.claim for finding in kept] == ['always INVALID']


def test_the_example_of_an_accepted_move_is_where_a_refusal_is_expected():
    fault = planted('accepts INVALID', MOVES, [*RIGHT[:2], 'OK\nTURN: W\n'])
    [kept], _ = keep_true([fault], fault.sessions)
    assert (kept.clearest.wrong_line.expected, kept.clearest.wrong_line.printed) == (
        'INVALID\n',
        'OK\n',
    )


# For each sentence about a program in an assignment without a game: what the program prints.
PLAIN = {
    'does not print "VALID" before "TURN: W"': ['', 'TURN: W\n', 'INVALID\nTURN: W\n'],
    'prints "B: 3" before "VALID"': ['', 'B: 3\nVALID\nTURN: W\n', 'INVALID\nTURN: W\n'],
    'prints "VALID" only after more input': ['', '', 'VALID\nTURN: W\nINVALID\nTURN: W\n'],
}


@pytest.mark.parametrize('sentence', PLAIN)
def test_a_sentence_about_no_known_fault_is_true_in_its_example(sentence):
    exchange = first_wrong_exchange(MOVES, *PLAIN[sentence])
    assert with_plain_differences(Fault(exchange.played)).examples == [sentence]


@pytest.mark.parametrize(
    ('printed', 'difference'),
    [
        ('You win ... now', 'does not print "pile 0 = 5" before "You win ... now"'),
        ('INVALID', ''),  # this line belongs to the assignment, so it is not the free text
    ],
)
def test_a_missing_line_before_free_text(printed, difference):
    """A line before free text is reported as missing only if the program prints free text."""
    session = leave_open(parse('$ a.py\n4\n|pile 0 = 5\n|You win ... now\n', 'a'))
    dialogue = Dialogue.printing(['', f'{printed}\n'])
    played = PlayedSession(session, dialogue, failure_in(session, dialogue))
    assert difference_in_words(Exchange(played)) == difference


# For each case: what a program prints in the turns of MOVES, and the id of the finding.
LEARNED = {
    'twice in other words': (['', 'OK\nTURN: W\n', 'Bad\nTURN: W\n'], ['words']),
    'once, where nothing else differs': (['', 'Valid\nTURN: W\n', 'INVALID\nTURN: W\n'], ['words']),
    'once, beside something else': (['', 'Valid\n7\n', 'INVALID\nTURN: W\n'], ['']),
    'and once as is expected': (['', 'VALID\nTurn: W\n', 'INVALID\nTURN: W\n'], ['']),
}


@pytest.mark.parametrize('name', LEARNED)
def test_words_are_learned_from_all_turns(name):
    printed, ids = LEARNED[name]
    played = first_wrong_exchange(MOVES, *printed).played
    found = diagnose(lambda session: None, [played]).findings(lambda session: 1, game_of)
    assert [finding.id for finding in found][:1] == ids
    assert name == 'twice in other words' or 'instead of' in found[0].sentence


@pytest.mark.parametrize('polls', [False, True])
def test_a_program_that_waits_only_for_a_limited_time_does_not_read_early(polls):
    """A program waiting with a time limit may only be slow, so it does not read early."""
    played = first_wrong_exchange('1\n|a\n2\n|b\n', '', '', 'a\nb\n').played
    played.dialogue.turns[1].polls = polls
    [found] = diagnose(lambda session: None, [played]).findings(lambda session: 1, game_of)
    assert (found.id, found.sentence) == (
        ('', 'prints "a" only after more input') if polls else (NO_FLUSH.id, NO_FLUSH.sentence)
    )
