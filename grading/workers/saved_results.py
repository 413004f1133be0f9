"""Saves a submission's results while it is being graded, and reads them back later.

A submission is not graded again if everything its results depend on is unchanged: its files, the
assignment, the options and the grader.
"""

from __future__ import annotations

import time
from pathlib import Path
from types import TracebackType

from ..engine.grade import OnProgress, ignore
from ..reports.gradescope import for_gradescope
from ..reports.results_json import read_results, write_json, write_results
from ..reports.wording import RESULTS
from ..results import Results

SAVE_SECONDS = 1.0  # minimum time between two saves while a submission is being graded


class SavedResults:
    """The files with a submission's results: results.json, and a file in Gradescope's format.

    Each file is replaced atomically, so that nobody reads a half-written file. The latest results
    are written at the end of the `with` block.

        folder       the folder for results.json, or None to keep none
        gradescope   the path of the file for Gradescope, or None
        digest       a fingerprint of what the results depend on, or '' if they are not kept
        again        whether to grade even if nothing has changed
        on_progress  a function to call whenever there are new results
    """

    def __init__(
        self,
        folder: Path | None,
        gradescope: Path | None,
        digest: str = '',
        again: bool = False,
        on_progress: OnProgress = ignore,
    ) -> None:
        self._folder = folder
        self._gradescope = gradescope
        self._digest = digest
        self._again = again
        self._on_progress = on_progress
        self._written = -SAVE_SECONDS  # when the files were last written
        self._results: Results | None = None  # the latest results

    def earlier(self) -> Results | None:
        """Return the results of an earlier grading if they are still valid, or else None.

        If they are valid, write the file for Gradescope.
        """
        if not self._digest or self._again:
            return None
        assert self._folder  # because there is a digest
        results = read_results(self._folder / RESULTS)
        if not results or results.fingerprint != self._digest:
            return None
        if self._gradescope:
            write_json(self._gradescope, for_gradescope(results))
        return results

    def update(self, results: Results) -> None:
        """Report progress, and save the results if the last save was at least a second ago.

        Saving more often would take time away from the submission. But once all points are known,
        every update is saved, because the points are final even if explaining the faults then
        fails.
        """
        self._results = results
        self._on_progress(results)
        if results.complete or time.monotonic() >= self._written + SAVE_SECONDS:
            self.write(results)

    def write(self, results: Results) -> None:
        """Write the files. Raises `OSError`."""
        if self._folder:
            write_results(self._folder / RESULTS, results)
        if self._gradescope:
            write_json(self._gradescope, for_gradescope(results))
        self._written = time.monotonic()

    def __enter__(self) -> SavedResults:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._results:
            return
        if not error and are_lasting(self._results):
            self._results.fingerprint = self._digest
        self.write(self._results)


def are_lasting(results: Results) -> bool:
    """Return whether results stay valid as long as the submission and the settings do not change.

    Results do not stay valid if the grading was cut short before any session failed: the machine
    may have been slow.
    """
    return not results.ended or any(test.state == 'failed' for test in results.tests)
