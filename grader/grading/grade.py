"""The road from a learner's class to a report: load, probe, judge."""

from __future__ import annotations

import linecache
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import structs

from grader.course import is_untouched, is_untouched_class, of_another, solution_of
from grader.grading.flags import flags_in, in_order
from grader.judge import SourceFile, Sources, judge, name_cells
from grader.loading import (
    LoadingError,
    classes_in,
    modules_beside,
    own_modules,
    parse,
    read_source,
    require_class,
    shortest,
)
from grader.probe import fresh_seed, no_torch
from grader.schema import Report, Rubric, Verdict

if TYPE_CHECKING:
    from grader.judge import InitialState
    from grader.probe import DeviceChoice, Exercise, Task
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
        tree = parse(source, path)
        if name not in classes_in(tree) and (other := of_another(rubric, classes_in(tree))):
            raise LoadingError(f"{path} does not define {name}. It defines {other}.")
        require_class(tree, name, path)
    except LoadingError as error:
        return refusal("not_defined", str(error), rubric, str(path))
    report = probe_file(rubric, path, source, device, name, probe)
    own = own_modules(source, modules_beside(path))
    flags = {*report.flags, *flags_in(source, rubric, name, own)}  # the judge's are about behaviour
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
        from grader.grading.reference import expected_outputs
        from grader.probe import Exercise, RefusedError, probe_in_child, torch_defaults
    except ImportError as error:
        return refusal("cannot_grade", no_torch(error), rubric, str(path))
    try:
        task = Exercise(path, class_name, fresh_seed(), device, rubric.recipe)
        # Our own seed: what the child says of itself does not choose what is expected.
        evidence = structs.replace((probe or probe_in_child)(task), seed=task.seed)
        evidence = _with_no_gpu(evidence, task, probe or probe_in_child)
        expected: tuple[Output, ...] = ()
        initial_state: InitialState | None = None
        if solution_of(rubric).exists() or not rubric.home:
            with torch_defaults():
                expected = expected_outputs(rubric, evidence)
                initial_state = _initial_state(rubric, evidence)
    except (RefusedError, LoadingError) as error:
        return refusal("cannot_grade", str(error), rubric, str(path))
    untouched = is_untouched(source, rubric.stem, rubric.home)
    return judge(
        evidence,
        rubric,
        expected,
        untouched=untouched,
        source=str(path),
        sources=Sources(SourceFile(source)),
        initial_state=initial_state,
    )


def _with_no_gpu(evidence: Evidence, task: Exercise, probe: Probe) -> Evidence:
    """With the call on a machine without a GPU: a real one is hidden from a new process only."""
    from grader.probe import is_simulated

    if evidence.device == "none" or is_simulated(evidence.device):
        return evidence
    recipe = replace(task.recipe, thorough=False, measures_noise=False, elsewhere=())
    there = probe(replace(task, device="simulated", recipe=recipe)).elsewhere
    return structs.replace(evidence, elsewhere=(*evidence.elsewhere, *there))


def _initial_state(rubric: Rubric, evidence: Evidence) -> InitialState:
    """The solution's, of which gradients are a part.

    Where there is a GPU they are taken in a child: a backward pass starts autograd's threads, and
    after that no forked child of this process could judge another answer.
    """
    from grader.grading.reference import expected_initial_state
    from grader.probe import is_simulated, process_pool

    if not is_simulated(evidence.device) and sys.platform == "linux":
        with process_pool(1) as child, suppress(RuntimeError):
            return child.submit(expected_initial_state, rubric, evidence).result()
    return expected_initial_state(rubric, evidence)  # or the threads have been started already


def grade_class(rubric: Rubric, cls: Any, device: DeviceChoice = "auto") -> Report:
    """The report on a class that lives in this process, as in a notebook."""
    try:
        from grader.grading.reference import expected_initial_state, expected_outputs
        from grader.probe import (
            NoCudaDeviceError,
            class_tree,
            cuda_device,
            defining_files,
            exercise_subject,
            file_of,
            run_probe,
            torch_defaults,
        )
    except ImportError as error:
        return refusal("cannot_grade", no_torch(error), rubric, "")
    if not isinstance(cls, type):
        message = (
            f"check() was given a {type(cls).__name__}, not a class. Give it the class itself: "
            f'check("{rubric.number}", {rubric.class_name}).'
        )
        return refusal("not_defined", message, rubric, "")
    if other := of_another(rubric, [cls.__name__]):
        message = (
            f"check() was given {other}. Exercise {rubric.number} asks for {rubric.class_name}: "
            f'check("{rubric.number}", {rubric.class_name}).'
        )
        return refusal("not_defined", message, rubric, "")
    subject = exercise_subject(cls, rubric.recipe, defining_files(cls), fresh_seed())
    try:
        with torch_defaults():
            with cuda_device(device) as label:
                evidence = run_probe(subject, label)
            expected = expected_outputs(rubric, evidence)
            initial_state = expected_initial_state(rubric, evidence)
    except (NoCudaDeviceError, LoadingError) as error:
        return refusal("cannot_grade", str(error), rubric, "")
    parts = (class_tree(part) for part in reversed(cls.__mro__) if part.__name__ == cls.__name__)
    untouched = is_untouched_class(filter(None, parts), rubric)
    own = file_of(cls)
    named, names = name_cells(evidence, own)
    return judge(
        named,
        rubric,
        expected,
        untouched=untouched,
        sources=_sources(evidence, own, names),
        initial_state=initial_state,
    )


def _sources(evidence: Evidence, own: str, names: dict[str, str]) -> Sources:
    """The texts of the files and cells that a class is written in, by their names in evidence."""
    others = {
        names.get(file, file): SourceFile(
            "".join(linecache.getlines(file)),
            "" if file == own else names.get(file) or str(shortest(Path(file))),
        )
        for file in evidence.files
    }
    return Sources(SourceFile(""), others)


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
