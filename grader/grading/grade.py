"""The road from a learner's class to a report: load, probe, judge."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import structs

from grader.course import is_untouched, is_untouched_class, solution_of
from grader.grading.flags import flags_in, in_order
from grader.judge import judge
from grader.loading import LoadingError, parse, read_source, require_class
from grader.probe import fresh_seed, no_torch
from grader.schema import Report, Rubric, Verdict

if TYPE_CHECKING:
    from grader.judge import InitialState
    from grader.probe import DeviceChoice, Task
    from grader.schema import Evidence, Output

    Probe = Callable[[Task], Evidence]


def grade_file(
    rubric: Rubric,
    path: Path,
    device: DeviceChoice = "auto",
    class_name: str | None = None,
    probe: Probe | None = None,
) -> Report:
    """The report on a learner's file, probed in a process of its own.

    Args:
        rubric: the exercise it answers.
        path: the file.
        device: what to judge on.
        class_name: the class in it; the exercise's, unless given.
        probe: what runs it and gives the evidence: `probe_in_child`, unless given.
    """
    name = class_name or rubric.class_name
    try:
        source = read_source(path)
        require_class(parse(source, path), name, path)
    except LoadingError as error:
        return refusal("not_defined", str(error), rubric, str(path))
    report = probe_file(rubric, path, source, device, name, probe)
    flags = {*report.flags, *flags_in(source, rubric, name)}  # the judge's are about behaviour
    return replace(report, flags=in_order(flags))


@contextmanager
def answer_file(rubric: Rubric, text: str) -> Iterator[Path]:
    """A file that holds `text`, called as an answer to the exercise is, inside the `with` block."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"{rubric.stem}.py")
        path.write_text(text, encoding="utf-8")
        yield path


def probe_file(
    rubric: Rubric,
    path: Path,
    source: str,
    device: DeviceChoice,
    class_name: str,
    probe: Probe | None,
) -> Report:
    """The report on a class that is there, without what reading the file alone tells."""
    try:
        from grader.grading.reference import expected_initial_state, expected_outputs
        from grader.probe import Exercise, RefusedError, probe_in_child
    except ImportError as error:
        return refusal("cannot_grade", no_torch(error), rubric, str(path))
    try:
        task = Exercise(path, class_name, fresh_seed(), device, rubric.recipe)
        # Our own seed: what the child says of itself does not choose what is expected.
        evidence = structs.replace((probe or probe_in_child)(task), seed=task.seed)
        expected: tuple[Output, ...] = ()
        initial_state: InitialState | None = None
        if solution_of(rubric).exists() or not rubric.home:
            expected = expected_outputs(rubric, evidence)
            initial_state = expected_initial_state(rubric, evidence)
    except (RefusedError, LoadingError) as error:
        return refusal("cannot_grade", str(error), rubric, str(path))
    untouched = is_untouched(source, rubric.stem, rubric.home)
    return judge(
        evidence,
        rubric,
        expected,
        untouched=untouched,
        source=str(path),
        text=source,
        initial_state=initial_state,
    )


def grade_class(rubric: Rubric, cls: Any, device: DeviceChoice = "auto") -> Report:
    """The report on a class that lives in this process, as in a notebook."""
    try:
        from grader.grading.reference import expected_initial_state, expected_outputs
        from grader.probe import (
            NoCudaDeviceError,
            class_tree,
            cuda_device,
            exercise_subject,
            files_of,
            run_probe,
            source_text,
        )
    except ImportError as error:
        return refusal("cannot_grade", no_torch(error), rubric, "")
    if not isinstance(cls, type):
        message = (
            f"check() was given a {type(cls).__name__}, not a class. Give it the class itself: "
            f'check("{rubric.number}", {rubric.class_name}).'
        )
        return refusal("not_defined", message, rubric, "")
    subject = exercise_subject(cls, rubric.recipe, files_of(cls), fresh_seed())
    try:
        with cuda_device(device) as label:
            evidence = run_probe(subject, label)
        expected = expected_outputs(rubric, evidence)
        initial_state = expected_initial_state(rubric, evidence)
    except (NoCudaDeviceError, LoadingError) as error:
        return refusal("cannot_grade", str(error), rubric, "")
    untouched = is_untouched_class(class_tree(cls), rubric)
    return judge(
        evidence,
        rubric,
        expected,
        untouched=untouched,
        text=source_text(cls),
        initial_state=initial_state,
    )


def refusal(verdict: Verdict, message: str, rubric: Rubric, source: str) -> Report:
    """A report that grades nothing, and says why."""
    return Report(
        verdict=verdict,
        device="none",
        title=f"{rubric.number} {rubric.title}",
        source=source,
        max_score=sum(rubric.points.values()),
        message=message,
    )
