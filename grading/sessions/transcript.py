"""The transcript format: a recorded session in a text file.

Only the first character of a line says what the line is, and a final backslash what ends it:

    # a comment, or a directive
    $ nim_console.py piles --prompts      the command line, before any input and output
    |text                                 printed: the text and a newline
    |text\\                                printed: the text alone, as a prompt is
    anything else                         typed: one line of input

Directives are comments that say how the session is played and compared:

    # points: 2                 its weight; 1 without
    # beyond the assignment     it goes further than the assignment promises
    # prints nothing            nothing is due in it
    # hidden                    students do not see what is typed and printed in it
    # exit status: 1            also "any" and "not 0"; 0 without
    # ignore: case, blanks      in all lines: the case of letters, how many blanks there are
    # tolerance: 1e-6           how far numbers may be from those that are due
    # prompts: free             the program may print any prompts, or none; "none": it may not
    # file: after.csv           when the program has ended, this file has the lines that follow, up
                                to the next input, or a directive that is not about lines

    # free                      any one line is right in place of the next printed line
    # regex                     the next printed line is a regular expression
    # any lines                 any lines may come here
    # end of input              standard input ends here
    # still asks                the program waits for more input; the grader ends it
    # type: #3 x                a typed line, where it begins with #, $ or |
    # backslash                 the next printed line ends with a backslash and a newline

Any other comment is for people. What other tools call a directive is an error, unless the comment
ends with a full stop.
"""

from __future__ import annotations

import copy
import re
import shlex
import stat
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, NamedTuple

from ..installation import ROOT
from ..printable import common_length

LONGEST_SESSION = 200_000  # lines; more cannot be played within its time
LARGEST_SESSION = 64 << 20  # bytes of a transcript
Rule = Literal[  # by which one line is compared
    'text',
    'free',
    'regex',
    'words',  # the program prints its own lines instead, or none
    'question',  # its own lines, or its own text without a newline
]

