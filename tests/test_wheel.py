"""A wheel carries the course: installed anywhere, it lays it out, judges it, and explains it."""

import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from grader.catalog import stems

ROOT = Path(__file__).resolve().parent.parent

pytestmark = pytest.mark.slow


def run(*command, cwd, status=0):
    ran = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    assert ran.returncode == status, ran.stdout + ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """A Python that has the wheel, and what it needs, and knows no checkout."""
    scratch = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", scratch, ROOT]
    run(*build, cwd=scratch)  # the sdist, and from it the wheel
    (wheel,) = scratch.glob("*.whl")
    home = scratch / "venv"
    run(sys.executable, "-m", "venv", "--without-pip", home, cwd=scratch)
    bin_folder = home / ("Scripts" if sys.platform == "win32" else "bin")
    (inside,) = home.rglob("site-packages")
    # Its neighbours, without the .pth files among them: one of those leads to the checkout.
    (inside / "neighbours.pth").write_text(sysconfig.get_path("purelib"))
    pip = [sys.executable, "-m", "pip", "--python", bin_folder / "python", "install", "--quiet"]
    run(*pip, "--no-deps", "--no-index", "--ignore-installed", wheel, cwd=scratch)
    return bin_folder / "python"


@pytest.fixture
def grader(python, tmp_path, monkeypatch):
    """Runs the installed command in a folder of the learner's."""
    monkeypatch.setenv("GRADER_JOURNAL", str(tmp_path / "journal.json"))

    def call(*arguments, status=0, cwd=tmp_path):
        return run(python, "-m", "grader.cli", *arguments, cwd=cwd, status=status)

    return call


def test_it_is_the_wheel_that_is_tried(python, tmp_path):
    place = run(python, "-c", "import grader; print(grader.__file__)", cwd=tmp_path)

    assert not Path(place).is_relative_to(ROOT)


def test_the_course_is_laid_out_once_and_never_over_an_answer(grader, tmp_path):
    assert "The course is in mine" in grader("lab", "mine", "--no-open")
    exercise = tmp_path / "mine" / "exercises" / "03_member_tensors.py"
    exercise.write_text("# my answer\n")

    assert "Left as you have them: exercises/03" in grader("lab", "mine", "--no-open")

    assert exercise.read_text() == "# my answer\n"
    there = {path.name for path in (tmp_path / "mine").rglob("*.*")}
    assert there >= {path.name for path in (ROOT / "exercises").glob("0*.py")}
    assert there >= {path.name for path in (ROOT / "notebooks").glob("*.ipynb")}


def test_the_learners_file_is_judged(grader, tmp_path):
    grader("lab", "mine", "--no-open")
    course = tmp_path / "mine"

    assert "NOT ATTEMPTED" in grader("check", "03", cwd=course, status=1)
    (course / "exercises" / "03_member_tensors.py").write_text(
        (ROOT / "solutions" / "03_member_tensors.py").read_text()
    )
    assert "PASSED" in grader("check", "03", cwd=course)
    assert "The starter is back" in grader("reset", "03", cwd=course)


def test_every_solution_passes_and_any_module_is_audited(grader, tmp_path):
    assert grader("check", "--all", "--solutions").count("✓ PASSED") == len(stems())

    model = "from torch import nn\n\nclass Head(nn.Linear):\n    pass\n\n"
    (tmp_path / "model.py").write_text(model + "def head():\n    return Head(3, 2)\n")
    assert "NOTHING FOUND, never called" in grader("audit", "model.py:head")


def test_help_comes_along(grader):
    assert "register_buffer" in grader("solution", "03")
    assert "stays behind" in grader("explain", "member-tensor")


def test_the_environment_turns_the_device_on(python, tmp_path, monkeypatch):
    count = "import torch; print(torch.cuda.device_count())"
    monkeypatch.setenv("SIMULATED_CUDA", "3")

    assert run(python, "-c", count, cwd=tmp_path) == "3\n"


def test_outside_a_course_a_learner_is_told_how_to_get_one(grader):
    for command in (["lab"], ["watch"], ["check", "03"]):
        grader(*command, status=2)


LOOKS = """
import os, sys
import torch
from pathlib import Path
from grader.catalog import solution_file
from grader.containment.sandbox import Level, best_level
from grader.containment.sandbox.profiles import PACKAGE, KernelSandbox
from grader.containment.processes import drop_privileges

level, scratch = Level[sys.argv[1]], Path(sys.argv[2])
if best_level() < level:
    print("not here")
    sys.exit()
sandbox = KernelSandbox(scratch, (), whole=level is Level.FULL)
stem = "04_parameter_or_buffer"
answers = [solution_file(stem), PACKAGE / "rubrics" / f"{stem}.py"]
if os.fork():
    os.wait()
    sys.exit()
sandbox.enter()
drop_privileges()
sandbox.lock_down()
import colorsys, torch.utils.benchmark  # from files that no import has read yet
for answer in answers:
    for read in (Path.read_text, lambda file: torch.from_file(str(file), size=9, dtype=torch.int8)):
        try:
            read(answer)
        except (OSError, RuntimeError) as error:
            print("refused" if "Permission denied" in str(error) else error)
        else:
            print("read", answer)
sys.stdout.flush()
os._exit(0)
"""


@pytest.mark.parametrize("level", ["FILESYSTEM", "FULL"])
def test_a_submission_cannot_read_the_answers_that_came_with_the_wheel(python, tmp_path, level):
    (scratch := tmp_path / "scratch").mkdir()

    seen = run(python, "-c", LOOKS, level, scratch, cwd=tmp_path).splitlines()

    assert seen in (["refused"] * 4, ["not here"])
