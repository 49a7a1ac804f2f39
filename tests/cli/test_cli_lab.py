"""`grader lab`: which notebook it opens, what it hands on, and what it says where it cannot."""

import ast
import os
import subprocess
import sys

import pytest

from grader.cli.lab import CONFIG, SAVING
from grader.course.catalog import all_rubrics, notebooks
from grader.learning.help import first_open_notebook
from grader.learning.journal import Attempt, Prediction, keep

JUPYTERLAB = """\
import sys
from jupyter_server.services.config.manager import ConfigManager
print(*sys.argv[1:], sep="\\n")
print(ConfigManager(config_dir_name="labconfig").get("default_setting_overrides"))
"""
SOMEBODY = "import os\nos.geteuid = lambda: int(os.environ['SOMEBODY'])\n"
SCREENS = ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY")


@pytest.fixture(autouse=True)
def journal(tmp_path_factory, monkeypatch):
    path = tmp_path_factory.mktemp("home") / "journal.json"
    monkeypatch.setenv("GRADER_JOURNAL", str(path))


@pytest.fixture
def lab(course, tmp_path_factory):
    """Runs the command with a JupyterLab that says how it was called, and its changed defaults."""
    fake = tmp_path_factory.mktemp("packages")
    (fake / "jupyterlab.py").write_text(JUPYTERLAB)
    (fake / "sitecustomize.py").write_text(SOMEBODY)

    def run(*arguments, user=1000, screen="DISPLAY"):
        environment = {name: value for name, value in os.environ.items() if name not in SCREENS}
        ran = subprocess.run(
            [sys.executable, "-m", "grader.cli", "lab", *arguments],
            capture_output=True,
            text=True,
            env={**environment, "PYTHONPATH": str(fake), "SOMEBODY": str(user), screen: ":0"},
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout.splitlines()

    return run


def attempt(number, verdict="passed"):
    keep(lambda journal: journal.add_attempt(Attempt(number, verdict, 1, 1, "cuda:0 (simulated)")))


def predict(question):
    prediction = Prediction(question, "a", False, True)
    keep(lambda journal: journal.add_prediction(prediction))


def test_it_opens_the_course_that_the_learner_is_in(lab, course):
    called = lab("--", "--no-browser", "--port=9000")

    assert called[:2] == [
        f"--notebook-dir={course}",
        "--LabApp.default_url=/lab/tree/notebooks/00_start_here.ipynb",
    ]
    assert called[2:-1] == [SAVING, "--no-browser", "--port=9000"]


def test_no_question_covers_the_first_screen(lab, course, tmp_path, monkeypatch):
    (tmp_path / "labconfig").mkdir()
    (tmp_path / "labconfig" / "default_setting_overrides.json").write_text('{"theirs": {"a": 1}}')
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", str(tmp_path))
    news = {"fetchNews": "false", "checkForUpdates": False}

    assert ast.literal_eval(lab()[-1]) == {
        "@jupyterlab/apputils-extension:notification": news,
        "theirs": {"a": 1},
    }


def test_kernels_that_nobody_uses_end(monkeypatch):
    serverapp = pytest.importorskip("jupyter_server.serverapp")
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", str(CONFIG))
    server = serverapp.ServerApp()
    server.load_config_file(suppress_errors=False)

    assert server.config.MappingKernelManager.cull_idle_timeout == 3600
    assert server.config.MappingKernelManager.cull_connected


def test_who_has_run_notebooks_of_a_clone_is_told_how_to_take_an_update(lab, course):
    notebook = course / "notebooks" / "00_start_here.ipynb"
    notebook.write_text("{}")
    for command in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *command], cwd=course, check=True)
    author = ["-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", *author, "commit", "-qm", "course"], cwd=course, check=True)
    assert "git" not in lab()[0]

    notebook.write_text('{"cells": []}')
    assert "`git stash`" in lab()[0]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no root")
def test_root_is_let_in_and_told_who_can_reach_it(lab, course):
    called = lab(user=0)

    assert "as root" in called[0]
    assert "reached from this machine alone" in called[0]
    assert called[-3:-1] == ["--allow-root", "--ip=localhost"]


@pytest.mark.parametrize("address", ["--ip=0.0.0.0", "--ServerApp.ip=0.0.0.0"])
def test_root_who_lets_others_reach_it_has_to_allow_that(lab, course, address):
    called = lab("--", address, user=0)

    assert called[0].startswith("--notebook-dir=")
    assert called[2:-1] == [SAVING, address]


@pytest.mark.skipif(sys.platform != "linux", reason="Linux tells where there is a screen")
@pytest.mark.parametrize("screen", [*SCREENS, "NONE"])
def test_no_text_browser_takes_the_terminal(lab, course, screen):
    assert ("--no-browser" in lab(screen=screen)) == (screen == "NONE")


def test_it_lays_the_course_out_where_it_is_told(lab, course):
    called = lab("mine")

    assert called[0] == "The course is in mine: notebooks/ to read, exercises/ to fix."
    assert called[2].endswith("00_start_here.ipynb")
    laid_out = (course / "mine" / "notebooks").glob("*.ipynb")
    assert {path.name for path in laid_out} == {path.name for path in notebooks()}
    assert len(list((course / "mine" / "exercises").iterdir())) == len(all_rubrics())
    sheet = course / "mine" / "docs" / "cheat_sheet.md"
    assert sheet.exists(), "the capstone links to it"


def test_without_jupyterlab_it_names_the_command_that_installs_it(grader, course, monkeypatch):
    monkeypatch.setattr("grader.cli.lab.find_spec", lambda name: None)

    ended = grader("lab")

    assert ended.status == 2
    assert "JupyterLab is not installed here" in ended.err
    assert "jupyterlab>=4.4" in ended.err


def test_a_notebook_is_done_when_its_exercise_is_passed_without_the_optional_one():
    assert {"05", "05b"} <= {rubric.number for rubric in all_rubrics()}
    for rubric in all_rubrics():
        if rubric.number < "05":
            attempt(rubric.number)
    attempt("05", "failed")
    assert first_open_notebook().startswith("05")

    attempt("05")
    assert first_open_notebook().startswith("06")


def test_an_optional_notebook_is_opened_next_and_not_asked_for_later():
    for rubric in all_rubrics():
        if rubric.number < "10" and not rubric.optional:
            attempt(rubric.number)
    assert first_open_notebook().startswith("09c")

    predict("10.1")
    assert first_open_notebook().startswith("10")


def test_the_first_is_done_when_its_exercise_is_passed():
    predict("00.1")
    assert first_open_notebook().startswith("00")
    attempt("00")
    assert first_open_notebook().startswith("01")


def test_who_has_done_all_is_shown_the_last():
    for rubric in all_rubrics():
        attempt(rubric.number)

    assert first_open_notebook().startswith("15")
