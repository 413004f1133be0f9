"""What GAME on the command line names: a game, a folder or a file; and its sessions in order.

In a folder, and below it, each `NAME.txt` is a session. `NAME.in` with `NAME.ans` or `NAME.out`
is a session that types all its input at once. `files/` is copied into every run. `assignment.ini`
at the top says more about the assignment:

    title = The Caesar cipher
    timeout = 2                 an option of `grade`, which the command line can replace
    ignore = case               a directive about all sessions

    [*.c]                       how programs are built and run whose files have this suffix
    build = cc -o main *.c
    command = ./main
"""

from __future__ import annotations

import io
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from configparser import ConfigParser, DuplicateOptionError, DuplicateSectionError, ParsingError
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path

from ..game import Game
from ..installation import TRANSCRIPTS_FOLDER, all_transcripts, command_name, own_module
from ..printable import did_you_mean, printable
from ..sandbox.program import words_in
from ..sandbox.untrusted_files import is_ignored
from ..sessions.transcript import PLACED, VALUED, Transcript, TranscriptError, decode
from ..sessions.verdict import Dialogue
from ..settings import OPTIONS, Assignment, DataFile, Language, Value

# Each folder beside this module has the games that one console plays; the fewest come first.
GAMES: dict[str, Game] = {
    game.name: game
    for games in sorted(
        (
            import_module(f'.{path.parent.name}', __package__).GAMES
            for path in sorted(Path(__file__).parent.glob('*/__init__.py'))
        ),
        key=len,
    )
    for game in games
}
# What can be graded: each game, and each program that plays several.
NAMES = tuple(dict.fromkeys([*GAMES, *(game.program for game in GAMES.values())]))
PROGRAMS = NAMES[len(GAMES) :]
EXAMPLES = ('worked_example.txt', 'prompt_free.txt')  # the assignments' own, which come first
NAMES_EXPLAINED = f"""\
GAME is one of these:

  {', '.join(GAMES)}: for a program that plays this game alone, without arguments
  {', '.join(PROGRAMS)}: for a program with the command line of {PROGRAMS[0]}_console.py
  a folder: the sessions (*.txt) in it and below
  a file, or a name such as {NAMES[0]}/{EXAMPLES[0][:-4]}: this session alone

"""
LARGEST_ASSIGNMENT = 64 << 20  # bytes of all its files
MOST_LINES_OF_ALL = 1_000_000  # of all its files: in memory they take 400 MB
MOST_SESSIONS = 1000  # which take even a fast program a minute
LARGEST_DATA = 16 << 20  # bytes of all files that every run copies
FILES = 'files'  # the folder of these files
INPUT, ANSWERS = '.in', ('.ans', '.out')
CONFIGURATION = 'assignment.ini'
TOP = 'the assignment'  # the section of the keys that stand before all sections
SECTION = re.compile(r'\*(\.[^\s*/]+)')


def game_of(transcript: Transcript) -> Game | None:
    """Return the game of a session, None if it is none of ours."""
    words = tuple(transcript.command)  # without a game, they name the first of the console
    return next(
        (
            game
            for game in GAMES.values()
            if words[: len(game.command)] == game.command or words == game.command[:1]
        ),
        None,
    )


def for_others(transcript: Transcript) -> Transcript:
    """Return a session for others' programs, with the choices that its assignment leaves them."""
    game = game_of(transcript)
    return game.left_open(transcript) if game and game.left_open else transcript


def games_of(name: str) -> list[Game]:
    """Return the game with a name, or all games of a program with this name."""
    return (
        [GAMES[name]]
        if name in GAMES
        else [game for game in GAMES.values() if game.program == name]
    )


def assignment_named(word: str) -> Assignment:
    """Return the assignment with all sessions that GAME on the command line names.

    `word` is the name of a game, the path of a folder of sessions or of one session, or what a
    report calls a session of ours. Raises `TranscriptError`.
    """
    if word in NAMES:
        return Assignment(word, [*read_transcripts()], word, has_arguments=word not in GAMES)
    path = Path(word)
    if not path.exists():
        ours = {
            one.relative_to(TRANSCRIPTS_FOLDER).with_suffix('').as_posix(): one
            for one in all_transcripts()
        }
        wanted = re.sub(r'^transcripts/|\.txt$', '', word)
        found = [name for name in ours if f'/{name}'.endswith(f'/{wanted}')]
        if len(found) > 1:
            raise TranscriptError(f'{word}: which session? {", ".join(found)}')
        if not found:
            raise TranscriptError(
                f'{word}: no game ({", ".join(NAMES)}), and no folder or file'
                + did_you_mean(wanted, [*NAMES, *ours, *(Path(name).name for name in ours)])
            )
        path = ours[found[0]]
    return read_assignment(path)


