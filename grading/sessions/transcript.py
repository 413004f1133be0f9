"""The transcript format: a recorded session in a text file.

A backslash at the end of a printed line means that no newline follows. The first character of a
line shows what kind of line it is:

    # a comment, or a directive
    $ nim_console.py piles --prompts      the command line, before any input and output
    |text                                 printed: the text and a newline
    |text\\                                printed: the text without a newline, such as a prompt
    anything else                         typed: one line of input

Directives are comments that say how the session is played and compared:

    # points: 2                 the points for the session; the default is 1
    # beyond the assignment     the session tests more than the assignment asks for
    # prints nothing            the program prints nothing
    # hidden                    students do not see its input and output
    # exit status: 1            a number, "any" or "not 0"; the default is 0
    # ignore: case, whitespace  in all lines: the case of letters, the amount of whitespace
    # tolerance: 1e-6           how far numbers may be from the expected ones
    # prompts: free             the program may print any prompts, or none; "none" forbids prompts
    # file: after.csv           when the program has ended, this file must contain the following
                                lines, up to the next input or directive that is not about a line

    # free                      any single line may replace the next printed line
    # regex                     the next printed line is a regular expression
    # any lines                 any lines may be printed here
    # end of input              standard input ends here
    # still asks                at the end, the program must still be waiting for input
    # type: #3 x                a typed line that begins with #, $ or |
    # backslash                 the next printed line ends with a backslash and a newline

Any other comment is for people. A directive of another tool is an error, unless the comment ends
with a full stop.
"""

from __future__ import annotations

import re

from .session import ExpectedLine

MARKS = ('#', '$', '|')  # the first characters of lines that are not typed


class TranscriptError(Exception):
    """A file is not a valid session, or a session cannot be recorded; the message says why."""


def decode(name: str, content: bytes) -> str:
    """Return the content of a file as text. Raises `TranscriptError` if it is not plain UTF-8."""
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        if content[:2] in (b'\xff\xfe', b'\xfe\xff'):
            raise TranscriptError(f'{name}: not UTF-8: it looks like UTF-16') from error
        number = content.count(b'\n', 0, error.start) + 1
        raise TranscriptError(
            f'{name}:{number}: not UTF-8: {error.reason}; save the file as UTF-8'
        ) from error
    if text.startswith('\ufeff'):
        raise TranscriptError(
            f'{name}:1: the file begins with a byte order mark; save it without one'
        )
    if '\0' in text:
        raise TranscriptError(f'{name}: not UTF-8: it contains NUL bytes, so it may be UTF-16')
    return text


def lines_in(text: str) -> list[str]:
    """Return the lines of a string, with their newlines; only a newline ends a line."""
    return re.findall(r'[^\n]*\n|[^\n]+', text)


def marked(line: ExpectedLine) -> str:
    """Return a printed line as a transcript has it, perhaps after the line "# backslash"."""
    directive = '# backslash\n' if line.has_newline and line.text.endswith('\\') else ''
    return f'{directive}|{line.text}' + ('' if line.has_newline else '\\')


def as_typed(line: str) -> str:
    """Return a typed line as a transcript has it.

    >>> as_typed('3'), as_typed('#3')
    ('3', '# type: #3')
    """
    return f'# type: {line}' if line.startswith(MARKS) else line
