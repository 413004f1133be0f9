"""The known faults that programs for any assignment can have: how they print, read and end."""

from __future__ import annotations

from ..games.kinds import TEXT
from ..games.known_faults import KnownFault, fixed
from . import style as rules

NO_PROMPTS = (
    'Print only the prompts of the assignment. In Python, input() with nothing in its brackets '
    'prints no prompt.'
)
PRINTS_LIST = (
    'Print the items of a list, not the list. In Python, print(*row) prints its items with spaces '
    'between them.'
)
ORIGINAL_PROMPTS = (
    'These are the prompts of the original assignment: add --prompts to grade with '
    'them. Otherwise print no prompts.'
)
NO_EMPTY_LINES = (
    'Print no empty line where none is expected. In Python, print() prints one, and so does '
    r'print(text) if the text ends with \n.'
)
READS_MORE = 'No input is expected here: read only as many lines as the session has.'
EXACT_PROMPTS = 'Print each prompt exactly as under "expected".'

PRINTING = [
    KnownFault(name, sentence, advice, fixed(), TEXT)
    for name, sentence, advice in (
        (
            rules.PROMPTS,
            'prints prompts that the assignment does not have, or omits its prompts',
            NO_PROMPTS,
        ),
        (rules.MISSING_LINES, 'leaves out lines', 'Print these lines wherever they are expected.'),
        (
            rules.TWICE,
            'prints lines twice in a row',
            'Print each of these lines once. Perhaps a function prints the line, and its caller '
            'prints it again.',
        ),
        (
            rules.NO_NEWLINE,
            'prints lines without the newline at their end',
            'End each line with a newline. In Python, print(text) prints one, but input(text) '
            'and print(text, end="") do not.',
        ),
        (
            rules.TRAILING_SPACES,
            'prints spaces at the end of lines',
            "Print no space after the last word of a line. In Python, ' '.join(words) puts spaces "
            'only between words.',
        ),
        (rules.WORDS, 'prints wrong words', 'Print exactly what is under "expected".'),
        (
            rules.SEPARATORS,
            'separates the parts of a line wrongly',
            'Between the parts of a line, print exactly what is there under "expected".',
        ),
        (
            rules.EXTRA_LINES,
            'prints lines that the assignment does not have',
            'Print nothing that the assignment does not show: no greeting, no help, no messages '
            'for debugging.',
        ),
    )
]
NO_FLUSH = KnownFault(
    'no-flush',
    'does not flush: its output comes only after more input',
    'Flush the output before you read a line, and read one line at a time. In Python, '
    'print(..., flush=True) flushes it. In C, fflush(stdout) flushes it.',
    fixed(),
)
READS_ON = KnownFault(
    'reads-on',
    'does not end after the last line: it waits for more input',
    'End the program after its last line of output, and read no more input. In node, call '
    'close() on the readline interface.',
    fixed(),
)
READS_EARLY = KnownFault(
    'reads-early',
    'prints the expected output only after it has read more input',
    'Print and flush all expected output before you read the next line. In C, fflush(stdout) '
    'flushes it.',
    fixed(),
)
READS_FIRST = KnownFault(
    'reads-first',
    'reads all input before it answers',
    'Read one line, print the answer, and only then read the next line.',
    fixed(),
)
ENDLESS = KnownFault(
    'endless',
    'does not end after the last line, even when its input ends',
    'Leave the loop after the last line of output, and read no more input.',
    fixed(),
)
EXIT_STATUS = KnownFault(
    'exit-status',
    'ends with an exit status other than 0',
    'End the program with exit status 0 after the last line.',
    fixed(),
)

MANNERS = READS_FIRST, READS_EARLY, NO_FLUSH, READS_ON, ENDLESS, EXIT_STATUS
AFTER_GAME = (READS_ON.id, ENDLESS.id)  # faults that show only after the game is over
