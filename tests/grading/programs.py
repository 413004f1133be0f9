"""Right programs and samples, changes to them, and files in folders and zips."""

import io
import tarfile
import zipfile
from functools import cache

from grading.installation import ROOT

SAMPLES = ROOT / 'tests' / 'grading' / 'samples'
OTHELLO = (
    """
DIRECTIONS = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right]

def turned(row, column):
    if not (0 <= row < rows and 0 <= column < columns) or board[row][column] != '.':
        return []
    found = []
    for down, right in DIRECTIONS:
        run, r, c = [], row + down, column + right
        while 0 <= r < rows and 0 <= c < columns and board[r][c] not in ('.', turn):
            run.append((r, c))
            r, c = r + down, c + right
        if 0 <= r < rows and 0 <= c < columns and board[r][c] == turn:
            found += run
    return found

def can_move():
    return any(turned(row, column) for row in range(rows) for column in range(columns))

def pass_on():
    global turn
    for turn in (turn, 'BW'[turn == 'B'], None):
        if turn is None or can_move():
            break

def show():
    black, white = (sum(line.count(color) for line in board) for color in 'BW')
    print(f'B: {black}  W: {white}')
    for line in board:
        print(*line)
    if turn:
        print('TURN:', turn, flush=True)
    elif black == white:
        print('WINNER: NONE', flush=True)
    else:
        print('WINNER:', 'B' if (black > white) == (wins == '>') else 'W', flush=True)

def main():
    global rows, columns, turn, wins, board
    print('FULL', flush=True)
    rows, columns, turn, wins = int(input()), int(input()), input(), input()
    board = [input().split() for _ in range(rows)]
    pass_on()
    show()
    while turn:
        row, column = (int(word) - 1 for word in input().split())
        cells = turned(row, column)
        if cells:
            for r, c in [*cells, (row, column)]:
                board[r][c] = turn
            turn = 'BW'[turn == 'B']
            pass_on()
            print('VALID')
            show()
        else:
            print('INVALID', flush=True)

"""
    + 'if __name__ == '
    + '"__main__":\n    main()\n'
)


def write_files(folder, files):
    """Write files into a folder; return the folder. `files` maps paths to strings or bytes."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def zipped(path, files):
    """Write a zip of files to a path or stream; return the path or stream.

    `files` maps names to strings or bytes, or lists tuples: a name, the contents and, optionally,
    the external attributes.
    """
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as archive:
        for name, content, *attributes in files.items() if isinstance(files, dict) else files:
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            (entry.external_attr,) = attributes or (0o600 << 16,)
            archive.writestr(entry, content)
    return path


def as_zip(files):
    """Return the bytes of a zip of files."""
    return zipped(io.BytesIO(), files).getvalue()


def tarred(path, files):
    """Write a tar, compressed unless its suffix is .tar; return the path.

    `files` maps names to strings or bytes, or lists pairs: a name or a `TarInfo`, and the contents.
    """
    with tarfile.open(path, 'w' if path.suffix == '.tar' else 'w:gz') as archive:
        for entry, content in files.items() if isinstance(files, dict) else files:
            packed = content if isinstance(content, bytes) else content.encode()
            found = tarfile.TarInfo(entry) if isinstance(entry, str) else entry
            found.size = len(packed)
            archive.addfile(found, io.BytesIO(packed))
    return path


def files_in(folder):
    """Return the paths of all files in a folder and its subfolders, as strings."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob('*') if not path.is_dir())


@cache
def read_sample(name):
    """Return the source of a sample program."""
    return (SAMPLES / f'{name}.py').read_text(encoding='utf-8')


def changed(source, changes):
    """Return a source with changes: pairs of a text, which must be in it, and its replacement."""
    for old, new in changes:
        assert old in source, old
        source = source.replace(old, new)
    return source


def our_pair(name, changes=()):
    """Return the files of one of this project's programs, with some changes to its console.

    The result maps their names to their contents.
    """
    console, logic = (
        (ROOT / f'{name}_{part}.py').read_text(encoding='utf-8') for part in ('console', 'logic')
    )
    return {f'{name}_console.py': changed(console, changes), f'{name}_logic.py': logic}
