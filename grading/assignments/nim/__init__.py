"""The four games of Nim, for the grader."""

from ...sessions.difference import Situation
from ..game import Game
from . import generator, record_generator
from .computer import Stones, Tlcw
from .faults import table as faults
from .free_choices import as_left_open
from .model import Piles, Recorded
from .positions import find_piles


def hint(situation: Situation) -> str:
    """Return a hint about a line that differs in meaning, `''` if nothing is certain."""
    if situation.expected == 'Invalid Game.\n':
        return 'the recorded game is invalid: print this line alone, not even the starting state'
    if situation.printed == 'Invalid Game.\n':
        return 'this recorded game is valid'
    return ''


RECORDED = Game('recorded', ('nim_console.py', 'recorded'), Recorded, faults.RECORDED, hint,
                find_piles, record_generator.MAKER, is_default=True)
STONES = Game('stones', ('nim_console.py', 'stones'), Stones, faults.STONES, hint, find_piles,
              generator.maker(generator.stones), has_prompts=True)
TLCW = Game('tlcw', ('nim_console.py', 'tlcw'), Tlcw, faults.TLCW, hint, find_piles,
            generator.maker(generator.tlcw), has_prompts=True)
PILES = Game('piles', ('nim_console.py', 'piles'), Piles, faults.PILES, hint, find_piles,
             generator.maker(generator.piles, ['--seed', str(generator.SEED)]), has_prompts=True,
             left_open=as_left_open)
