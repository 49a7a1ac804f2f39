"""`make check` ends with what each group took, and with what failed or was skipped."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
TOOL = runpy.run_path(str(ROOT / "tools" / "check.py"))
# `pause` waits with Python's lock held, so no thread of Python can end it; `alarm` can.
STANDS_STILL = """\
import ctypes, signal

def test_it():
    signal.alarm(60)
    ctypes.PyDLL(None).pause()

def test_other(): pass
"""
TESTS = """
import pytest

def test_right(): pass
"""
NEVER_HERE = {
    "a CPU build has no such operators for CUDA": "needs PyTorch's CUDA build",
    "needs a GPU": "needs a GPU",
    "this system reaches the isolation process only": "needs another system",
}


@pytest.fixture
def checked(tmp_path, monkeypatch, capsys):
    """Runs a gate of two groups side by side; returns its status and what it printed."""
    main = TOOL["main"]

    def run(*others):
        bodies = (f"def test_{n}(): {body}\n" for n, body in enumerate(others))
        (file := tmp_path / "test_it.py").write_text(TESTS + "".join(bodies))
        monkeypatch.setitem(main.__globals__, "PYTHON", sys.executable)
        pages = TOOL["Group"]("pages", [sys.executable, "-c", "print('3 pages')"])
        options = ("-p", "no:cacheprovider", "-p", "no:nbval")
        tests = TOOL["pytest_run"]("tests", str(file), *options)
        monkeypatch.setitem(main.__globals__, "suites", lambda _: {"gate": [[pages, tests]]})
        monkeypatch.setattr(sys, "argv", ["check.py", "gate", "--sample", "abc"])
        monkeypatch.setenv("CI", "true")
        return main(), capsys.readouterr().out

    return run


def test_each_group_says_what_it_took_and_what_came_of_it(checked):
    status, said = checked("pass", *(f"pytest.skip({reason!r})" for reason in NEVER_HERE))

    assert status == 0
    assert "Sample abc" in said
    assert "3 pages" in said
    assert re.search(r"\d\.\d min +\d CPU-s  pages\n", said)
    assert re.search(r"\d\.\d min +\d+ CPU-s  tests, 2 passed, 3 skipped\n", said)
    assert re.search(r" s  .*test_it::test_right\n", said)
    for kind in NEVER_HERE.values():
        assert f"1 skipped: {kind}\n" in said


def test_what_failed_is_said(checked):
    status, said = checked("assert False")

    assert status == 1
    assert "tests: FAILED, 1 failed, 1 passed" in said


def test_only_what_no_such_machine_has_may_be_skipped(checked):
    status, said = checked("pytest.skip('clang-tidy is not installed')")

    assert status == 1
    assert "1 skipped: clang-tidy is not installed\n" in said


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no `pause`")
def test_a_test_that_stands_still_prints_its_stack_and_fails(tmp_path, pytestconfig):
    test = tmp_path / "test_it.py"
    test.write_text(STANDS_STILL)
    options = ("-p", "tests.stalls", "--stall-seconds=5", "-p", "no:cacheprovider", "-n", "1")
    command = [sys.executable, "-m", "pytest", *options, test]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)

    assert f'File "{test}", line 5 in test_it' in ran.stderr
    assert "1 failed, 1 passed" in ran.stdout
    assert "crashed while running" in ran.stdout
    assert pytestconfig.getoption("--stall-seconds") > 0  # so it is watched here too


def test_the_workflow_of_the_night_runs_every_part():
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "nightly.yml").read_text("utf-8"))
    parts = workflow["jobs"]["nightly"]["strategy"]["matrix"]["part"]
    night = TOOL["suites"]("0")["nightly"]

    assert {group.name.partition(":")[0] for row in night for group in row} == {*parts}
