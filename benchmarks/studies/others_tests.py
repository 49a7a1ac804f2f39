"""Run other people's tests on the simulated device, and count what fails there and nowhere else.

    python benchmarks/studies/others_tests.py --out build/others PATH...   # test files or folders
    python benchmarks/studies/others_tests.py --out build/others --table   # what was run so far

Each file runs in a child: `pytest --simulated-cuda FILE`. Where the child crashes or hangs, the
test that was running is counted as crashed, and a new child goes on with the rest. What fails is
run once more without the device, and left out if it fails there as well: PyTorch's device-generic
tests under their names for the CPU, all others under the same name. Every outcome is a line of
OUT/SUITE.jsonl, so an interrupted run goes on where it was.

Options after `--` go to pytest.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

# What no device that computes on the CPU can give, and why. Only failures are looked up here,
# by the name of the test and then by the text of the error.
NEEDS_KERNEL_NAME = {
    r"triton|inductor|dynamo|test_compile|torch_compile": "compiles kernels for the GPU",
    r"cuda_?graph|graphed": "records kernels as they are launched",
    r"jiterator": "compiles C++ with NVRTC",
    r"nccl": "NCCL moves memory from GPU to GPU",
    r"_nvml|nvml_": "asks the driver's library, NVML",
    r"expandable_segments": "maps the GPU's memory with the driver",
    r"kineto": "reads CUPTI's trace of kernels",
    r"cudnn_sdpa": "calls cuDNN's attention by its private name",
    r"stochastic_gates_cuda": "compares with numbers that cuRAND drew for a seed (captum)",
}
_PRIVATE = (  # without a public function that leads there
    "_(flash_attention|cudnn_att|scaled_dot_product_cudnn|cslt|sparse_semi|triton|philox"
    "|scaled_grouped|weight_int4|fill_mem_eff)"
)
NEEDS_KERNEL_TEXT = {
    rf"CPU has no kernel for 'aten::{_PRIVATE}": "a private operator around one kernel",
    r"CUDA graphs need a real CUDA device": "records kernels as they are launched",
    r"compiled at run time need a real|NVRTC|nvrtc": "compiles C++ with NVRTC",
    r"No module named 'triton'|[Cc]annot find a working triton": "Triton compiles for the GPU",
    r"NCCL built in|built with NCCL|with NCCL support": "NCCL moves memory from GPU to GPU",
    r"torch\._dynamo\.exc": "compiles kernels for the GPU",
    r"NVMLError|libnvidia-ml|libcuda": "asks the driver's libraries",
    r"nvcc|CUDA_HOME": "compiles CUDA C++",
}
OUTCOMES = ("passed", "failed", "crashed", "skipped")


# ---- In the child: pytest loads this file as a plugin, which writes down how each test ended


def pytest_configure(config: pytest.Config) -> None:
    """Let tests of another release of PyTorch import decorators that this release lacks."""
    files = filter(Path.is_file, map(Path, config.args))
    if not any("torch.testing._internal" in file.read_text() for file in files):
        return  # importing these freezes flags that other tests set
    from torch.testing._internal import (
        common_cuda,
        common_device_type,
        common_mkldnn,
        common_utils,
    )

    def missing(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return False if name.isupper() else _nothing

    for module in (common_cuda, common_device_type, common_mkldnn, common_utils):
        module.__getattr__ = missing  # type: ignore[method-assign]


def _nothing(*given: Any, **_: Any) -> Any:
    """In place of a condition (False), a decorator, or what makes a decorator."""
    if not given:
        return False
    return given[0] if callable(given[0]) else lambda function: function


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--outcomes", help="a file of lines in JSON")
    parser.addoption("--only", help="a file of test ids, one a line")
    parser.addoption("--without", help="a file of test ids, one a line")
    parser.addoption("--sample", type=int, help="that many tests of each file, at random")


def _name(item: pytest.Item) -> str:
    """A test's id without its folders, which differ with pytest's root."""
    return item.nodeid.rpartition("/")[2]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    def listed(option: str) -> set[str] | None:
        path = config.getoption(option)
        return set(Path(path).read_text().split("\n")) if path else None

    only, without = listed("--only"), listed("--without") or set()
    number = config.getoption("--sample")
    if number and len(items) > number:
        items[:] = random.Random(0).sample(items, number)
    items[:] = [i for i in items if _name(i) not in without and (only is None or _name(i) in only)]
    with open(config.getoption("--outcomes"), "a") as out:
        out.write(json.dumps({"collected": len(items)}) + "\n")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[Any]:
    with open(item.config.getoption("--outcomes"), "a") as out:
        out.write(json.dumps({"test": _name(item), "outcome": "crashed"}) + "\n")
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    report: Any = yield
    if report.when == "call" or report.outcome != "passed":
        line = {"test": _name(item), "outcome": report.outcome, "text": str(report.longrepr or "")}
        with open(item.config.getoption("--outcomes"), "a") as out:
            out.write(json.dumps({**line, "text": line["text"][-3000:]}) + "\n")
    return report


# ---- In the parent


def run_child(
    path: Path, device: bool, outcomes: Path, options: list[str], limit: float
) -> Iterator[dict[str, Any]]:
    """The outcomes that one child wrote until it ended, or spent `limit` seconds in one test."""
    outcomes.unlink(missing_ok=True)
    environment = {k: v for k, v in os.environ.items() if k != "SIMULATED_CUDA"}
    more = [str(Path(__file__).parent), str(path.parent), environment.get("PYTHONPATH", "")]
    environment |= {"PYTHONPATH": os.pathsep.join(filter(None, more)), "OMP_NUM_THREADS": "1"}
    # For PyTorch's `instantiate_device_type_tests`, which others ignore.
    environment["PYTORCH_TESTING_DEVICE_ONLY_FOR"] = "cuda" if device else "cpu"
    command = [
        *(sys.executable, "-m", "pytest", "-q", "-p", "others_tests", "-p", "no:cacheprovider"),
        *("--outcomes", str(outcomes), "--tb=short", "--disable-warnings", *options),
        *(["--simulated-cuda"] if device else []),
        str(path),
    ]
    log = outcomes.with_suffix(".log")
    with log.open("w") as out:
        child = subprocess.Popen(command, stdout=out, stderr=out, env=environment, cwd=path.parent)
        while child.poll() is None:
            time.sleep(0.5)
            last = outcomes if outcomes.exists() else log
            if time.time() - last.stat().st_mtime > limit:
                child.kill()
    if (
        child.returncode in (2, 3, 4) or not outcomes.exists()
    ):  # pytest's codes for errors of its own
        raise SystemExit(f"{path} collects nothing:\n{log.read_text()[-2000:]}")
    for line in outcomes.read_text().splitlines():
        yield json.loads(line)


def ended(lines: Iterable[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The last word on each test."""
    final: dict[str, dict[str, Any]] = {}
    for line in lines:
        if "test" in line:
            known = final.get(line["test"], {}).get("outcome")
            if known not in ("failed", "skipped"):  # the teardown of a test that failed may pass
                final[line["test"]] = line
    return final


