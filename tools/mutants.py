"""Make small changes to right programs, and check that each fails some transcript: `make mutants`.

Both pairs and the grader's models are changed, one small thing at a time. Each changed program
plays the transcripts until it fails one; it gets the whole input of a session at once. If it
fails none, it plays thousands of random sessions of legal input. If the change makes a
difference there, the transcripts have a hole, and the exit status is 1. If it makes none,
`mutants_equivalent.txt` should list the change, with the reason why nobody can notice it.

Legal input is what an assignment promises, and the option `--seed`. Other tests check standard
error, what a program does when its input ends too early, and options that no transcript uses.

To save time, a changed program plays all sessions in one forked process; if it fails one, it must
fail it over pipes, too. Sessions that do not reach the changed line are left out, because they
cannot fail. This program needs Python 3.9 or later, and a system that forks.
"""

import functools
import gc
import io
import mmap
import multiprocessing
import os
import random
import re
import resource
import signal
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from unittest import mock

from mutation import FILES, marked, mutants
from random_sessions import nim_session, othello_session

from grading.installation import ROOT, all_transcripts
from grading.sessions.transcript import read_session

PROCESSES = 2
PARTS = 20  # into which the changes to a program are divided; a process judges one at a time
SESSIONS = 2000  # random sessions for each program
SECONDS = 1.0  # of processor time for a session
SUCCESS = b' 0'  # how an output of `run_inside` ends if the exit status is 0
MEMORY = 1 << 30  # bytes of address space for a changed program
REASONS = Path(__file__).with_name('mutants_equivalent.txt')

# For each program, a function that returns a random session.
RANDOM_SESSIONS = {
    'Othello': othello_session,
    'Nim': nim_session,
    'model of Othello': othello_session,
    'models of Nim': nim_session,
}
# The classes of the models of Nim, by the argument that names the game.
MODELS_OF_NIM = {
    'recorded': 'RecordedGame',
    'stones': 'Stones',
    'tlcw': 'Tlcw',
    'piles': 'Piles',
}
VERDICTS = KILLED, HOLE, EQUIVALENT, UNREACHED = (
    'fail a transcript',
    'are holes',
    'make no difference',
    'are never reached',
)


class Session:
    """A run of a program: its arguments, its whole input, and the whole output of a right program.

    `reached` has, for each file, the lines that the right program executes, its start included.
    """

    def __init__(self, arguments, lines, output=b''):
        self.arguments = arguments
        self.text = ''.join(line + '\n' for line in lines).encode()
        self.output = output
        self.reached = {}

    def __str__(self):
        return f'{" ".join(self.arguments)} {" / ".join(self.text.decode().splitlines()[:40])}'


class Program:
    """A right program, the transcripts of its game, and random sessions."""

    def __init__(self, name):
        files, random_session = FILES[name], RANDOM_SESSIONS[name]
        self.sources = {file: (ROOT / file).read_text(encoding='utf-8') for file in files}
        self.reached = {file: set() for file in files}
        self.codes = {}
        main = self.load({file: marked(text) for file, text in self.sources.items()})
        self.codes = {file: compile(text, file, 'exec') for file, text in self.sources.items()}
        at_start = {file: set(lines) for file, lines in self.reached.items()}

        transcripts = [
            transcript
            for transcript in map(read_session, all_transcripts())
            if transcript.command[0].partition('_')[0] in name.lower()
        ]
        self.transcripts = [
            Session(transcript.command[1:], transcript.inputs, transcript.output.encode())
            for transcript in transcripts
        ]
        rng = random.Random(1)
        self.sessions = [Session(*random_session(rng)) for _ in range(SESSIONS)]
        for sessions in (self.transcripts, self.sessions):
            sessions.sort(key=lambda session: len(session.text))
            for session in sessions:
                for lines in self.reached.values():
                    lines.clear()
                output = run_inside(main, session)
                if session.output and output != session.output + SUCCESS:
                    sys.exit(f'{name}, unchanged, fails a transcript: {session}')
                session.output = session.output or output
                session.reached = {file: at_start[file] | self.reached[file] for file in files}
        for session in self.transcripts:
            if fails(functools.partial(self.load, {}), session):
                sys.exit(f'{name}, unchanged, fails a transcript over pipes: {session}')
        # Leave out random inputs that end before the game does: they are not legal.
        self.sessions = [session for session in self.sessions if session.output.endswith(SUCCESS)]
        for session in self.sessions:
            session.output = session.output[: -len(SUCCESS)]

    def load(self, codes):
        """Execute the files, some with the code in `codes`; return the program's main function."""
        models = {}
        for file in self.sources:
            module = type(sys)('.'.join(Path(file).with_suffix('').parts))
            module.__package__ = module.__name__.rpartition('.')[0]
            module.reached = self.reached[file]
            sys.modules[module.__name__] = module
            exec(codes.get(file) or self.codes[file], module.__dict__)
            models.update(module.__dict__)
        return getattr(module, 'main', None) or functools.partial(model_main, models)


def model_main(models):
    """Run one of the models, classes by name, as a console program."""
    words = sys.argv[1:]
    name = 'Othello' if 'Othello' in models else MODELS_OF_NIM[(words or ['recorded'])[0]]
    session = models[name](sys.stdin.read().split('\n')[:-1], words)
    session.play()
    sys.stdout.write(''.join(session.texts))
    sys.stdout.flush()
    return 0


def run_inside(main, session):
    """Run a program in this process; return its output and exit status, or an exception's name."""
    output = io.StringIO()
    try:
        with mock.patch.multiple(
            sys,
            argv=['program', *session.arguments],
            stdout=output,
            stdin=io.StringIO(session.text.decode()),
            stderr=io.StringIO(),
        ):
            status = main()
        return f'{output.getvalue()} {status!r}'.encode()
    except BaseException as error:  # whatever a changed program raises
        return type(error).__name__.encode()


