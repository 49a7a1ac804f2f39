"""The C++ of the device has no warnings, and all C and C++ of the project is formatted."""

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from grader.simulated_cuda.native import build

ROOT = Path(__file__).parents[3]
FOLDERS = ("grader/simulated_cuda/native/source", "tests/cuda_build/standin")
WARNINGS = ("-Wall", "-Wextra", "-Werror")


def test_is_formatted() -> None:
    scripts = sysconfig.get_path("scripts")
    program = shutil.which("clang-format", path=scripts) or shutil.which("clang-format")
    if program is None:
        pytest.skip("clang-format is not installed")
    files = [
        p for f in FOLDERS for p in sorted((ROOT / f).iterdir()) if p.suffix in (".h", ".cpp", ".c")
    ]
    run = subprocess.run(
        [program, "--dry-run", "--Werror", *files], cwd=ROOT, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr[:2000]


@pytest.mark.slow
def test_has_no_warnings(tmp_path: Path) -> None:
    program = build.compiler()
    if program is None:
        pytest.skip("there is no compiler")
    subprocess.run([sys.executable, "-P", build.RULES, tmp_path / "rules.h"], check=True)
    command = build.command_line(program, tmp_path, "-fsyntax-only", *WARNINGS)
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[:4000]