def choose_sessions(
    assignment: Assignment, prompts: bool = False, beyond: bool = False, at_once: bool = False
) -> Assignment:
    """Return an assignment with the sessions by which others' programs are graded, in order.

    `prompts` chooses the sessions of a game with prompts; `beyond` adds sessions beyond the
    assignment; with `at_once` all input is known before the program starts. Raises
    `TranscriptError`.
    """
    sessions = [*assignment.transcripts]
    if assignment.path is None:  # a program plays its games with and without prompts
        games, is_alone = games_of(assignment.name), assignment.name in GAMES
        sessions = [
            for_others(one)
            for one in sessions
            if game_of(one) in games
            and not (is_alone and ('--prompts' in one.arguments) != prompts)
        ]
        # Nobody else can draw Python's random numbers, unless the session follows the program; then
        # what to type depends on answers.
        sessions = [
            one
            for one in sessions
            if (not at_once if one.others else '--seed' not in one.arguments)
        ]
    else:
        sessions = [*map(for_others, sessions)]
        beyond = beyond or len(sessions) == 1
        for one in sessions if at_once else ():
            if one.has_free_prompts:
                raise TranscriptError(
                    f'{one.name}: "# prompts: free" cannot be played with '
                    '--at-once: nobody sees where a prompt ends'
                )
            if one.others:
                raise TranscriptError(
                    f'{one.name}: cannot be played with --at-once: what to '
                    'type depends on what the program prints'
                )
    # The order of learning: examples first, small before large; beyond the assignment last.
    return replace(
        assignment,
        transcripts=sorted(
            (one for one in sessions if beyond or not one.is_beyond),
            key=lambda one: (
                one.is_beyond,
                not one.name.endswith(EXAMPLES),
                len(one.lines),
                one.name,
            ),
        ),
    )


@cache
def read_transcripts() -> list[Transcript]:
    """Return all transcripts of the project, read once.

    Raises `TranscriptError` if no program can be graded by one of them.
    """
    transcripts = [Transcript.read(path) for path in all_transcripts()]
    for transcript in transcripts:
        if not game_of(transcript):
            raise TranscriptError(
                f'{transcript.name}: '
                + (
                    f'"$ {" ".join(transcript.command)}" is none of our games'
                    if transcript.command
                    else 'a $ line must name the game'
                )
            )
        check_recorded(transcript, transcript.name, 'record')
    return transcripts


# --------------------------------------------------------------------------- folders of one's own


def read_assignment(path: Path) -> Assignment:
    """Return the assignment in a folder, or in the file of one session, with all its sessions.

    Raises `TranscriptError` if a file cannot be read or is not a session, or if there is no
    session.
    """
    assignment = assignment_of(
        path, sorted(files_in(path)) if path.is_dir() else files_of_one(path)
    )
    folder = path if path.is_dir() else path.parent
    check_name(path, assignment.name, {})
    if not assignment.transcripts:
        raise TranscriptError(
            f'{folder}: the folder has no session, neither *.txt nor *.in with *.ans'
        )
    if len(assignment.transcripts) > MOST_SESSIONS:
        raise TranscriptError(f'{folder}: more than {MOST_SESSIONS:,} sessions')
    for transcript in assignment.transcripts:
        check_recorded(transcript, folder / transcript.name, 'record --command "CMD"')
    return assignment


def assignment_of(path: Path, paths: Iterable[Path]) -> Assignment:
    """Return the assignment that some files make, in a folder, or beside one session's file.

    Only `path` itself may be a link. Raises `TranscriptError`.
    """
    folder = path if path.is_dir() else path.parent
    names: dict[str, str] = {}
    files: list[DataFile] = []
    size = lines = 0
    for one in paths:
        check_name(one, one.relative_to(folder).as_posix(), names)
        files.append(file_of(one, folder, one == path, LARGEST_ASSIGNMENT - size))
        size += len(files[-1].content)
        lines += 0 if is_data(files[-1].name) else files[-1].content.count(b'\n')
        if lines > MOST_LINES_OF_ALL:
            raise TranscriptError(
                f'{one}: the assignment holds more than {MOST_LINES_OF_ALL:,} lines'
            )
    return assignment_from(path, files)


