"""The faults of programs for the third game, of a kind that no other game has."""

from pathlib import Path

from ..fault_kinds import Kind
from ..known_faults import Change, GameFaults, fixed, known_faults
from ..model import GameModel, decision, variant
from ..traced_program import Statement, TracedProgram


class Sums(GameModel):
    """A session of the third game: it adds up numbers until a 0."""

    def play(self) -> None:
        total = 0
        for number in iter(lambda: int(self.ask('')), 0):
            total = self.add(total, number)
            self.say(f'Now {total}')
        self.say(f'In all {total}')

    @decision
    def add(self, total: int, number: int) -> int:
        return total + number


def additions(program: TracedProgram) -> set[Statement]:
    """Return the statements that contain a plus sign."""
    return program.matching(r'\+')


ADDING = Kind('adding', points_to=additions)
CHANGES = {
    'two-digits': Change(
        fixed(variant(add=lambda game, add, *numbers: add(*numbers) % 100)), ADDING
    ),
}
FAULTS = {
    'sums': GameFaults(Sums, known_faults(Path(__file__).with_name('sums_faults.ini'), CHANGES))
}
