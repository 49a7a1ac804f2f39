"""`grader release nbgrader`: a course folder, taken through nbgrader's own commands."""

import csv
import json
import os
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import nbformat
import pytest

from grader.classroom.releases.nbgrader_cell import NotGradedError, points
from grader.course.catalog import all_rubrics, find

STEM = "03_member_tensors"
POINTS = sum(find("03").points.values())
STARTER = "self.{0} = torch.tensor({0})"
FIXED = 'self.register_buffer("{0}", torch.tensor({0}))'
HALF = 'self.register_buffer("{0}", torch.tensor({0}), persistent=False)'
NOISE = 'import sys, warnings; warnings.warn("slow"); print("careful", file=sys.stderr)'


@pytest.fixture
def course(grader, tmp_path):
    folder = tmp_path / "course"
    ended = grader("release", "nbgrader", "03", "--out", folder)
    assert ended.out.strip() == str(folder / "source" / STEM)
    return folder


def notebook(folder):
    return folder / STEM / f"{STEM}.ipynb"


def cells(path):
    return {cell["id"]: cell for cell in nbformat.read(path, as_version=4).cells}


def marks(cell):
    return cell["metadata"].get("nbgrader", {})


def test_the_assignment_is_our_notebook_with_nbgraders_marks(course):
    path = notebook(course / "source")
    nbformat.validate(nbformat.read(path, as_version=4))
    by_id = cells(path)

    assert all(marks(cell)["locked"] for cell in by_id.values() if cell["cell_type"] == "markdown")
    assert marks(by_id["exercise-03"])["solution"]
    assert not marks(by_id["exercise-03"])["locked"]
    assert "### BEGIN SOLUTION\nclass Normalizer" in by_id["exercise-03"]["source"]
    test = marks(by_id["points-03"])
    assert (test["grade"], test["locked"], test["points"]) == (True, True, POINTS)
    ids = list(by_id)
    assert ids.index("points-03") == ids.index("exercise-03") + 1


def test_without_numbers_every_exercise_of_the_course_has_its_points(grader, tmp_path):
    assert grader("release", "nbgrader", "--out", tmp_path).status == 0

    ids = [cell for path in (tmp_path / "source").rglob("*.ipynb") for cell in cells(path)]
    numbers = [rubric.number for rubric in all_rubrics()]
    assert sorted(cell_id for cell_id in ids if cell_id.startswith("points-")) == [
        f"points-{number}" for number in numbers
    ]
    assert {f"exercise-{number}" for number in numbers} <= set(ids)
    assert (tmp_path / "nbgrader_config.py").exists()


def test_a_cell_gives_partial_credit_and_shows_why(course, capfd):
    source = cells(notebook(course / "source"))["exercise-03"]["source"]
    starter = source.partition("### BEGIN SOLUTION")[0]
    half = f"{NOISE}\n{starter}"
    for name in ("mean", "std"):
        half = half.replace(STARTER.format(name), HALF.format(name))

    earned = points("03", ["", "import torch\nfrom torch import nn", half, "points('03', In)"])

    captured = capfd.readouterr()
    assert 0 < earned < POINTS
    assert f"NOT YET - {earned} of {POINTS} points" in captured.out
    assert captured.err == ""


