"""Find the key that a run before has left in a keyring that is not its own; leave one."""

from __future__ import annotations

from common import KEYRINGS, add_key, aims, find_key


def attack() -> bool:
    found = any(find_key(aims.mark, keyring) for keyring in KEYRINGS)
    for keyring in KEYRINGS:
        add_key(aims.mark, b'how to play', keyring)
    return found
