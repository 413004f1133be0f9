"""What programs can reach all the same is found out by trying, and listed."""

import pytest
from assigned import settings_for
from sandboxes import ALL_KINDS

from grading.commands import warn
from grading.installation import ROOT
from grading.sandbox import kinds
from grading.sandbox.confine import surveyed
from grading.sandbox.kernel import filter_instructions
from grading.sandbox.other_user import can_separate
from grading.sandbox.program import UNCOUNTED

BY_FILTER = ['the host of a virtual machine', 'memory that no limit counts']
REACHED = {
    'bwrap': [],
    'user': ["the grader's process, to see it"],
    'none': ['the transcripts', 'submissions', "the grader's process, to see it",
             "the grader's process, to signal it", "the grader's keys", 'the network',
             "this machine's abstract sockets", 'sockets in the folder /tmp', *BY_FILTER],
}


def reached(kind, folder):
    """Return what is reached."""
    folder.mkdir(mode=0o700)
    with surveyed(kind, None, [folder]) as survey:
        return set(survey.reach)


@pytest.mark.skipif(not filter_instructions(), reason='there is no filter of system calls here')
@pytest.mark.parametrize('kind', ALL_KINDS)
def test_what_is_reached(kind, tmp_path):
    assert reached(kind, tmp_path / 'one') == set(REACHED[kind])


@pytest.mark.parametrize('kind', ALL_KINDS)
def test_what_is_reached_without_a_filter(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(kinds, 'filter_instructions', lambda: b'')
    network = ['the network'] if kind == 'user' and not can_separate() else []
    found = {*REACHED[kind], *BY_FILTER, *network}
    assert reached(kind, tmp_path / 'one') == found


@pytest.mark.skipif(not can_separate(), reason='no run has file systems of its own here')
def test_what_is_reached_where_all_share_the_file_systems(tmp_path, monkeypatch):
    monkeypatch.setattr(kinds, 'can_separate', lambda: False)
    assert reached('user', tmp_path / 'one') == {
        *REACHED['user'], "this machine's abstract sockets", 'sockets in the folder /tmp'}


def test_the_cure_is_said(capsys):
    warn(settings_for('othello', confine='user', reach=(UNCOUNTED,)))
    assert 'libseccomp' in capsys.readouterr().err
    warn(settings_for('othello', confine='user', reach=('the network',)))
    assert 'libseccomp' not in capsys.readouterr().err


def test_the_filter_is_an_extra_of_the_grader():
    assert "pyseccomp==0.1.2; sys_platform == 'linux'" in (ROOT / 'pyproject.toml').read_text()
