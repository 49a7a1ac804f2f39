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

from grader.classroom.grading.marking import GradingJob, GradingResult, Settings
from grader.probe import IsolationError, Level, die_with_parent, require

if TYPE_CHECKING:
    from grader.classroom.grading.engine import Engine

ANOTHER_VERSION = (
    "Its grader, or its rubric or solution of {stem}, is of another version than the one that sent "
    "this: install the same there."
)


class ShardSubmission(msgspec.Struct, frozen=True):
    """A submission with its bytes, since the machines share no folder.

    Attributes:
        file: how it was called when it was handed in.
    """

    stem: str
    file: str
    content: bytes
    modules: dict[str, bytes] = {}


class Shard(msgspec.Struct, frozen=True):
    """What one task of the cluster is to do; without submissions it only says what is there.

    Attributes:
        isolation: the least that must keep a probe from the machine.
        versions: what has to judge, by the exercises' stems.
    """

    device: Literal["auto", "cuda", "simulated"]
    isolation: int
    versions: dict[str, str] = {}
    sent: tuple[ShardSubmission, ...] = ()


class ShardResult(msgspec.Struct, frozen=True):
    """What became of a shard.

    Attributes:
        machine: its name.
        device: as every report names it.
        marked: in the order of the submissions.
        refused: why this machine cannot take part, `""` if it can.
    """

    machine: str
    device: str = ""
    marked: tuple[GradingResult, ...] = ()
    refused: str = ""


def grade_shard(shard: Shard) -> ShardResult:
    """Grade a shard on this machine, or say why that cannot be done here."""
    from grader.classroom.grading.engine import Engine, device_label
    from grader.probe import NoCudaDeviceError, same_device

    machine, level = platform.node(), Level(shard.isolation)
    try:
        require(level)
        device = device_label(shard.device)
    except (IsolationError, NoCudaDeviceError) as error:
        return ShardResult(machine, refused=str(error))
    if not shard.sent:
        return ShardResult(machine, device)
    with Engine[int](1, Settings(same_device(device), level)) as engine:  # reads no rubric yet
        if stem := _mismatched_stem(shard):
            return ShardResult(machine, refused=ANOTHER_VERSION.format(stem=stem))
        return ShardResult(machine, device, _grade_all(shard.sent, engine))


def _mismatched_stem(shard: Shard) -> str:
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


def _grade_all(
    submissions: tuple[ShardSubmission, ...], engine: Engine[int]
) -> tuple[GradingResult, ...]:
    with TemporaryDirectory(prefix="grader-") as folder:
        jobs = [_write_submission(each, Path(folder)) for each in submissions]
        results = dict(engine.run(enumerate(jobs)))
    return tuple(results[i] for i in range(len(submissions)))


def _write_submission(submission: ShardSubmission, folder: Path) -> GradingJob:
    def written(content: bytes) -> str:
        path = folder / f"{hashlib.sha256(content).hexdigest()}.py"
        path.write_bytes(content)
        return str(path)

    modules = {name: written(content) for name, content in submission.modules.items()}
    path = written(submission.content)
    return GradingJob(submission.stem, path, submission.file, modules=modules)


def main() -> None:
    """Write the result of the shard in one file to another; end early if the parent is gone."""
    shard_file, result_file, parent = sys.argv[1:]
    die_with_parent()
    if os.getppid() != int(parent):
        return
    shard = msgspec.msgpack.decode(Path(shard_file).read_bytes(), type=Shard)
    Path(result_file).write_bytes(msgspec.msgpack.encode(grade_shard(shard)))


if __name__ == "__main__":
    main()
