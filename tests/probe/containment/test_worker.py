"""A worker that says half a message, and no more, keeps nobody waiting."""

import os
import signal
import sys

import pytest

from grader.probe.containment.worker import Worker


def begin_a_message(connection):
    os.write(connection.fileno(), b"\0\0\1\0half")  # says that 256 bytes follow
    signal.alarm(60)  # ends the test where nothing else does
    signal.pause()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows frames messages itself")
def test_a_message_that_never_ends_is_not_waited_for():
    with Worker(begin_a_message) as worker:
        with pytest.raises((EOFError, OSError)):
            worker.receive(0.5)

        worker.process.join()
        assert worker.process.exitcode == -signal.SIGKILL
