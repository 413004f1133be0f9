"""Recording: what a program prints is taken down between the inputs of a transcript."""

from __future__ import annotations

from typing import Sequence

from .transcript import Transcript, TranscriptError


def recorded_with(transcript: Transcript, outputs: Sequence[str]) -> str:
    """Return the text of a transcript, its inputs and comments kept, with these outputs.

    There is one before each input line and one after the last. Raises `TranscriptError` where
    one holds what the format cannot.
    """
    remaining = iter(outputs)
    kept = [line for line in transcript.lines if not line.startswith('|')]
    if transcript.command and not any(line.startswith('$') for line in kept):
        first = next((i for i, line in enumerate(kept) if not line.startswith('#')), len(kept))
        kept.insert(first, '$ ' + ' '.join(transcript.command))
    lines = []
    for line in kept:
        lines.append(line)
        if not line.startswith('#'):
            lines += marked(transcript, next(remaining))
    return '\n'.join([*lines, ''])


def marked(transcript: Transcript, output: str) -> list[str]:
    """Return the lines of a transcript that say what was printed."""
    lines = output.split('\n')
    for line in lines:
        if line.endswith('\\') or '\r' in line:
            raise TranscriptError(f'{transcript.name}: a transcript cannot hold {line!r}')
    last = lines.pop()
    return [f'|{line}' for line in lines] + ([f'|{last}\\'] if last else [])
