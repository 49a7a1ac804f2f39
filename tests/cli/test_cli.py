"""`grader check` and its neighbours, as typed: what goes wrong is said, each thing in its words."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from handing_in import notebook, solution

from grader.cli.commands import GROUPS
from grader.course.catalog import all_rubrics, solution_file, stems

ROOT = Path(__file__).resolve().parents[2]
STEM = "04_parameter_or_buffer"
FORWARD = "return (x - self.running_mean) * self.weight"
BUFFER = 'self.register_buffer("running_mean", torch.zeros(features))'


def run_python(*arguments, **options):
    """A Python of its own, for what this process cannot show: it has imported torch already."""
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, **options)


def line_of(path, text):
    """The number of the first line of a file that holds `text`."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def prose(text):
    """A text without its line breaks."""
    return " ".join(text.split())


# What an exercise's report says.


def test_the_first_report_asks_which_line_is_to_blame(course, grader, golden):
    ended = grader("check", "13", "--device", "simulated")

    assert ended.status == 1
    assert ended.err == ""
    golden("which_line", ended.out)


def test_solutions_are_graded_in_the_place_of_exercises(course, grader):
    ended = grader("check", "03", "04", "--solutions", "--format", "json")

    reports = json.loads(ended.out)
    assert ended.status == 0
    assert [report["verdict"] for report in reports] == ["passed", "passed"]
    assert all("solutions" in report["source"] for report in reports)


def test_a_passed_report(answers, grader, golden):
    path = answers.edit("torch.ones(features)", "torch.full((features,), 1.0)")

    ended = grader("check", path, "--device", "simulated")

    assert ended.status == 0
    golden("passed", ended.out)


# Bad input: no mark is given or taken, and the sentence says what to do.


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("99", "There is no exercise 99. There are "),
        ("member tensors", "There is no exercise member tensors."),
        ("nosuch.py", "nosuch.py does not exist. Is the name right, and the folder?"),
        ("exercises", "exercises is a directory. Name a Python file in it."),
        ("notes.py", "notes.py belongs to no exercise"),
        ("typo.py", "typo.py, line 2: Python cannot read this line"),
    ],
)
def test_what_no_exercise_can_be_told_from(target, message, course, grader):
    (course / "notes.py").write_text("class Perceptron:\n    pass\n")
    (course / "typo.py").write_text("import torch\nclass CenterScale(nn.Module)\n    pass\n")

    ended = grader("check", target)

    assert ended.status == 2
    assert message in ended.err
    assert ended.out == ""


def test_one_wrong_name_among_several_grades_none(course, grader):
    ended = grader("check", "03", "99")

    assert (ended.status, ended.out) == (2, "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check"], "Name an exercise (grader check 03), a file, or --all."),
        (["check", "03", "--device", "gpu"], "'gpu' is not one of 'auto', 'cuda', 'simulated'"),
        (["check", "03", "--format", "xml"], "'xml' is not one of"),
        (["hint"], "Missing argument 'NN'"),
        (["hint", "99"], "There is no exercise 99."),
        (["solution", "99"], "There is no exercise 99."),
        (["reset", "99"], "There is no exercise 99."),
        (["chek"], "No such command 'chek'. Did you mean 'check'?"),
        (["hnit", "03"], "Did you mean 'hint'?"),
        (["compile"], "No such command 'compile'."),
        (["hint", "03", "two"], "'two' is not a valid integer"),
    ],
)
def test_a_wrong_command_line(arguments, message, course, grader):
    ended = grader(*arguments)

    assert ended.status == 2
    assert message in ended.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty. Is it saved? `grader reset` brings an exercise's starter back."),
        ("  \n\n", "is empty."),
        ("# TODO\n", "does not define CenterScale. It defines no class at all."),
        ("import torch\n\nclass CenterScale(nn.Module)\n", "line 3: Python cannot read this line"),
        ("class A: pass\nclass B: pass\n", "It defines A and B. Rename your class to CenterScale"),
        ("weight = 1\0\n", "is not Python source"),
    ],
)
def test_a_file_that_holds_no_answer(text, message, answers, grader):
    ended = grader("check", answers.write(text))

    assert ended.status == 2
    assert "✗ NOT DEFINED   judged on no device" in ended.out
    assert message in prose(ended.out)


