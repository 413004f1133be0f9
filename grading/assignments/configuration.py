"""assignment.ini: the title, options, directives and languages of an assignment in a folder.

    title = The Caesar cipher
    timeout = 2                 an option of `grade`, which the command line can replace
    ignore = case               a directive about all sessions

    [*.c]                       how programs are built and run whose files have this suffix
    build = cc -o main *.c
    command = ./main
"""

from __future__ import annotations

import re
from configparser import ConfigParser, DuplicateOptionError, DuplicateSectionError, ParsingError
from dataclasses import replace
from typing import Callable, Sequence

from ..printable import printable
from ..sandbox.program import words_in
from ..sessions.directives import PLACED, VALUED
from ..sessions.transcript import Transcript, TranscriptError
from ..settings import Assignment, Language

CONFIGURATION = 'assignment.ini'
VISIBILITIES = ('visible', 'hidden', 'after_due_date', 'after_published')       # on Gradescope
LONGEST_TIMEOUT = 3600                  # seconds
TOP = 'the assignment'                  # the section of the keys that stand before all sections
SECTION = re.compile(r'\*(\.[^\s*/]+)')


def seconds(text: str) -> float:
    """Return the number of seconds that a text gives. Raises `ValueError`."""
    number = float(text)
    if not 0 < number <= LONGEST_TIMEOUT:
        raise ValueError
    return number


def yes_or_no(text: str) -> bool:
    """Return whether a text is yes. Raises `KeyError` if it is neither yes nor no."""
    return ConfigParser.BOOLEAN_STATES[text.lower()]


def visibility(text: str) -> str:
    """Return a text that is a visibility of Gradescope. Raises `ValueError`."""
    return VISIBILITIES[VISIBILITIES.index(text)]


# The options of `grade`: what makes a value of a text, and which texts are right.
OPTION_TYPES: dict[str, tuple[Callable[[str], object], str]] = {
    'timeout': (seconds, 'a number of seconds'),
    **dict.fromkeys(('at-once', 'beyond', 'no-where'), (yes_or_no, 'yes or no')),
    'visibility': (visibility, f'one of {", ".join(VISIBILITIES)}')}
DIRECTIVES = tuple(name for name in VALUED if name not in PLACED)
PROGRAM = ('build', 'command')
KEYS = ('title', *OPTION_TYPES, *DIRECTIVES, *PROGRAM)


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
    except ParsingError as error:               # whose line number counts the header
        raise error_in(error.errors[0][0] - 1, 'neither "key = value" nor "[*.suffix]"') from None
    sections = [name for name in parser.sections() if name != TOP]
    for section in sections:
        if not SECTION.fullmatch(section):
            raise error_in(line_of(text, section), f'[{section}]: a section is for the files with '
                           'one suffix, as [*.c]')
        check_keys(parser, section, PROGRAM, text)
    check_keys(parser, TOP, KEYS, text)
    top = parser[TOP]
    if any(key in top for key in PROGRAM):      # keys without a section are for all other files
        sections.append(TOP)
    return replace(
        assignment,
        title=' '.join(printable(top.get('title', ''), keep='\n').split()) or assignment.title,
        options={key.replace('-', '_'): OPTION_TYPES[key][0](top[key])
                 for key in top if key in OPTION_TYPES},
        directives=tuple(f'{key}: {top[key]}' for key in top if key in DIRECTIVES),
        languages=tuple(Language('' if name == TOP else name[1:], parser[name].get('command', ''),
                                 parser[name].get('build', '')) for name in sections))


def check_keys(parser: ConfigParser, section: str, keys: Sequence[str], text: str) -> None:
    """Raise `TranscriptError` if a section has other keys than some, or one with a wrong value."""
    for key in parser[section]:
        if key not in keys:
            raise error_in(line_of(text, section, key),
                           f'no such key: {key}; the keys are {", ".join(keys)}')
        check_value(parser[section][key], key, line_of(text, section, key))


def check_value(value: str, key: str, line: int) -> None:
    """Raise `TranscriptError` if a key cannot have a value."""
    if key in DIRECTIVES:
        Transcript(f'{CONFIGURATION}:{line}', '', [f'{key}: {value}'])
    elif key in OPTION_TYPES:
        convert, values = OPTION_TYPES[key]
        try:
            convert(value)
        except (ValueError, KeyError):
            raise error_in(line, f'{key} is {values}, not "{value}"') from None
    elif key in PROGRAM:
        try:
            if not words_in(value):
                raise ValueError('the command line is empty')
        except ValueError as error:
            raise error_in(line, f'{key}: {error}') from None


def line_of(text: str, section: str, key: str = '') -> int:
    """Return the number of the line with a section's header, or with a key in the section."""
    current = TOP
    for number, line in enumerate(text.split('\n'), 1):
        header = re.match(r'\[(.+)\]', line.strip())
        current = header[1] if header else current
        if current == section and (header if not key else re.match(
                rf'{re.escape(key)}\s*[=:]', line.strip(), re.IGNORECASE)):
            return number
    return 1


def error_in(line: int, message: str) -> TranscriptError:
    """Return an error about a line."""
    return TranscriptError(f'{CONFIGURATION}:{line}: {message}')