FLAGS = (
    'beyond the assignment',
    'prints nothing',
    'hidden',
    'free',
    'regex',
    'any lines',
    'end of input',
    'still asks',
    'backslash',
)
# What values look like, and what they are.
VALUES = {
    'points': ('[0-9]{1,6}([.][0-9]{1,6})?', 'points are a number such as 2 or 2.5'),
    'exit status': (
        '[01]?[0-9]{1,2}|2[0-4][0-9]|25[0-5]|any|not 0',
        'an exit status is a number from 0 to 255, "any" or "not 0"',
    ),
    'ignore': (
        r'(case|blanks)(\s*,\s*(case|blanks))*',
        '"# ignore:" takes "case", "blanks" or both',
    ),
    'tolerance': (
        '[0-9]{0,9}[.]?[0-9]{1,20}(e-?[0-9]{1,2})?',
        'a tolerance is a number such as 0.01 or 1e-6',
    ),
    'prompts': ('free|none', '"# prompts:" takes "free" or "none"'),
    'file': (
        r'(?!(.*/)?\.{0,2}(/|$))[^\\]+',  # no empty part, no dots alone
        'the path of a file is given from the program\'s folder, as in "after.csv" or '
        '"out/after.csv"',
    ),
}
VALUED = (*VALUES, 'type')
SAMPLE_VALUES = {
    'points': '2',
    'exit status': '1',
    'ignore': 'case, blanks',
    'tolerance': '1e-6',
    'prompts': 'free',
    'file': 'after.csv',
    'type': '#3 x',
}
FOR_PEOPLE = 'a comment for people ends with a full stop'
ABOUT_LINES = ('free', 'regex', 'any lines', 'backslash')  # the next one, or those before it
PLACED = (*ABOUT_LINES, 'end of input', 'still asks', 'file', 'type')
MARKS = ('#', '$', '|')  # with which lines begin that are not typed as they are
FIRST_FLAGS = re.compile(r'(\(\?[a-zA-Z]+\))+')  # which hold for a whole expression
SPELLINGS = {**{name: name for name in FLAGS + VALUED}, 'exit code': 'exit status'}
DIRECTIVE = re.compile(f'(?:{"|".join(FLAGS + VALUED)})(?![a-z])')
# A value, where the colon before it has been forgotten.
WITHOUT_COLON = re.compile(
    '([^:]+?) ([0-9][-0-9.e]*|any|not 0|(?:case|blanks)(?:,? (?:case|blanks))?|free)'
)
# Words for a directive in other tools, and words that will be directives: what to write instead.
# A word with a colon here has that value; {value} is the value that somebody wrote.
NOT_YET = 'not known yet'
OTHER_WORDS = {
    **dict.fromkeys(
        ('weight', 'score', 'max score', 'marks', 'worth'), 'write "# points: {value}" instead'
    ),
    **dict.fromkeys(
        ('status', 'return code', 'returncode', 'exit'), 'write "# exit status: {value}" instead'
    ),
    **dict.fromkeys(
        (
            'epsilon',
            'precision',
            'float tolerance',
            'float absolute tolerance',
            'float relative tolerance',
        ),
        'write "# tolerance: {value}" instead',
    ),
    **dict.fromkeys(
        ('case sensitive', 'case insensitive'),
        'case counts; where it should not, write "# ignore: case"',
    ),
    **dict.fromkeys(('eof', 'ctrl d'), 'write "# end of input" instead'),
    **dict.fromkeys(('regexp', 'pattern'), 'write "# regex" before the printed line'),
    **dict.fromkeys(
        ('args', 'argv', 'arguments'), 'write the command line at the top: "$ program.py {value}"'
    ),
    'stdin': 'write what is typed as it is, a line for each line',
    **dict.fromkeys(('stdout', 'expected'), 'write "|" before each line that is printed'),
    'seed': 'the grader sets no seed; a program may get one from its command line at the top: '
    '"$ program.py {value}"',
    **dict.fromkeys(
        ('requires', 'depends', 'depends on'), 'each session counts alone, whatever the others give'
    ),
    **dict.fromkeys(
        ('group', 'subtask', 'category'),
        'put the sessions of a group into a folder of the assignment',
    ),
    # What is planned.
    **dict.fromkeys(
        ('timeout', 'time limit', 'timelimit'),
        f'{NOT_YET}; for all sessions write "timeout = {{value}}" in assignment.ini',
    ),
    **dict.fromkeys(('memory', 'memory limit'), f'{NOT_YET}; the grader has a limit of its own'),
    **dict.fromkeys(('stderr', 'standard error'), f'{NOT_YET}; standard error is not graded'),
    'visibility': f'{NOT_YET}; write "# hidden", or "visibility = {{value}}" in assignment.ini',
    'hidden: expected': f'{NOT_YET}; "# hidden" also hides what is typed',
    **dict.fromkeys(('advice', 'hint'), f'{NOT_YET}; write it as a title, the first comment'),
    'ignore: trailing whitespace': f'{NOT_YET}; "# ignore: blanks" ignores blanks everywhere',
    **dict.fromkeys(('contains', 'substring'), f'{NOT_YET}; write "# regex", and then "|.*TEXT.*"'),
    **dict.fromkeys(('numbers', 'numeric'), f'{NOT_YET}; write "# tolerance: 1e-6" or "# regex"'),
    'or': f'{NOT_YET}; write "# regex", and then "|ONE LINE|THE OTHER"',
    **dict.fromkeys(
        ('any order', 'in order', 'unordered'),
        f'{NOT_YET}; a program in files/ can sort what is printed',
    ),
    'optional': f'{NOT_YET}; write "# any lines" instead of the line',
    'recall': f'{NOT_YET}; write "# regex" for a line that depends on chance',
}
WITHOUT_VALUE = (
    'stderr',
    'standard error',
    'stdin',
    'stdout',
    'case sensitive',
    'case insensitive',
    'eof',
    'ctrl d',
    'regexp',
    'contains',
    'substring',
    'numbers',
    'numeric',
    'or',
    'any order',
    'in order',
    'unordered',
    'optional',
    'recall',
)
# A word, and its value behind a colon or an equals sign, or a number.
WORD_AND_VALUE = re.compile('([^:=]+?)(?: ?[:=] ?(.+)| ([0-9][-0-9.e]*))?')
ATTRIBUTES = {
    'beyond the assignment': 'is_beyond',
    'prints nothing': 'prints_nothing',
    'hidden': 'is_hidden',
    'still asks': 'still_asks',
}