def test_what_is_no_mark_raises_and_is_no_quiet_zero(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")

    with pytest.raises(NotGradedError, match="grader itself failed"):
        points("03", ["", "points('03', In)"])


# Several commands of nbgrader in one process: to start it takes as long as to grade a notebook.
COMMANDS = """
import json, sys
from nbgrader.apps.nbgraderapp import NbGraderApp

for command in json.loads(sys.argv[1]):
    NbGraderApp.clear_instance()
    NbGraderApp.launch_instance(command)
"""


def nbgrader(course, *commands):
    """Run nbgrader's commands with the programs of this environment; give all that they said."""
    programs = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    words = json.dumps([command.split() for command in commands])
    ended = subprocess.run(
        [sys.executable, "-c", COMMANDS, words],
        cwd=course,
        env=environment,
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    return ended.stdout + ended.stderr


def hand_in(course, learner, *edits):
    """What a learner made of the release: only the cells that the exercise needs, to be quick."""
    released = nbformat.read(notebook(course / "release"), as_version=4)
    released.cells = [cell for cell in released.cells if marks(cell) or cell["id"] == "setup"]
    (cell,) = (cell for cell in released.cells if cell["id"] == "exercise-03")
    for old, new in edits:
        assert old in cell["source"]
        cell["source"] = cell["source"].replace(old, new)
    path = notebook(course / "submitted" / learner)
    path.parent.mkdir(parents=True)
    nbformat.write(released, path)


@contextmanager
def formgrader(course):
    """nbgrader's pages for the teacher, asked by HTTP: a function from path to text."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = [sys.executable, "-m", "jupyter_server", "--no-browser", "--allow-root"]
    server += [f"--port={port}", "--ServerApp.port_retries=0", "--IdentityProvider.token="]
    server += ["--ServerApp.jpserver_extensions=nbgrader.server_extensions.formgrader=True"]
    folders = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")
    nobodys = {name: str(course.parent / name) for name in folders}

    def ask(path):
        with urlopen(f"http://127.0.0.1:{port}/formgrader/{path}", timeout=60) as answer:
            return answer.read().decode()

    with (course.parent / "server.log").open("w") as log:
        running = subprocess.Popen(server, cwd=course, env=os.environ | nobodys, stderr=log)
    try:
        for _ in range(600):
            try:
                ask("")
                break
            except URLError:
                assert running.poll() is None
                time.sleep(0.1)
        yield ask
    finally:
        running.terminate()
        running.wait()


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.skipif(not find_spec("nbgrader"), reason="needs nbgrader, which is no dependency")
def test_nbgrader_takes_it_from_the_source_to_the_feedback(course):
    printed = nbgrader(
        course, f"generate_assignment {STEM}", f"validate source/{STEM}/{STEM}.ipynb"
    )
    assert "Success! Your notebook passes all the tests." in printed
    released = cells(notebook(course / "release"))["exercise-03"]["source"]
    assert "# Fix the class above, in this cell." in released
    assert "register_buffer" not in released

    fixed = [(STARTER.format(name), FIXED.format(name)) for name in ("mean", "std")]
    hand_in(course, "ada", *fixed, ("super().__init__()", f"super().__init__(); {NOISE}"))
    hand_in(course, "bea", *((STARTER.format(name), HALF.format(name)) for name in ("mean", "std")))
    hand_in(course, "cyd")
    nbgrader(course, f"autograde {STEM} --create", f"generate_feedback {STEM}", "export")

    with (course / "grades.csv").open(newline="") as file:
        scores = {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}
    assert scores["ada"] == POINTS  # it warned on stderr
    assert scores["cyd"] < scores["bea"] < POINTS
    feedback = (course / "feedback" / "bea" / STEM / f"{STEM}.html").read_text(encoding="utf-8")
    assert "NOT YET" in feedback
    with formgrader(course) as ask:
        submitted = json.loads(ask(f"api/submitted_notebooks/{STEM}/{STEM}"))
        (bea,) = (row for row in submitted if row["student"] == "bea")
        page = ask(f"submissions/{bea['id']}/")
    assert bea["score"] == scores["bea"]
    assert f"NOT YET - {scores['bea']:.0f} of {POINTS} points" in page
    assert "lost-from-checkpoint" in page


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.skipif(not find_spec("nbgrader"), reason="needs nbgrader, which is no dependency")
def test_nbgrader_releases_the_feedback_of_a_batch(grader, course):
    nbgrader(course, f"generate_assignment {STEM}")
    hand_in(course, "ada", *((STARTER.format(name), HALF.format(name)) for name in ("mean", "std")))
    notes = course / "submitted" / "ada" / STEM
    (notes / "timestamp.txt").write_text("2026-03-01 12:00:00.000000 UTC")
    (notes / "submission_secret.txt").write_text("5f1e2d3c")
    marks, feedback = course.parent / "marks", course / "feedback"

    grader("batch", course / "submitted", "--out", marks, "--jobs", "1")
    grader("export", marks, "--to", "nbgrader-feedback", "--out", feedback)
    exchange = course.parent / "exchange"
    (exchange / "tensors" / "feedback").mkdir(parents=True)
    where = f"--Exchange.root={exchange} --CourseDirectory.course_id=tensors"
    printed = nbgrader(course, f"release_feedback {STEM} {where}")

    assert "Releasing feedback for student 'ada'" in printed
    (page,) = (exchange / "tensors" / "feedback").glob("*.html")
    assert "NOT YET" in page.read_text(encoding="utf-8")
