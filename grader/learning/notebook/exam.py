"""`exam()`: ten modules to judge, three to fix, and the result, in a notebook."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from grader.course import TEN, THREE, pool
from grader.learning.exams.handing_in import exam_folder, hand_in
from grader.learning.exams.sitting import hand_out, sit
from grader.learning.journal import Sure
from grader.learning.notebook.display import CELL_WIDTH, running_shell
from grader.learning.notebook.widgets import has_widgets, show_bundle, show_widget
from grader.render import wrap_lines

if TYPE_CHECKING:
    from grader.learning.exams.sitting import Sitting
    from grader.learning.notebook.question_view import QuestionState


def exam(seed: str = "") -> None:
    """Ask what ten modules do, then judge three fixes, and show the result.

    Without buttons, `grader exam` in a terminal is the same exam, and goes on where this stopped.

    Args:
        seed: which ten modules; a teacher gives you one. Without it, the last exam goes on, or a
            new one begins.

    Raises:
        ExamError: that exam was begun with another version of the modules.
    """
    sitting = sit(seed)
    if not sitting.waiting:
        _show_result(sitting)
        return
    text = (
        f"{TEN} modules from a pool of {len(pool())}, then {THREE} to fix. No buttons below? Take "
        "it in a terminal: grader exam"
    )
    if running_shell() is None:
        print(text)
        return
    show_bundle({"text/plain": text})
    if has_widgets():
        show_widget(ExamButtons(sitting).view)


class ExamButtons:
    """Asks for what is not answered, one module after the other, and shows no answer."""

    def __init__(self, sitting: Sitting) -> None:
        from grader.learning.notebook.question_view import Actions, QuestionView

        self._sitting = sitting
        self._asked = self._next()
        self.view = QuestionView(self._asked, Actions(self._answer))

    def _next(self) -> QuestionState:
        from grader.learning.notebook.question_view import QuestionState

        waiting = self._sitting.waiting
        heading = f"Module {TEN - len(waiting) + 1} of {TEN}, exam {self._sitting.seed}"
        return QuestionState(waiting[0].question(), heading, with_code=True)

    def _answer(self, choice: str, sure: Sure) -> None:
        module, question = self._sitting.waiting[0], self._asked.question
        self._sitting.answer(module, module.outcomes[question.letters.index(choice)], sure)
        is_last = not self._sitting.waiting
        self._asked = (
            replace(self._asked, chosen=choice, message=_then_fix(self._sitting))
            if is_last
            else self._next()
        )
        self.view.show(self._asked)


def _then_fix(sitting: Sitting) -> str:
    paths = hand_out(sitting.seed, exam_folder(sitting, Path()))
    files = ", ".join(map(str, paths))
    return f"All {TEN} are answered. Fix {files}; then run this cell again for your result."


def _show_result(sitting: Sitting) -> None:
    handed_in = hand_in(sitting, Path(), print)
    if running_shell() is not None:
        show_bundle({"image/svg+xml": handed_in.svg, "text/plain": "The result, as a picture"})
    print(wrap_lines(handed_in.text(), CELL_WIDTH))
