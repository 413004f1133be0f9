"""All wrong programs of the tests by name: what they are made from, and the faults they have.

`tests/goldens/` has what the grader reports about each program, in the file named after the part of
the program's name before the slash.
"""

from __future__ import annotations

import difflib
import random
import zlib
from dataclasses import dataclass, field
from functools import cache

import wrong_nim
import wrong_othello
import wrong_own
import wrong_styles
from programs import changed, read_sample
from wrong_styles import GAME, PRINTING

from grading.assignments.choice import read_sessions
from grading.games import GAMES, game_of
from grading.games.known_faults import faults_of
from grading.installation import ROOT, TRANSCRIPTS_FOLDER

# Sessions of situations an assignment leaves open: other behavior costs no points.
LEFT_OPEN = (
    'stuck_first_player.txt',
    'lowest_numbered_pile.txt',
    'lowest_numbered_pile_with_prompts.txt',
)
SHOWN_BEYOND = ('stuck-start', 'highest-pile')  # only these sessions show these faults
LONG = 110  # lines; the sessions of a golden are shorter, except those in NEEDED
# These sessions are needed although they are long: only they show some faults.
NEEDED = (
    'size_4x6.txt',
    'size_4x16.txt',
    'invalid_moves.txt',
    'fewest_discs_win.txt',
    'few_left_with_prompts.txt',
    'python_has_as_many_as_player_two_with_prompts.txt',
)


@dataclass
class Program:
    """A wrong program of one file, and the sessions to grade it with."""

    name: str
    source: str
    sessions: dict[str, str]  # their texts by name
    right: str = ''  # the program without its faults
    faults: list[str] | None = None  # the ids the report names; None: see the golden
    game: str = 'sessions'
    is_traced: bool = False
    why_not_named: str = ''  # why no place in the golden contains the changed line
    settings: dict[str, object] = field(default_factory=dict)

    @property
    def short(self):
        """The sessions short enough for a golden."""
        return {
            name: text
            for name, text in self.sessions.items()
            if text.count('\n') < LONG or name.endswith(NEEDED)
        }


def changed_lines(right, wrong):
    """Return the numbers of the lines added or changed in a wrong program.

    If lines are only missing, the lines before and after the gap count.
    """
    matcher = difflib.SequenceMatcher(None, right.split('\n'), wrong.split('\n'), False)
    return {
        number
        for tag, _, _, start, end in matcher.get_opcodes()
        if tag != 'equal'
        for number in (range(start + 1, end + 1) if start < end else (start, start + 1))
    }


@cache
def sessions_for(game, prompts=True, is_open=False):
    """Return the sessions of a game without those of random games, as texts by name.

    `prompts` chooses the sessions of Nim with or without prompts. `is_open` adds the sessions of
    what the assignment leaves open.
    """
    return {
        path.relative_to(TRANSCRIPTS_FOLDER).as_posix(): path.read_text(encoding='utf-8')
        for transcript in read_sessions()
        for path in [ROOT / transcript.name]
        if game_of(transcript).name == game
        and '--seed' not in transcript.arguments
        and (not transcript.is_beyond or (is_open and path.name in LEFT_OPEN))
        and (('--prompts' in transcript.arguments) == prompts or game in ('othello', 'recorded'))
    }


def faults_of_samples():
    """Return the changes for each fault, by the sample's name and the fault's name."""
    tables = {'othello': {**wrong_othello.WRONG, **wrong_othello.RARE}, **wrong_nim.WRONG}
    for sample, kinds in {**wrong_styles.STYLES, **wrong_styles.OTHERS}.items():
        tables[sample] = {**tables.get(sample, {}), **kinds[PRINTING], **kinds[GAME]}
    return tables


FAULTS = faults_of_samples()


