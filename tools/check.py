"""Run what a change has to pass, group by group; say what each took and what failed.

`make check` is the gate, which CI runs for each push; `make test` is its quick half, and
`make nightly` everything, in parts. Of each search the gate runs an eighth: the commit says which.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree
from zlib import crc32

ROOT = Path(__file__).resolve().parent.parent
PYTHON = str(ROOT / ".venv" / "bin" / "python")

# By scope or by file, pytest-xdist 3.8 waits for ever for what replaces a process that died: #1323.
NOT_REPLACED = "--max-worker-restart=0"
NOTEBOOKS = [
    *("--nbval", "-p", "no:cacheprovider", "notebooks"),
    # A notebook's cells share a kernel, so they must stay together.
    *("-n", "auto", "--dist", "loadscope", NOT_REPLACED, "-p", "tests.without_iris"),
    # A cell that stands still is interrupted, for its traceback; nbval would wait 33 minutes.
    *("-p", "tests.stalls", "--nbval-cell-timeout=600"),
]
# One process more than cores, as many tests wait for a browser, a kernel or another process.
# PyTorch's own threads would only get into each other's way.
PARALLEL = ["-n", str((os.cpu_count() or 1) + 1), "--dist", "worksteal"]
# Most tests of these start processes of their own, or judge many answers.
SLOW = [
    *("auditing/survey", "browser", "classroom", "tools/verify", "honest", "hostile"),
    *("packaging", "probe", "simulated_cuda", "course/templates", "learning/watching"),
    *("cli/test_cli.py", "cli/test_extras.py", "grading/flags/test_flags.py"),
    "judge/test_fixes.py",
]
QUICK = ["-m", "not (nightly or slow or search)", *(f"--ignore=tests/{name}" for name in SLOW)]
COVERED = ["-m", "coverage", "run", "-m", "pytest"]
# Per cent of lines and branches; a file counts for the first part that has it. What runs in a child
# that is killed is not seen, nor what runs in another Python: tests that start one hold that.
FLOORS = {
    "judge/findings/*": 90,
    "judge/*": 90,
    "simulated_cuda/python_device/*": 90,
    "simulated_cuda/*": 90,
    "*": 85,
}
ELSEWHERE = (
    *("simulated_cuda/__main__.py", "simulated_cuda/environment.py"),
    *("simulated_cuda/native/build.py", "simulated_cuda/native/generate_rules.py"),
)
# What no machine without a GPU has, by the words of the skip that says so.
NEVER_HERE = {
    "needs PyTorch's CUDA build": "CUDA build|CPU build",
    "needs a GPU": r"\bGPU\b",
    "needs another system": "this system|Windows|Linux",
}


@dataclass
class Group:
    """A command, and what came of it."""

    name: str
    command: list[str]
    environment: dict[str, str] = field(default_factory=dict)
    status: int = 0
    seconds: float = 0
    processor_seconds: float = 0  # of the command, and of all it has waited for
    tests: list[ElementTree.Element] = field(default_factory=list)

    def run(self, folder: Path, aside: bool) -> "Group":
        """Run the command, and show what it prints: as it comes, or at its end if run `aside`."""
        results = folder / f"{self.name}.xml"
        written = [f"--junitxml={results}"] if "pytest" in self.command else []
        variables = {**os.environ, "OMP_NUM_THREADS": "1", **self.environment}
        variables["GRADER_JOURNAL"] = str(folder / f"{self.name}.json")
        variables["COVERAGE_FILE"] = str(folder / ".coverage")
        # IPython would warn of one that is active beside ours.
        variables.pop("VIRTUAL_ENV", None)
        started = time.monotonic()
        with tempfile.TemporaryFile() as printed:
            out = printed if aside else None
            process = subprocess.Popen(
                [*self.command, *written], cwd=ROOT, env=variables, stdout=out, stderr=out
            )
            _, status, usage = os.wait4(process.pid, 0)
            self.status = process.returncode = os.waitstatus_to_exitcode(status)
            if aside:
                printed.seek(0)
                print(f"\n{self.name}:\n{printed.read().decode(errors='replace')}", flush=True)
        self.seconds = time.monotonic() - started
        self.processor_seconds = usage.ru_utime + usage.ru_stime
        self.tests = tests_in(results)
        return self

    def __str__(self) -> str:
        minutes = f"{self.seconds / 60:5.1f} min {self.processor_seconds:6.0f} CPU-s"
        return f"{minutes}  {self.name}{': FAILED' if self.status else ''}{self._counted()}"

    def _counted(self) -> str:
        counts = sorted(outcomes(self.tests).items())
        return "".join(f", {number} {name}" for name, number in counts)


def tests_in(results: Path) -> list[ElementTree.Element]:
    """The tests in a JUnit file; none if pytest died before it wrote one."""
    return list(ElementTree.parse(results).iter("testcase")) if results.exists() else []


def outcomes(tests: list[ElementTree.Element]) -> Counter[str]:
    """How many tests passed, failed and were skipped."""
    tags = [{element.tag for element in test} for test in tests]
    words = {"skipped": "skipped", "failure": "failed", "error": "failed"}
    return Counter(next((words[tag] for tag in words if tag in t), "passed") for t in tags)


def pytest_run(name: str, *arguments: str, device: str = "native", covered: bool = False) -> Group:
    """A run of pytest."""
    command = [PYTHON, *(COVERED if covered else ("-m", "pytest")), "-q", *arguments]
    return Group(name, command, {"SIMULATED_CUDA_IMPLEMENTATION": device})


ON_PYTHON = (
    *("tests/judge", "tests/grading", "tests/render/test_explain.py", "tests/simulated_cuda"),
    *("-m", "not (search or nightly)"),
    # It tries both devices by itself.
    "--ignore=tests/simulated_cuda/test_recordings.py",
)
CELLS = pytest_run("cells", *NOTEBOOKS)


def suites(sample: str) -> dict[str, list[list[Group]]]:
    """The groups of each suite in their order, those of a row side by side."""
    mutation = ["make", "-s", "test-mutation", f"SEED={crc32(sample.encode())}"]
    pushed = pytest_run("tests", *PARALLEL, "-m", "not nightly", f"--sample={sample}")
    return {
        "gate": [
            [Group("set-up", ["make", "-s", "set-up"])],
            [Group("lint", ["make", "-s", "lint"]), CELLS, pushed],
        ],
        "quick": [[CELLS, pytest_run("tests", *PARALLEL, *QUICK)]],
        "nightly": [
            [pytest_run("tests", *PARALLEL, "-m", "not (search or nightly)", covered=True)],
            # It stands in where the native device cannot be built; a process has one of them.
            [
                pytest_run(
                    "tests: Python device", *PARALLEL, *ON_PYTHON, device="python", covered=True
                )
            ],
            [Group("tests: coverage", [PYTHON, "-m", "coverage", "combine", "-q"])],
            *([coverage_of(part)] for part in FLOORS),
            # To count lines would double the hours of these, and they take the same lines again.
            [pytest_run("searches", *PARALLEL, "-m", "search or nightly")],
            [Group("mutation", mutation)],
            [Group("links", ["make", "-s", "links"])],
        ],
    }


def coverage_of(part: str) -> Group:
    """Whether the tests that ran before take enough of a part of `grader/`."""
    before = [*FLOORS][: [*FLOORS].index(part)]
    left_out = ",".join(f"grader/{path}" for path in (*before, *ELSEWHERE))
    command = [PYTHON, "-m", "coverage", "report", "--format=total"]
    which = [f"--include=grader/{part}", f"--omit={left_out}", f"--fail-under={FLOORS[part]}"]
    return Group(f"tests: {FLOORS[part]} % of grader/{part}", [*command, *which])


def commit() -> str:
    """The commit that is checked out: each has another sample of what is searched."""
    return git("rev-parse", "HEAD").strip() or "0"


def git(*arguments: str) -> str:
    """What git says; nothing where it knows no such thing."""
    command = ["git", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout


def net_lines(*parts: str) -> list[str]:
    """How many lines of Python the parts have more than where this branch left main."""
    base = git("merge-base", "HEAD", "origin/main").strip()
    base = git("rev-parse", "--verify", "-q", "HEAD~1").strip() if base == commit() else base
    if not base:
        return []  # a clone of one commit
    lines = {part: git("diff", "--numstat", base, "--", f"{part}/*.py") for part in parts}
    nets = {part: sum(added(line) for line in text.splitlines()) for part, text in lines.items()}
    return [f"Lines since {base[:8]}: " + ", ".join(f"{p}/ {net:+,}" for p, net in nets.items())]


def added(line: str) -> int:
    """The net lines in a line of `git diff --numstat`."""
    more, less, _ = line.split("\t")
    return int(more) - int(less)


def summary(groups: list[Group]) -> list[str]:
    """The last lines: what was slow, what was skipped, what each group took."""
    every = [test for group in groups for test in group.tests]
    slowest = sorted(every, key=lambda test: -float(test.get("time", 0)))[:10]
    lines = ["", "The slowest tests:"]
    lines += [
        f"{float(t.get('time', 0)):6.1f} s  {t.get('classname')}::{t.get('name')}" for t in slowest
    ]
    skips = Counter(reason for test in every for reason in skipped_for(test))
    lines += [f"{number} skipped: {kind}" for kind, number in skips.most_common()]
    return [*lines, "", *map(str, groups), *net_lines("grader", "tests")]


def skipped_for(test: ElementTree.Element) -> list[str]:
    """What this machine lacks for a test, or the test's own reason where it could have that."""
    reasons = [skip.get("message", "") for skip in test.iter("skipped")]
    kinds = ((kind for kind, words in NEVER_HERE.items() if re.search(words, r)) for r in reasons)
    return [next(kind, reason) for kind, reason in zip(kinds, reasons, strict=True)]


def main() -> int:
    """Run a suite; 0 if all of it ran and passed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suite", choices=suites("0"))
    parser.add_argument("--sample", default=commit(), help="which eighth: the name of a commit")
    parser.add_argument("--part", help="only the group of this name")
    asked = parser.parse_args()
    print(f"Sample {asked.sample}: --sample takes another commit's.", flush=True)
    every = suites(asked.sample)[asked.suite]
    rows = [[g for g in row if g.name.startswith(asked.part or "")] for row in every]
    if not any(rows):
        parser.error("the parts are " + ", ".join(g.name for row in every for g in row))
    groups: list[Group] = []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor() as threads:
        for row in filter(None, rows):
            runs = [threads.submit(g.run, Path(folder), g is not row[-1]) for g in row]
            groups += [run.result() for run in runs]
            if row[0].name == "set-up" and row[0].status:
                break
    print(*summary(groups), sep="\n")
    lacking = [kind for g in groups for t in g.tests for kind in skipped_for(t)]
    if os.environ.get("CI") and not set(lacking) <= NEVER_HERE.keys():
        print("Nothing else may be skipped here: `make set-up` installs what tests need.")
        return 1
    return 1 if any(group.status for group in groups) else 0


if __name__ == "__main__":
    sys.exit(main())
