"""No false name: of random mutants, and of known faults beside one that nobody knows.

A name is false if a fault that is not there is told. Of a mutant nobody knows what its fault is
called; but a named fault must print, in random games too, what the mutant prints, wherever the game
without it prints something else. `make diagnoses` tries them all, `make test` a sample.
"""

import ast
import functools
import random

import pytest
import wrong_othello
from mutation import mutants
from observing import observe
from random_sessions import othello_session
from test_diagnosis import (
    IS_WHOLE,
    RARE,
    SAMPLES,
    as_transcript,
    examine,
    program,
    transcripts,
)

from grading.assignments.games import GAMES
from grading.diagnosis.follow import follow
from grading.diagnosis.program_output import Heard, Reading
from grading.diagnosis.protocol import Protocol
from grading.diagnosis.simulation import variant
from grading.diagnosis.style import Style

MUTANTS, COMBINATIONS = (200, 100) if IS_WHOLE else (8, 6)
PROGRAMS = ['othello', 'othello_functions', 'othello_dictionary']
MOST_LINES = 300_000                    # of its own that a mutant may run; some run for ever
RANDOM_GAMES = 25
# What is true, too, of a program with a fault; in short games there may always be one blank.
IMPLIED = {'one blank, but not always': {'one-blank'},
           'over-all': {'over-empty', 'no-bracket'}, 'never-passes': {'stuck-start'},
           'limits-swapped': {'not-square-crash'}, 'turn-missing': {'missing-lines'},
           'winner-missing': {'missing-lines'}, 'no-full': {'missing-lines'}}


@functools.lru_cache(maxsize=None)
def random_games():
    rng = random.Random(4)
    return [as_transcript(f'random {number}', othello_session(rng)[1])
            for number in range(RANDOM_GAMES)]


def diagnosed(code):
    """Return what is said of a program by the transcripts, None if it passes them all."""
    diagnosis = examine(code, transcripts('othello'), MOST_LINES)
    return diagnosis if diagnosis.faults or diagnosis.groups else None


def false_names(code, diagnosis):
    """Return the faults with which random games are explained less than without."""
    made = {fault.id: fault.variant for fault in diagnosis.faults if fault.variant}
    heard = [Heard.from_observed(observed) if observed else Heard(game, game.output)
             for game in random_games()
             for observed in [observe(code, game, MOST_LINES)]]
    order = {model.id: (model, number) for number, model in enumerate(GAMES['othello'].faults)}
    return [name for name in made if name in order
            and not any(explains(made, name, other, heard)
                        for other in [made[name], *fixed_variants(order[name][0])])]


def fixed_variants(model):
    """Return the variants of a model that are not learned."""
    try:
        return list(model.variants(None))
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
    sources = [(name, (SAMPLES / f'{name}.py').read_text(encoding='utf-8')) for name in PROGRAMS]
    numbers = [(name, number) for name, source in sources
               for number, _ in enumerate(mutants(source))]
    chosen = random.Random(1).sample(numbers, MUTANTS)
    return [(name, ast.unparse(mutant.tree)) for name, source in sources
            for number, mutant in enumerate(mutants(source)) if (name, number) in chosen]


@pytest.mark.parametrize('name', PROGRAMS)
def test_right_programs_of_every_style_have_no_fault(name):
    assert diagnosed(program(name)) is None


def test_no_mutant_has_a_false_name(capsys):
    failed, named, false = 0, 0, []
    for name, source in sample():
        code = compile(source, '/tmp/submission/mutant.py', 'exec')
        diagnosis = diagnosed(code)
        failed += diagnosis is not None
        if diagnosis and diagnosis.faults:
            named += 1
            wrong = false_names(code, diagnosis)
            false += [(name, wrong, source)] if wrong else []
    with capsys.disabled():
        print(f'\n{MUTANTS} mutants, {failed} fail, {named} with names, {len(false)} false')
    assert named > MUTANTS // 10
    assert not false, '\n\n'.join(f'{name}: {wrong}\n{source}' for name, wrong, source in false)


def test_no_false_name_beside_a_fault_that_nobody_knows(capsys):
    rng = random.Random(3)
    told = possible = tried = 0
    false = []
    while tried < COMBINATIONS:
        names = rng.sample(sorted(wrong_othello.WRONG), rng.choice([2, 3]))
        rare = rng.choice(sorted(RARE))
        try:
            code = program('othello', *RARE[rare], *(
                change for name in names for change in wrong_othello.WRONG[name]))
        except (AssertionError, SyntaxError):       # these do not go together
            continue
        tried += 1
        diagnosis = diagnosed(code)
        found = {fault.id for fault in diagnosis.faults}
        possible, told = possible + len(names), told + len(found & set(names))
        wrong = found - set(names) - {other for name in [*names, rare]
                                      for other in IMPLIED.get(name, ())}
        if {'over-empty', 'no-bracket'} <= {*names}:    # that is what it is
            wrong -= {'over-all'}
        false += [(names, rare, wrong)] if wrong else []
    with capsys.disabled():
        print(f'\n{tried} programs with an unknown fault: {told} of {possible} known faults told, '
              f'{len(false)} programs with a false name')
    assert told > possible / 2
    assert not false, false