class Rules(NamedTuple):
    """The rules by which all lines of a session are compared."""

    ignores_case: bool = False
    ignores_blanks: bool = False  # their number, and lines of nothing else
    tolerance: float | None = None  # of numbers, None where they are text


EXACT = Rules()


def directive_in(line: str) -> tuple[str, str]:
    """Return the name and the value of the directive in a line, ('', '') if it has none.

    Raises `ValueError` for a comment that begins like a directive, or is nearly one, and for a
    wrong value.

    >>> directive_in('# tolerance: 1e-6'), directive_in('#free'), directive_in('# A tie.')
    (('tolerance', '1e-6'), ('free', ''), ('', ''))
    """
    if not line.startswith('#'):
        return '', ''
    comment = ' '.join(line[1:].split())
    word, colon, _ = comment.partition(':')
    if comment in FLAGS:
        return comment, ''
    is_for_people = comment.endswith('.') and word.lower() != 'advice'  # which is a sentence
    instead = '' if is_for_people else instead_of(comment)
    if instead:
        raise ValueError(f'"# {comment}": {instead}; {FOR_PEOPLE}')
    if colon and word.rstrip() in VALUED:
        return word.rstrip(), value_in(word.rstrip(), line.partition(':')[2])
    if comment.endswith('.'):  # it is for people
        return '', ''
    begun = DIRECTIVE.match(comment)
    if begun and begun[0] in VALUED:
        raise ValueError(
            f'"# {begun[0]}" needs a colon and a value, as in '
            f'"# {begun[0]}: {SAMPLE_VALUES[begun[0]]}"; {FOR_PEOPLE}'
        )
    if begun:
        raise ValueError(f'after "# {begun[0]}" nothing may follow; {FOR_PEOPLE}')
    meant = directive_meant(comment)
    if meant:
        raise ValueError(f'write "# {meant}" instead of "# {comment}"; {FOR_PEOPLE}')
    return '', ''


def instead_of(comment: str) -> str:
    """Return what to write for a directive of another tool, or a planned one; '' if it is neither.

    >>> instead_of('weight: 2'), instead_of('Weights')
    ('write "# points: 2" instead', '')
    """
    found = WORD_AND_VALUE.fullmatch(comment)
    if not found:
        return ''
    value = found[2] or found[3] or ''
    word = re.sub('[_-]', ' ', found[1].lower())
    instead = OTHER_WORDS.get(f'{word}: {value.lower()}') or (
        OTHER_WORDS.get(word, '') if value or word in WITHOUT_VALUE else ''
    )
    return instead.format(value=value)


def value_in(name: str, text: str) -> str:
    """Return the value of a directive, which stands behind its colon. Raises `ValueError`."""
    if name == 'type':  # behind the blank nothing is stripped
        if text[:1] != ' ' or not text[1:].startswith(MARKS):
            raise ValueError(
                '"# type: " is for a line that begins with #, $ or |; type any other line as it is'
            )
        return text[1:]
    value = text.strip()
    pattern, description = VALUES[name]
    if not re.fullmatch(pattern, value) or (name == 'file' and not value.isprintable()):
        raise ValueError(f'{description}, not {value!r}')
    return value


def points_in(text: str) -> float:
    """Return the number of points in a string. Raises `ValueError`.

    >>> points_in('2'), points_in('2.50')
    (2, 2.5)
    """
    if not re.fullmatch(VALUES['points'][0], text):
        raise ValueError
    number = float(text)
    return int(number) if number.is_integer() else number


def directive_meant(comment: str) -> str:
    """Return the directive that a comment nearly is, '' for none.

    >>> directive_meant('Point: 2'), directive_meant('hiden'), directive_meant('Tree')
    ('points: 2', 'hidden', '')
    """
    small = comment.lower()
    word, colon, value = small.partition(':')
    plain = WITHOUT_COLON.fullmatch(small)
    if plain:
        word, value = plain.groups()
    word = word.rstrip()
    for spelling, name in SPELLINGS.items():
        if comment[:1].isupper() and len(name) == 4 <= len(word) and name[0] not in word:
            continue  # a title, and another short word: "Tree" is not free
        if name in FLAGS:
            if are_near(word, name, 1):
                return name
        elif (colon or plain) and are_near(word, spelling, 1 + bool(colon)):
            own = (comment[-len(value) :] if name in ('file', 'type') else value).strip()
            if name != 'type' or own.startswith(MARKS):  # a time is not a type
                return f'{name}: {own or SAMPLE_VALUES[name]}'
    return ''


