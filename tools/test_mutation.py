"""Change one operator at a time in what judges, and see which changes no test notices.

Usage: python tools/test_mutation.py [--sample 200] [--seed 0] [FILE OR FOLDER ...]

A mutant that passes every test is a line that nothing holds: it is printed with its change, unless
tests/mutation_survivors.toml has it, with the reason why nothing could tell it from the original.
cosmic-ray makes the mutants, in a copy of what git tracks here; the seed draws the sample. First
the tests run once, to see which of them run which line. A mutant is tried with those that run its
statement, in a fork of this process, which has imported PyTorch and pytest already.
"""

import argparse
import ast
import contextlib
import difflib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator
from importlib import import_module
from pathlib import Path

import coverage
import pytest
from cosmic_ray.commands import init
from cosmic_ray.modules import find_modules
from cosmic_ray.mutating import use_mutation
from cosmic_ray.plugins import get_operator
from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import MutationSpec

from check import ROOT

REASONS = ROOT / "tests/mutation_survivors.toml"
MUTATED = ["grader/judge", "grader/simulated_cuda/python_device/operators/checks.py"]
# `int | None` stands in annotations, and `*` between parameters: nothing evaluates these.
LEFT_OUT = re.compile(
    r"core/ReplaceBinaryOperator_(BitOr_|Mul_Div|Mul_FloorDiv)"
    # Of comparisons, only the nearest and the opposite: most are between words.
    r"|core/ReplaceComparisonOperator_(?!Eq_NotEq|NotEq_Eq|Lt_LtE|LtE_Lt|Gt_GtE|GtE_Gt|Lt_GtE|Gt_LtE"
    r"|LtE_Gt|GtE_Lt|Is_IsNot|IsNot_Is)"
)
# Nothing assigns to a field: a frozen dataclass behaves as any other.
LINE_LEFT_OUT = "@dataclass("
OPTIONS = ["-x", "-q", "-p", "no:cacheprovider", "-m", "not (search or nightly)"]
# The quick ones first: most mutants fall there.
TESTS = [
    *(
        "tests/judge",
        "tests/grading/test_beginning.py",
        "tests/render/test_explain.py",
        "tests/render",
    ),
    *("tests/simulated_cuda/test_errors.py", "tests/simulated_cuda/python_device"),
    *("tests/auditing/test_cases.py", "tests/judge/test_fixes.py"),
]
SECONDS = 600  # for all tests; a mutant that takes longer than they did hangs, and so is noticed
# Imported before the fork. Nothing of the grader is: each child imports its own mutant.
HEAVY = ("torch", "numpy")


def draw(mutated: Iterable[str], sample: int, seed: int) -> list[MutationSpec]:
    """Some of the mutants that can be made of these files and folders."""
    with (
        tempfile.TemporaryDirectory() as folder,
        use_db(Path(folder, "mutants.sqlite"), WorkDB.Mode.create) as database,
    ):
        init(find_modules([Path(path) for path in mutated]), database, {})
        made = [mutation for item in database.work_items for mutation in item.mutations]
    made = [mutation for mutation in made if not LEFT_OUT.match(mutation.operator_name)]
    made = [mutation for mutation in made if not line_of(mutation).startswith(LINE_LEFT_OUT)]
    # The database has them in no order.
    made.sort(key=lambda mutant: (str(mutant.module_path), mutant.operator_name, mutant.occurrence))
    print(f"{len(made)} mutants, of which {min(sample, len(made))} are tried")
    return random.Random(seed).sample(made, min(sample, len(made)))


def line_of(mutant: MutationSpec) -> str:
    """The line that a mutant changes, as it is."""
    lines: list[str] = mutant.module_path.read_text("utf-8").splitlines()
    number: int = mutant.start_pos[0]
    return lines[number - 1].strip()


def run_in_fork(work: Callable[[], int], seconds: int) -> int:
    """Run `work` in a child process, with all that it starts; return its status."""
    sys.stdout.flush()
    child = os.fork()
    if not child:
        os.setsid()
        signal.alarm(seconds)
        os._exit(work())
    try:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)


