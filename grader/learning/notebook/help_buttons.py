"""The buttons below a report: hints, one at a time, and the solution behind a second thought."""

from __future__ import annotations

from typing import Any

import ipywidgets as widgets
from markupsafe import Markup

from grader.learning.help import TRIES, hint_text, solution_code
from grader.learning.journal import SOLUTION, note_help, read_journal
from grader.render import STYLE, prose, render_template
from grader.schema import Rubric

WIDE = {"width": "max-content"}


class HelpButtons:
    """What stands below a report. Hints that were taken earlier are still there."""

    def __init__(self, rubric: Rubric, passed: bool) -> None:
        journal, _ = read_journal()
        self.rubric = rubric
        self.taken = 0 if passed else journal.hints_taken(rubric.number)
        self.told: list[Markup] = []
        self.hint = widgets.Button(layout=WIDE)
        self.solution = widgets.Button(description="Show the solution", layout=WIDE)
        self.message = widgets.HTML()
        self.open = passed or journal.tries(rubric.number) >= TRIES
        buttons = [self.solution] if passed else [self.hint, self.solution]
        self.box = widgets.VBox([widgets.HBox(buttons), self.message])
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
        words = "It teaches more after two tries of your own. A hint may be all you need."
        self._tell(Markup("<p>{}</p>").format(words))

    def _tell(self, html: Markup, notice: str = "") -> None:
        self.told.append(html)
        if notice:
            self.told.append(Markup("<p>{}</p>").format(notice))
        inside = Markup("\n").join(self.told)
        self.message.value = f'<style>{STYLE}</style><div class="wmt" role="status">{inside}</div>'


def _hint(rubric: Rubric, number: int) -> Markup:
    return Markup("<p>{}</p>").format(prose(hint_text(rubric, number)))


def _solution(rubric: Rubric) -> Markup:
    code = solution_code(rubric)
    return render_template("grader.learning.notebook", "solution.html", rubric=rubric, code=code)
