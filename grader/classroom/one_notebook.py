"""A notebook on its own, or its export, for `grader check`: read and graded as in a batch."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from grader.classroom.grading.marking import GradingJob, grade_submission
from grader.classroom.grading.prober import ProbeResult
from grader.classroom.intake.documents import Document, UnreadableError
from grader.classroom.intake.exercises import course
from grader.classroom.intake.notebooks import code_cells, script, without_experiments
from grader.classroom.intake.scope import COURSE
from grader.classroom.intake.submission import is_notebook
from grader.classroom.intake.submissions import exercises_of
from grader.loading import LoadingError, modules_beside, own_modules, read_source
from grader.schema import Report, Rubric

if TYPE_CHECKING:
    from grader.probe import DeviceChoice, Task


def exercises_in_notebook(path: Path) -> tuple[Rubric, ...]:
    """The exercises that a notebook answers, by its name or by the classes in it; perhaps none.

    Raises:
        LoadingError: it cannot be read.
    """
    try:
        read_source(path)  # says what is wrong with a file that cannot be read as text
        numbers = exercises_of(Document((path.name,), path=path), COURSE, ("", ""))
    except UnreadableError as error:
        raise LoadingError(f"{path} {error}.") from None
    return tuple(course()[number] for number in numbers)


def grade_notebook(rubric: Rubric, path: Path, device: DeviceChoice) -> Report:
    """The report on an answer in a notebook, with lines as in the cell, or in its export.

    Raises:
        LoadingError: the notebook cannot be read.
    """
    try:
        text = read_source(path)
        cells = code_cells(text.encode()) if is_notebook(path.name) else None
    except UnreadableError as error:
        raise LoadingError(f"{path} {error}.") from None
    answer = without_experiments(text, rubric) if cells is None else script(cells, rubric)
    own = own_modules(answer, modules_beside(path))
    modules = {name: str(path.parent / name) for name in own}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, f"{path.stem}.py")
        file.write_bytes(answer.encode("utf-8", "surrogatepass"))
        job = GradingJob(rubric.stem, str(file), str(path), rubric.home, modules=modules)
        return grade_submission(job, device, _probe).report


def _probe(task: Task, seconds: float) -> ProbeResult:
    from grader.probe import Limits, RefusedError, probe_in_child

    try:
        return ProbeResult(probe_in_child(task, Limits(seconds)), "process", 0.0)
    except RefusedError as error:
        return ProbeResult(None, "none", 0.0, str(error))
