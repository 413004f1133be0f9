"""The limits: the manual lists them, and those that belong together fit."""

import re

import grading.limits as limits_module
from grading.installation import ROOT
from grading.limits import (
    ALL_SECONDS,
    BUILD_BOUNDS,
    DEEPEST,
    LARGEST_ASSIGNMENT,
    LARGEST_DATA,
    LARGEST_FILE,
    LARGEST_SESSION,
    LONGEST_LIST,
    LONGEST_METADATA,
    LONGEST_PATH,
    LONGEST_PROMPTS,
    LONGEST_SESSION,
    LONGEST_TRIED,
    MAX_DATA,
    MAX_DESCRIPTORS,
    MAX_IN_FILE,
    MAX_IN_TAR,
    MAX_LINES_OF_ALL,
    MAX_MAPPINGS,
    MAX_MORE,
    MAX_PROCESSORS,
    MAX_RECORDED,
    MAX_SECONDS,
    MAX_SESSIONS,
    MAX_SOCKETS,
    MAX_TERMINALS,
    RECORD_SECONDS,
    ROOM_TO_WRITE,
    SECONDS_A_LINE,
    SECONDS_A_TURN,
    SUBMISSION_BOUNDS,
    TAR_SECONDS,
    TIMEOUT,
    Limits,
)


def megabytes(size):
    return f'{size >> 20} MB'


def table():
    """Return the rows of the manual's table, made from the limits."""
    limits, built, copied = Limits(), BUILD_BOUNDS, SUBMISSION_BOUNDS
    longest = limits.explanation + limits.spare
    return {
        'one session': f'{limits.session:g} s',
        'a silence when output is expected': f'{TIMEOUT:g} s (`--timeout`). If the program is '
        'certainly waiting for input, the grader does not wait any longer. The [page for '
        'students](students.md#what-often-goes-wrong) says what a student sees',
        'what follows the first wrong output of a session': f'{MAX_SECONDS:g} s, and '
        f'{ALL_SECONDS:g} s in all sessions together',
        'comparing': f'{SECONDS_A_LINE:g} s of a processor for one line, for example with a '
        f'regular expression, and {SECONDS_A_TURN:g} s for all that is printed between two inputs',
        'what a program prints between two inputs': f'{MAX_MORE >> 10} KB more than is expected; '
        f'{LONGEST_TRIED:,} characters in a line that matches a pattern, and {LONGEST_PROMPTS:,} '
        'of free prompts',
        'a submission': f'{limits.submission:g} s from when the grader opens it, not counting the '
        'time that it waits for other submissions. This includes the search for what is wrong: up '
        f'to {limits.explanation:g} s, or up to {longest:g} s if that much time is left. A '
        'submission that hangs in every session takes at most about 30 s',
        'one process': f'{MAX_DATA >> 30} GB of data, including the stacks of its threads; '
        f'{megabytes(LARGEST_FILE)} in one file, {MAX_DESCRIPTORS} descriptors',
        'all processes of a run': f'{limits.processes} processes and threads, '
        f'{limits.memory >> 30} GB of memory, {MAX_SOCKETS} sockets, '
        f'{MAX_TERMINALS} pseudo-terminals, {MAX_MAPPINGS:,} memory mappings; {MAX_PROCESSORS} processors, which differ from run to '
        'run',
        'what a run writes': f'{megabytes(limits.disk)}, including the copy of its folder',
        'a copy of a submission': f'{megabytes(copied.size)} and {copied.files:,} files, with '
        f'paths of up to {LONGEST_PATH} bytes and {DEEPEST} folders',
        'an archive': f'{megabytes(LONGEST_LIST)} in the list of files of a zip; {MAX_IN_TAR:,} '
        f'files in a tar, and {TAR_SECONDS:g} s of a processor to unpack it',
        'a build': f'{limits.build:g} s, in the sandbox; if a build fails, the grader tries it a '
        'second time',
        'what a build leaves': f'{megabytes(built.size)} and {built.files:,} files, including '
        '`.venv` and `node_modules`',
        'an assignment': f'{megabytes(LARGEST_ASSIGNMENT)}, {MAX_SESSIONS:,} sessions, '
        f'{MAX_LINES_OF_ALL:,} lines in all, {megabytes(LARGEST_DATA)} in '
        '[`files/`](assignments.md#data-files)',
        'one session file': f'{megabytes(LARGEST_SESSION)} and {LONGEST_SESSION:,} lines',
        'a recording': f'{RECORD_SECONDS:g} s for each of two runs, {megabytes(MAX_RECORDED)} of '
        f'output, {megabytes(MAX_IN_FILE)} in a file that the program writes',
        'an export': f"{megabytes(LONGEST_METADATA)} in the file about the students; each student's "
        'files are copied within the limits of a submission',
    }


def test_the_manual_lists_the_limits():
    text = (ROOT / 'docs' / 'security.md').read_text(encoding='utf-8')
    shown = text.partition('| | at most |\n|---|---|\n')[2].partition('\n\n')[0]
    assert shown.splitlines() == [f'| {name} | {limit} |' for name, limit in table().items()]


def test_a_run_has_room_for_the_largest_copy_and_more():
    """If the bounds of a copy are raised, so is what a run may write."""
    source = (ROOT / 'grading' / 'limits.py').read_text(encoding='utf-8')
    for name in ('SUBMISSION_BOUNDS', 'BUILD_BOUNDS'):
        raised = re.sub(
            rf'^({name} = Bounds\([\d_]+, )\d+', r'\g<1>500', source, flags=re.MULTILINE
        )
        namespace = {'__name__': limits_module.__name__}
        exec(compile(raised, 'limits.py', 'exec'), namespace)
        assert namespace[name].size == 500 << 20
        assert namespace['Limits']().disk // 2 == (500 << 20) + ROOM_TO_WRITE
