"""Goldens: what the grader reports about each wrong program of the tests, as text for people.

`make goldens` writes them into `tests/goldens/`, and a test compares them. A golden depends only on
the program, its sessions and the grader: no time limit affects it.
"""

import re
import tempfile
from pathlib import Path
from unittest import mock

import internals
from graders import BUFFERED, graded
from programs import write_files
from running import short_patience
from sandboxes import traced_in_any_sandbox
from wrong_programs import changed_lines

from grading.diagnosis.claims import is_shown
from grading.diagnosis.diagnose import Diagnosis
from grading.diagnosis.hints import explained_example
from grading.installation import ROOT
from grading.limits import Limits
from grading.reports.messages import AT_ONCE, comparison_in_words
from grading.results import LineComparison

FOLDER = ROOT / 'tests' / 'goldens'
MAX_SESSIONS = 4  # in a new golden
# Limits in seconds, never reached unless something is broken; the grader does not give up on
# sessions that hang. No changes to the program are tried, because only a time limit ends those
# trials.
LIMITS = Limits(
    submission=10_000, hanging=10_000, explanation=1000, tracing=900, search=600, changes=0
)
# Matches what differs from run to run: the folder of a run in a traceback, and how much of a flood
# of output was read.
BY_CHANCE = re.compile(r'(?<=File ")/[^" ]*/submission/(\./)?|(?<=at least )[\d,]+(?= bytes)')
QUOTATION = re.compile(r'"(.*?)(?:\.\.\.)?\N{MIDDLE DOT}*"')  # without the dots added by reports
# Programs whose few sessions show only the effects of a fault, not the fault itself.
ONLY_EFFECTS = ('several/exceptions: words + occupied',)
HEADING = re.compile('^=== (.+) ===$', re.MULTILINE)
# The fields of an example shown in a golden if they are not empty.
SHOWN = (
    'answers',
    'way',
    'rule',
    'typed',
    'expected',
    'printed',
    'file',
    'complaint',
    'excess',
    'errors',
    'hint',
)


def results_of(program, sessions, is_traced, hangs):
    """Return the results of a program, graded with the named sessions, in this order.

    If the program `hangs`, the time limits are short; otherwise, they are so long that a busy
    machine changes nothing.
    """
    texts = (
        *((name, program.sessions[name]) for name in sessions),
        BUFFERED,
    )
    patience = short_patience() if hangs else 10
    findings = Diagnosis.findings

    def checked_findings(diagnosis, *about):
        found = findings(diagnosis, *about)
        for fault, finding in zip(diagnosis.faults, found, strict=True):
            check_agreement(fault, finding, program.name)
        return found

    with (
        mock.patch.object(Diagnosis, 'findings', checked_findings),
        tempfile.TemporaryDirectory() as folder,
        mock.patch(internals.MAX_SECONDS, patience),
        mock.patch(internals.GRACE_SECONDS, patience),
        mock.patch(internals.DIGEST_OF_PROGRAM, str),
        traced_in_any_sandbox(),
    ):
        results = graded(
            write_files(Path(folder, 'one'), {'main.py': program.source}),
            transcripts=None,
            game=program.game,
            sessions=texts,
            beyond=True,
            where=is_traced,
            limits=LIMITS,
            timeout=patience,
            here=True,
            **program.settings,
        )
    facts = results['extra_data']
    late = [*facts['cut_short'], facts['ended'], *facts['notes'], *facts['not_explained']]
    assert not any(late), f'{program.name}: {late}: the time was over, or the grader failed'
    return results


def check_agreement(fault, finding, name):
    """Check that the sentence, the example, the hint and the first place are about one line."""
    example, about = finding.example, f'{name}: {finding.sentence}'
    place = explained_example(fault.clearest, is_named=bool(fault.id))
    for fact in ('session', 'line', 'step', 'expected', 'printed', 'crash'):
        assert getattr(example, fact) == getattr(place, fact), about
    assert name in ONLY_EFFECTS or is_shown(fault, fault.clearest, []), about
    shown = example.printed_text + example.printed + example.expected_text + example.expected
    quotations = [] if finding.sentence == fault.plain else QUOTATION.findall(finding.sentence)
    is_elsewhere = example.crash or example.file or 'catches it' in finding.sentence
    assert is_elsewhere or not quotations or any(text in shown for text in quotations), about
    for place in finding.places[:1]:
        assert example.session in place.sessions, about


