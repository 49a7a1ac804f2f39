"""`exam()`: ten modules to judge, three to fix, and the result, in a notebook."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from grader.course import TEN, THREE, pool
from grader.learning.exams.result import score
from grader.learning.exams.sitting import Sitting, sit
from grader.learning.notebook.display import CELL_WIDTH, running_shell
from grader.learning.notebook.widgets import has_widgets, show_bundle, show_widget
from grader.render import wrap_lines

if TYPE_CHECKING:
    from grader.learning.notebook.quiz import Asked, Turns


def exam(seed: str = "") -> None:
    """Ask what ten modules do, then judge three fixes, and show the result.

    Without buttons, `grader exam` in a terminal is the same exam, and goes on where this stopped.

    Args:
        seed: which ten modules; a teacher gives you one. Without it, the last exam goes on, or a
            new one begins.
    """
    sitting = sit(seed)
    if not sitting.waiting:
        _show_result(sitting)
        return
    text = (
        f"{TEN} modules from a pool of {len(pool())}, then {THREE} to fix: files in a folder that "
        "the last answer names. Run this cell again then, and it judges the fixes.\n"
        "No buttons below? Take it in a terminal: grader exam"
    )
    if running_shell() is None:
        print(text)
        return
    show_bundle({"text/plain": text})
    if has_widgets():
        show_widget(exam_turns(sitting).view)


def exam_turns(sitting: Sitting) -> Turns:
    """What is not answered, one module after the other; no answer is shown."""
    from grader.learning.notebook.quiz import Asked, Turns

    modules = {module.name: module for module in sitting.waiting}

    def answer(asked: Asked, choice: str, sure: bool) -> Asked | None:
        module = modules[asked.question.number]
        outcome = module.outcomes[asked.question.letters.index(choice)]
        notice = sitting.answer(module, outcome, sure)
        return None if sitting.waiting else replace(asked, message=f"{_then_fix(sitting)} {notice}")

    return Turns(
        (
            Asked(module.question(), f"Module {count} of {TEN}, exam {sitting.seed}", True)
            for count, module in enumerate(modules.values(), TEN - len(modules) + 1)
        ),
        answer,
    )


def _then_fix(sitting: Sitting) -> str:
    files = ", ".join(map(str, sitting.hand_out()))
    return f"All {TEN} are answered. Fix {files}; then run this cell again for your result."


def _show_result(sitting: Sitting) -> None:
    result = score(sitting, print)
    text = wrap_lines(result.text(), CELL_WIDTH)
    if running_shell() is None:
        print(text)
    else:
        show_bundle({"text/html": result.to_html(), "text/plain": text})