def test_a_syntax_error_is_shown_with_its_line(answers, grader, golden):
    header = "def forward(self, x: torch.Tensor) -> torch.Tensor"

    ended = grader("check", answers.edit(f"{header}:", header))

    assert ended.status == 2
    golden("bad_input_syntax_error", ended.out)


def test_a_directory_in_the_place_of_an_answer(course, grader):
    (course / f"{STEM}.py").mkdir()

    ended = grader("check", f"{STEM}.py")

    assert ended.status == 2
    assert "is a directory" in ended.out


def test_latin_1_is_read_where_the_file_says_so_and_asked_for_where_not(course, grader):
    source = solution_file(STEM).read_text(encoding="utf-8").replace("One good", "Für Jörg: one")
    Path(f"joerg_{STEM}.py").write_bytes(source.encode("latin-1"))
    declared = "# -*- coding: latin-1 -*-\n" + source
    Path(f"declared_{STEM}.py").write_bytes(declared.encode("latin-1"))

    undeclared = grader("check", f"joerg_{STEM}.py")

    assert undeclared.status == 2
    assert "is not UTF-8 text" in undeclared.out
    assert "coding: latin-1" in undeclared.out
    assert grader("check", f"declared_{STEM}.py").status == 0


# What the learner's code does.


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("import torch\n", "import torch\nimport torchvison\n", "ModuleNotFoundError in line 4"),
        ("import torch\n", "import torch\nimport sys; sys.exit(0)\n", "SystemExit in line 4: 0"),
        ("class CenterScale", "nn.Linear()\n\nclass CenterScale", "raised TypeError in line 7"),
        ("class CenterScale(nn.Module)", "@print\nclass CenterScale(nn.Module)", "there is no"),
        ("class CenterScale(nn.Module)", "@lambda cls: cls(3)\nclass CenterScale(nn.Module)",
         "CenterScale is a CenterScale, not a class"),
    ],
)  # fmt: skip
def test_a_file_that_leaves_no_class_behind_is_not_defined(old, new, message, answers, grader):
    ended = grader("check", answers.edit(old, new))

    assert ended.status == 2
    assert "✗ NOT DEFINED" in ended.out
    assert message in ended.out


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("features: int", "features: int, eps: float", "missing 1 required positional argument"),
        ("features: int", "*, size: int", "unexpected keyword argument 'features'"),
        ("torch.ones(features)", "torch.ones(feature)", "NameError in line {line}: name 'feature'"),
        ("super().__init__()", "raise KeyboardInterrupt", "KeyboardInterrupt in line {line}"),
        (BUFFER, "exit()", "SystemExit in line {line}"),
    ],
)
def test_a_constructor_that_raises_fails_and_says_how_it_is_called(
    old, new, message, answers, grader
):
    path = answers.edit(old, new)

    ended = grader("check", path)

    text = prose(ended.out)
    assert ended.status == 1
    assert "✗ NOT YET - 0 of 6 points" in text
    assert message.format(line=line_of(path, new)) in text
    assert "The exercise builds it as CenterScale(features=5)." in text


def test_a_class_that_is_no_module(answers, grader):
    source = (
        "class CenterScale:\n    def __init__(self, features):\n        self.features = features\n"
    )

    ended = grader("check", answers.write(source))

    assert ended.status == 1
    assert "gave a CenterScale, which is not an nn.Module" in ended.out


@pytest.mark.parametrize(
    ("new", "message"),
    [
        ("raise ValueError('not yet')", "`forward` raised ValueError in line {line}: not yet"),
        ("return x.view(3, -1)", "`forward` raised RuntimeError in line {line}: shape '[3, -1]'"),
        ("return self.forward(x)", "`forward` raised RecursionError in line {line}"),
        ("raise KeyboardInterrupt", "`forward` raised KeyboardInterrupt in line {line}"),
        ("raise SystemExit", "`forward` raised SystemExit in line {line}"),
        ("y = x * self.weight", "output is None: is a `return` missing"),
        ("return x, self.weight", "`forward` returned output[0] a Tensor, output[1] a Tensor"),
        ("return (x * self.weight).detach().cpu().numpy()", "output is a NumPy array"),
        ("return str(x.shape)", "output is a str; expected: a Tensor"),
        ("return x[:, :2]", "output has shape (8, 2); expected: (8, 5)"),
        ("return x.double().cpu() * 2", "output is on the CPU"),
    ],
)
def test_a_forward_that_goes_wrong_costs_its_check_and_names_the_line(
    new, message, answers, grader
):
    path = answers.edit(FORWARD, new)

    ended = grader("check", path)

    assert ended.status == 1
    assert "✗ forward     0/1" in ended.out
    assert message.format(line=line_of(path, new)) in prose(ended.out)


