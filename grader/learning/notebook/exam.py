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
    from grader.learning.notebook.question_view import QuestionState


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

    def _answer(self, choice: str, sure: bool) -> None:
        module, question = self._sitting.waiting[0], self._asked.question
        self._sitting.answer(module, module.outcomes[question.letters.index(choice)], sure)
        self._asked = (
            self._next()
            if self._sitting.waiting
            else replace(self._asked, chosen=choice, message=_then_fix(self._sitting))
        )
        self.view.show(self._asked)


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
