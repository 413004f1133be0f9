"""The page about a class: its scores, its faults, all submissions; and one about each session."""

from __future__ import annotations

from datetime import date
from typing import Sequence
from urllib.parse import quote

from ...sessions.transcript import Transcript
from ..grades import UNCONFINED, notes_on
from ..results_json import SavedResults, findings_in, most_points, name_of
from .pictures import playthrough_of
from .render import policy_for, render, source_of
from .statistics import Scores, Share, failures_of, shares_of, twins_of

SCRIPT = 'table.js'


def index_page(all_results: Sequence[SavedResults], pages: Sequence[str] = ()) -> str:
    """Return the page about a class; it links to `NAME/report.html` for each submission.

    Where `score` is None no grade could be given; `output` says why. `pages` are the names of the
    sessions that have pages of their own. The only script is the page's own: the policy names it
    by its hash.
    """
    graded = [results for results in all_results if results['score'] is not None]
    graded.sort(key=lambda results: (-results['score'], name_of(results).casefold()))
    faults, failures, twins = shares_of(graded), failures_of(graded), twins_of(graded)
    remarks = {name_of(results): remarks_on(results, twins.get(name_of(results), []))
               for results in graded}
    return render(
        'index.html', graded=graded, number=len(all_results), assignment=assignment_of(all_results),
        day=f'{date.today():%d %B %Y}'.lstrip('0'), link_to=link_to, remarks=remarks,
        script=source_of(SCRIPT), policy=policy_for(SCRIPT),
        missing=[results for results in all_results if results['score'] is None],
        full=sum(results['score'] >= most_points(results) for results in graded),
        scores=Scores.of(graded) if graded else None, faults=faults, failures=failures,
        unconfined=sum(UNCONFINED in notes_on(results) for results in graded),
        has_seeds=any(results['extra_data'].get('seed') is not None for results in graded),
        pages={name: page_of(number) for number, name in enumerate(pages)},
        keys={name: keys_of(name, [*faults, *failures]) for name in remarks})


def session_page(transcript: Transcript, all_results: Sequence[SavedResults]) -> str:
    """Return the page about one session: its course, and who fails it by which finding."""
    causes: dict[str, list[str]] = {}
    for results in sorted(all_results, key=lambda results: name_of(results).casefold()):
        for test in results['tests']:
            if test['name'] == transcript.name and test['status'] == 'failed':
                shown = [one.sentence for one in findings_in(results)
                         if transcript.name in one.sessions]
                causes.setdefault('; '.join(dict.fromkeys(shown)), []).append(name_of(results))
    return render('session.html', transcript=transcript, link_to=link_to,
                  course_of=playthrough_of(transcript, None).before, number=len(all_results),
                  causes=sorted(causes.items(), key=lambda cause: -len(cause[1])))


def page_of(number: int) -> str:
    """Return the name of the page about the session of a number, in the folder of a class."""
    return f'session-{number + 1}.html'


def assignment_of(all_results: Sequence[SavedResults]) -> str:
    """Return the name of the assignment, of all of them where there are several."""
    names = [results['extra_data'].get('game') for results in all_results]
    return ', '.join(dict.fromkeys(filter(None, names)))


def remarks_on(results: SavedResults, twins: Sequence[str]) -> list[str]:
    """Return what is wrong with a submission, in sentences, and what is noted of it."""
    about = results['extra_data']
    late = 'late' if about.get('late') else ''
    same = f'the same program as {", ".join(twins)}' if twins else ''
    return [*dict.fromkeys(finding.sentence for finding in findings_in(results)),
            *filter(None, [late, same, *notes_on(results)])]


def keys_of(name: str, shares: Sequence[Share]) -> str:
    """Return the keys of all that a submission shares with others."""
    return ' '.join(share.key for share in shares if name in share.names)


def link_to(name: str) -> str:
    """Return the address of a submission's report, whatever its name, relative to the index."""
    return f'./{quote(name, safe="")}/report.html'