def are_near(word: str, other: str, most: int) -> bool:
    """Return whether a few edits make one word of the other.

    An edit changes a letter, adds one, leaves one out, or swaps it with the next.
    """
    same = common_length(word, other)
    word, other = word[same:], other[same:]
    if not (word and other and most):
        return len(word + other) <= most
    return any(
        are_near(word[one:], other[two:], most - 1)
        for one, two in ((1, 1), (1, 0), (0, 1), (2, 2))
        if one < 2 or word[:2] == other[1::-1]
    )


def expression_in(text: str, rules: Rules) -> re.Pattern[str]:
    """Return the compiled regular expression of a printed line. Raises `ValueError`.

    >>> bool(expression_in('(?i)yes|no', Rules(ignores_blanks=True)).fullmatch(' NO '))
    True
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', FutureWarning)
            warnings.simplefilter('error', DeprecationWarning)  # of flags that stand elsewhere
            expression = re.compile(text, re.IGNORECASE if rules.ignores_case else 0)
            if rules.ignores_blanks:
                end = '\n' if expression.flags & re.VERBOSE else ''  # of a comment
                expression = re.compile(
                    rf'\s*(?:{FIRST_FLAGS.sub("", text)}{end})\s*', expression.flags
                )
    except (re.error, RecursionError, OverflowError, DeprecationWarning) as error:
        raise ValueError(f'not a regular expression: {error}') from None
    return expression


class TranscriptError(Exception):
    """Why a file is not a session, or why a session cannot be recorded."""


@dataclass(eq=False)
class Printed:
    """One `|` line: its `text`, and whether a newline `ends` it."""

    number: int  # of the line in the file, from 1
    text: str
    ends: bool
    rule: Rule = 'text'
    # What may come before it: any lines, perhaps with a text at the end, on its own line.
    skips: Literal['', 'lines', 'text'] = ''
    expression: re.Pattern[str] | None = None  # where it is one

    def __str__(self) -> str:
        return self.text + '\n' if self.ends else self.text

    @property
    def is_own(self) -> bool:
        """Whether the program may print its own words here."""
        return self.rule in ('words', 'question')


@dataclass(eq=False)
class Step:
    """The lines printed before an input line, and this line, None after the last step.

    The end of input may stand in place of the line.
    """

    printed: list[Printed] = field(default_factory=list)
    input: str | None = None
    end: str = '\n'  # of the input; the last line of a file may have none
    number: int = 0  # the input's line number, from 1
    ends_input: bool = False  # whether the end of input follows
    is_open: bool = False  # whether any lines may come at the end of the step

    @property
    def output(self) -> str:
        """The printed lines as one text."""
        return ''.join(map(str, self.printed))

    @property
    def typed(self) -> bytes:
        """The input as it is sent, b'' if there is none."""
        return b'' if self.input is None else (self.input + self.end).encode()


@dataclass
class File:
    """A file that a program must leave: its path in the program's folder, and its lines."""

    number: int  # of the directive in the session, from 1
    path: str
    content: Step = field(default_factory=Step)
    last: int = 0  # the number of the last line about it


def decode(name: str, content: bytes) -> str:
    """Return the text of a file; raises `TranscriptError` with its name if it is not UTF-8."""
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        reason = (
            'it looks like UTF-16' if content[:2] in (b'\xff\xfe', b'\xfe\xff') else error.reason
        )
        raise TranscriptError(f'{name}: not UTF-8: {reason}') from error
    if text.startswith('\ufeff'):
        raise TranscriptError(f'{name}:1: the file begins with a byte order mark')
    if '\0' in text:
        raise TranscriptError(f'{name}: not UTF-8: it has NUL bytes, as UTF-16 has')
    return text


