"""`grader batch --cluster`: grades on the machines of a Ray cluster instead of on this one.

The submissions are cut into shards. A shard is a task of Ray's, which carries their bytes and
brings back their results; Ray gives it to another machine if the one it was on is lost. Only this
process writes the ledger, shard by shard, so that an interrupted batch goes on where it was.
"""

from __future__ import annotations

import logging
import os
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec

from grader.classroom.grading.marking import GradingJob, GradingResult, refused_result
from grader.classroom.grading.shard import Shard, ShardResult, ShardSubmission
from grader.classroom.grading.versions import rubric_version
from grader.course import load_rubric
from grader.errors import GraderError

if TYPE_CHECKING:
    from grader.probe import DeviceChoice, Level

T = TypeVar("T")

MOST_IN_A_SHARD = 50
SHARDS_PER_SLOT = 2  # so that those which are done first take over from those which are slow
MOST_TRIES_AGAIN = 3
PATIENCE = 10.0
THROUGH_A_CLIENT = "ray://"
# What Ray tells of lost machines is for whoever runs them, and it would ask a wrong port 20 times.
OF_RAY = {"RAY_DEDUP_LOGS_SKIP_REGEX": ".", "RAY_NUM_REDIS_GET_RETRIES": "1"}
FORMS = (
    "Write auto on a machine of it, HOST:6379 with the port of `ray start --head`, or "
    f"{THROUGH_A_CLIENT}HOST:10001 from outside."
)
NO_GPU = (
    "Ray knows of no GPU in the cluster. Start a machine that has one with `ray start --num-gpus`, "
    "or grade with --device simulated."
)


class ClusterError(GraderError):
    """The cluster cannot be reached, or cannot grade."""

    status = 3


class Cluster(Generic[T]):
    """A Ray cluster that grades; leaving its `with` block ends what still runs there.

    Attributes:
        device: what it judges on, as every report names it.
    """

    def __init__(self, address: str, device: DeviceChoice, isolation: Level) -> None:
        """Connect, and ask one machine what it can do.

        Raises:
            ClusterError: nothing can be graded there.
        """
        from grader.probe import is_simulated

        self._ray = _connect(address)
        self._isolation = isolation
        try:
            self._kind = "GPU" if device != "simulated" and self._slots("GPU") else "CPU"
            if self._kind == "CPU" and device == "cuda":
                raise ClusterError(NO_GPU)
            device_asked = device if self._kind == "GPU" else "simulated"
            self.device = self._ask_machine(Shard(device_asked, isolation)).device
            if is_simulated(self.device):
                self._kind = "CPU"
        except BaseException:
            self._ray.shutdown()
            raise

    def run(self, jobs: Iterable[tuple[T, GradingJob]]) -> Iterator[tuple[T, GradingResult]]:
        """Grade each; results come as shards are done.

        Raises:
            ClusterError: a machine cannot take part, or has another version of the grader.
        """
        shards = deque(_cut(list(jobs), self._slots(self._kind)))
        running: dict[Any, list[tuple[T, GradingJob]]] = {}
        while shards or running:
            while shards and len(running) < SHARDS_PER_SLOT * max(1, self._slots(self._kind)):
                shard = shards.popleft()
                running[self._submit(self._shard(shard))] = shard
            (done,), _ = self._ray.wait(list(running), num_returns=1)
            shard = running.pop(done)
            results = self._results_of(done) or [_lost_result(job) for _, job in shard]
            yield from zip((about for about, _ in shard), results, strict=True)

    def __enter__(self) -> Cluster[T]:
        return self

    def __exit__(self, *_: object) -> None:
        self._ray.shutdown()

    def _slots(self, kind: str) -> int:
        """How many shards can run at a time: one for each core, or GPU."""
        return int(self._ray.cluster_resources().get(kind, 0))

    def _shard(self, jobs: list[tuple[T, GradingJob]]) -> Shard:
        stems = {job.stem for _, job in jobs}
        return Shard(
            "simulated" if self._kind == "CPU" else "cuda",
            self._isolation,
            {stem: rubric_version(load_rubric(stem)) for stem in stems},
            tuple(_submission(job) for _, job in jobs),
        )

    def _submit(self, shard: Shard) -> Any:
        task = self._ray.remote(
            num_cpus=1,
            num_gpus=1 if self._kind == "GPU" else 0,
            max_retries=MOST_TRIES_AGAIN,
            retry_exceptions=[ChildProcessError],
        )(_run_shard)
        return task.remote(msgspec.msgpack.encode(shard))

    def _ask_machine(self, shard: Shard) -> ShardResult:
        result = self._fetch(self._submit(shard))
        if result is None:
            raise ClusterError("The cluster lost each machine that was asked what it can do.")
        return result

    def _results_of(self, task: Any) -> tuple[GradingResult, ...]:
        result = self._fetch(task)
        return result.marked if result else ()

    def _fetch(self, task: Any) -> ShardResult | None:
        """What a shard came to; None if Ray has lost it as often as it tries."""
        from ray.exceptions import RayError, RayTaskError

        try:
            result = msgspec.msgpack.decode(self._ray.get(task), type=ShardResult)
        except RayTaskError as error:
            if isinstance(error.cause, ChildProcessError):
                return None
            raise ClusterError(
                f"A machine of the cluster failed: {error.cause or error}. Is this grader "
                "installed there, in the Python that Ray runs? What was reached is kept."
            ) from None
        except RayError:
            return None
        if result.refused:
            raise ClusterError(
                f"{result.machine}, a machine of the cluster, cannot grade. {result.refused} "
                "What was reached is kept: fix that, and run it again."
            )
        return result


