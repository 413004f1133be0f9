"""Recording: play the inputs of a transcript through our console, and rewrite its outputs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from replay import child_environment
from transcript import ROOT, Transcript, TranscriptError

SECONDS = 30                            # that a session may take
MARK = '\x1e'                           # what marked_input.py prints where a line is read


def record(path: Path) -> None:
    """Write a transcript anew, its inputs and comments kept, its outputs as they are today.

    Raises `TranscriptError`, and leaves the file alone, where the session fails, leaves input
    unread, or prints what the format cannot hold.
    """
    transcript = Transcript(path)
    outputs = play(transcript)
    lines = []
    begun = False
    for line in transcript.lines:
        kind = line[:1]
        is_input = kind not in ('#', '$', '|')
        if is_input and not begun and not transcript.has_command:
            lines += ['$ ' + ' '.join(transcript.command), *marked(transcript, outputs.pop(0))]
        begun = begun or is_input
        if kind != '|':
            lines.append(line)
        if is_input or kind == '$':
            lines += marked(transcript, outputs.pop(0))
    path.write_bytes('\n'.join([*lines, '']).encode())


def play(transcript: Transcript) -> list[str]:
    """Return what is printed before the first input line is read, and after each."""
    console, *arguments = transcript.command
    inputs = transcript.inputs
    try:
        result = subprocess.run(
            [sys.executable, str(ROOT / 'tests' / 'marked_input.py'), str(ROOT / console),
             *arguments], check=False, input=''.join(line + '\n' for line in inputs).encode(),
            capture_output=True, env=child_environment(), timeout=SECONDS)
        outputs = result.stdout.decode().split(MARK)
    except subprocess.TimeoutExpired:
        raise TranscriptError(f'{transcript.name}: still running after {SECONDS} s') from None
    except UnicodeDecodeError as error:
        raise TranscriptError(f'{transcript.name}: prints what is no UTF-8: {error}') from None
    if result.returncode or result.stderr:
        raise TranscriptError(f'{transcript.name}: exit status {result.returncode}: '
                              + result.stderr.decode(errors='replace').strip())
    if len(outputs) == 1:                   # no line by line: all was read before
        return [''] * len(inputs) + outputs
    if len(outputs) <= len(inputs):
        unread = transcript.steps[len(outputs) - 1]
        raise TranscriptError(
            f'{transcript.name}:{unread.number}: not read any more: {unread.input!r}')
    return outputs


def marked(transcript: Transcript, output: str) -> list[str]:
    """Return the lines of a transcript that say what was printed."""
    lines = output.split('\n')
    for line in lines:
        if line.endswith('\\') or '\r' in line:
            raise TranscriptError(f'{transcript.name}: a transcript cannot hold {line!r}')
    last = lines.pop()
    return [f'|{line}' for line in lines] + ([f'|{last}\\'] if last else [])