def test_the_line_is_the_learners_even_where_torch_raised(answers, grader):
    path = answers.edit(FORWARD, "return torch.cat([x, None])")

    ended = grader("check", path)

    assert f"TypeError in line {line_of(path, 'torch.cat')}:" in ended.out
    assert "site-packages" not in ended.out
    assert "Traceback" not in ended.out


def test_code_that_ends_its_process_has_crashed(answers, grader):
    ended = grader("check", answers.edit(FORWARD, "import os; os._exit(0)"))

    assert ended.status == 2
    assert "✗ CRASHED" in ended.out


def test_warnings_and_prints_cost_no_mark_and_stay_out_of_the_json(answers, grader):
    noise = f"import warnings; warnings.warn('old'); print('got', x.shape)\n        {FORWARD}"
    path = answers.edit(FORWARD, noise)

    text, data = grader("check", path), grader("check", path, "--format", "json")

    assert (text.status, data.status) == (0, 0)
    assert "got torch.Size([8, 5])" in text.out
    assert "old" not in text.out
    assert json.loads(data.out)["verdict"] == "passed"
    assert text.err == data.err == ""


# Devices and formats.


@pytest.mark.skipif(torch.cuda.is_available(), reason="a GPU is here")
def test_a_gpu_that_is_asked_for_and_not_there_is_no_fault_of_the_learners(course, grader):
    ended = grader("check", "04", "--device", "cuda", "--format", "json")

    report = json.loads(ended.out)
    assert ended.status == 2
    assert report["verdict"] == "cannot_grade"
    assert report["device"] == "none"
    assert "--device simulated" in report["message"]


def test_json_is_one_object_with_the_promised_keys(course, grader):
    ended = grader("check", "04", "--device", "simulated", "--format", "json")

    report = json.loads(ended.out)
    assert ended.status == 1
    assert report["verdict"] == "not_attempted"
    assert report["device"] == "cuda:0 (simulated)"
    assert (report["score"], report["max_score"]) == (0, 6)
    assert {frozenset(check) for check in report["checks"]} == {
        frozenset({"name", "passed", "points", "max_points", "message", "status"})
    }
    keys = {"code", "severity", "where", "line", "message", "fix", "source_line", "edits"}
    assert all(keys <= set(finding) for finding in report["findings"])
    assert {finding["code"] for finding in report["findings"]} == {"parameter-or-buffer"}


def test_several_targets_are_reported_in_their_order_and_the_worst_decides(answers, grader):
    right = answers.edit("torch.ones(features)", "torch.ones((features,))")

    ended = grader("check", right, "03")

    assert ended.status == 1
    assert ended.out.index("✓ PASSED") < ended.out.index("○ NOT ATTEMPTED")


# The rest of the command.


def test_list_names_every_exercise_and_its_file(course, grader):
    lines = grader("list").out.splitlines()

    assert len(lines) == len(stems())
    for line, rubric in zip(lines, all_rubrics(), strict=True):
        assert line.startswith(rubric.number)
        assert rubric.title in line
        assert f"exercises/{rubric.stem}.py" in line


def test_list_says_where_there_is_no_course(grader, tmp_path, monkeypatch):
    monkeypatch.setattr("grader.course.catalog.course_root", lambda: tmp_path)

    ended = grader("list")

    assert ended.status == 0
    assert len(ended.out.splitlines()) == len(stems())
    assert ended.err.startswith(f"There is no course in {tmp_path}")


def test_the_solution_is_printed_with_its_reason(course, grader):
    ended = grader("solution", "04")

    assert ended.status == 0
    assert "class CenterScale(nn.Module):" in ended.out
    assert "# Why: The scale is learned: a Parameter" in ended.out


def test_reset_brings_the_starter_back_and_keeps_the_answer(course, grader):
    path = course / "exercises" / f"{STEM}.py"
    starter = path.read_text()
    path.write_text("# my answer\n")

    ended = grader("reset", "04")

    assert path.read_text() == starter
    assert f"{STEM}.1.old.py" in ended.out
    assert (course / "exercises" / f"{STEM}.1.old.py").read_text() == "# my answer\n"
    assert grader("reset", "04").out == "Nothing to reset: this is the starter.\n"


# What starts without torch.


