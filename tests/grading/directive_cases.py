"""Sessions that combine directives, and right and wrong programs for each.

A session has five places: its top, the first output, the input, the output after it, and its end.
For each place, a table lists what can be there. Each session has a right program. If a part of the
session can be wrong, another program is wrong in this part and then ends.
"""

import shlex
from typing import NamedTuple

# Runs the shell code in its first argument or, without arguments, in the first line of its input.
PROGRAM = 'if [ $# = 0 ]; then read -r program; else program=$1; fi; eval "$program"\n'


class Part(NamedTuple):
    """Some lines of a session, what a right program does there, and what a wrong program does.

    The wrong program does this instead of the right actions, and then ends. It is wrong in the last
    of the lines.
    """

    lines: list
    right: list
    wrong: list = ()  # empty where no program is wrong


def line(printed, wrong, *lines):
    """Return a part in which a right program prints one text, and a wrong program another."""
    return Part([*lines], [('print', printed)], [('print', wrong)])


def read(typed, *lines):
    """Return a part in which a program reads a line, or the end of input if `typed` is ''."""
    return Part([*lines], [('read', typed)])


def file(right, wrong, *lines):
    """Return a part in which a program writes the file `out`: right or wrong contents."""
    return Part(['# file: out', *lines], [('out', right)], [('out', wrong)])


TEXT = line('Text\n', 'Next\n', '|Text')
END_OF_INPUT = read('', '# end of input')
LINES = {
    'text': [TEXT],
    'nothing': [],
    'free': [line('Some\n', '', '# free', '|Any'), line('End\n', 'More\nEnd\n', '|End')],
    'regex': [line('12 cm\n', 'x cm\n', '# regex', '|[0-9]+ cm')],
    'any lines': [line('1\n\n2\nText\n', '1\n2\n3\n', '# any lines', '|Text')],
    'any lines, none': [line('Text\n', '3\n', '# any lines', '|Text')],
    'backslash': [line('a\\\n', 'a\n', '# backslash', '|a\\')],
    'any lines follow': [TEXT, Part(['# any lines'], [('print', '1\n\n2\n')])],
    'any text follows': [TEXT, Part(['# any lines'], [('print', '1\nWell? ')])],
}
TWO_FOR_A_LINE = {
    'any lines, regex': [line('1\n12 cm\n', '1\nx cm\n', '# any lines', '# regex', '|[0-9]+ cm')],
    'any lines, free': [line('1\n', '', '# any lines', '# free', '|Any')],
    'any lines, backslash': [line('1\na\\\n', '1\na\n', '# any lines', '# backslash', '|a\\')],
    'regex, backslash': [line('12\\\n', '12\n', '# regex', '# backslash', '|[0-9]+\\\\')],
    'free, backslash': [line('Some\n', '', '# free', '# backslash', '|a\\')],
}
PROMPTS = {
    'prompt': [line('Name? ', 'Game? ', '|Name? \\')],
    'free prompt': [line('Some? ', '', '# free', '|Any? \\')],
    'regex prompt': [line('12? ', 'x? ', '# regex', '|[0-9]+[?] \\')],
    'any lines, prompt': [line('1\nName? ', '1\nGame? ', '# any lines', '|Name? \\')],
    'any lines, regex prompt': [
        line('1\n12? ', '1\nx? ', '# any lines', '# regex', '|[0-9]+[?] \\')
    ],
}
FIRST = {**LINES, **PROMPTS, **TWO_FOR_A_LINE}
TYPED = {
    'typed': [read('3\n', '3')],
    'type': [read('#3 x\n', '# type: #3 x')],
    'twice': [read('3\n', '3'), read('4\n', '4')],
    'end of input': [END_OF_INPUT],
}
THEN = {**LINES, **TWO_FOR_A_LINE}
ENDS = {
    'end': [],
    'end of input, read': [END_OF_INPUT._replace(wrong=[('print', '- -\n')])],
    'end of input, not read': [Part(['# end of input'], [], [('print', '- -\n')])],
    'end of input, line': [END_OF_INPUT, line('Bye\n', 'By\n', '|Bye')],
    'still asks': [Part(['# still asks'], [('read', '')], [('exit', 0)])],
    'prompt, still asks': [*PROMPTS['prompt'], read('', '# still asks')],
    'file': [file('a\nb\n', 'a\nc\n', '|a', '|b')],
    'file, regex': [file('a\n12\n', 'a\nx\n', '|a', '# regex', '|[0-9]+')],
    'file, free': [file('a\n12\nb\n', 'a\n12\nc\n', '|a', '# free', '|x', '|b')],
    'file, any lines': [file('1\n2\na\nb\n', '1\n2\na\nc\n', '# any lines', '|a', '|b')],
    'file, any lines follow': [file('a\n1\n2\n', 'b\n1\n2\n', '|a'), Part(['# any lines'], [])],
    'file, backslash': [file('a\nb\\\n', 'a\nb\n', '|a', '# backslash', '|b\\')],
    'file with CRLF': [file('a\r\nb\r\n', 'a\r\nc\r\n', '|a', '|b')],
}
# Directives for the whole session, and the parts for checking whether they have an effect.
TOPS = {
    'none': ([], []),
    'points': (['points: 2'], []),
    'hidden': (['hidden'], []),
    'beyond': (['beyond the assignment'], []),
    'case': (['ignore: case'], [line('total\n', 'totals\n', '|Total')]),
    'whitespace': (['ignore: whitespace'], [line(' a\tb \n', 'ab\n', '|a  b')]),
    'tolerance': (['tolerance: 0.01'], [line('mean 2.505\n', 'mean 2.6\n', '|mean 2.50')]),
    'status': (['exit status: 3'], [Part([], [('exit', 3)], [('exit', 2)])]),
}
# Wrong output, but right if any lines are allowed just before.
ALLOWED_LATE = [[('print', text)] for text in ('', 'More\nEnd\n', '- -\n')]


