"""One shard of a batch, on a machine of a cluster, in a process of its own.

Ray's processes run threads, and a copy of such a process may hang; so they start this one, which
forks its probes as a batch on one machine does: `python -m grader.classroom.grading.shard`.
"""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal

import msgspec

from grader.classroom.grading.marking import Job, Marked, Settings
from grader.probe import IsolationError, Level, die_with_parent, require

if TYPE_CHECKING:
    from grader.classroom.grading.engine import Engine

ANOTHER_VERSION = (
    "Its grader, or its rubric or solution of {stem}, is of another version than the one that sent "
    "this: install the same there."
)


class Sent(msgspec.Struct, frozen=True):
    """A submission with its bytes, since the machines share no folder.

    Attributes:
        file: how it was called when it was handed in.
    """

    stem: str
    file: str
    content: bytes


class Shard(msgspec.Struct, frozen=True):
    """What one task of the cluster is to do; without submissions it only says what is there.

    Attributes:
        isolation: the least that must keep a probe from the machine.
        versions: what has to judge, by the exercises' stems.
    """

    device: Literal["auto", "cuda", "simulated"]
    isolation: int
    versions: dict[str, str] = {}
    sent: tuple[Sent, ...] = ()


class Answer(msgspec.Struct, frozen=True):
    """What became of a shard.

    Attributes:
        machine: its name.
        device: as every report names it.
        marked: in the order of the submissions.
        refused: why this machine cannot take part, `""` if it can.
    """

    machine: str
    device: str = ""
    marked: tuple[Marked, ...] = ()
    refused: str = ""


def answer(shard: Shard) -> Answer:
    """Mark a shard on this machine, or say why that cannot be done here."""
    from grader.classroom.grading.engine import Engine, device_label
    from grader.probe import NoCudaDeviceError, same_device

    machine, level = platform.node(), Level(shard.isolation)
    try:
        require(level)
        device = device_label(shard.device)
    except (IsolationError, NoCudaDeviceError) as error:
        return Answer(machine, refused=str(error))
    if not shard.sent:
        return Answer(machine, device)
    with Engine[int](1, Settings(same_device(device), level)) as engine:  # reads no rubric yet
        if stem := _of_another_version(shard):
            return Answer(machine, refused=ANOTHER_VERSION.format(stem=stem))
        return Answer(machine, device, _marked(shard.sent, engine))


def _of_another_version(shard: Shard) -> str:
    from grader.classroom.grading.versions import rubric_version
    from grader.course import load_rubric

    for stem, version in shard.versions.items():
        try:
            is_same = rubric_version(load_rubric(stem)) == version
        except (ImportError, OSError):
            is_same = False
        if not is_same:
            return stem
    return ""


def _marked(sent: tuple[Sent, ...], engine: Engine[int]) -> tuple[Marked, ...]:
    with TemporaryDirectory(prefix="grader-") as folder:
        jobs = [_stored(job, Path(folder)) for job in sent]
        marked = dict(engine.run(enumerate(jobs)))
    return tuple(marked[i] for i in range(len(sent)))


def _stored(sent: Sent, folder: Path) -> Job:
    path = folder / f"{hashlib.sha256(sent.content).hexdigest()}.py"
    path.write_bytes(sent.content)
    return Job(sent.stem, str(path), sent.file)


def main() -> None:
    """Answer the shard in one file with another; end early if whoever asked is gone."""
    asked, answered, parent = sys.argv[1:]
    die_with_parent()
    if os.getppid() != int(parent):
        return
    shard = msgspec.msgpack.decode(Path(asked).read_bytes(), type=Shard)
    Path(answered).write_bytes(msgspec.msgpack.encode(answer(shard)))


if __name__ == "__main__":
    main()
