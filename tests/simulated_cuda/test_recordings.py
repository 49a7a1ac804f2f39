"""The simulated device says what PyTorch's CUDA build says: held to recordings, text for text."""

import os
import re
import select
import signal
import subprocess
import sys
from collections import ChainMap
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import differences
import pytest
import torch
from filelock import FileLock
from recording import compare, files, isolation, mixing, situations
from recording import record as recording_of

from grader.simulated_cuda import simulated_cuda

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "simulated_cuda.md"
Recorded = dict[str, Any]
PARTS = 8  # of what takes minutes

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="each task runs in a fork")


@pytest.fixture(params=["native", pytest.param("python", marks=pytest.mark.nightly)])
def implementation(request: pytest.FixtureRequest) -> str:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture
def record(
    implementation: str, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., Recorded]:
    """Record one part on the simulated device, in a process that has done nothing else.

    Two tests ask for the situations, maybe in two of pytest-xdist's workers: the first records.
    """
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent

    def run(part: str, *options: str) -> Recorded:
        out = folder / "-".join([implementation, part, *options]).replace("/", "_")
        with FileLock(f"{out}.lock"):
            if not out.exists() or not any(out.iterdir()):
                _record(implementation, out, part, *options)
        (file,) = out.iterdir()
        return _read(part, file)[1]

    return run


def _record(implementation: str, out: Path, *asked: str) -> None:
    script = ROOT / "benchmarks" / "record_cuda.py"
    out.mkdir(exist_ok=True)
    command = [sys.executable, str(script), "--simulated", "--out", str(out), *asked]
    environment = {**os.environ, "SIMULATED_CUDA_IMPLEMENTATION": implementation}
    child = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert child.returncode == 0, child.stderr


def _read(part: str, file: Path) -> tuple[dict[str, Any], Recorded]:
    return files.read_situations(file) if part == "situations" else files.read_listed(file)


@cache
def recorded(part: str) -> tuple[dict[str, Any], Recorded]:
    return _read(part, files.nearest(part))


def same_version(part: str) -> bool:
    header, _ = recorded(part)
    return torch.__version__.split(".")[:2] == header["torch"].split(".")[:2]


def hold(implementation: str, part: str, entries: list[compare.Entry]) -> None:
    """Fail unless what differs is accepted."""
    assert entries
    equal = 100 * sum(entry.kind == "equal" for entry in entries) / len(entries)
    if not same_version(part):
        assert equal >= differences.OTHER_VERSION[implementation]
    elif implementation == "python":
        shares = differences.shares(entries)
        floors = differences.floors(".".join(torch.__version__.split(".")[:2]))
        fell = {way: share for way, share in shares.items() if share < floors[way]}
        assert not fell, f"fewer per cent are equal than before: {fell}"
    else:
        rest = differences.unexplained(entries)
        shown = [f"{e.kind}: {e.key}\n  CUDA {e.cuda}\n  ours {e.ours}" for e in rest[:20]]
        assert not rest, f"{len(rest)} fit no cause in differences.py:\n" + "\n".join(shown)


@pytest.mark.nightly
def test_situations(implementation: str, record: Callable[..., Recorded]) -> None:
    entries = compare.situated(recorded("situations")[1], record("situations"))
    hold(implementation, "situations", entries)


# The rest of the API, of which most functions are tried nowhere else.
THEMES = ("api_edges", "devices", "environments", "legacy_types", "memory_details")


def test_the_api_in_forks_of_a_process_that_has_used_it() -> None:
    with simulated_cuda():
        torch.ones(1, device="cuda").sum().item()
    names = [name for name in situations.names() if name.startswith(THEMES)]
    ours = recording_of.situated(True, *names)
    real = {name: facts for name, facts in recorded("situations")[1].items() if name in ours}
    entries = compare.situated(real, ours)
    assert len(entries) > 1000
    # The rest is what earlier tests have left: memory, settings, warnings that come once.
    assert sum(entry.kind == "equal" for entry in entries) / len(entries) > 0.9


ONLY_NATIVE = pytest.mark.parametrize("implementation", ["native"])


@pytest.mark.search
@pytest.mark.slow
@ONLY_NATIVE
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize(("listing", "least"), [("mixing", 8000), ("dtypes", 20000)])
def test_every_operator_and_module(
    listing: str, least: int, part: int, implementation: str, record: Callable[..., Recorded]
) -> None:
    """Mixed with the CPU, and in other dtypes."""
    ours = record(listing, "--shard", f"{part}/{PARTS}")
    entries, _ = compare.listed(recorded(listing)[1], ours)
    assert len(entries) > least // PARTS * 0.8
    hold(implementation, listing, entries)