def golden(program, sessions, is_traced, hangs):
    """Return a program's golden: what the grader reports about it with some of its sessions."""
    return (
        f'=== {program.name} ===\n'
        + '\n'.join(lines(results_of(program, sessions, is_traced, hangs), program, is_traced))
        + '\n'
    )


def lines(results, program, is_traced):
    """Yield the lines of a golden, given the results of its program."""
    tests, findings = results['tests'], results['extra_data']['findings']
    yield f'{results["score"]:g} of {sum(test["max_score"] for test in tests):g} points'
    for test in tests:
        causes = ', '.join(
            finding['id'] or str(number)
            for number, finding in enumerate(findings, 1)
            if test['name'] in finding['sessions']
        )
        example = test['extra_data'].get('example')
        reason = causes if example or test['status'] == 'passed' else test['output']
        yield f'{test["status"]} {test["name"]}' + (reason and f': {reason}')
    for number, finding in enumerate(findings, 1):
        yield f'{number}. {finding["id"] or "(no name)"}: {finding["sentence"]}'
        if finding['advice']:
            yield f'   {finding["advice"]}'
        kind = ', of printing' if finding['is_printing'] else ''
        yield f'   sessions: {len(finding["sessions"])}, clean points: {finding["clean_points"]:g}{kind}'
        yield from map('   {}'.format, example_lines(finding['example']))
        for place in finding['places']:
            source = place['source'].strip().partition('\n')[0]
            last = f'-{place["last"]}' if place['last'] > place['first'] else ''
            yield f'   {place["why"]} {place["file"]}:{place["first"]}{last}: {source}'
    if is_traced and program.right:
        reported = set()
        for finding in findings:
            crash = finding['example']['crash']
            if crash:
                reported.add(crash['line'])
            for place in finding['places']:
                reported |= {*range(place['first'], place['last'] + 1)}
        is_reported = not reported.isdisjoint(changed_lines(program.right, program.source))
        why = program.why_not_named and f': {program.why_not_named}'
        yield 'the changed line is named' if is_reported else f'the changed line is not named{why}'


def example_lines(example):
    """Yield the lines about an example."""
    ends = example['kind'] in ('ended', 'status')  # otherwise, the status depends on timing
    status = f', status {example["status"]}' if ends else ''
    yield f'{example["session"]}:{example["line"]} {example["kind"]}{status}'
    compared = example['comparison']
    rule = comparison_in_words(LineComparison(**compared)) if compared else ''
    way = AT_ONCE if example['is_at_once'] else ''
    example = {**example, 'rule': rule, 'way': way}
    for name in SHOWN:
        if example[name] or (name == 'typed' and example[name] is not None):
            yield f'{name:8} {BY_CHANCE.sub("...", repr(example[name]))}'
    crash = example['crash']
    if crash:
        yield f'crash    {crash["file"]}:{crash["line"]}: {crash["source"]}: {crash["error"]}'


def read(folder):
    """Return the goldens in a folder, by name."""
    found = {}
    for path in sorted(folder.glob('*.txt')):
        parts = HEADING.split(path.read_text(encoding='utf-8'))
        for name, text in zip(parts[1::2], parts[2::2], strict=False):
            assert name not in found, f'{name}: twice'
            found[name] = f'=== {name} ==={text.rstrip()}\n'
    return found


def sessions_in(text):
    """Return the names of the sessions in a golden, in their order."""
    return re.findall(r'^(?:passed|failed) ([^\s:]+)', text, re.MULTILINE)


def faults_in(text):
    """Return the ids of the findings in a golden; the id of a finding without a name is ''."""
    return [
        name.replace('(no name)', '')
        for name in re.findall(r'^\d+\. ([\w-]+|\(no name\)):', text, re.MULTILINE)
    ]


def hangs_in(text):
    """Return whether the program of a golden hangs; assume so if there is no golden yet ('')."""
    return not text or bool(re.search(r':\d+ (silent|not ended|not asking|trickles)', text))
