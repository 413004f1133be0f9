"""Reads assignment.ini, the file in an assignment's folder with settings for all sessions.

title = The Caesar cipher
timeout = 2                 an option of `grade`; the command line can override it
ignore = case               a directive for all sessions

[*.c]                       how to build and run programs whose files have this suffix
build = cc -o main *.c
command = ./main
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from configparser import ConfigParser, DuplicateOptionError, DuplicateSectionError, ParsingError
from dataclasses import replace

from ..printable import printable
from ..sandbox.program import words_in
from ..sessions.directives import TABLE
from ..sessions.transcript import TranscriptError, parse
from ..settings import OPTIONS, Assignment, Language, Value

CONFIGURATION = 'assignment.ini'
TOP = 'the assignment'  # our name for the section with the keys above the first header
SECTION = re.compile(r'\*(\.[^\s*/]+)')
OPTION_VALUES: dict[str, Value] = {  # the options of `grade` that assignment.ini can set
    name.replace('_', '-'): field.metadata['value']
    for name, field in OPTIONS.items()
    if field.metadata['ini']
}
DIRECTIVES = tuple(row.name for row in TABLE if row.takes_value and row.scope == 'session')
PROGRAM_KEYS = ('build', 'command')
FLUSH, REQUIRED = 'flush', 'required'  # a key, and the only value it can have
KEYS = ('title', FLUSH, *OPTION_VALUES, *DIRECTIVES, *PROGRAM_KEYS)


def configure(assignment: Assignment, text: str) -> Assignment:
    """Return an assignment with the settings from `text`, the content of its assignment.ini.

    Raises `TranscriptError` with the number of the line in error.
    """
    parser = ConfigParser(interpolation=None, default_section='', empty_lines_in_values=False)
    try:
        parser.read_string(f'[{TOP}]\n{text}')
    except (DuplicateOptionError, DuplicateSectionError) as error:
        name = getattr(error, 'option', f'[{error.section}]')
        raise error_in((error.lineno or 1) - 1, f'{name} appears twice') from None
    except ParsingError as error:  # its line number includes the header of `TOP`
        raise error_in(error.errors[0][0] - 1, 'expected "key = value" or "[*.suffix]"') from None
    languages = []
    for name in [*parser.sections()[1:], TOP]:  # `TOP` last: its commands are for all other files
        section = parser[name]
        if name != TOP and not SECTION.fullmatch(name):
            raise error_in(
                line_of(text, name),
                f'[{name}]: a section must be named after a file suffix, such as [*.c]',
            )
        for key, value in section.items():
            check_key(key, value, line_of(text, name, key), KEYS if name == TOP else PROGRAM_KEYS)
        if name != TOP or {*PROGRAM_KEYS} & {*section}:
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
            key.replace('-', '_'): OPTION_VALUES[key].read(top[key])
            for key in top
            if key in OPTION_VALUES
        },
        directives=tuple(f'{key}: {top[key]}' for key in top if key in DIRECTIVES),
        languages=tuple(languages),
        requires_flush=FLUSH in top,
    )


def check_key(key: str, value: str, line: int, keys: Sequence[str]) -> None:
    """Raise `TranscriptError` if a key is not among the allowed `keys`, or has a wrong value."""
    if key not in keys:
        raise error_in(line, f'no such key: {key}; the keys are {", ".join(keys)}')
    if key in DIRECTIVES:
        parse('', f'{CONFIGURATION}:{line}', [f'{key}: {value}'])
    if key == FLUSH and value != REQUIRED:
        raise error_in(line, f'{key} must be "{REQUIRED}" or omitted, not "{value}"')
    option = OPTION_VALUES.get(key)
    try:
        if option:
            option.read(value)
        elif key in PROGRAM_KEYS and not words_in(value):
            raise ValueError('the command is empty')
    except (ValueError, LookupError) as error:
        problem = f' must be {option.words}, not "{value}"' if option else f': {error}'
        raise error_in(line, key + problem) from None


def line_of(text: str, section: str, key: str = '') -> int:
    """Return the line number of a section's header, or of a key in the section."""
    headers = re.finditer(rf'^[ \t]*\[{re.escape(section)}\]', text, re.MULTILINE)
    start = next((header.start() for header in headers), 0)
    found = re.search(
        rf'^[ \t]*{re.escape(key)}[ \t]*[=:]' if key else '',
        text[start:],
        re.MULTILINE | re.IGNORECASE,
    )
    return text.count('\n', 0, start + (found.start() if found else 0)) + 1


def error_in(line: int, message: str) -> TranscriptError:
    return TranscriptError(f'{CONFIGURATION}:{line}: {message}')