# The Python device has no table of dtypes: it says what the CPU's kernels say.
@pytest.mark.nightly
@pytest.mark.parametrize("implementation", ["python"])
def test_every_operator_and_module_mixed(
    implementation: str, record: Callable[..., Recorded]
) -> None:
    entries, _ = compare.listed(recorded("mixing")[1], record("mixing"))
    assert len(entries) > 8000
    hold(implementation, "mixing", entries)


@pytest.mark.nightly
@ONLY_NATIVE
def test_every_cause_fits_something(record: Callable[..., Recorded]) -> None:
    if not same_version("mixing"):
        pytest.skip("the causes are those of this PyTorch's recording on its CUDA build")
    entries = compare.situated(recorded("situations")[1], record("situations"))
    for listing, least in (("mixing", 8000), ("dtypes", 20000)):
        parts = [record(listing, "--shard", f"{part}/{PARTS}") for part in range(PARTS)]
        every, left_out = compare.listed(recorded(listing)[1], dict(ChainMap(*parts)))
        assert not left_out["not among this PyTorch's operators and samples"]
        assert len(every) > least
        entries += every
    assert not differences.stale(entries), "these causes fit nothing any more"


def test_samples_are_of_the_same_dtype_in_every_process() -> None:
    class Operator:
        def supported_dtypes(self, device: str) -> Any:
            return dict.fromkeys([torch.complex128, torch.complex64])  # a set may come so

    assert mixing.own_dtype(Operator()) is torch.complex64


@pytest.mark.parametrize("version", ["2.13.0", "2.14.1"])
def test_recordings_say_what_they_are(version: str) -> None:
    mixing, entries = files.read_listed(files.RECORDINGS / f"mixing-{version}.jsonl")
    dtypes, calls = files.read_listed(files.RECORDINGS / f"dtypes-{version}.jsonl")
    header, facts = files.read_situations(files.RECORDINGS / f"situations-{version}.json")
    assert set(facts) == set(situations.names()), "record again: benchmarks/record_cuda.py"
    assert entries
    assert calls
    for one in (mixing, dtypes, header):
        assert one["torch"].startswith(version)
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", one["date"])
        assert "without a GPU" in one["device"]


def test_recorded_facts_name_no_machine() -> None:
    for file in files.RECORDINGS.iterdir():
        assert not re.search(r"site-packages|/home/|/tmp/|/opt/|A fact is", file.read_text())


@pytest.mark.parametrize(
    ("cuda", "ours", "kind"),
    [
        ("ok (cpu)", "ok (cpu)", "equal"),
        ("ok (cpu)", "ok (cuda:0)", "other device"),
        ("RuntimeError: a", "RuntimeError: b", "other text"),
        ("RuntimeError: a", "TypeError: a", "other type"),
        ("RuntimeError: a", "ok (cpu)", "only CUDA raises"),
        (True, "RuntimeError: a", "only ours raises"),
        (4096, 4000, "other text"),
        ("ok (cpu)", "crashed: ended with status -11", "only ours raises"),
    ],
)
def test_kinds_of_differences(cuda: Any, ours: Any, kind: str) -> None:
    assert compare.Entry("op/add/0/0 on cpu", cuda, ours).kind == kind


def test_a_situation_that_fails_differs_in_every_fact() -> None:
    entries = compare.situated({"a/b": {"x": 1, "y": [2]}}, {"a/b": "RuntimeError: no"})
    assert [(entry.key, entry.kind) for entry in entries] == [
        ("a/b/x", "only ours raises"),
        ("a/b/y", "only ours raises"),
    ]


def test_the_nearest_version_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = {}
    for version in ("2.11.0", "2.13.1+cpu", "2.14.0", "2.15.0"):
        monkeypatch.setattr(torch, "__version__", version)
        chosen[version] = files.nearest("mixing").stem
    assert list(chosen.values()) == ["mixing-2.13.0"] * 2 + ["mixing-2.14.1"] * 2


def test_a_crash_costs_one_task() -> None:
    def tasks() -> Any:
        yield "before", lambda: 1
        yield "crash", lambda: os.kill(os.getpid(), signal.SIGKILL)
        yield "after", lambda: 2

    results = isolation.run(tasks)
    assert results.pop("crash").startswith("crashed: ended with status -9")
    assert results == {"before": 1, "after": 2}


def test_what_a_task_leaves_running_is_ended() -> None:
    reader, writer = os.pipe()

    def stay() -> None:
        if not os.fork():
            signal.alarm(300)  # for the case that nobody ends it
            signal.pause()

    assert isolation.run(lambda: [("leaves a child", stay)]) == {"leaves a child": None}
    os.close(writer)
    assert select.select([reader], [], [], 30)[0], "the child still has the other end"
    os.close(reader)


def test_the_page_names_each_cause_of_a_difference() -> None:
    rows = re.findall(r"^\| (.+?) \| (.+) \|$", PAGE.read_text(), re.MULTILINE)
    assert {(cause.title, cause.reason) for cause in differences.NATIVE} <= set(rows)
