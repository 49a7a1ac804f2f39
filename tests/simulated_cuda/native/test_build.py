"""Where the library is kept: one for all environments of a user, and where there is no home."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from grader.simulated_cuda.native import build

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="its temporary files are a user's")
FIND = "from grader.simulated_cuda.native import build; print(build.find_or_build())"
COMPILER = """#!/bin/sh
# Stands in for a compiler: writes what it is asked for, and counts.
echo >> "$COUNT"
while [ $# -gt 1 ]; do [ "$1" = -o ] && touch "$2"; shift; done
"""


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home and a folder for temporary files, both empty, and a compiler that counts."""
    program = tmp_path / "compiler"
    program.write_text(COMPILER)
    program.chmod(0o755)
    for variable, folder in {"HOME": "home", "TMPDIR": "temporary"}.items():
        (tmp_path / folder).mkdir()
        monkeypatch.setenv(variable, str(tmp_path / folder))
    for variable in ("SIMULATED_CUDA_CACHE", "TORCH_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("CXX", str(program))
    monkeypatch.setenv("COUNT", str(tmp_path / "count"))
    monkeypatch.setattr(build.tempfile, "tempdir", None)  # to be asked for again
    return tmp_path


def find(python: str | Path = sys.executable) -> subprocess.CompletedProcess[str]:
    command = [str(python), "-W", "ignore", "-c", FIND]
    return subprocess.run(command, capture_output=True, text=True, check=True)


@pytest.mark.nightly
def test_two_environments_share_what_one_has_compiled(machine: Path) -> None:
    other = machine / "other"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", other], check=True)
    (packages,) = other.rglob("site-packages")
    paths = "\n".join(path for path in sys.path if path)
    (packages / "neighbours.pth").write_text(paths)

    first, second = find().stdout, find(other / "bin" / "python").stdout

    assert first == second
    assert Path(first.strip()).is_relative_to(machine / "home")
    assert (machine / "count").read_text() == "\n"


@pytest.mark.nightly
def test_without_a_home_it_goes_to_a_temporary_folder_with_one_line(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (machine / "file").touch()
    monkeypatch.setenv("HOME", str(machine / "file"))  # nobody, not even root, can write below it

    first, second = find(), find()

    folder = machine / "temporary" / f"simulated_cuda-{os.getuid()}"
    assert first.stdout == second.stdout == f"{folder / build.name()}\n"
    usual = machine / "file" / ".cache" / "torch" / "simulated_cuda"
    assert first.stderr == f"{usual} cannot be written: the library goes to {folder}.\n"
    assert second.stderr == ""


def test_a_library_in_a_cache_that_cannot_be_written_is_used(machine: Path) -> None:
    built = build.usual_folder() / build.name()
    built.parent.mkdir(parents=True)
    built.touch()
    built.parent.chmod(0o555)

    assert build.find_or_build() == built


def test_with_a_library_in_the_wheel_no_folder_is_needed(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "PACKAGED", machine / "built")
    (machine / "built").mkdir()
    (machine / "built" / build.name()).touch()
    monkeypatch.setenv("HOME", os.devnull)
    monkeypatch.setattr(build.tempfile, "tempdir", os.devnull)

    assert build.find_or_build() == machine / "built" / build.name()


def test_a_temporary_folder_that_others_can_write_is_refused(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", os.devnull)
    shared = machine / "temporary" / f"simulated_cuda-{os.getuid()}"
    shared.mkdir()
    shared.chmod(0o777)

    with pytest.raises(build.LibraryError, match="can be written by another user"):
        build.find_or_build()


STUCK = """#!/bin/sh
exec > "$COUNT"
echo begun
exec sleep 20
"""


def test_a_build_that_is_killed_leaves_nothing_behind(machine: Path) -> None:
    (machine / "compiler").write_text(STUCK)
    os.mkfifo(machine / "count")
    with subprocess.Popen([sys.executable, "-c", FIND], stderr=subprocess.PIPE) as caller:
        with (machine / "count").open() as compiler:
            assert compiler.readline() == "begun\n"
            caller.kill()
            assert compiler.read() == ""  # the compiler has ended
        assert caller.stderr is not None
        caller.stderr.read()  # and the process that ran it

    left = [path for path in build.usual_folder().iterdir() if path.suffix != ".lock"]
    assert left == []
