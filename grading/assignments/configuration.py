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
from typing import Callable, Mapping, NamedTuple, Sequence

from ..printable import printable
from ..sandbox.program import words_in
from ..sessions.directives import PLACED, VALUED
from ..sessions.transcript import Transcript, TranscriptError
from ..settings import VISIBILITIES, seconds
from ..submissions.executable import Language

CONFIGURATION = 'assignment.ini'
TOP = 'the assignment'                  # the section of the keys that stand before all sections
SECTION = re.compile(r'\*(\.[^\s*/]+)')


class Configuration(NamedTuple):
    """The contents of an assignment.ini."""

    title: str = ''
    options: Mapping[str, object] = {}          # of `grade`, as `Settings` names them
    directives: tuple[str, ...] = ()            # about all sessions
    languages: tuple[Language, ...] = ()        # the first that fits a submission counts


def yes_or_no(text: str) -> bool:
    """Return whether a text is yes. Raises `KeyError` if it is neither yes nor no."""
    return ConfigParser.BOOLEAN_STATES[text.lower()]


def visibility(text: str) -> str:
    """Return a text that is a visibility of Gradescope. Raises `ValueError`."""
    return VISIBILITIES[VISIBILITIES.index(text)]


OPTION_TYPES: dict[str, tuple[Callable[[str], object], str]] = {
    'timeout': (seconds, 'a number of seconds'),
    **dict.fromkeys(('at-once', 'beyond', 'no-where'), (yes_or_no, 'yes or no')),
    'visibility': (visibility, f'one of {", ".join(VISIBILITIES)}')}
DIRECTIVES = tuple(name for name in VALUED if name not in PLACED)
PROGRAM = ('build', 'command')
KEYS = ('title', *OPTION_TYPES, *DIRECTIVES, *PROGRAM)


def configuration_in(texts: Mapping[str, str]) -> Configuration:
    """Return the contents of the assignment.ini among the texts of an assignment.

    Raises `TranscriptError`, which names the line.
    """
    return Reader(texts[CONFIGURATION]).configuration() if CONFIGURATION in texts else (
        Configuration())


class Reader:
    """Reads an assignment.ini; raises `TranscriptError` for any mistake in it."""

    def __init__(self, text: str) -> None:
        self._lines = text.split('\n')
        self._parser = ConfigParser(interpolation=None, default_section='',
                                    empty_lines_in_values=False)
        try:
            self._parser.read_string(f'[{TOP}]\n{text}')
        except (DuplicateOptionError, DuplicateSectionError) as error:
            name = getattr(error, 'option', f'[{error.section}]')
            raise error_in((error.lineno or 1) - 1, f'{name} appears twice') from None
        except ParsingError as error:           # whose line number counts the header
            raise error_in(error.errors[0][0] - 1,
                           'neither "key = value" nor "[*.suffix]"') from None

    def configuration(self) -> Configuration:
        """Return the contents of the text."""
        keys = self._parser[TOP]
        options = {}
        for key in keys:
            if key not in KEYS:
                raise self._no_such_key(TOP, key, KEYS)
            if key in OPTION_TYPES:
                options[key.replace('-', '_')] = self._option(key)
        languages = [self._language(section) for section in self._parser.sections()
                     if section != TOP]
        if any(key in keys for key in PROGRAM):     # keys without a section are for all other files
            languages.append(self._language(TOP))
        directives = tuple(self._directive(key) for key in keys if key in DIRECTIVES)
        title = ' '.join(printable(keys.get('title', ''), keep='\n').split())
        return Configuration(title, options, directives, tuple(languages))

    def _option(self, key: str) -> object:
        convert, values = OPTION_TYPES[key]
        try:
            return convert(self._parser[TOP][key])
        except (ValueError, KeyError):
            raise error_in(self._line_of(TOP, key),
                           f'{key} is {values}, not "{self._parser[TOP][key]}"') from None

    def _directive(self, key: str) -> str:
        directive = f'{key}: {self._parser[TOP][key]}'
        Transcript(f'{CONFIGURATION}:{self._line_of(TOP, key)}', '', [directive])
        return directive

    def _language(self, section: str) -> Language:
        suffix = SECTION.fullmatch(section)
        keys = self._parser[section]
        if section != TOP:
            if not suffix:
                raise error_in(self._line_of(section), f'[{section}]: a section is for the files '
                               'with one suffix, as [*.c]')
            for key in keys:
                if key not in PROGRAM:
                    raise self._no_such_key(section, key, PROGRAM)
        for key in PROGRAM:
            try:
                if key in keys and not words_in(keys[key]):
                    raise ValueError('the command line is empty')
            except ValueError as error:
                raise error_in(self._line_of(section, key), f'{key}: {error}') from None
        return Language(suffix[1] if suffix else '', keys.get('command', ''), keys.get('build', ''))

    def _no_such_key(self, section: str, key: str, keys: Sequence[str]) -> TranscriptError:
        return error_in(self._line_of(section, key),
                        f'no such key: {key}; the keys are {", ".join(keys)}')

    def _line_of(self, section: str, key: str = '') -> int:
        """Return the line of a section's header, or of a key in it."""
        current = TOP
        for number, line in enumerate(self._lines, 1):
            header = re.match(r'\[(.+)\]', line.strip())
            current = header[1] if header else current
            if current == section and (header if not key else re.match(
                    rf'{re.escape(key)}\s*[=:]', line.strip(), re.IGNORECASE)):
                return number
        return 1


def error_in(line: int, message: str) -> TranscriptError:
    """Return an error about a line."""
    return TranscriptError(f'{CONFIGURATION}:{line}: {message}')
