"""Another user: whom its processes may signal, what a run leaves, and how much it gets."""

import os
import signal

import pytest

from grading.sandbox import other_user
from grading.sandbox.confine import output, scratch_folder
from grading.sandbox.kernel import Process, fork
from grading.sandbox.kinds import AsOtherUser
from grading.sandbox.other_user import MOST_FILES, OtherUser, can_separate

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason='only root can be another user')


def status_of(become, target):
    """Return the exit status of a process that becomes somebody and looks whether it may signal."""
    def look():
        become()
        try:
            os.kill(target, 0)
        except PermissionError:
            os._exit(2)
        os._exit(0)

    return Process(fork(look)).status(60)


@pytest.mark.parametrize(('target', 'sender', 'status'), [
    ('become_killer', 'become', 2), ('become', 'become_killer', 0), ('become', 'become', 0)])
def test_who_may_signal_whom(target, sender, status):
    user = OtherUser()
    reader, writer = os.pipe()

    def wait():
        getattr(user, target)()
        os.write(writer, b'.')
        signal.pause()

    number = fork(wait)
    try:
        os.read(reader, 1)
        assert status_of(getattr(user, sender), number) == status
    finally:
        os.kill(number, signal.SIGKILL)
        os.waitpid(number, 0)
        os.close(reader)
        os.close(writer)


def test_all_files_are_removed_however_many_and_whatever_they_are_called(monkeypatch, tmp_path):
    user = OtherUser()
    monkeypatch.setattr(other_user, 'world_writable_folders', lambda: [str(tmp_path)])
    for name in ['a\nb', '-rf', '\udcff', *(f'{number:0200}' for number in range(12_000))]:
        os.mknod(tmp_path / name)
        os.chown(tmp_path / name, user.number, user.number)
    (tmp_path / 'of somebody else').touch()
    user.remove_all()
    assert os.listdir(tmp_path) == ['of somebody else']


# Says how many terminals and files it gets, and how many files of 15 MB; not more than it tries.
TAKES = '''
import os
def most(count, take):
    held = []
    try:
        for number in range(count):
            held.append(take(number))
    except OSError:
        pass
    return len(held)
print(most(20, lambda _: os.openpty()), most(25_000, lambda n: os.mknod(f'/tmp/{n}')),
      most(12, lambda n: open(f'/dev/shm/{n}', 'wb', buffering=0).write(bytes(15 << 20))))
'''


@pytest.mark.skipif(not can_separate(), reason='no run has file systems of its own here')
def test_a_run_has_little_of_what_all_would_share():
    with scratch_folder() as scratch:
        sandbox = AsOtherUser(scratch)
        status, printed = output(sandbox, [sandbox.python, '-c', TAKES])
    terminals, files, large = map(int, printed.split())
    assert (status, terminals) == (0, 0)
    assert MOST_FILES - 100 < files < MOST_FILES
    assert large in (8, 9)              # the last of them in part
