"""No false name: of random mutants, and of known faults beside one that nobody knows.

A name is false if a fault that is not there is told. Of a mutant nobody knows what its fault is
called; but a named fault must print, in random games too, what the mutant prints, wherever the game
without it prints something else. `make diagnoses` tries them all, `make test` a sample.
"""

import ast
import functools
import os
import random

import pytest
from graders import diagnosed
from mutation import mutants
from random_sessions import othello_session
from wrong_othello import RARE, WRONG
from wrong_programs import Program, as_session, of_sample, read_sample, sessions_for
from wrong_styles import GAME, OTHERS, PRINTING, STYLES

from grading.assignments.games import GAMES
from grading.diagnosis.program_output import Heard
from grading.diagnosis.protocol import Protocol
from grading.diagnosis.simulation import follow, variant
from grading.diagnosis.style import Reading, Style

IS_WHOLE = os.environ.get('DIAGNOSES') == 'whole'       # `make diagnoses` tries more
MUTANTS = 200 if IS_WHOLE else 3
PROGRAMS = ['othello', 'othello_functions', 'othello_dictionary']
RANDOM_GAMES = 25
# What says the same of a program, or is true of it, too; in short games there may always be one
# blank.
IMPLIED = {
    'one blank, but not always': {'one-blank'}, 'over-all': {'over-empty', 'no-bracket'},
    'never-passes': {'stuck-start'}, 'limits-swapped': {'not-square-crash'},
    'turn-missing': {'missing-lines'}, 'winner-missing': {'missing-lines'},
    'no-full': {'missing-lines'}, 'one-blank': {'separators'},
    'no-newline': {'board-after-invalid'}}      # TURN, as a prompt


@functools.lru_cache(maxsize=None)
def random_games():
    rng = random.Random(4)
    return {f'random {number}.txt': as_session(othello_session(rng)[1])
            for number in range(RANDOM_GAMES)}


def false_names(source, diagnosis):
    """Return the faults with which random games are explained less than without."""
    made = {fault.id: fault.variant for fault in diagnosis.faults if fault.variant}
    _, failed, passed = diagnosed(Program('random games', source, random_games()))
    heard = [*map(Heard.from_played, failed), *(
        Heard(game, [step.output for step in game.steps]) for game in passed)]
    return [known.id for known in GAMES['othello'].faults if known.id in made
            and not any(explains(made, known.id, other, heard)
                        for other in [made[known.id], *fixed_variants(known)])]


def fixed_variants(known):
    """Return the variants of a fault that are not learned."""
    try:
        return list(known.variants(None))
    except AttributeError:
        return []


def explains(made, name, other, heard):
    """Return whether no game is explained less with a variant of a fault than without it."""
    rest = {n: v for n, v in made.items() if n != name}
    with_it = variant(GAMES['othello'].model,
                      tuple(v if n != name else other for n, v in made.items()))
    without = variant(GAMES['othello'].model, tuple(rest.values()))
    style = Style(Protocol([one.transcript for one in heard]))
    readings = [Reading(one, style) for one in heard]
    return all(follow(with_it, one).reach >= follow(without, one).reach for one in readings)


@functools.lru_cache(maxsize=None)
def sample():
    """Return mutants of all programs, chosen by chance."""
    sources = [(name, read_sample(name)) for name in PROGRAMS]
    numbers = [(name, number) for name, source in sources
               for number, _ in enumerate(mutants(source))]
    chosen = random.Random(1 if IS_WHOLE else 4).sample(numbers, MUTANTS)
    return [(name, ast.unparse(mutant.tree)) for name, source in sources
            for number, mutant in enumerate(mutants(source)) if (name, number) in chosen]


def test_no_mutant_has_a_false_name(capsys):
    failed, named, false = 0, 0, []
    for name, source in sample():
        diagnosis, wrongly, _ = diagnosed(Program(name, source, sessions_for('othello')))
        failed += bool(wrongly)
        if any(fault.id for fault in diagnosis.faults):
            named += 1
            wrong = false_names(source, diagnosis)
            false += [(name, wrong, source)] if wrong else []
    with capsys.disabled():
        print(f'\n{MUTANTS} mutants, {failed} fail, {named} with names, {len(false)} false')
    assert named > MUTANTS // 10
    assert not false, '\n\n'.join(f'{name}: {wrong}\n{source}' for name, wrong, source in false)


def of_styles(styles):
    """Yield programs of some styles with one to three faults, and the names of these."""
    rng = random.Random(1)
    while True:
        style = rng.choice(sorted(styles))
        printing, game = sorted(styles[style][PRINTING]), sorted(styles[style][GAME])
        number = rng.choice([1, 2, 2, 3])
        few = rng.randint(0, 1) if number == 1 else rng.choice([1, number - 1])
        few = few if game else number
        yield style, [*rng.sample(printing, few), *rng.sample(game, number - few)]


def with_a_rare_fault():
    """Yield programs with some faults beside one that nobody knows."""
    rng = random.Random(3)
    while True:
        names = rng.sample(sorted(WRONG), rng.choice([2, 3]))
        yield 'othello', [rng.choice(sorted(RARE)), *names]


@pytest.mark.parametrize(('programs', 'count', 'least'), [
    (of_styles(STYLES), (3, 200), 0.9), (of_styles(OTHERS), (2, 60), 0.9),
    (with_a_rare_fault(), (2, 100), 0.5)], ids=['othello', 'other games', 'rare'])
def test_faults_that_are_there_are_named_and_no_others(programs, count, least, capsys):
    tried = told = possible = 0
    false = []
    while tried < count[IS_WHOLE]:
        sample, names = next(programs)
        try:
            program = of_sample('', sample, names)
            compile(program.source, '', 'exec')
        except (AssertionError, SyntaxError):       # these do not go together
            continue
        tried += 1
        diagnosis, *_ = diagnosed(program)
        found = {fault.id for fault in diagnosis.faults if fault.id}
        known = {*names} - {*RARE}
        possible, told = possible + len(known), told + len(found & known)
        wrong = found - known - {other for name in names for other in IMPLIED.get(name, ())}
        if 'extra-lines' in names and {'no-full', 'missing-lines'} & {*names}:
            wrong -= {'words'}          # one line in the place of another
        if {'over-empty', 'no-bracket'} <= {*names}:    # that is what it is
            wrong -= {'over-all'}
        false += [(sample, names, wrong)] if wrong else []
    with capsys.disabled():
        print(f'\n{tried} programs: {told} of {possible} known faults told, '
              f'{len(false)} programs with a false name')
    assert told >= least * possible
    assert not false, false