class Case(NamedTuple):
    """A session, and what a right or wrong program does in it."""

    name: str
    text: str  # the session, without its $ line
    actions: list
    wrong: int  # the number of the wrong line, from 1, or 0 if the program is right
    wrong_at_once: int  # the same if the program gets all input at once


def can_occur(top, first, typed, then, end):
    """Return whether some entries of the tables can occur together in a session."""
    still_asks = end.endswith('still asks')
    return not (
        (typed == 'end of input' and (still_asks or end.startswith('end of input')))
        or (top == 'status' and still_asks)  # then the status does not count
        or (then == 'any text follows' and end == 'prompt, still asks')
    )


def directives_of(tops):
    """Return the directives at the top of a session; one `ignore` lists everything ignored."""
    directives = [directive for top in tops for directive in TOPS[top][0]]
    ignored = [
        directive.removeprefix('ignore: ')
        for directive in directives
        if directive.startswith('ignore')
    ]
    others = [directive for directive in directives if not directive.startswith('ignore')]
    return [*others, f'ignore: {", ".join(ignored)}'] if ignored else others


def parts_of(tops, first, typed, then, end, is_free=False):
    """Return a session's parts; if `is_free`, prompts are free, and the program prints others."""
    prompt = 'Well? '
    parts = []
    is_open = False  # whether the last output is a prompt
    is_loose = False  # whether any lines may precede the next output
    effects = [part for top in tops for part in TOPS[top][1]]
    last = [part for part in effects if not part.lines]
    for part in [
        *FIRST[first],
        *TYPED[typed],
        *(part for part in effects if part not in last),
        *THEN[then],
        *ENDS[end],
        *last,
    ]:
        name, value = (part.right or [('', '')])[0]
        if is_free and '|Name? \\' in part.lines:
            part = part._replace(right=[('print', value.replace('Name? ', prompt))], wrong=[])
        elif is_free and '|Any? \\' in part.lines:
            part = part._replace(wrong=[])
        elif is_free and name == 'read' and not is_open:
            part = part._replace(right=[('print', prompt), *part.right])
        if is_loose and part.wrong in ALLOWED_LATE:
            part = part._replace(wrong=[])
        is_loose = part.lines == ['# any lines'] or (is_loose and not part.wrong)
        is_open = name == 'print' and not value.endswith('\n')
        parts.append(part)
    heads = directives_of(tops)
    if is_free:
        heads.append('prompts: free')
    lines = [line for part in parts for line in part.lines]
    if not any(line.startswith('|') or line == '# any lines' for line in lines):
        heads.append('prints nothing')
    return [Part([f'# {head}' for head in heads], []), *parts]


