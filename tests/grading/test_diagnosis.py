"""Rules of the diagnosis that no golden shows: of time, floods, groups, limits, and failures."""

import os
import resource
import signal
import subprocess
import sys
import time
from dataclasses import replace
from itertools import combinations, product

import pytest
from assigned import settings_for
from graders import diagnosed
from pages import played_wrong
from running import PYTHON
from wrong_programs import PROGRAMS

from grading.assignments.games import GAMES, game_of
from grading.assignments.othello.faults import own_starts
from grading.batch import Task, grade_task
from grading.diagnosis.diagnose import diagnose, likeness_of
from grading.diagnosis.fault_models import Known
from grading.diagnosis.finding import Fault, grouped
from grading.diagnosis.program_output import LITTLE_HEARD, Heard
from grading.diagnosis.protocol import Protocol
from grading.diagnosis.simulation import AHEAD, follow, variant
from grading.diagnosis.style import Reading, Style
from grading.explanation import NotExplained, explained
from grading.sessions.transcript import Transcript


def test_each_game_has_time_of_its_own(monkeypatch):
    clock = 0.0

    def passes(place):
        nonlocal clock
        clock += 100
        return ()

    monkeypatch.setattr(time, 'process_time', lambda: clock)
    slow = replace(GAMES['tlcw'], faults=[Known('slow', 'is slow', '', passes)])
    _, failed, passed = diagnosed(PROGRAMS['nim/tlcw: cheat-wins'])
    _, others, _ = diagnosed(PROGRAMS['nim/piles: piles-from-one'])
    faults = diagnose(lambda transcript: slow if game_of(transcript) is GAMES['tlcw']
                      else game_of(transcript), [failed[0], others[0]], passed, seconds=6).faults
    assert [fault.id for fault in faults if fault.id] == ['piles-from-one']
    assert clock >= 100


def test_of_a_flood_only_so_much_is_looked_at():
    session = Transcript('flood.txt', PROGRAMS['othello/othello: words'].sessions[
        'othello/tie_of_fewest_discs.txt'])
    heard = Heard.from_played(played_wrong(session, 0, 'differs', b'FULL\n' * 200_000))
    assert len(''.join(heard.turns)) == LITTLE_HEARD + 3 * len(session.output)
    reading = Reading(heard, Style(Protocol([session])))
    match = follow(variant(GAMES['othello'].model, ()), reading)
    assert len(match.session.upcoming()) == AHEAD


def test_variants_of_any_two_faults_make_one_model():
    """None derives from one of another fault that comes before it."""
    for game in GAMES.values():
        faults = {known.id: known.variants(None) for known in game.faults
                  if not known.variants.__name__.startswith('with_')}
        if game.name == 'othello':
            faults.update({'own-start': [*own_starts('board'), *own_starts('')],
                           'fifth-setup-line': own_starts('wins')})
        for one, other in combinations(faults, 2):
            for pair in product(faults[one], faults[other]):
                assert issubclass(variant(game.model, pair), pair)


@pytest.mark.parametrize('name', ['main.py', 'link/main.py', 'game/main.py'])
def test_crash_of_a_program_elsewhere_is_told_by_its_authors_line(name, tmp_path):
    """Its command names it by its whole path, which may be one behind a link."""
    (tmp_path / 'mine' / 'game').mkdir(parents=True)
    (tmp_path / 'link').symlink_to(tmp_path / 'mine')
    path = tmp_path / ('link' if name.startswith('link') else 'mine') / name.rpartition('link/')[2]
    path.write_text('import rules\n\nrules.start()\n', encoding='utf-8')
    (path.parent / 'rules.py').write_text('def start():\n    [][7]\n', encoding='utf-8')
    results = grade_task(Task('mine', None, settings_for(
        'mine', (('one.txt', '|7\n'),), confine='none', no_where=True,
        command=f'{PYTHON} {path}')))
    [told] = results.findings
    assert told.sentence == 'crashes at rules.py, line 2 (IndexError)'


def test_neither_the_length_of_a_frame_nor_a_name_makes_a_group():
    failed = [played_wrong(Transcript(str(printed), f'$ othello_console.py\n|{due}\n'), 0,
                           'differs', printed) for due, printed in [
        ('*' * 47, b'****\n'), ('*' * 49, b'******\n'), ('WINNER: B', b'TURN: W\n'),
        ('WINNER: NONE', b'TURN: B\n'), ('WINNER: B', b'WINNER: NONE\n')]]
    groups = grouped(Fault(one, key=likeness_of(one)) for one in failed)
    assert [len(group.sessions) for group in groups] == [2, 2, 1]


# An explanation may fail in any way: what it had found by then comes back.

MEMORY = 512 << 20


def finds_all():
    yield {'findings': []}
    yield {'findings': ['one']}


def test_the_last_piece_is_the_explanation():
    assert explained(finds_all, 20, MEMORY) == {'findings': ['one']}


def tells_its_limit():
    yield resource.getrlimit(resource.RLIMIT_CPU)[0]


def test_it_ends_even_if_nobody_is_left_to_end_it():
    assert explained(tells_its_limit, 20, MEMORY) == 21


def fails():
    yield 'this'
    raise ZeroDivisionError('a text that somebody else wrote')


def exits():
    yield 'this'
    os._exit(0)


def is_killed():
    yield 'this'
    os.kill(os.getpid(), signal.SIGKILL)


def hangs():
    yield 'this'
    while True:
        pass


def sleeps_and_ignores_signals():
    yield 'this'
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(600)


def fills_memory():
    yield 'this'
    kept = []
    while True:
        kept.append(bytes(1 << 20))


def recurses():
    yield 'this'
    recurses_for_ever(0)


def recurses_for_ever(depth):
    return recurses_for_ever(depth + 1)


@pytest.mark.parametrize(('explain', 'reason'), [
    (fails, 'ZeroDivisionError'), (recurses, 'RecursionError'),
    (exits, 'the process that explains was killed'),
    (is_killed, 'the process that explains was killed'),
    (hangs, 'the explanation took more than 0.5 s'),
    (sleeps_and_ignores_signals, 'the explanation took more than 0.5 s')])
def test_whatever_ends_it_is_told(explain, reason):
    with pytest.raises(NotExplained) as caught:
        explained(explain, 0.5 if 'took' in reason else 60, MEMORY)
    assert (str(caught.value), caught.value.found) == (reason, 'this')


def test_memory_is_bounded():
    with pytest.raises(NotExplained) as caught:
        explained(fills_memory, 60, 256 << 20)
    assert (str(caught.value), caught.value.found) == (
        'the explanation used more than 256 MB of memory', 'this')


def test_nothing_that_it_started_goes_on():
    def starts_another():
        child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'],
                                 start_new_session=True)
        yield child.pid
        time.sleep(600)
    with pytest.raises(NotExplained) as caught:
        explained(starts_another, 2, MEMORY)
    with pytest.raises(ProcessLookupError):
        os.kill(caught.value.found, 0)