def run_file(path: Path, device: bool, scratch: Path, options: list[str], limit: float) -> Any:
    """The outcome of each test of a file, through all its crashes."""
    final: dict[str, dict[str, Any]] = {}
    done = scratch.with_suffix(".done")
    while True:
        done.write_text("\n".join(final))
        more = [*options, "--without", str(done)]
        found = ended(run_child(path, device, scratch, more, limit))
        final |= found
        if not any(line["outcome"] == "crashed" for line in found.values()):
            return final


def name_on_cpu(test: str) -> str:
    """What PyTorch calls the same test on the CPU; the same name where it says nothing of CUDA."""
    return re.sub(r"cuda(:0)?\b|cuda(?=_)", "cpu", test.replace("CUDA", "CPU"))


def run(path: Path, out: Path, options: list[str], on_device: list[str], limit: float) -> None:
    """Run a file on the device, and what fails of it on the CPU; write all to `out`."""
    scratch = out.with_suffix(".part")
    final = run_file(path, True, scratch, [*options, *on_device], limit)
    failed = [test for test, line in final.items() if line["outcome"] in ("failed", "crashed")]
    if failed:
        only = out.with_suffix(".only")
        only.write_text("\n".join({name_on_cpu(test) for test in failed} | set(failed)))
        without = [o for o in options if not o.startswith("--sample")]
        pairs = zip(["", *without], without, strict=False)
        without = [o for before, o in pairs if before != "-k" and not o.startswith("-k")]
        on_cpu = run_file(path, False, scratch, [*without, "--only", str(only)], limit)
        for test in failed:
            line = on_cpu.get(name_on_cpu(test)) or on_cpu.get(test)
            final[test]["on_cpu"] = line["outcome"] if line else "none"
    with out.open("a") as stream:
        for line in final.values():
            stream.write(json.dumps({"file": path.name, **line}) + "\n")
        stream.write(json.dumps({"file": path.name, "ended": True}) + "\n")