def assignment_from(path: Path, files: Sequence[DataFile]) -> Assignment:
    """Return the assignment that the contents of some files make. Raises `TranscriptError`."""
    name, folder = (
        (path.resolve().name, path) if path.is_dir() else (path.resolve().stem, path.parent)
    )
    texts = {
        file.name: decode(str(folder / file.name), file.content)
        for file in files
        if not is_data(file.name)
    }
    data = [file._replace(name=file.name[len(FILES) + 1 :]) for file in files if is_data(file.name)]
    if sum(len(file.content) for file in data) > LARGEST_DATA:
        raise TranscriptError(
            f'{folder / FILES}: more than {LARGEST_DATA >> 20} MB, which every '
            'run would have to copy'
        )
    assignment = configure(
        Assignment(name, title=name, path=path, files=files, data=data),
        texts.get(CONFIGURATION, ''),
    )
    transcripts = [*sessions_in(texts, assignment.directives)]
    return replace(
        assignment,
        transcripts=transcripts,
        requires_flush=(assignment.requires_flush or any(map(game_of, transcripts))),
    )


def files_of_one(session: Path) -> Iterator[Path]:
    """Yield the files of an assignment without its other sessions.

    Without an assignment.ini beside the session, only the session itself belongs to the assignment.
    """
    yield session
    if session.suffix == INPUT:
        yield from filter(Path.exists, map(session.with_suffix, ANSWERS))
    if (session.parent / CONFIGURATION).exists():
        yield from beside(session.parent)


def beside(folder: Path) -> Iterator[Path]:
    """Yield the files that an assignment's folder has beside its sessions."""
    if (folder / CONFIGURATION).exists():
        yield folder / CONFIGURATION
    if (folder / FILES).is_dir():
        yield from sorted(files_in(folder, FILES))


def files_in(folder: Path, below: str = '') -> Iterator[Path]:
    """Yield the files of an assignment in its folder, or in a folder below it."""

    def complain(error: OSError) -> None:
        raise TranscriptError(f'{error.filename}: {error.strerror}')

    for place, folders, names in os.walk(folder / below, onerror=complain):
        # Neither what is hidden nor what a tool has made.
        folders[:], names[:] = (
            [name for name in found if not name.startswith('.') and not is_ignored(name)]
            for found in (folders, names)
        )
        for name in folders:
            if os.path.islink(os.path.join(place, name)):
                raise TranscriptError(f'{os.path.join(place, name)}: a link')
        for name in names:
            file = Path(place, name)
            inside = file.relative_to(folder).as_posix()
            is_text = name.endswith(('.txt', INPUT, '.ans')) or (
                file.suffix in ANSWERS and file.with_suffix(INPUT).name in names
            )  # not a program
            if is_data(inside) or inside == CONFIGURATION or is_text:
                yield file


def is_data(name: str) -> bool:
    """Return whether a file of an assignment is copied into every run."""
    return name.startswith(f'{FILES}/')


def check_name(file: Path, name: str, others: dict[str, str]) -> None:
    """Raise `TranscriptError` if a name is like another one, or cannot be shown.

    `others` has the names that were checked before, by their small letters; the name is added.
    """
    if printable(name) != name:
        raise TranscriptError(
            f'{file}: its name has characters that cannot be shown: rename the file'
        )
    other = others.setdefault(name.lower(), name)
    if other != name:
        raise TranscriptError(f'{file}: its name differs from {other} in capital letters only')


def file_of(path: Path, folder: Path, follows: bool, most: int) -> DataFile:
    """Return a plain file in a folder, which has `most` bytes at most.

    Raises `TranscriptError` if it is something else.
    """
    try:
        status = path.stat() if follows else path.lstat()
        for is_wrong, why in [
            (stat.S_ISLNK(status.st_mode), 'a link'),
            (not stat.S_ISREG(status.st_mode), 'not a plain file'),
            (
                status.st_size > most,
                f'the assignment holds more than {LARGEST_ASSIGNMENT >> 20} MB',
            ),
        ]:
            if is_wrong:
                raise TranscriptError(f'{path}: {why}')
        return DataFile(
            path.relative_to(folder).as_posix(), path.read_bytes(), bool(status.st_mode & 0o100)
        )
    except OSError as error:
        raise TranscriptError(f'{path}: {error.strerror}') from None


def check_recorded(transcript: Transcript, path: str | Path, record: str) -> None:
    """Raise `TranscriptError` if a session has no recorded output."""
    if not transcript.is_recorded:
        raise TranscriptError(
            f'{path}: no output is recorded yet: {command_name()} {record} {path}'
        )


