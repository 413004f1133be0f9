"""Finds faults in how a program reads its input, and in how it ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..games.known_faults import KnownFault, fixed
from ..sessions.verdict import PlayedSession
from .match import Match
from .observed import ObservedSession
from .printing import LONGEST

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


def manners_of(
    failed: Sequence[tuple[ObservedSession, Match]],
) -> Iterator[tuple[KnownFault, list[PlayedSession]]]:
    """Yield each fault in how a program reads input or ends, with the sessions that show it.

    `failed` contains the failed sessions, each with its match.
    """
    late = [(observed.failed, match) for observed, match in failed if came_late(observed, match)]
    # If the model explains none of these sessions to the end, the silence may have another reason,
    # unless the program was late so often that it got all input at once.
    is_certain = any(match.is_whole for _, match in late)
    has_been_played_at_once = any(observed.failed.session.at_once_from for observed, _ in failed)
    if is_certain or (late and has_been_played_at_once):
        shown = sorted(
            (played for played, _ in late), key=lambda played: not played.failure.read_early
        )
        yield reason_for(shown), shown
    for known in (READS_ON, ENDLESS, THREAD, EXIT_STATUS):
        found = [
            observed.failed
            for observed, match in failed
            if end_of(observed.failed, asks_on(observed, match)) is known
        ]
        if found:
            yield known, found


def came_late(observed: ObservedSession, match: Match) -> bool:
    """Return whether output was missing where a session fails, but was printed after more input.

    If the model explains the whole session, the missing output is what the model prints there, and
    otherwise what the session expects.
    """
    failure = observed.failed.failure
    step = failure.turn
    if failure.kind != 'silent' or observed.failed.polls:
        return False
    if match.is_whole:
        if failure.comes_late and not any(observed.turns[: step + 1]):
            return True  # all output was printed late, perhaps in the program's own style
        expected = ''.join(match.output.texts[step : step + 1])
        if expected and not observed.turns[step]:  # all of it was printed later
            return True
    elif failure.comes_late:
        expected = observed.transcript.steps[step].output
    else:
        return False
    printed, later = observed.turns[step], ''.join(observed.turns[step:])
    return printed != expected and expected.startswith(printed) and later.startswith(expected)


def reason_for(late: Sequence[PlayedSession]) -> KnownFault:
    """Return the known fault behind output printed only after more input.

    `READS_EARLY`: in some session, the program read further lines before it printed, or printed
    only the rest of a turn late. `READS_FIRST`: in all sessions, the program printed the output
    before the first input line in time, and no other output was expected before it fell silent.
    `NO_FLUSH`: all other cases.
    """
    before = [
        played.session.steps[: played.failure_found.turn] for played in late if played.failure_found
    ]
    if any(played.failure.read_early or begins_in_time(played) for played in late):
        return READS_EARLY
    prints_only_beginning = all(played.dialogue.turns[0].printed for played in late) and all(
        steps and steps[0].expected and not any(step.expected for step in steps[1:])
        for steps in before
    )
    return READS_FIRST if prints_only_beginning else NO_FLUSH


def begins_in_time(played: PlayedSession) -> bool:
    """Return whether the program printed the first lines of the failing turn before the rest."""
    return bool(played.failure.lines and played.dialogue.turns[played.failure.turn].printed)


def asks_on(observed: ObservedSession, match: Match) -> bool:
    """Return whether the program asks for more input after its game is over."""
    rest = match.output.upcoming()
    has_prompt = bool(rest) and len(rest) < LONGEST and not rest.endswith('\n')
    return match.end == 'over' and observed.error == 'EOFError' and (has_prompt or match.is_whole)


def end_of(played: PlayedSession, reads_on: bool) -> KnownFault | None:
    """Return the fault in how a program ends, or None if there is no such fault.

    The program `reads_on` if it asked for more input after all expected output.
    """
    kind, dialogue = played.failure.kind, played.dialogue
    if kind == 'not ended' or reads_on:
        if dialogue.status is not None:
            return READS_ON
        return THREAD if any(turn.waits_for_thread for turn in dialogue.turns) else ENDLESS
    is_plain = kind == 'status' and played.session.end.status == 0 and not dialogue.errors
    return EXIT_STATUS if is_plain and (dialogue.status or 0) > 0 else None
