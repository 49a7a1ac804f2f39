"""The buttons below a report: hints, one at a time, and the solution behind a second thought."""

from __future__ import annotations

from html import escape
from typing import Any

import ipywidgets as widgets

from grader.journal import SOLUTION, note_help, read
from grader.learning.help import TRIES, hint_text, solution_code
from grader.render.html import STYLE, prose
from grader.rubrics import Rubric

WIDE = {"width": "max-content"}


class HelpButtons:
    """What stands below a report. Hints that were taken earlier are still there."""

    def __init__(self, rubric: Rubric, passed: bool) -> None:
        journal, _ = read()
        self.rubric = rubric
        self.taken = 0 if passed else journal.hints_taken(rubric.number)
        self.told: list[str] = []
        self.hint = widgets.Button(layout=WIDE)
        self.solution = widgets.Button(description="Show the solution", layout=WIDE)
        self.said = widgets.HTML()
        self.open = passed or journal.tries(rubric.number) >= TRIES
        buttons = [self.solution] if passed else [self.hint, self.solution]
        self.box = widgets.VBox([widgets.HBox(buttons), self.said])
        self.hint.on_click(self._take_a_hint)
        self.solution.on_click(self._ask_for_the_solution)
        for number in range(1, self.taken + 1):
            self._tell(_hint(rubric, number))
        self._name_the_next_hint()

    def _take_a_hint(self, _: Any) -> None:
        self.taken += 1
        self._tell(_hint(self.rubric, self.taken), note_help(self.rubric.number, self.taken))
        self._name_the_next_hint()

    def _name_the_next_hint(self) -> None:
        of = len(self.rubric.hints)
        self.hint.disabled = self.taken >= of
        self.hint.description = (
            "No more hints" if self.hint.disabled else f"Hint {self.taken + 1} of {of}"
        )

    def _ask_for_the_solution(self, _: Any) -> None:
        if self.open:
            self.solution.disabled = True
            self._tell(_solution(self.rubric), note_help(self.rubric.number, SOLUTION))
            return
        self.open = True
        self.solution.description = "Show it anyway"
        self._tell(
            "<p>It teaches more after two tries of your own. A hint may be all you need.</p>"
        )

    def _tell(self, html: str, notice: str = "") -> None:
        self.told += [html, f"<p>{escape(notice)}</p>" if notice else ""]
        inside = "\n".join(filter(None, self.told))
        self.said.value = f'<style>{STYLE}</style><div class="wmt" role="status">{inside}</div>'


def _hint(rubric: Rubric, number: int) -> str:
    return f"<p>{prose(hint_text(rubric, number))}</p>"


def _solution(rubric: Rubric) -> str:
    also = "".join(f"<li>{prose(each)}</li>" for each in rubric.also_right)
    return (
        f"<b>One good answer</b><pre>{escape(solution_code(rubric))}</pre>"
        f"<p><b>Why:</b> {prose(rubric.reason)}</p>"
        + (f"<b>Also right</b><ul>{also}</ul>" if also else "")
    )
