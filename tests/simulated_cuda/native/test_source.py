"""The C++ of the device has no warnings, and all C and C++ of the project is formatted."""

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from grader.simulated_cuda.native import build

ROOT = Path(__file__).parents[3]
FOLDERS = (build.SOURCE, ROOT / "tests/cuda_build/standin")
STYLE = f"--style=file:{build.SOURCE.parent / '.clang-format'}"
WARNINGS = ("-Wall", "-Wextra", "-Werror")


def _tool(name: str) -> str:
    """The path of a program, which pip may have installed; skips the test where there is none."""
    found = shutil.which(name, path=sysconfig.get_path("scripts")) or shutil.which(name)
    return found or pytest.skip(f"{name} is not installed")


def _fails(*command: str | Path) -> str:
    """What a command printed, if it failed."""
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return run.stdout + run.stderr if run.returncode else ""


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the generated rules.h."""
    folder = tmp_path_factory.mktemp("rules")
    made = [folder / "rules.h", build.dtype_table()]
    subprocess.run([sys.executable, "-P", build.RULES, *made], check=True)
    return folder


def test_is_formatted() -> None:
    files = (path for folder in FOLDERS for path in sorted(folder.rglob("*")))
    sources = [path for path in files if path.suffix in (".h", ".cpp", ".c")]
    assert not _fails(_tool("clang-format"), STYLE, "--dry-run", "--Werror", *sources)


@pytest.mark.nightly
def test_has_no_warnings(rules: Path) -> None:
    program = build.compiler() or pytest.skip("there is no compiler")
    assert not _fails(*build.command_line(program, rules, "-fsyntax-only", *WARNINGS))


@pytest.mark.nightly
def test_clang_tidy_finds_nothing(rules: Path) -> None:
    command = (_tool("clang-tidy"), "--quiet", build.SOURCE / "library.cpp", "--")
    assert not _fails(*command, *build.compile_options(rules))
