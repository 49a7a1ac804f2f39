"""`make lab` and `make grade` install what a learner needs, and say how far they are."""

import runpy
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STEPS = runpy.run_path(str(ROOT / "tools" / "install.py"))["steps"]
LEARNERS, DEVELOPERS = "'.[notebooks]'", "'.[notebooks,site,tests]'"
OTHERS = "'.[notebooks,site,tests,others]'"

PRINTED = """\
Obtaining file:///home/ada/wheres-my-tensor
  Installing build dependencies: started
Collecting torch==2.13.0 (from -c constraints.txt (line 135))
  Downloading torch-2.13.0-cp313-cp313-manylinux_2_28_x86_64.whl.metadata (29 kB)
Requirement already satisfied: pip in /opt/python
Downloading torch-2.13.0-cp313-cp313-manylinux_2_28_x86_64.whl (888.1 MB)
Using cached rpds_py-0.30.0-cp313-cp313-manylinux_2_17_x86_64.whl (390 kB)
Processing /wheels/torch-2.13.0+cpu-cp311-cp311-linux_x86_64.whl (from wheres-my-tensor==0.1.0)
Building wheels for collected packages: wheres-my-tensor
Installing collected packages: rpds-py, torch, wheres-my-tensor
Successfully installed rpds-py-0.30.0 torch-2.13.0 wheres-my-tensor-0.1.0
"""


def test_the_progress_line_names_each_package_and_its_size():
    assert list(STEPS(PRINTED.splitlines(keepends=True))) == [
        "package 1: torch 2.13.0, 888.1 MB",
        "package 2: rpds_py 0.30.0, 390 kB",
        "package 3: torch 2.13.0+cpu",
        "writing 3 packages to the disk",
    ]


@pytest.mark.skipif(shutil.which("make") is None, reason="no make here")
@pytest.mark.parametrize(
    ("target", "installed"),
    [
        ("grade", [LEARNERS]),
        ("lab", [LEARNERS]),
        ("test", [LEARNERS, DEVELOPERS]),
        ("nightly", [LEARNERS, DEVELOPERS, OTHERS]),
        ("set-up", [LEARNERS, DEVELOPERS]),
        ("lint", [LEARNERS, DEVELOPERS]),
        ("notebooks", [LEARNERS, DEVELOPERS]),
    ],
)
def test_developers_tools_come_with_the_targets_that_use_them(target, installed):
    command = ["make", "--dry-run", "--always-make", target]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)

    asked = [line.rpartition("tools/install.py ")[2] for line in ran.stdout.splitlines()]
    assert [extras for extras in asked if extras in (LEARNERS, DEVELOPERS, OTHERS)] == installed