def run_as_program(load, session, descriptors):
    """Run a program with these descriptors as its standard streams; then end this process."""
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
    sys.argv = ['program', *session.arguments]
    sys.stdin, sys.stdout, sys.stderr = (
        open(number, mode, encoding='utf-8', closefd=False) for number, mode in enumerate('rww')
    )
    os._exit(load()())


def fork(work):
    """Start a child process that calls `work` and then exits; return its id.

    The system limits its memory and processor time. A changed program cannot lift these limits.
    """
    child = os.fork()
    if not child:
        try:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            work()
        finally:  # a crash is a failure like any other
            os._exit(99)
    return child


def fails(load, session):
    """Return whether a program, over pipes, prints a wrong output or ends with an error."""
    source, typed = os.pipe()
    printed, target = os.pipe()

    def work():
        os.close(typed)
        run_as_program(load, session, (source, target, target))

    child = fork(work)
    os.close(source)
    os.close(target)
    with suppress(BrokenPipeError):
        os.write(typed, session.text)  # fits into a pipe
    os.close(typed)
    output = b''
    while session.output.startswith(output):
        piece = os.read(printed, 1 << 16)
        if not piece:
            break
        output += piece
    else:
        os.kill(child, signal.SIGKILL)
    os.close(printed)
    return os.waitpid(child, 0)[1] != 0 or output != session.output


def first_difference(load, sessions):
    """Return the first session that a program fails in a child process, or None."""
    index = mmap.mmap(-1, 8)  # shared with the child, which may be killed

    def work():
        main = load()
        for i, session in enumerate(sessions):
            index[:] = i.to_bytes(8, 'big')
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            if run_inside(main, session) != session.output + SUCCESS:
                os._exit(1)
        os._exit(0)

    _, status = os.waitpid(fork(work), 0)
    return sessions[int.from_bytes(index[:], 'big')] if status else None


def judge(program, file, mutant):
    """Return the verdict on a change to a file of a program, and the session that shows a hole.

    The session is None if the change shows no hole.
    """
    load = functools.partial(program.load, {file: compile(mutant.tree, file, 'exec')})

    def reaching(sessions):
        return [session for session in sessions if mutant.line in session.reached[file]]

    transcripts = reaching(program.transcripts)
    sessions = reaching(program.sessions)
    if not transcripts and not sessions:
        return UNREACHED, None
    # Over pipes, one session of each command line is enough to see wrong streams or exit statuses.
    by_arguments = {' '.join(session.arguments): session for session in reversed(transcripts)}
    candidates = [first_difference(load, transcripts), *by_arguments.values()]
    if candidates[0]:  # A program that now plays at random may pass one session by chance.
        candidates += transcripts
    failed = failed_over_pipes(load, candidates)
    if failed:
        program.transcripts.remove(failed)
        program.transcripts.insert(0, failed)  # the next changes will probably fail it, too
        return KILLED, None
    # Streams in memory are not quite like pipes, so only a failure over pipes shows a hole.
    session = failed_over_pipes(load, [first_difference(load, sessions)])
    return (HOLE if session else EQUIVALENT), session


def failed_over_pipes(load, sessions):
    """Return the first session that a program fails over pipes, or None; ignore each None."""
    return next((session for session in sessions if session and fails(load, session)), None)


def judge_part(task):
    """Judge one part of the changes to a program; return the program's name and the findings.

    Part `k` has every `PARTS`-th change, starting with the `k`-th, counted from 0. A finding is the
    verdict, the session that shows a hole, and a description of the change.
    """
    name, part = task
    program = program_of(name)
    changes = ((file, mutant) for file, text in program.sources.items() for mutant in mutants(text))
    return name, [
        (*judge(program, file, mutant), f'{Path(file).name} {mutant}')
        for number, (file, mutant) in enumerate(changes)
        if number % PARTS == part
    ]


# `main` makes each program before it forks the processes, so that all of them share it.
program_of = functools.lru_cache(maxsize=None)(Program)


def main(*names):
    """Judge the changes to the programs with these names, or to all; return the exit status."""
    names = names or [*FILES]
    for name in names:
        program_of(name)
    gc.freeze()  # or else collecting garbage in a child would copy all of the shared memory
    verdicts, survivors = {name: Counter() for name in names}, []
    tasks = [(name, part) for name in names for part in range(PARTS)]
    with multiprocessing.get_context('fork').Pool(PROCESSES) as pool:
        for name, findings in pool.imap_unordered(judge_part, tasks):
            for verdict, session, description in findings:
                verdicts[name][verdict] += 1
                if verdict == HOLE:
                    print(f'HOLE  {description}\n      {session}', flush=True)
                elif verdict == EQUIVALENT:
                    survivors.append(description)
    # In the file, the changes follow their reason, indented; `*` stands for any text.
    patterns = [
        '.*'.join(map(re.escape, change.split('*')))
        for change in re.findall(r'^ +(.+?) *$', REASONS.read_text(encoding='utf-8'), re.MULTILINE)
    ]
    unexplained = sorted(
        change
        for change in survivors
        if not any(re.fullmatch(pattern, change) for pattern in patterns)
    )
    if unexplained:
        print('No reason is given why this makes no difference:', *unexplained, sep='\n      ')
    for name in names:
        counts = ', '.join(f'{verdicts[name][verdict]} {verdict}' for verdict in VERDICTS)
        print(f'{name}: {sum(verdicts[name].values())} changes: {counts}')
    return any(counter[HOLE] for counter in verdicts.values())