def _submission(job: GradingJob) -> ShardSubmission:
    modules = {name: Path(path).read_bytes() for name, path in job.modules.items()}
    return ShardSubmission(job.stem, job.file, Path(job.path).read_bytes(), modules)


def _cut(jobs: list[tuple[T, GradingJob]], slots: int) -> Iterator[list[tuple[T, GradingJob]]]:
    """Shards large enough to be worth a start, and small enough that all machines have some."""
    size = max(1, min(MOST_IN_A_SHARD, len(jobs) // (SHARDS_PER_SLOT * max(1, slots))))
    for first in range(0, len(jobs), size):
        yield jobs[first : first + size]


def _run_shard(shard: bytes) -> bytes:
    """The task: runs on a machine of the cluster.

    Raises:
        ChildProcessError: the shard's process was killed; Ray tries it again.
    """
    with TemporaryDirectory(prefix="grader-") as folder:
        shard_file, result_file = Path(folder, "shard.bin"), Path(folder, "result.bin")
        shard_file.write_bytes(shard)
        # -P: nothing in the folder that Ray works in is to be imported in the grader's place.
        command = [sys.executable, "-P", "-m", "grader.classroom.grading.shard"]
        command += [str(shard_file), str(result_file), str(os.getpid())]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        if ended.returncode < 0:
            raise ChildProcessError(f"killed by signal {-ended.returncode}")
        if ended.returncode:
            raise RuntimeError(ended.stderr.strip().rpartition("\n")[2])
        return result_file.read_bytes()


def _lost_result(job: GradingJob) -> GradingResult:
    message = (
        "Each machine of the cluster that was to grade this submission was lost. `ray status` on "
        "its head says what is there. The next run tries it again."
    )
    return refused_result(job, message)


def _connect(address: str) -> Any:
    """Ray, connected to a cluster that is there.

    Raises:
        ClusterError: it is not, or Ray is not installed.
    """
    for name, value in OF_RAY.items():
        os.environ.setdefault(name, value)
    try:
        import ray
    except ImportError as error:
        raise ClusterError(
            f"--cluster needs Ray, which cannot be imported here ({error}). Install the version "
            'that the cluster runs, such as: python -m pip install "ray[client]"'
        ) from None
    if address != "auto":
        _require_listener(address)
    try:
        ray.init(address, log_to_driver=False, logging_level=logging.ERROR)
    except ConnectionError as error:
        raise ClusterError(f"No cluster at {address}. {FORMS} Ray says: {error}") from None
    except (RuntimeError, ValueError) as error:  # such as another version of Ray or Python
        raise ClusterError(f"The cluster at {address} cannot be joined: {error}") from None
    return ray


def _require_listener(address: str) -> None:
    """Find out fast what Ray would take a minute to find out."""
    host, _, port = address.removeprefix(THROUGH_A_CLIENT).rpartition(":")
    if not host or not port.isdigit():
        raise ClusterError(f"{address} is no address of a cluster. {FORMS}")
    try:
        socket.create_connection((host, int(port)), PATIENCE).close()
    except OSError as error:
        raise ClusterError(
            f"No cluster answers at {address}: {error}. `ray status` on its head says whether it "
            "is up; a firewall may be in between."
        ) from None
