"""`make check` counts what it skipped, by what this machine lacks; nothing else may be skipped."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOL = runpy.run_path(str(ROOT / "tools" / "run_tests.py"))
# `pause` waits with Python's lock held, so no thread of Python can end it; `alarm` can.
STANDS_STILL = """\
import ctypes, signal

def test_it():
    signal.alarm(60)
    ctypes.PyDLL(None).pause()

def test_other(): pass
"""
SKIPPED = """\
<testsuites><testsuite tests="3" failures="0" errors="0" skipped="2">
<testcase name="a"/>
<testcase name="b"><skipped message="a CPU build has no such functions"/></testcase>
<testcase name="c"><skipped message="needs nbgrader"/></testcase>
</testsuite></testsuites>
"""


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        ("needs PyTorch's CUDA build and a device: make cuda-build", "needs PyTorch's CUDA build"),
        ("a CPU build has no such operators for CUDA", "needs PyTorch's CUDA build"),
        ("needs a GPU", "needs a GPU"),
        ("this system reaches the isolation process only", "needs another system"),
        ("probes are forked on Linux", "needs another system"),
        ("clang-tidy is not installed", "clang-tidy is not installed"),
    ],
)
def test_a_skip_is_counted_by_what_the_machine_lacks(reason, kind):
    assert TOOL["by_kind"]([reason]) == {kind: 1}


def test_skips_are_read_from_what_pytest_wrote(tmp_path):
    results = tmp_path / "0.xml"
    results.write_text(SKIPPED, encoding="utf-8")

    assert TOOL["count"](results) == {"passed": 1, "failed": 0, "skipped": 2}
    assert TOOL["skip_reasons"](results) == ["a CPU build has no such functions", "needs nbgrader"]
    assert TOOL["skip_reasons"](tmp_path / "none.xml") == []


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
