"""Known faults of programs for any assignment, in how they print, read input, or end."""

from __future__ import annotations

from ..games.kinds import TEXT
from ..games.known_faults import KnownFault, fixed
from . import style as rules

EMPTY_INPUT = 'In Python, input() with empty parentheses prints no prompt.'
NO_PROMPTS = f'Print no prompts. {EMPTY_INPUT}'
PRINTS_LIST = (
    'Print the items of the list, not the list itself. In Python, print(*row) prints the items of '
    'row with spaces between them.'
)
ORIGINAL_PROMPTS = (
    'These are the prompts of the original assignment: to grade with them, add --prompts. '
    'Otherwise, print no prompts.'
)
NO_EMPTY_LINES = (
    'Print no empty line where none is expected. In Python, print() prints an empty line, and so '
    r'does print(text) if text ends with \n.'
)
READS_MORE = 'Do not ask for input here. Read only as many lines of input as the session has.'
EXACT_PROMPTS = 'Print each prompt exactly as expected.'

PRINTING = [
    KnownFault(name, sentence, advice, fixed(), TEXT)
    for name, sentence, advice in (
        (
            rules.PROMPTS,
            'prints prompts that are not in the assignment, or leaves out prompts that are',
            f'Print all the prompts of the assignment, and no others. {EMPTY_INPUT}',
        ),
        (rules.MISSING_LINES, 'leaves out lines', 'Print these lines wherever they are expected.'),
        (
            rules.TWICE,
            'prints lines twice in a row',
            'Print each of these lines only once. Check whether a function prints the line and '
            'its caller prints it again.',
        ),
        (
            rules.NO_NEWLINE,
            'prints lines without a newline at the end',
            'End each line with a newline. In Python, print(text) adds a newline, but input(text) '
            'and print(text, end="") do not.',
        ),
        (
            rules.TRAILING_SPACES,
            'prints spaces at the end of lines',
            'Do not print a space after the last item on a line. In Python, print(*items) puts '
            'spaces only between items.',
        ),
        (rules.WORDS, 'prints the wrong words', 'Print exactly what is shown as "expected".'),
        (
            rules.SEPARATORS,
            'prints the wrong separators between the parts of a line',
            'Between the parts of a line, print exactly what the expected line has there, and '
            'nothing after the last part. In Python, print(*items) puts spaces only '
            'between items.',
        ),
        (
            rules.EXTRA_LINES,
            'prints lines that are not in the assignment',
            'Print only what the assignment shows: no greeting, no help, no debugging messages.',
        ),
    )
]
NO_FLUSH = KnownFault(
    'no-flush',
    'does not flush: its output appears only after more input',
    'Flush all output before you read each line, and read one line at a time. In '
    'Python, call print(text, flush=True), or sys.stdout.flush() after sys.stdout.write(text). '
    'In C, call fflush(stdout).',
    fixed(),
)
READS_ON = KnownFault(
    'reads-on',
    'does not end after the last expected line of output: it waits for more input',
    'End the program after its last line of output, and read no more input. In Node.js, call '
    'close() on the readline interface.',
    fixed(),
)
READS_EARLY = KnownFault(
    'reads-early',
    'prints the expected output only after it has read more input',
    'Print all expected output before you read the next line: move the '
    'print statement above the statement that reads. In C, also call fflush(stdout).',
    fixed(),
)
READS_FIRST = KnownFault(
    'reads-first',
    'reads all input before it answers',
    'Read one line at a time, and print each answer before you read the next line. In Python, use '
    'input(), not sys.stdin.read() or sys.stdin.readlines().',
    fixed(),
)
ENDLESS = KnownFault(
    'endless',
    'does not end after the last expected line of output, even when its input ends',
    'End the program after its last line of output, and read no more input. In Python, '
    'call sys.exit() outside any try block: a bare except would catch it.',
    fixed(),
)
THREAD = KnownFault(
    'thread',
    'does not end after the last expected line of output, because one of its threads goes on',
    'Let every thread end. In Python, start a thread that never ends with '
    'threading.Thread(..., daemon=True): it ends with the program.',
    fixed(),
)
EXIT_STATUS = KnownFault(
    'exit-status',
    'ends with an exit status other than 0',
    'The program must end without an error after its last line of output. In Python, let it run '
    'to the end, or call sys.exit(0). In C, return 0 from main.',
    fixed(),
)

MANNERS = READS_FIRST, READS_EARLY, NO_FLUSH, READS_ON, ENDLESS, THREAD, EXIT_STATUS
AFTER_GAME = (READS_ON.id, ENDLESS.id, THREAD.id)  # faults that show only after the game is over
