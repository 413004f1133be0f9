"""The options that this project adds to pytest; `pytest --help` lists them."""

from __future__ import annotations

import os

import pytest
from recorder import record
from transcript import TranscriptError, display_name


def pytest_addoption(parser):
    group = parser.getgroup('transcripts')
    group.addoption('--record', action='store_true',
                    help='play the inputs of the given transcripts and rewrite their outputs')


def pytest_configure(config):
    if config.getoption('record'):
        if os.environ.get('CI'):
            raise pytest.UsageError('--record: transcripts are not recorded in CI')
        if config.args_source is not config.ArgsSource.ARGS:
            raise pytest.UsageError('--record: name the transcripts to record')


def pytest_collect_file(file_path, parent):
    if parent.config.getoption('record') and file_path.suffix != '.py':
        return RecordingFile.from_parent(parent, path=file_path)
    return None


def pytest_collection_modifyitems(config, items):
    if config.getoption('record'):
        items[:] = [item for item in items if isinstance(item, Recording)]


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
