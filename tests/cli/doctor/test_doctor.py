"""The doctor on this very machine, and on what can be broken of it."""

import os
import subprocess
import sys

import pytest

from grader.cli.doctor import examine


@pytest.fixture(autouse=True)
def journal(tmp_path, monkeypatch):
    monkeypatch.setenv("GRADER_JOURNAL", str(tmp_path / "home" / "journal.json"))


def doctor(folder, *, torch=None, env=None):
    """Runs the command; `torch` is the text of a module that stands in for the real one."""
    paths = []
    if torch is not None:
        (folder / "fake").mkdir()
        (folder / "fake" / "torch.py").write_text(torch)
        paths = [str(folder / "fake")]
    script = f"import sys; sys.path[:0] = {paths}; sys.argv = ['grader', 'doctor']\n"
    script += "from grader.cli import main; main()"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), **(env or {})}
    return subprocess.run(
        [sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, env=environment
    )


def test_this_machine_has_what_the_tests_need(course):
    facts = examine()

    assert facts.torch.version
    assert not facts.torch.error
    assert facts.course == str(course)
    assert facts.unwritable == ()


def test_without_pytorch_it_runs_and_names_the_command(course):
    ran = doctor(course, torch="raise ModuleNotFoundError(\"No module named 'torch'\")")

    assert ran.returncode == 1
    assert '--upgrade "torch>=2.11"' in ran.stdout
    assert "1 thing to fix" in ran.stdout


@pytest.mark.parametrize(
    ("module", "message"),
    [
        ("raise ImportError('libcudart.so.13: cannot open')", "libcudart.so.13: cannot open"),
        ("import os; os.abort()", "its import ended Python"),
        ("raise OSError('[WinError 126] c10.dll')", "c10.dll"),
    ],
)
def test_a_broken_pytorch_is_a_line_and_no_traceback(course, module, message):
    ran = doctor(course, torch=module)

    assert ran.returncode == 1
    assert message in ran.stdout
    assert "Traceback" not in ran.stdout + ran.stderr


def test_what_pytorch_warns_of_while_it_looks_for_a_gpu_is_told(course):
    fake = """\
import warnings
__version__ = "2.13.0"
class version:
    cuda, hip = "13.0", None
class cuda:
    @staticmethod
    def is_available():
        warnings.warn("The NVIDIA driver on your system is too old (found version 11040).")
        return False
"""
    ran = doctor(course, torch=fake)

    assert "PyTorch does not find it: The NVIDIA driver on your system is too old" in ran.stdout


def test_a_place_that_cannot_be_written_is_told(course):
    (course / "file").write_text("")
    home = {"GRADER_JOURNAL": str(course / "file" / "journal.json")}
    ran = doctor(course, torch="raise ModuleNotFoundError", env=home)

    assert ran.returncode == 1
    assert "your progress is not kept" in ran.stdout