def sessions_in(texts: dict[str, str], directives: Sequence[str]) -> Iterator[Transcript]:
    """Yield the sessions of an assignment; `directives` are about all of them.

    Raises `TranscriptError`.
    """
    for name, text in texts.items():
        stem, suffix = os.path.splitext(name)
        answers = [stem + one for one in ANSWERS if stem + one in texts]
        base = stem.rpartition('/')[2]
        if suffix == '.txt':
            yield Transcript(name, text, directives)
        elif suffix == INPUT and len(answers) == 1:
            yield Transcript.of_pair(name, text, answers[0], texts[answers[0]], directives)
        elif suffix == INPUT:
            both, either = ('both', 'and') if answers else ('neither', 'nor')
            raise TranscriptError(
                f'{name}: there is {both} ' + f' {either} '.join(base + one for one in ANSWERS)
            )
        elif suffix == ANSWERS[0] and stem + INPUT not in texts:
            raise TranscriptError(f'{name}: the file {base}{INPUT} is missing')


# --------------------------------------------------------------------------------- assignment.ini

# How the values of those options of `grade` are read that it can set.
OPTION_VALUES: dict[str, Value] = {
    name.replace('_', '-'): one.metadata['value']
    for name, one in OPTIONS.items()
    if one.metadata['ini']
}
DIRECTIVES = tuple(name for name in VALUED if name not in PLACED)
PROGRAM = ('build', 'command')
FLUSH, REQUIRED = 'flush', 'required'  # a key, and its only value
KEYS = ('title', FLUSH, *OPTION_VALUES, *DIRECTIVES, *PROGRAM)


def configure(assignment: Assignment, text: str) -> Assignment:
    """Return an assignment with what its assignment.ini says.

    Raises `TranscriptError`, which names the line.
    """
    parser = ConfigParser(interpolation=None, default_section='', empty_lines_in_values=False)
    try:
        parser.read_string(f'[{TOP}]\n{text}')
    except (DuplicateOptionError, DuplicateSectionError) as error:
        name = getattr(error, 'option', f'[{error.section}]')
        raise error_in((error.lineno or 1) - 1, f'{name} appears twice') from None
    except ParsingError as error:  # whose line number counts the header
        raise error_in(error.errors[0][0] - 1, 'neither "key = value" nor "[*.suffix]"') from None
    languages = []
    for name in [*parser.sections()[1:], TOP]:  # keys without a section are for all other files
        section = parser[name]
        if name != TOP and not SECTION.fullmatch(name):
            raise error_in(
                line_of(text, name),
                f'[{name}]: a section is for the files with one suffix, as [*.c]',
            )
        for key, value in section.items():
            check_key(key, value, line_of(text, name, key), KEYS if name == TOP else PROGRAM)
        if name != TOP or {*PROGRAM} & {*section}:
            languages.append(
                Language(
                    '' if name == TOP else name[1:],
                    section.get('command', ''),
                    section.get('build', ''),
                )
            )
    top = parser[TOP]
    return replace(
        assignment,
        title=' '.join(printable(top.get('title', ''), keep='\n').split()) or assignment.title,
        options={
            key.replace('-', '_'): OPTION_VALUES[key][0](top[key])
            for key in top
            if key in OPTION_VALUES
        },
        directives=tuple(f'{key}: {top[key]}' for key in top if key in DIRECTIVES),
        languages=tuple(languages),
        requires_flush=FLUSH in top,
    )


def check_key(key: str, value: str, line: int, keys: Sequence[str]) -> None:
    """Raise `TranscriptError` if a key is none of some keys, or cannot have its value."""
    if key not in keys:
        raise error_in(line, f'no such key: {key}; the keys are {", ".join(keys)}')
    if key in DIRECTIVES:
        Transcript(f'{CONFIGURATION}:{line}', '', [f'{key}: {value}'])
    if key == FLUSH and value != REQUIRED:
        raise error_in(line, f'{key} is "{REQUIRED}" or left out, not "{value}"')
    convert, values = OPTION_VALUES.get(key, (words_in if key in PROGRAM else str, ''))
    try:
        if convert(value) == []:
            raise ValueError('the command line is empty')
    except (ValueError, LookupError) as error:
        raise error_in(
            line, f'{key} is {values}, not "{value}"' if values else f'{key}: {error}'
        ) from None


def line_of(text: str, section: str, key: str = '') -> int:
    """Return the number of the line with a section's header, or with a key in the section."""
    headers = re.finditer(rf'^[ \t]*\[{re.escape(section)}\]', text, re.MULTILINE)
    start = next((header.start() for header in headers), 0)
    found = re.search(
        rf'^[ \t]*{re.escape(key)}[ \t]*[=:]' if key else '',
        text[start:],
        re.MULTILINE | re.IGNORECASE,
    )
    return text.count('\n', 0, start + (found.start() if found else 0)) + 1