class RunBy:
    """Which tests run which line, in files that are imported before the first test.

    Attributes:
        seconds: how long all of them took.
    """

    def __init__(self, paths: Collection[Path], data: Path) -> None:
        self._data = data
        begun = time.monotonic()
        if status := run_in_fork(lambda: self._measure(paths), SECONDS):
            sys.exit(f"The tests fail without any mutant: {status}")
        self.seconds = 1 + int(time.monotonic() - begun)
        self._read = coverage.CoverageData(str(data))
        self._read.read()

    def _measure(self, paths: Collection[Path]) -> int:
        measured = coverage.Coverage(
            data_file=self._data, config_file=False, include=list(map(str, paths))
        )
        measured.start()
        for path in paths:
            import_module(".".join(path.with_suffix("").parts).removesuffix(".__init__"))
        status = pytest.main([*OPTIONS, *TESTS], [Contexts(measured)])
        measured.stop()
        measured.save()
        return status

    def tests(self, path: Path, line: int) -> set[str]:
        """The tests that run the statement of that line; "" among them: its file's import."""
        run = self._read.contexts_by_lineno(str(path.resolve()))
        return {test for number in _statement(path, line) for test in run.get(number, ())}


def _statement(path: Path, line: int) -> range:
    """The lines of the statement of that line; of a compound one, those of its head."""
    around = range(line, line + 1)
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):  # outer ones come first
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0):
            body = getattr(node, "body", None)
            end = body[0].lineno if body else (node.end_lineno or 0) + 1
            around = range(node.lineno, end) if line < end else around
    return around


class Contexts:
    """A pytest plugin: coverage records each line with the test that runs it."""

    def __init__(self, measured: coverage.Coverage) -> None:
        self._measured = measured

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """What runs from here on is this test's."""
        self._measured.switch_context(nodeid)


class Chosen:
    """A pytest plugin: runs these tests alone; with "" among them, all."""

    def __init__(self, names: Collection[str]) -> None:
        self._names = names

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave the others out."""
        if "" not in self._names:
            items[:] = [item for item in items if item.nodeid in self._names]


def survives(mutant: MutationSpec, tests: set[str], seconds: int) -> tuple[bool, str]:
    """Whether all these tests pass the mutant, and its change."""
    files = [test for test in TESTS if "" in tests or any(name.startswith(test) for name in tests)]

    def run() -> int:
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        return pytest.main([*OPTIONS, *files], [Chosen(tests)])

    operator = get_operator(mutant.operator_name)(**mutant.operator_args)
    with use_mutation(mutant.module_path, operator, mutant.occurrence) as (before, after):
        change = difflib.unified_diff(before.splitlines(), (after or "").splitlines(), n=0)
        lines = [line for line in change if re.match(r"[-+] ", line)]
        return not files or run_in_fork(run, seconds) == 0, "\n".join(lines)


def survivors(mutants: list[MutationSpec], run_by: RunBy) -> Iterator[tuple[MutationSpec, str]]:
    """Each mutant that all tests pass, with the line that it changed, as it was."""
    for number, mutant in enumerate(mutants, 1):
        path, line, original = mutant.module_path, mutant.start_pos[0], line_of(mutant)
        tests = run_by.tests(path, line)
        is_alive, change = survives(mutant, tests, run_by.seconds)
        outcome = "survived" if is_alive else "killed"
        print(
            f"{number}. {path}:{line}: {outcome}, {len(tests)} tests", file=sys.stderr, flush=True
        )
        if is_alive:
            print(change)
            yield mutant, original


def copy_of_the_tree(folder: str) -> None:
    """What git tracks here, as it is now: each mutant is written over its file."""
    names = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True)
    for name in filter(None, names.split("\0")):
        target = Path(folder, name)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, target)


def prepare(folder: str) -> None:
    """Make the copy what this process and its children import."""
    copy_of_the_tree(folder)
    os.chdir(folder)
    sys.path.insert(0, folder)
    os.environ |= {"PYTHONPATH": folder, "COVERAGE_CORE": "ctrace"}
    subprocess.run([sys.executable, "-m", "compileall", "-q", "grader", "tests"], check=True)
    # Two mutants of one size within a second would share their bytecode.
    sys.dont_write_bytecode = True
    for name in HEAVY:
        import_module(name)


def main() -> int:
    """Try the sample; 0 if every survivor has its reason."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mutated", nargs="*", default=MUTATED)
    parser.add_argument("--sample", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    reasons = tomllib.loads(REASONS.read_text("utf-8"))
    unexplained = 0
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as results:
        prepare(folder)
        mutants = draw(arguments.mutated, arguments.sample, arguments.seed)
        run_by = RunBy({mutant.module_path for mutant in mutants}, Path(results, "coverage"))
        for mutant, line in survivors(mutants, run_by):
            reason = reasons.get(str(mutant.module_path), {}).get(line)
            print(f"{mutant.module_path}: {mutant.operator_name}: {reason or 'NO REASON KNOWN'}\n")
            unexplained += not reason
    print(f"survivors without a reason: {unexplained}")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