def of_sample(
    file, sample, names=(), changes=(), faults=None, name='', prompts=True, is_open=False, **about
):
    """Return a sample program with some of its faults, named by `names`, and other changes.

    `file` is the golden's file.
    """
    wrong = changed(
        read_sample(sample),
        [*(change for name in names for change in FAULTS[sample][name]), *changes],
    )
    game = sample.partition('_')[0]
    sessions = (
        wrong_own.sums()
        if sample == 'sums'
        else sessions_for(game, prompts, is_open or any(name in SHOWN_BEYOND for name in names))
    )
    whole_name = f'{file}/{sample.replace("othello_", "")}: {name or " + ".join(names)}'
    return Program(
        **{
            'name': whole_name,
            'source': wrong,
            'sessions': sessions,
            'right': read_sample(sample),
            'faults': faults,
            'is_traced': zlib.crc32(whole_name.encode()) % 8 == 0,
            **about,
        }
    )


def of_12_columns():
    """Return sessions on boards with 4 rows and 12 columns, as a right program plays them."""
    found = {}
    for seed in range(3):
        rng = random.Random(seed)
        lines = ['4', '12', 'B', '>'] + [' '.join(rng.choices('BW.', k=12)) for _ in range(4)]
        lines += [f'{row} {column}' for row in range(1, 5) for column in range(1, 13)] * 20
        found[f'12_columns_{seed}.txt'] = '$ othello_console.py\n' + as_session(lines)
    return found


def as_session(lines):
    """Return the text of an Othello session, given its input lines."""
    session = faults_of(GAMES['othello']).model(lines)
    session.play()
    typed = [f'{line}\n' for line in lines[: len(session.texts) - 1]]
    return ''.join(
        ''.join(f'|{line}\n' for line in text.splitlines()) + line
        for text, line in zip(session.texts, [*typed, ''], strict=False)
    )


def single_faults():
    """Yield programs with one known fault each."""
    for sample, faults in [('othello', wrong_othello.WRONG), *wrong_nim.WRONG.items()]:
        for name in faults:
            why = wrong_othello.LINE_NOT_NAMED.get(name, '') if sample == 'othello' else ''
            traced = wrong_othello.LINE_NAMED if sample == 'othello' else ()
            yield of_sample(
                'othello' if sample == 'othello' else 'nim',
                sample,
                [name],
                faults=[name],
                why_not_named=why,
                **{'is_traced': True} if why or name in traced else {},
            )
    for sample, kinds in {**wrong_styles.STYLES, **wrong_styles.OTHERS}.items():
        for name in {**kinds[PRINTING], **kinds[GAME]}:
            if name not in wrong_nim.WRONG.get(sample, {}):
                yield of_sample('styles', sample, [name])


def several_faults():
    """Yield programs with several known faults."""
    for names in [
        *wrong_othello.PAIRS,
        *wrong_othello.MORE_PAIRS,
        *wrong_othello.MANY,
        *wrong_othello.MORE,
    ]:
        yield of_sample('several', 'othello', names, faults=[*names])
    for sample, *names in wrong_styles.MOVED:
        yield of_sample('several', sample, names, is_traced=True)
    for sample, *names in [
        ('othello', 'one-space', 'stuck-start'),
        ('othello', 'prompts', 'no-flush'),
        ('othello', 'over-at-start', 'no-tie'),
        ('othello', 'rows-reversed', 'directions-unchecked'),
        ('piles', 'piles-from-one', 'highest-pile'),
        ('othello', 'limits-swapped', 'fifth-setup-line'),
        ('othello_exceptions', 'words', 'occupied'),
    ]:
        yield of_sample('several', sample, names)


def without_names():
    """Yield programs with faults missing from all game models, alone and beside other faults."""
    for name in wrong_othello.RARE:
        sessions = sessions_for('othello')
        if '12' in name:
            sessions = {**sessions, **of_12_columns()}
        yield of_sample(
            'nameless',
            'othello',
            [name],
            faults=wrong_othello.RARE_IDS.get(name, []),
            sessions=sessions,
        )
    for names in wrong_othello.BESIDE:
        yield of_sample('nameless', 'othello', names)
    for name, sample, changes in wrong_styles.NAMELESS:
        yield of_sample('nameless', sample, (), changes, name=name, is_open='beyond' in name)


