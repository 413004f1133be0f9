"""Text of unknown origin, spelled out so that it can do no harm where it is shown."""

from __future__ import annotations

import re

# Characters that are printable by name but show nothing: fillers, variation selectors, and other
# code points that Unicode calls default ignorable; the blank pattern of Braille.
UNSEEN = re.compile('[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0'
                    '\U0001d159\U000e0000-\U000e0fff]')


def printable(text: str, keep: str = '') -> str:
    """Return a text with every control, bidirectional and other invisible character spelled out.

    Those in `keep` stay as they are.

    >>> print(printable('a\\x1b[2J\\u202e b\\n'))
    a\\x1b[2J\\u202e b\\n
    """
    if text.isascii() and text.isprintable():
        return text
    return ''.join(c if c in keep or (c.isprintable() and not UNSEEN.match(c))
                   else c.encode('unicode_escape').decode() for c in text)


def decoded(text: bytes) -> str:
    """Return printed bytes as text; what is no UTF-8 is spelled out."""
    return text.decode(errors='backslashreplace')
