"""What a learner calls in a notebook or a script: `check`, `audit`, hints and solutions."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

from grader.auditing import audit as audit_report
from grader.course import exercise_file, find, solution_file
from grader.grading import grade_class, grade_file
from grader.learning.first_look import FirstLook, first_look, is_asked, look_at_file
from grader.learning.help import (
    for_learner,
    hint_text,
    next_hint,
    solution_code,
    solution_text,
    within_hint,
)
from grader.learning.journal import SOLUTION, note_attempt, note_help, peek
from grader.learning.notebook.display import CELL_WIDTH, running_shell, show
from grader.learning.notebook.expected_error import stopped_in_one_line
from grader.learning.notebook.widgets import has_widgets, show_below
from grader.loading import class_of, execute
from grader.render import wrap_lines
from grader.schema import Report, Rubric

if TYPE_CHECKING:
    from grader.probe import DeviceChoice


def ensure_cuda(devices: int = 2) -> str:
    """Make `"cuda"` usable: the real one if there is one, else simulated.

    Args:
        devices: how many simulated devices there should be, if they are simulated.

    Returns:
        Which one it is: `cuda:0 (simulated)` or `cuda:0 (NVIDIA H200)`.
    """
    import torch

    from grader.simulated_cuda import enable, is_enabled

    if not is_enabled() and torch.cuda.is_available():
        return f"cuda:0 ({torch.cuda.get_device_name(0)})"
    if not is_enabled():
        enable(devices, follow_environment=False)
    return "cuda:0 (simulated)"


def check(exercise: str | int, answer: Any = None, *, line: int = 0, why: bool = False) -> Report:
    """Judge an answer: a class, a file, or by default the file in exercises/.

    In a notebook or at a prompt, what it says is kept in the learner's progress, and the first
    report on an exercise asks which line is to blame before it is shown.

    Args:
        exercise: its number or name, such as "03" or 3.
        answer: the class itself, or a path; or one method, as `Module.parameters`, which is judged
            before the others are written.
        line: the line that is to blame; there are buttons for it.
        why: show the whole report at once.

    Raises:
        UnknownExerciseError: there is no such exercise.
        StoppedError: it was interrupted.
    """
    rubric = find(exercise)
    given, answer = answer, class_of_method(answer)
    with stopped_in_one_line():
        if answer is None or isinstance(answer, str | Path):
            path = Path(answer) if answer is not None else exercise_file(rubric.stem)
            report = grade_file(rubric, path)
        elif answer is given:
            report = with_replaced(grade_class(rubric, answer), answer)
        else:
            report = grade_method(rubric, answer, given)
    if not _is_a_learner() or (answer is not given and report.verdict == "passed"):
        return show(report)
    report = for_learner(rubric, report)
    look = _look(rubric, report, answer) if report.findings and answer is given else None
    folded = look.folded if look else report
    if look and (why or look.choice(line)):
        is_over, notice = look.blame(line)
        report = look.unfolded(line) if is_over else report
        folded = look.after_a_miss(line)
        _say(notice)
    asking = look if look and is_asked(rubric) else None
    show(report, *_by_hand(asking, folded, answer)) if asking else show(report)
    _say(note_attempt(rubric.number, report, report_shown=not asking))
    if has_widgets():
        show_below(report, lambda: _buttons(rubric, report, asking))
    return report


def _look(rubric: Rubric, report: Report, answer: Any) -> FirstLook | None:
    if not isinstance(answer, type):
        path = exercise_file(rubric.stem) if answer is None else Path(answer)
        return look_at_file(rubric, report, path)
    from grader.probe import file_of

    return first_look(rubric, report, "".join(linecache.getlines(file_of(answer))))


def _by_hand(look: FirstLook, folded: Report, answer: Any) -> tuple[Report, str, str]:
    """The folded report, the lines to choose from, and how where there are no buttons."""
    given = f", {answer.__name__}" if isinstance(answer, type) else ""
    call = f'check("{look.rubric.number}"{given}'
    how = f"Without buttons: `{call}, line=N)`, or the whole report: `{call}, why=True)`."
    return replace(folded, next_step=""), look.code, f"{folded.next_step} {how}"


def hint(exercise: str | int, number: int | None = None) -> None:
    """Print one hint: the first that was not shown yet, or the one with this number.

    Raises:
        UnknownExerciseError: there is no such exercise.
    """
    rubric = find(exercise)
    number = next_hint(rubric, peek()) if number is None else within_hint(rubric, number)
    print(wrap_lines(hint_text(rubric, number), CELL_WIDTH))
    if _is_a_learner():
        _say(note_help(rubric.number, number))


def solution(exercise: str | int) -> None:
    """Print one good answer, why it is right, and what else would be.

    Raises:
        UnknownExerciseError: there is no such exercise.
    """
    rubric = find(exercise)
    print(solution_text(rubric))
    if _is_a_learner():
        _say(note_help(rubric.number, SOLUTION))


def _is_a_learner() -> bool:
    """Whether somebody typed this, in a notebook or at a prompt; a script is not a learner."""
    return running_shell() is not None or hasattr(sys, "ps1")


def _say(notice: str) -> None:
    if notice:
        print(notice, file=sys.stderr)


def _buttons(rubric: Rubric, report: Report, asking: FirstLook | None) -> Any:
    from grader.learning.notebook.buttons import HelpButtons, LookButtons

    if asking:
        return LookButtons(asking).box
    return HelpButtons(rubric, report).box


def audit(module_or_factory: Any, inputs: Any = None, device: DeviceChoice = "auto") -> Report:
    """Show what will go wrong when a module moves to CUDA, and why; return the report.

    Args:
        module_or_factory: an `nn.Module`, which is never changed, or a class or function that makes
            one. If it takes `device=`, it is built on CUDA too.
        inputs: what to call it with, on the CPU: a tensor, a tuple of positional arguments, or a
            dict of keyword arguments, nested as you like; or a function that gives them. `()` calls
            it without any. Without inputs, it is never called, and only its structure looked at.
        device: what to judge on: `auto`, `cuda` or `simulated`.

    Raises:
        NoCudaDeviceError: `device` is `cuda` and there is none.
        StoppedError: it was interrupted.
    """
    with stopped_in_one_line():
        report = audit_report(module_or_factory, inputs, device)
    report = with_replaced(report, module_or_factory)
    return show(report)


def class_of_method(answer: Any) -> Any:
    """The class of a method that a cell defines; anything else as it is."""
    if not isinstance(answer, FunctionType):
        return answer
    cls = answer.__globals__.get(answer.__qualname__.partition(".")[0])
    return cls if isinstance(cls, type) else answer


def grade_method(rubric: Rubric, cls: type, method: FunctionType) -> Report:
    """The report on a class that is lent, while it is judged, what it lacks of the solution's.

    A pass has no points, since it is none of the exercise.
    """
    whole = class_of(execute(solution_code(rubric), solution_file(rubric.stem)), rubric.class_name)
    has = {name for base in cls.__mro__ for name in vars(base)}
    lent = {name: value for name, value in vars(whole).items() if name not in has}
    for name, value in lent.items():
        setattr(cls, name, value)
    try:
        report = grade_class(rubric, cls)
    finally:
        for name in lent:
            delattr(cls, name)
    report = replace(report, title=f"{report.title}: {method.__name__}")
    if report.verdict != "passed":
        return report
    right = f"`{method.__name__}` is right. Go on with the next cell."
    return replace(report, checks=(), score=0, next_step=right, notes=())


def with_replaced(report: Report, judged: Any) -> Report:
    """The report, with a sentence for each class that is no longer the one that was judged.

    Args:
        report: the report.
        judged: the class, or the module, that it is about.
    """
    lines = dict.fromkeys((*_sentences(judged), *filter(None, [report.message])))
    return replace(report, message="\n".join(lines))


def _sentences(judged: Any) -> Iterator[str]:
    cls = judged if isinstance(judged, type) else type(judged)
    cells = vars(sys.modules["__main__"])  # the cells' namespace
    for old in cls.__mro__:
        now, name = cells.get(old.__qualname__), old.__name__
        if old.__module__ != "__main__" or not isinstance(now, type) or now in cls.__mro__:
            continue
        if old is not cls:
            yield (
                f"`{name}` is now another class: `{cls.__name__}` still inherits from the one "
                f"before. Run the cell of `{cls.__name__}` again."
            )
        elif old is not judged:
            yield (
                f"`{name}` is now another class: this module was made by the one before. Run the "
                "cell that makes it again."
            )