def error_in(line: int, message: str) -> TranscriptError:
    """Return an error about a line."""
    return TranscriptError(f'{CONFIGURATION}:{line}: {message}')


# ------------------------------------------------------------------------------- our own consoles


def console_for(path: Path) -> list[str]:
    """Return the command line of our console for the session in a file, [] if it is not of ours.

    Its `$` line says so, or its folder, or it begins as only one game does. Raises
    `TranscriptError`.
    """
    transcript = Transcript.read(path)
    if transcript.command:
        is_ours = transcript.command[0] in {game.command[0] for game in GAMES.values()}
        return transcript.command if is_ours else []
    folder, begin = path.resolve().parent.name, '\n'.join(transcript.inputs)
    return next(
        (
            list(game.command)
            for game in GAMES.values()
            if game.name == folder or (game.begins and re.match(game.begins, begin))
        ),
        [],
    )


def play(command: list[str], inputs: list[str]) -> tuple[list[str], int, str]:
    """Play input lines through our own console in this process.

    Return what it printed before each line that it read, and after the last, its exit status, and
    what it printed on standard error.

    `command` is its name and its arguments, as on a `$` line. If the console prints only after all
    input, every output but the last is empty. The console uses the standard streams of this
    process, so no other thread may print meanwhile.
    """
    output, errors = io.StringIO(), io.StringIO()
    typed = io.StringIO(''.join(line + '\n' for line in inputs))
    cuts = [0]  # how much was printed when each line was read

    def readline(size: int | None = -1) -> str:
        line = io.StringIO.readline(typed, -1 if size is None else size)
        if line.endswith('\n'):
            cuts.append(output.tell())
        return line

    typed.readline = readline  # type: ignore[method-assign]
    before = sys.argv, sys.stdin
    sys.argv, sys.stdin = command, typed
    try:
        with redirect_stdout(output), redirect_stderr(errors):
            status = own_module(command[0][: -len('.py')]).main()
    finally:
        sys.argv, sys.stdin = before
    if status == 130:  # our console took Ctrl-C for the end of the game
        raise KeyboardInterrupt
    printed = output.getvalue()
    outputs = [
        printed[start:end] for start, end in zip(cuts, [*cuts[1:], len(printed)], strict=False)
    ]
    return outputs, status, errors.getvalue()


def outputs_of(transcript: Transcript) -> list[str]:
    """Return what our console prints before each input line of a transcript, and after the last.

    Raises `TranscriptError` where the session fails, or leaves input unread.
    """
    inputs = transcript.inputs
    outputs, status, errors = play(transcript.command, inputs)
    if status or errors:
        raise TranscriptError(complaint(transcript, status, errors))
    if not any(outputs[:-1]):  # it read all its input before it printed
        outputs = [''] * len(inputs) + outputs[-1:]
    if len(outputs) <= len(inputs):
        unread = transcript.steps[len(outputs) - 1]
        raise TranscriptError(
            f'{transcript.name}:{unread.number}: the program does not read this '
            f'line: {unread.input!r}'
        )
    for number, step in enumerate(transcript.steps):
        if step.ends_input:  # all output comes after the end of input
            outputs.insert(number, '')
    return outputs


def complaint(transcript: Transcript, status: int, errors: str) -> str:
    """Return our console's message about a session, with line numbers of the transcript."""
    place = re.match(
        r'(the input ended after )?line (\d+): (.*)|the input is empty',
        errors.strip().partition(': ')[2],
    )
    if place and not transcript.inputs:
        return f'{transcript.name}: the file has no input line yet'
    if not place or not place[2]:
        return f'{transcript.name}: exit status {status}: {errors.strip()}'
    ended, number, reason = place.groups()
    return (
        f'{transcript.name}:{transcript.steps[int(number) - 1].number}: '
        + ('an input line is missing after this one: ' if ended else '')
        + reason
    )


def recorded(transcript: Transcript) -> Transcript:
    """Return a transcript with what our console prints; see `recorded_with`."""
    from ..sessions.record import recorded_with  # which takes long to import

    return recorded_with(transcript, Dialogue.printing(outputs_of(transcript)))


def record(path: Path) -> None:
    """Record a session of ours in its file.

    Raises `TranscriptError`, and then leaves the file as it is.
    """
    transcript = Transcript.read(path)
    transcript.command = console_for(path)
    if not transcript.command:
        raise TranscriptError(f'{path}: a $ line must name the game')
    path.write_bytes(recorded(transcript).text.encode())