def run_again(path: Path, out: Path, options: list[str], limit: float) -> None:
    """Run what failed of a file on the device once more, and write that over `out`."""
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    failed = {
        line["test"]: line
        for line in lines
        if line["file"] == path.name and line.get("outcome") in ("failed", "crashed")
    }
    only = out.with_suffix(".only")
    only.write_text("\n".join(failed))
    without = [option for option in options if not option.startswith("--sample")]
    if failed:
        final = run_file(
            path, True, out.with_suffix(".part"), [*without, "--only", str(only)], limit
        )
        for test, line in final.items():
            failed[test].update(line)
    out.write_text("".join(json.dumps(line) + "\n" for line in lines))


def needs_kernel(line: dict[str, Any]) -> bool:
    """Whether a failure is none of a device that computes on the CPU."""
    return any(
        re.search(pattern, line["test"], re.IGNORECASE) for pattern in NEEDS_KERNEL_NAME
    ) or any(re.search(pattern, line.get("text", "")) for pattern in NEEDS_KERNEL_TEXT)


def table(folder: Path) -> str:
    """Markdown: one line a suite."""
    head = ("suite", "ran", "passed", "failed", "crashed", "skipped", "on the CPU too", "kernel")
    rows = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    for file in sorted(folder.glob("*.jsonl")):
        counts: Counter[str] = Counter()
        for line in map(json.loads, file.read_text().splitlines()):
            if "test" not in line:
                continue
            kind = line["outcome"]
            if kind in ("failed", "crashed") and line.get("on_cpu") in ("failed", "crashed"):
                kind = "on the CPU too"
            elif kind == "failed" and needs_kernel(line):
                kind = "kernel"
            counts[kind] += 1
        ran = counts["passed"] + counts["failed"] + counts["crashed"]
        share = f"{counts['passed']} ({100 * counts['passed'] / max(ran, 1):.1f} %)"
        cells = [file.stem, ran, share, *(counts[name] for name in head[3:])]
        rows.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(rows)


def files_of(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        yield from sorted(path.rglob("test_*.py")) if path.is_dir() else [path]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--out", type=Path, required=True, help="a folder for the outcomes")
    parser.add_argument("--suite", help="the name of the suite; else the name of each file")
    parser.add_argument("--on-device", action="append", default=[], help="for pytest, there only")
    parser.add_argument("--limit", type=float, default=120, help="seconds for one test (120)")
    parser.add_argument("--again", action="store_true", help="run once more what failed before")
    parser.add_argument("--table", action="store_true", help="print what was run so far")
    arguments, options = parser.parse_known_args()
    options = [option for option in options if option != "--"]
    arguments.out.mkdir(parents=True, exist_ok=True)
    for path in files_of(arguments.paths):
        out = (arguments.out / f"{arguments.suite or path.stem}.jsonl").resolve()
        before = out.read_text() if out.exists() else ""
        if json.dumps({"file": path.name, "ended": True}) in before:
            if arguments.again:
                more = [*options, *arguments.on_device]
                run_again(path.resolve(), out, more, arguments.limit)
        else:
            run(path.resolve(), out, options, arguments.on_device, arguments.limit)
            print(path, flush=True)
    if arguments.table or arguments.paths:
        print(table(arguments.out))


if __name__ == "__main__":
    main()
