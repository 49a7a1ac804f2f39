"""The graders that benchmarks/studies/classroom.py compares, each set up for the same submissions.

The others get what a teacher without a GPU would write: a few lines for each line of the rubric,
run on the CPU. Setting up is not measured.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent
from typing import Any
from xml.etree import ElementTree

STEM = "04_parameter_or_buffer"
CHECKS = {
    "parameters": """
shapes = {name: tuple(each.shape) for name, each in model.named_parameters()}
assert shapes == {"weight": (5,)}
assert model.weight.requires_grad
assert torch.equal(model.weight, torch.ones(5))
""",
    "buffers": """
shapes = {name: tuple(each.shape) for name, each in model.named_buffers()}
assert shapes == {"running_mean": (5,)}
assert torch.equal(model.running_mean, torch.zeros(5))
""",
    "state_dict": """
assert set(model.state_dict()) == {"weight", "running_mean"}
""",
    "placement": """
assert model.to("meta")(torch.empty(8, 5, device="meta")).device.type == "meta"
""",
    "forward": """
weight, mean, x = torch.rand(5), torch.rand(5), torch.rand(8, 5)
model.load_state_dict({"weight": weight, "running_mean": mean})
assert torch.allclose(model(x), (x - mean) * weight, atol=1e-5)
""",
    "training": """
model(torch.rand(8, 5)).sum().backward()
assert model.weight.grad is not None
""",
}
MADE = "model = CenterScale(5)"


@dataclass(frozen=True)
class Contender:
    """A grader, ready to start.

    Attributes:
        commands: what grades the submissions, all at once or one after the other.
        scores: reads each learner's points once they have run.
    """

    commands: list[list[str | Path]]
    folder: Path
    environment: Mapping[str, str]
    scores: Callable[[], dict[str, float]]


def batch(folder: Path, submissions: Mapping[str, str], programs: Path) -> Contender:
    """This project's own."""
    from grader.classroom.results.ledger import read_ledger

    for learner, source in submissions.items():
        _write(folder / "in" / learner / f"{STEM}.py", source)
    command: list[str | Path] = [programs / "grader", "batch", "in", "--out", "out"]

    def scores() -> dict[str, float]:
        return {entry.learner: entry.report.score for entry in read_ledger(folder / "out")}

    return Contender([command], folder, _environment(programs), scores)


def nbgrader(folder: Path, submissions: Mapping[str, str], programs: Path) -> Contender:
    """An assignment of one notebook: the answer, then a cell of one point for each check."""
    environment = _environment(programs)
    _write(folder / "nbgrader_config.py", 'c = get_config()\nc.CourseDirectory.course_id = "c"\n')
    cells = [_cell("answer", "pass", solution=True)]
    cells += [
        _cell(name, f"import torch\n{MADE}{code}", grade=True, locked=True, points=1)
        for name, code in CHECKS.items()
    ]
    _write(folder / "source" / STEM / f"{STEM}.ipynb", _notebook(cells))
    _run([programs / "nbgrader", "generate_assignment", STEM], folder, environment)
    released = (folder / "release" / STEM / f"{STEM}.ipynb").read_text()
    for learner, source in submissions.items():
        notebook = json.loads(released)
        (answer,) = [cell for cell in notebook["cells"] if cell["id"] == "answer"]
        answer["source"] = source
        _write(folder / "submitted" / learner / STEM / f"{STEM}.ipynb", json.dumps(notebook))

    def scores() -> dict[str, float]:
        _run([programs / "nbgrader", "export"], folder, environment)
        with (folder / "grades.csv").open(newline="") as file:
            return {row["student_id"]: float(row["score"] or 0) for row in csv.DictReader(file)}

    command: list[str | Path] = [programs / "nbgrader", "autograde", STEM, "--create"]
    return Contender([command], folder, environment, scores)


def otter(folder: Path, submissions: Mapping[str, str], programs: Path) -> Contender:
    """`otter run` takes one submission at a time."""
    environment = _environment(programs)
    for name, code in CHECKS.items():
        test = f'OK_FORMAT = False\nname = "{name}"\npoints = 1\n\n\n@test_case()\n'
        test += _test(name, code, "CenterScale, torch")
        text = f"from otter.test_files import test_case\n\n{test}"
        _write(folder / "tests" / f"{name}.py", text)
    generate = ["otter", "generate", "-t", "tests", "-o", "autograder.zip", "--no-environment"]
    _run([programs / generate[0], *generate[1:]], folder, environment)
    commands: list[list[str | Path]] = []
    for learner, source in submissions.items():
        cells = [_cell("answer", source)]
        cells += [_cell(name, f'grader.check("{name}")') for name in CHECKS]
        _write(folder / "in" / learner / f"{STEM}.ipynb", _notebook(cells))
        (folder / "out" / learner).mkdir(parents=True)
        run = ["otter", "run", f"in/{learner}/{STEM}.ipynb", "-o", f"out/{learner}", "--no-logo"]
        commands.append([programs / run[0], *run[1:]])

    def scores() -> dict[str, float]:
        return {
            submission: _otter_points(folder / "out" / submission) for submission in submissions
        }

    return Contender(commands, folder, environment, scores)


def _otter_points(folder: Path) -> float:
    tests = json.loads((folder / "results.json").read_text())["tests"]
    return sum(float(test.get("score", 0)) for test in tests if test["name"] != "Public Tests")


def pytest_each(folder: Path, submissions: Mapping[str, str], programs: Path) -> Contender:
    """The same lines as tests, and a process of pytest for each submission."""
    environment = {**_environment(programs), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    tests = ["import torch\nfrom answer import CenterScale\n"]
    tests += [_test(name, code) for name, code in CHECKS.items()]
    commands: list[list[str | Path]] = []
    for learner, source in submissions.items():
        _write(folder / learner / "answer.py", source)
        _write(folder / learner / "test_answer.py", "\n\n".join(tests))
        commands.append([programs / "pytest", "-q", "--junitxml", f"{learner}.xml", learner])

    def scores() -> dict[str, float]:
        return {submission: _passed(folder / f"{submission}.xml") for submission in submissions}

    return Contender(commands, folder, environment, scores)


def _passed(path: Path) -> float:
    suite = ElementTree.parse(path).getroot().find("testsuite")
    assert suite is not None
    tests, failures, errors = (int(suite.get(key, 0)) for key in ("tests", "failures", "errors"))
    return tests - failures - errors


def _test(name: str, code: str, arguments: str = "") -> str:
    return f"def test_{name}({arguments}):\n" + indent(f"{MADE}{code}", "    ")


def _cell(name: str, source: str, **marks: bool | int) -> dict[str, Any]:
    """A cell, with what nbgrader wants to know of it."""
    metadata = {"grade": False, "solution": False, "locked": False, "task": False, **marks}
    return {
        "cell_type": "code",
        "id": name,
        "metadata": {"nbgrader": {**metadata, "grade_id": name, "schema_version": 3}},
        "outputs": [],
        "execution_count": None,
        "source": source,
    }


def _notebook(cells: list[dict[str, Any]]) -> str:
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return json.dumps({"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5})


def _environment(programs: Path) -> dict[str, str]:
    """One in which a kernel is found beside the program that starts it."""
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "OMP_NUM_THREADS": "1"}


def _run(command: list[str | Path], folder: Path, environment: Mapping[str, str]) -> None:
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