def display_name(path: Path) -> str:
    """Return a path as a person would type it in the project: relative, with slashes."""
    path = path.resolve()
    return path.relative_to(ROOT).as_posix() if ROOT in path.parents else str(path)


def lines_in(text: str) -> list[str]:
    """Return the lines of a text with their newlines; only a newline ends a line."""
    return re.findall(r'[^\n]*\n|[^\n]+', text)


def marked(line: Printed) -> str:
    """Return a printed line as a transcript has it, perhaps behind a directive."""
    directive = '# backslash\n' if line.ends and line.text.endswith('\\') else ''
    return f'{directive}|{line.text}' + ('' if line.ends else '\\')


def as_typed(line: str) -> str:
    """Return a typed line as a transcript has it.

    >>> as_typed('3'), as_typed('#3')
    ('3', '# type: #3')
    """
    return f'# type: {line}' if line.startswith(MARKS) else line


class Transcript:
    """A session: its `name`, `lines`, `command` line as words, and `steps`.

    `text` is the text of its file. `directives` are those of the whole assignment, such as 'ignore:
    case'; the session's own directives replace them. Raises `TranscriptError`.

    >>> transcript = Transcript('a', '$ greeter.py --loud\\nAnn\\n|HELLO, ANN\\\\\\n')
    >>> transcript.command, transcript.inputs, transcript.output
    (['greeter.py', '--loud'], ['Ann'], 'HELLO, ANN')
    """

    def __init__(self, name: str, text: str, directives: Sequence[str] = ()) -> None:
        self.name = name
        self.directives = directives
        self.lines = [line.rstrip('\n') for line in lines_in(text)]
        self.command: list[str] = []  # empty where no `$` line gives it
        self.answers = ''  # of a pair: the name of the file with the output
        self.title = ''  # the first comment that is no directive
        self.points: float = 1
        self.is_beyond = False  # whether it is beyond the assignment
        self.is_hidden = False  # whether students do not see what is in it
        self.status: int | str = 0  # the exit status that is due, 'any', or 'not 0'
        self.rules = EXACT  # by which all lines are compared
        self.has_free_prompts = False
        self.prints_nothing = False  # whether a directive says that nothing is due
        self.still_asks = False  # whether the program waits for input at its end
        self.files: list[File] = []  # the files that the program must leave
        # The words of lines that are due, where a program may print others of its own.
        self.due_words: Collection[str] = ()
        # Yields the sessions that go on in another way from a step, and are also right.
        self.others: Callable[[int], Iterator[Transcript]] | None = None
        self.is_derived = False  # whether a model says what is due, with faults
        # Of a session in which all input is typed at once: the session line by line.
        self.in_turns: Transcript | None = None
        self.steps = [Step()]
        self._file: File | None = None  # the file whose lines follow
        # Directives about the next printed line of a step, and of the file.
        self._next: set[str] = set()
        self._next_in_file: set[str] = set()
        number = 0
        try:
            for directive in directives:
                self._read_comment(0, f'# {directive}')
            for number, line in enumerate(self.lines, 1):
                self._read(number, line)
            self._end_step()
            for due in [
                due
                for step in (*self.steps, *(file.content for file in self.files))
                for due in step.printed
                if due.rule == 'regex'
            ]:
                number = due.number
                due.expression = expression_in(due.text, self.rules)
        except ValueError as error:
            place = f'{name}:{number}' if number else name
            raise TranscriptError(f'{place}: {error}') from None
        if self.prints_nothing and any(step.printed for step in self.steps):
            raise TranscriptError(f'{name}: "# prints nothing", but the session has printed lines')

    @classmethod
    def of_pair(
        cls, name: str, typed: str, answers: str, printed: str, directives: Sequence[str] = ()
    ) -> Transcript:
        """Return the session in which all input is typed at once, and then all output is due.

        The input is in the file that has the session's name, the output in the one named `answers`.
        Raises `TranscriptError`.
        """
        transcript = cls(name, '', directives)
        transcript.answers = answers
        inputs = [line.rstrip('\n') for line in lines_in(typed.replace('\r\n', '\n'))]
        first = Step(
            input='\n'.join(inputs) if inputs else None,
            number=len(inputs),
            end='\n' if typed.endswith('\n') else '',
            ends_input=True,
        )
        outputs = lines_in(printed.replace('\r\n', '\n'))
        if len(outputs) > LONGEST_SESSION:
            raise TranscriptError(f'{name}: more than {LONGEST_SESSION:,} lines of output')
        last = Step(
            [
                Printed(number, line.rstrip('\n'), line.endswith('\n'))
                for number, line in enumerate(outputs, 1)
            ]
        )
        transcript.lines = [*map(as_typed, inputs), *map(marked, last.printed)]
        transcript.steps = [first, last]
        transcript.prints_nothing = not last.printed
        return transcript

    @classmethod
    def read(cls, path: Path, directives: Sequence[str] = ()) -> Transcript:
        """Return the transcript in a file, with the name that a person would type in the project.

        Raises `TranscriptError`.
        """
        name = display_name(path)
        try:
            status = path.stat()
            if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST_SESSION:
                raise TranscriptError(
                    f'{name}: not a plain file of at most {LARGEST_SESSION >> 20} MB'
                )
            content = path.read_bytes()
        except OSError as error:
            raise TranscriptError(f'{name}: {error.strerror}') from error
        return cls(name, decode(name, content), directives)

    @property
    def text(self) -> str:
        """The text of its file."""
        return '\n'.join([*self.lines, ''])

    @property
    def line_by_line(self) -> Transcript:
        """The session line by line, also where all its input is typed at once."""
        return self.in_turns or self

    @property
    def arguments(self) -> list[str]:
        """The words after the program's name on the `$` line."""
        return self.command[1:]

    @property
    def inputs(self) -> list[str]:
        """The input lines, without newlines."""
        return [step.input for step in self.steps if step.input is not None]

    @property
    def output(self) -> str:
        """All that is printed."""
        return ''.join(step.output for step in self.steps)

    @property
    def is_recorded(self) -> bool:
        """Whether the session says what is due, even if it says that nothing is."""
        return (
            self.prints_nothing
            or self.still_asks
            or any(step.printed or step.is_open for step in self.steps)
            or any(file.content.printed for file in self.files)
        )

    def is_exact(self, steps: Sequence[Step]) -> bool:
        """Return whether the output of some steps is compared byte for byte."""
        return (
            self.rules == EXACT
            and not self.has_free_prompts
            and not any(
                step.is_open
                or not all(line.rule == 'text' and not line.skips for line in step.printed)
                for step in steps
            )
        )

    @property
    def reads_all_first(self) -> bool:
        """Whether the program prints only when it has read all input and its end."""
        return not self.still_asks and not any(
            step.printed or step.is_open or step.ends_input for step in self.steps[:-1]
        )

    def accepts_status(self, status: int) -> bool:
        """Return whether a program may end with an exit status, negative for a signal."""
        return status > 0 if self.status == 'not 0' else self.status in ('any', status)

    def asks_after(self, step: Step) -> bool:
        """Return whether the program waits for input at the end of a step."""
        return (
            step.input is not None
            or step.ends_input
            or (self.still_asks and step is self.steps[-1])
        )

    # All these raise `ValueError`.

    def _read(self, number: int, line: str) -> None:
        """Read a line of the file."""
        kind = line[:1]
        if number > LONGEST_SESSION:
            raise TranscriptError(f'{self.name}: more than {LONGEST_SESSION:,} lines')
        if number == 1 and all(line.endswith('\r') for line in self.lines):
            raise ValueError('lines end with \\r\\n; a session has \\n alone')
        if line.endswith('\r') and kind in MARKS:
            raise ValueError('the line ends with \\r\\n; a session has \\n alone')
        if kind == '#':
            self._read_comment(number, line)
        elif kind == '$':
            if self.command or len(self.steps) > 1 or self.steps[0].printed:
                raise ValueError('only one $ line, before all other lines')
            self.command = shlex.split(line[1:])
            if not self.command:
                raise ValueError('the $ line must name a program')
        elif kind == '|':
            self._read_printed(number, line)
        else:
            self._end_step(number, line)

    def _read_printed(self, number: int, line: str) -> None:
        step, directives = (
            (self._file.content, self._next_in_file) if self._file else (self.steps[-1], self._next)
        )
        has_backslash = 'backslash' in directives
        if has_backslash and not line.endswith('\\'):
            raise ValueError('after "# backslash" a line must end with a backslash')
        ends = has_backslash or not line.endswith('\\')
        text = line[1:] if ends else line[1:-1]
        if self._file:
            self._file.last = number
        elif self.still_asks:
            raise ValueError('after "# still asks" nothing is printed')
        rule: Rule = (
            'free' if 'free' in directives else 'regex' if 'regex' in directives else 'text'
        )
        step.printed.append(
            Printed(number, text, ends, rule, 'lines' if 'any lines' in directives else '')
        )
        directives.clear()

    def _end_step(self, number: int = 0, typed: str | None = None) -> None:
        """End the step by what is typed, None for the end of input; by default the last step."""
        if number and (self.still_asks or self.steps[len(self.steps) - 2].ends_input):
            after = 'still asks' if self.still_asks else 'end of input'
            then = '"# end of input"' if typed is None else repr(typed)
            raise ValueError(f'after "# {after}" nothing is typed: {then}')
        self._end_file()
        step = self.steps[-1]
        step.is_open = may_go_on(self._next)
        if number:
            step.input, step.number, step.ends_input = typed, number, typed is None
            self.steps.append(Step())

    def _end_file(self) -> None:
        """End the lines of a file, if there is one."""
        if self._file:
            self._file.content.is_open = may_go_on(self._next_in_file)
        self._file = None

    def _read_comment(self, number: int, line: str) -> None:
        """Apply a comment that is a directive; the first other comment is the title."""
        name, value = directive_in(line)
        if not name:
            self.title = self.title or line[1:].strip()
            return
        if name not in ABOUT_LINES:
            self._end_file()
        if not number and name in PLACED:
            raise ValueError(f'"# {name}" is about one place in a session, not about all sessions')
        if name in ABOUT_LINES:
            directives = self._next_in_file if self._file else self._next
            directives.add(name)
            if {'free', 'regex'} <= directives:
                raise ValueError('a printed line is "# free" or "# regex", not both')
            if self._file:
                self._file.last = number
        elif name in ('type', 'end of input'):
            self._end_step(number, value if name == 'type' else None)
        elif name == 'file':
            if value in [file.path for file in self.files]:
                raise ValueError(f'the lines of {value} stand here a second time')
            self._file = File(number, value, last=number)
            self.files.append(self._file)
        else:
            self._apply(name, value)

    def _apply(self, name: str, value: str) -> None:
        """Apply a directive about the whole session."""
        if name == 'points':
            self.points = points_in(value)
        elif name == 'exit status':
            self.status = int(value) if value.isdigit() else value
        elif name == 'ignore':
            self.rules = self.rules._replace(
                ignores_case='case' in value, ignores_blanks='blanks' in value
            )
        elif name == 'tolerance':
            self.rules = self.rules._replace(tolerance=float(value))
        elif name == 'prompts':
            self.has_free_prompts = value == 'free'
        else:
            setattr(self, ATTRIBUTES[name], True)


def may_go_on(directives: set[str]) -> bool:
    """Return whether any lines may follow, by the directives after the last printed line.

    Remove these. Raises `ValueError` for one that needs a line.
    """
    for rule in directives - {'any lines'}:
        raise ValueError(f'no printed line after "# {rule}"')
    is_open = bool(directives)
    directives.clear()
    return is_open


def at_once(transcript: Transcript) -> Transcript:
    """Return a session in which all input is typed at once, and then all output is due."""
    whole = copy.copy(transcript)
    first = Step(
        input=b''.join(step.typed for step in transcript.steps).decode(), end='', ends_input=True
    )
    last = Step()
    is_open = False  # whether any lines may come before the next one
    for step in transcript.steps:
        for line in step.printed:
            last.printed.append(replace(line, skips='text' if is_open else line.skips))
            is_open = is_open and line.is_own
        is_open = is_open or step.is_open
    last.is_open = is_open or transcript.still_asks  # what follows is about the end of input
    whole.steps, whole.in_turns = [first, last], transcript
    return whole
