"""The options that this project adds to pytest; `pytest --help` lists them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from gradescope import Gradescope
from recorder import record
from submission import Submission
from transcript import GAMES, TranscriptError, display_name


def pytest_addoption(parser):
    group = parser.getgroup('transcripts')
    for game in GAMES:
        group.addoption(f'--{game}', nargs='?', const='', metavar='CMD',
                        help=f'replay the {game} transcripts, and nothing else, through this '
                             'command line; with --submission CMD may be left out')
    group.addoption('--submission', metavar='DIR', type=Path,
                    help='run in a copy of this folder, and find its one executable module')
    group.addoption('--transcript-timeout', metavar='SECONDS', type=float, default=5,
                    help='how long a program may print nothing when it should (%(default)s)')
    group.addoption('--gradescope', metavar='FILE', type=Path,
                    help="write the replays' results in Gradescope's format")
    group.addoption('--record', action='store_true',
                    help='play the inputs of the given transcripts and rewrite their outputs')


def pytest_configure(config):
    option = config.option
    if option.record:
        if os.environ.get('CI'):
            raise pytest.UsageError('--record: transcripts are not recorded in CI')
        if config.args_source is not config.ArgsSource.ARGS:
            raise pytest.UsageError('--record: name the transcripts to record')
    if not option.transcript_timeout > 0:
        raise pytest.UsageError('--transcript-timeout: more than 0 seconds')
    if '' in (option.othello, option.nim) and not option.submission:
        raise pytest.UsageError('--othello and --nim: name a command line, or a --submission')
    if option.gradescope and not hasattr(config, 'workerinput'):
        try:
            config.pluginmanager.register(Gradescope(option.gradescope))
        except OSError as error:
            raise pytest.UsageError(f'--gradescope: {error}') from None


def pytest_collect_file(file_path, parent):
    if parent.config.option.record and file_path.suffix != '.py':
        return RecordingFile.from_parent(parent, path=file_path)
    return None


def pytest_collection_modifyitems(config, items):
    if config.option.record:
        items[:] = [item for item in items if isinstance(item, Recording)]
        return
    replays = [item for item in items if getattr(item, 'originalname', '') == 'test_replay']
    for item in replays:
        item.user_properties.append(('points', item.callspec.params['transcript'].points))
    submission = Submission(config)
    if submission.is_foreign:
        items[:] = [item for item in replays
                    if item.callspec.params['transcript'].game in submission.games]


@pytest.fixture(scope='session')
def submission(pytestconfig, tmp_path_factory):
    """The programs that are replayed: another's, or our own."""
    return Submission(pytestconfig, tmp_path_factory.mktemp('submission'))


class RecordingFile(pytest.File):
    """A transcript, or a scenario that will be one."""

    def collect(self):
        yield Recording.from_parent(self, name='record')


class Recording(pytest.Item):
    """The recording of one transcript."""

    def runtest(self):
        record(self.path)

    def repr_failure(self, excinfo, style=None):
        if isinstance(excinfo.value, TranscriptError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self):
        return self.path, None, f'record {display_name(self.path)}'