def easily_misnamed():
    """Yield programs whose faults a report might easily call by a wrong name."""
    for name, sample, names, changes, faults in wrong_styles.ALIKE:
        about = {'is_traced': True} if faults == ['reads-early'] else {}
        about['prompts'] = not {*wrong_styles.WITHOUT_PROMPTS} <= {*changes}
        yield of_sample('manners', sample, names, changes, faults, name, **about)
    for name, (changes, faults) in wrong_othello.CATCHING.items():
        yield of_sample('manners', 'othello', (), changes, faults, name, is_traced=True)
    right = read_sample('othello')
    for start, line, fault in wrong_othello.READING:
        source = f'import sys\n{start}\n{right.replace("input()", line)}'
        yield Program(
            f'manners/othello: {line}',
            source,
            sessions_for('othello'),
            faults=[fault],
            is_traced=True,
        )
    for sample in ('piles', 'tlcw', 'stones'):
        yield of_sample(
            'manners',
            sample,
            name='prompts where none are expected',
            faults=['prompts'],
            prompts=False,
        )
    for rest, faults in wrong_othello.BEGUN:
        yield Program(
            f'manners/othello: begun, {rest[6:9]}',
            wrong_othello.BEGIN + rest,
            sessions_for('othello'),
            faults=faults,
        )
    yield of_sample('manners', 'othello', (), wrong_othello.GERMAN, ['words'], 'in German')
    for name in wrong_othello.OF_PRINTING:
        texts = {
            session: text.replace('$ othello_console.py\n', '')
            for session, text in sessions_for('othello').items()
        }
        yield of_sample('own', 'othello', [name], faults=[name], sessions=texts)
    for name in ('from-zero', 'missing-lines', 'rows-columns-swapped'):
        yield of_sample(
            'manners',
            'othello',
            [name],
            faults=[name],
            name=f'{name}, at once',
            settings={'at_once': True},
        )


def hostile():
    """Yield programs that play no game at all."""
    for name, output in wrong_othello.HOSTILE.items():
        yield Program(
            f'hostile/{name}',
            f'import sys\nsys.stdout.buffer.write({output})\n',
            sessions_for('othello'),
            faults=[],
        )


def own():
    """Yield programs for custom assignments."""
    for name, change in wrong_own.CALCULATORS.items():
        yield Program(
            f'own/calculator: {name}',
            changed(wrong_own.CALCULATOR, [change]),
            wrong_own.TEXTS,
            wrong_own.CALCULATOR,
            is_traced=True,
        )
    for name, source in wrong_own.GREETERS.items():
        yield Program(f'own/greeting: {name}', source, {'greeting.txt': wrong_own.GREETING})
    for directive, allowed in wrong_own.ALLOWED.items():
        for name, (changes, faults) in wrong_own.BESIDE.items():
            yield of_sample(
                'own',
                'sums',
                (),
                [*allowed, *changes],
                faults,
                f'{name}, with "{directive}"',
                sessions=wrong_own.sums(directive),
            )
    for directive, change in wrong_own.OF_A_GAME.items():
        texts = {name: f'# {directive}\n{text}' for name, text in sessions_for('piles').items()}
        source = changed(read_sample('piles'), FAULTS['piles']['piles-from-one'])
        source = f'def say(*parts):\n    {change}\n{source.replace("print(", "say(")}'
        name = f'own/piles: with "{directive}"'
        yield Program(name, source, texts)
        yield Program(
            f'{name}, at once', source, texts, faults=['piles-from-one'], settings={'at_once': True}
        )


PROGRAMS = {
    program.name: program
    for program in [
        *single_faults(),
        *several_faults(),
        *without_names(),
        *easily_misnamed(),
        *hostile(),
        *own(),
    ]
}
