"""Run the tests and the notebooks, both even if one fails, and end with one honest total."""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent

# By scope or by file, pytest-xdist 3.8 waits for ever for what replaces a process that died: #1323.
NOT_REPLACED = "--max-worker-restart=0"
NOTEBOOKS = [
    *("--nbval", "-p", "no:cacheprovider", "notebooks"),
    # A notebook's cells share a kernel, so they must stay together.
    *("-n", "auto", "--dist", "loadscope", NOT_REPLACED),
    # A cell that stands still is interrupted, for its traceback; nbval would wait 33 minutes.
    *("-p", "tests.stalls", "--nbval-cell-timeout=600"),
]
COVERED = ["-p", "tests.covered"]
SOLVED = "tests/tools/test_solved_notebooks.py"
# Two more processes than cores: many tests wait, for a browser, a kernel or another process.
# PyTorch's own threads would only get into each other's way.
WORKERS = str((os.cpu_count() or 1) + 2)
PARALLEL = ["-n", WORKERS, "--dist", "worksteal"]
NOT_SLOW = [*PARALLEL, "-m", "not slow"]
# None of these waits, and each process more would import PyTorch once more.
QUICK = ["-n", "auto", "--dist", "worksteal", "-m", "not slow", "--quick"]
# What `make test-all` cannot install, by the words of the skip that says so.
NEVER_HERE = {
    "needs PyTorch's CUDA build": "CUDA build|CPU build",
    "needs a GPU": r"\bGPU\b",
    "needs another system": "this system|Windows|Linux",
}
# The device in Python stands in where the native one cannot be built; a process has one of them.
ON_PYTHON = "Tests on the Python device, and of what judges"
PYTHON_DEVICE = [
    *COVERED,
    *(
        "tests/judge",
        "tests/grading/test_beginning.py",
        "tests/render/test_explain.py",
        "tests/simulated_cuda",
    ),
    *("tests/grading/verification/test_verification.py", "-n", "auto", "-m", "not slow"),
    # These try both by themselves.
    "--ignore=tests/simulated_cuda/test_recordings.py",
    "--ignore=tests/simulated_cuda/test_minimal.py",
]
CELLS = {"Notebook cells": NOTEBOOKS}
TOGETHER = [*COVERED, *PARALLEL, "-m", "not sample and not alone"]
ALONE = {"Tests that want the machine to themselves": [*COVERED, "-m", "alone", "tests/classroom"]}
SUITES = {
    "quick": {"Tests": QUICK, **CELLS},
    "all": {"Tests": TOGETHER, ON_PYTHON: PYTHON_DEVICE, **CELLS, **ALONE},
    "coverage": {"Tests": [*COVERED, *NOT_SLOW, f"--ignore={SOLVED}"], ON_PYTHON: PYTHON_DEVICE},
    "notebooks": {**CELLS, "Notebooks with the solutions": [SOLVED]},
}


def run_pytest(arguments: list[str], results: Path, implementation: str) -> int:
    """Run pytest, which writes what happened to `results`; return its exit status."""
    command = [sys.executable, "-m", "pytest", "-q", f"--junitxml={results}", *arguments]
    nobody = {"GRADER_JOURNAL": str(results.with_suffix(".journal.json"))}
    environment = {**os.environ, **nobody, "OMP_NUM_THREADS": "1"}
    environment["SIMULATED_CUDA_IMPLEMENTATION"] = implementation
    environment["COVERAGE_FILE"] = str(results.with_name(".coverage"))
    environment.pop("VIRTUAL_ENV", None)  # one that is active beside ours: IPython would warn of it
    return subprocess.run(command, cwd=ROOT, env=environment).returncode


def count(results: Path) -> dict[str, int]:
    """Count the outcomes in a JUnit file; none at all if pytest died before writing it."""
    total = failed = skipped = 0
    if results.exists():
        for suite in ElementTree.parse(results).iter("testsuite"):
            total += int(suite.get("tests", 0))
            failed += int(suite.get("failures", 0)) + int(suite.get("errors", 0))
            skipped += int(suite.get("skipped", 0))
    return {"passed": total - failed - skipped, "failed": failed, "skipped": skipped}


def skip_reasons(results: Path) -> list[str]:
    """Why tests were skipped, from a JUnit file."""
    if not results.exists():
        return []
    return [skip.get("message", "") for skip in ElementTree.parse(results).iter("skipped")]


def by_kind(reasons: list[str]) -> Counter[str]:
    """Count skips by what this machine lacks, or by their reason where it could have that."""
    kinds: Counter[str] = Counter()
    for reason in reasons:
        found = (kind for kind, words in NEVER_HERE.items() if re.search(words, reason))
        kinds[next(found, reason)] += 1
    return kinds


def describe(counts: dict[str, int]) -> str:
    """Say the counts in words; skipped ones only if there are any."""
    words = f"{counts['passed']} passed, {counts['failed']} failed"
    return words + (f", {counts['skipped']} skipped" if counts["skipped"] else "")


def main() -> int:
    """Run the chosen suite; return 0 only if every part of it ran and passed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suite", choices=SUITES)
    asked = parser.parse_args().suite
    suite = SUITES[asked]
    total = {"passed": 0, "failed": 0, "skipped": 0}
    lines, skips, status = [], list[str](), 0
    with tempfile.TemporaryDirectory() as directory:
        for number, (name, arguments) in enumerate(suite.items()):
            results = Path(directory, f"{number}.xml")
            # Also not 0 where no test was found: nothing tested is not a pass.
            implementation = "python" if name == ON_PYTHON else "native"
            status = run_pytest(arguments, results, implementation) or status
            counts = count(results)
            lines.append(f"{name}: {describe(counts)}")
            skips += skip_reasons(results)
            total = {outcome: total[outcome] + counts[outcome] for outcome in total}
        # What a failed test did not reach says nothing, but who asked for coverage shall see it.
        if asked == "coverage" or (status == 0 and ON_PYTHON in suite):
            floors = [sys.executable, str(ROOT / "tools/coverage_floors.py"), directory]
            status = subprocess.run(floors).returncode or status
    kinds = by_kind(skips)
    lines += [f"{number} skipped: {kind}" for kind, number in kinds.most_common()]
    print("", *lines, describe(total), sep="\n", flush=True)
    if asked == "all" and not kinds.keys() <= NEVER_HERE.keys():
        print("Nothing else may be skipped here: `make test-all` installs what tests need.")
        status = 1
    return 1 if status else 0


if __name__ == "__main__":
    sys.exit(main())