@pytest.mark.parametrize(
    "arguments", [["list"], ["hint", "03"], ["--help"], ["check", "--help"], ["solution", "03"]]
)
def test_what_runs_no_ones_code_starts_without_torch(arguments):
    ran = run_python("-X", "importtime", "-m", "grader.cli", *arguments)

    imported = {line.rpartition("|")[2].strip() for line in ran.stderr.splitlines()}
    assert ran.returncode == 0
    assert "grader.cli.commands" in imported
    assert "torch" not in imported


def test_without_torch_nothing_is_graded_and_no_one_is_blamed(answers, tmp_path):
    blocker = tmp_path / "without" / "torch.py"
    blocker.parent.mkdir()
    blocker.write_text("raise ModuleNotFoundError(\"No module named 'torch'\", name='torch')\n")
    path = answers.edit("torch.ones(features)", "torch.ones((features,))")
    code = f"import sys; sys.path.insert(0, {str(blocker.parent)!r}); import grader.cli as c; "

    ran = run_python("-c", f"{code}sys.argv = ['grader', 'check', {str(path)!r}]; c.main()")

    assert ran.returncode == 2
    assert "✗ CANNOT BE GRADED   judged on no device" in ran.stdout
    assert "says nothing about your answer" in prose(ran.stdout)
    assert "`pip install torch`" in prose(ran.stdout)
    assert ran.stderr == ""


def test_the_command_is_installed_as_a_module_too(course):
    ran = run_python("-m", "grader", "--version")

    assert ran.returncode == 0
    assert ran.stdout.startswith("grader, version ")


@pytest.mark.search
@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
@pytest.mark.parametrize("command", [("check", "03", "--solutions"), ("explain", "member-tensor")])
def test_another_encoding_changes_signs_and_no_exit_code(encoding, command):
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    ended = run_python("-m", "grader", *command, env=environment, encoding=encoding)

    assert (ended.returncode, ended.stderr) == (0, "")
    if command[0] == "check":
        assert ("✓ PASSED" if encoding == "utf-8" else "+ PASSED") in ended.stdout


def test_a_quoted_line_is_cut(tmp_path, grader):
    (tmp_path / f"{STEM}.py").write_text(f"rows = [{'1, ' * 50_000}] +* 2", encoding="utf-8")

    ended = grader("check", tmp_path / f"{STEM}.py")

    assert (ended.status, "Python cannot read this line" in prose(ended.out)) == (2, True)
    assert len(ended.out) < 1_000


# Notebooks.


def test_a_notebook_is_read_as_a_batch_reads_it(tmp_path, grader):
    answers = [solution(), solution(STEM)]
    cells = ("%pip install torch", *answers, "raise SystemExit('only a try')")
    (tmp_path / "work.ipynb").write_bytes(notebook(*cells))

    ended = grader("check", tmp_path / "work.ipynb", "--device", "simulated", "--format", "json")

    reports = json.loads(ended.out)
    assert (ended.status, ended.err) == (0, "")
    assert [report["title"].split()[0] for report in reports] == ["03", "04"]
    assert [Path(report["source"]).name for report in reports] == [
        "work.ipynb cell 2",
        "work.ipynb cell 3",
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "work.ipynb is not a notebook that can be read"),
        (b'{"cells": []}', "work.ipynb belongs to no exercise"),
        (b"", "work.ipynb is empty"),
    ],
)
def test_a_notebook_that_cannot_be_graded_is_named(content, message, tmp_path, grader):
    (tmp_path / "work.ipynb").write_bytes(content)

    ended = grader("check", tmp_path / "work.ipynb")

    assert (ended.status, message in prose(ended.err)) == (2, True), ended


# The command alone.


def test_alone_it_shows_the_three_groups_and_where_to_begin(grader):
    ended = grader()

    assert (ended.status, ended.err) == (0, "")
    places = [ended.out.index(f"{title}:") for title in GROUPS]
    assert places == sorted(places)
    assert "Begin with `grader lab`" in ended.out
    assert not [line for line in ended.out.splitlines()[1:] if line.endswith("...")]


def test_its_groups_are_those_of_the_page():
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")

    for title, commands in GROUPS.items():
        table = page.partition(f"| {title.lower()} | |")[2].partition("\n\n")[0]
        first_cells = "\n".join(re.findall(r"^\| (.+?) \|", table, re.MULTILINE))
        assert set(commands) <= set(re.findall(r"`grader ([a-z-]+)", first_cells)), title
