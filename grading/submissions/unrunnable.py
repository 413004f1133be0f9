"""What is said of a submission in which nothing can be run: what it is, and what would help."""

from __future__ import annotations

from pathlib import Path

from ..printable import printable

MOST_NAMED = 5                          # files
NOTHING = 'nothing was handed in: there is no file in it'
MANY = ('Many submissions? Name each of them, as in class/*, or the export that they came in '
        '(--export).')

ARCHIVES = ('.7z', '.rar', '.tar', '.tgz', '.gz', '.bz2', '.xz')
TEXTS = ('text.html', 'onlinetext.html', 'link.html')       # of Canvas and Moodle
DOCUMENTS = ('.pdf', '.txt', '.md', '.rtf', '.doc', '.docx', '.odt', '.html', '.png', '.jpg')
SOURCES = ('.c', '.cc', '.cpp', '.cs', '.go', '.hs', '.java', '.jar', '.js', '.kt', '.lua', '.php',
           '.rb', '.rs', '.scala', '.swift', '.ts')

# How names end, what such files are, and what helps; the first that fits any of the files is said.
ADVICE = (
    (('.py.txt',), 'a module with another name: call it *.py'),
    (('.ipynb',), 'a notebook: save it as a module, *.py'),
    (('.pyc',), 'a compiled module: hand in its source, *.py'),
    (SOURCES, 'in another language, which takes a --command and maybe a --build'),
    (('.zip',), 'a zip in what was handed in: hand in the *.py files, or a zip of these'),
    (ARCHIVES, 'an archive that is not unpacked: hand in the *.py files, or a .zip of these'),
    (TEXTS, 'a text that was typed in: hand in the *.py files'),
    (DOCUMENTS, 'a document: hand in the *.py files'),
    (('',), 'hand in the *.py files'),
)


def advice_on(folder: Path) -> str:
    """Return what is said of the copy of a submission that has no Python module."""
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob('*')
                   if not path.is_dir())
    if not names:
        return NOTHING
    advice = next(advice for endings, advice in ADVICE
                  if any(name.lower().endswith(endings) for name in names))
    shown = ', '.join([*names[:MOST_NAMED], *['...'] * (len(names) > MOST_NAMED)])
    many = sum(name.lower().endswith('.zip') for name in names) > 1
    return f'no Python module was handed in, but {printable(shown)}: {advice}' + (
        f'. {MANY}' if many else '')
