"""Run tasks in a forked child. A crash costs the task that caused it, and no other."""

from __future__ import annotations

import json
import os
import select
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import IO, Any

Task = tuple[str, Callable[[], Any]]
LIMIT = 120  # seconds for one task
CRASHED = "crashed"


def run(tasks: Callable[[], Iterable[Task]]) -> dict[str, Any]:
    """The result of every task, by its key.

    `tasks` is called in the child, so that whatever it imports, initialises or switches on ends
    with the child. It must yield the same keys in the same order each time: after a crash a new
    child skips the keys that have a result. A result must survive JSON.
    """
    results: dict[str, Any] = {}
    while True:
        key, ended = _fork(tasks, results)
        if ended is None:
            return results
        if key is None:
            raise RuntimeError(f"The child {ended} before its first task.")
        results[key] = f"{CRASHED}: {ended}"


def _fork(
    tasks: Callable[[], Iterable[Task]], results: dict[str, Any]
) -> tuple[str | None, str | None]:
    """Run the remaining tasks in one child: the key it died in, and how; None if it did not."""
    sys.stdout.flush()
    sys.stderr.flush()
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.setpgid(0, 0)
        os.close(reader)
        _child(tasks, set(results), os.fdopen(writer, "w"))
    os.close(writer)
    started, finished = None, False
    for row in _rows(reader):
        if row is None:
            os.kill(child, signal.SIGKILL)
        elif len(row) == 2:
            results[row[0]], started = row[1], None
        elif row:
            started = row[0]
        else:
            finished = True
            break
    os.close(reader)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with suppress(ProcessLookupError):  # what it forked, and left, would hold our output open
        os.killpg(child, signal.SIGKILL)
    return (None, None) if finished else (started, f"ended with status {status}")


def _rows(reader: int) -> Iterator[list[Any] | None]:
    """The rows that a child writes, as they come; None once if it was silent for too long."""
    rest = b""
    while True:
        if not select.select([reader], [], [], LIMIT)[0]:
            yield None
            return
        chunk = os.read(reader, 1 << 16)
        if not chunk:
            return
        *lines, rest = (rest + chunk).split(b"\n")
        yield from map(json.loads, lines)


def _child(tasks: Callable[[], Iterable[Task]], done: set[str], out: IO[str]) -> None:
    status = 1
    try:
        os.dup2(2, 1)  # PyTorch's lists print to stdout
        for key, call in tasks():
            if key not in done:
                _write(out, [key])
                _write(out, [key, call()])
        _write(out, [])
        status = 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(status)  # no clean-up of the parent's objects


def _write(out: IO[str], row: list[Any]) -> None:
    out.write(json.dumps(row) + "\n")
    out.flush()