def cases_of(name, parts):
    """Yield the right program of a session, and a wrong one for each part that can be wrong."""
    text = ''.join(f'{line}\n' for part in parts for line in part.lines)
    exits = [action for part in parts for action in part.right if action[0] == 'exit']
    end = exits[0] if exits else ('exit', 0)
    size = 0  # lines up to the end of the part
    prompt = 0  # the line of a prompt just before the part, if any lines may precede the prompt
    before, wrong = [], []  # the actions before the part, and the wrong programs
    for part in parts:
        size += len(part.lines)
        prints = bool(part.right) and part.right[0][0] == 'print'
        if part.wrong:
            at_once = size
            if part.lines == ['# still asks']:
                at_once = 0  # with all input at once, nobody sees whether a program asks or ends
            elif prompt and prints and part.lines[0] != '# any lines':
                at_once = prompt  # the prompt and the output of this part are on one line
            wrong.append(([*before, *part.wrong, end], size, at_once))
        if prints:
            follows_any_lines = part.lines[0] == '# any lines' and part.lines[-1].endswith(' \\')
            prompt = size if follows_any_lines else 0
        before += part.right
    yield Case(f'{name}: right', text, before, 0, 0)
    for number, (actions, *lines) in enumerate(wrong, 1):
        yield Case(f'{name}: wrong {number}', text, actions, *lines)


def cases_of_session(session, is_free=False):
    """Yield the cases of a session, with free prompts or with the session's own prompts."""
    tops, *others = session
    name = ' | '.join(['+'.join(tops), *others])
    yield from cases_of(
        f'free | {name}' if is_free else name, parts_of(tops, *others, is_free=is_free)
    )


def cases_of_files(tops):
    """Return an assignment.ini, and the cases of a pair of files, with the program in the input.

    A pair of files has no directives, so the assignment.ini has those of the whole session.
    """
    heads, *parts = parts_of(tops, 'text', 'twice', 'text', 'end')
    ini = ''.join(f'{line[2:].replace(": ", " = ")}\n' for line in heads.lines)
    return ini, [*cases_of('+'.join(tops), parts)]


def file_names(number):
    """Return the names of the input file and the output file of a case."""
    return f'{number:04}.in', f'{number:04}.ans'


def in_shell(actions):
    """Return a line of shell code for some actions."""
    words = []
    for name, value in actions:
        if name == 'read' and value:
            words.append(f'read -r line && [ "$line" = {shlex.quote(value[:-1])} ] || exit 99')
        elif name == 'read':  # the end of input
            words.append('! read -r line || exit 99')
        elif name == 'exit':
            words.append(f'exit {value}')
        else:
            text = value.replace('\\', r'\\').replace('\n', r'\n').replace('\r', r'\r')
            target = ' > out' if name == 'out' else ''
            words.append(f'printf %b {shlex.quote(text)}{target}')
    return '; '.join([*words, 'exit 0'])


def as_session(case):
    """Return a case as a session, with the program in its $ line."""
    return f'$ main.sh {shlex.quote(in_shell(case.actions))}\n{case.text}'


def as_files(case):
    """Return the input file of a case, beginning with the program, and its output file."""
    lines = case.text.splitlines(keepends=True)
    return (
        f'{in_shell(case.actions)}\n' + ''.join(line for line in lines if line[0] != '|'),
        ''.join(line[1:] for line in lines if line[0] == '|'),
    )


def line_in_output(case):
    """Return the number, from 1, of the wrong line in a case's output file, or 0."""
    lines = case.text.splitlines()[: case.wrong]
    return sum(line[0] == '|' for line in lines)
