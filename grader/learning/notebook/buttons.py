"""What has buttons below a report while a notebook is live.

- the line to blame, of the first report on an exercise, which then unfolds;
- help: hints, one at a time, and the solution behind a second thought.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import ipywidgets as widgets
from markupsafe import Markup

from grader.learning.first_look import READ_AT_ONCE, FirstLook
from grader.learning.help import TRIES, hint_text, solution_code
from grader.learning.journal import SOLUTION, note_help, peek, read_journal
from grader.learning.notebook.display import for_a_cell
from grader.learning.notebook.quiz import QuestionView, line_asked
from grader.render import STYLE, prose, render_template, to_html
from grader.schema import Report, Rubric

PARAGRAPH = Markup("<p>{}</p>")
WIDE = {"width": "max-content"}


class HelpButtons:
    """What stands below a report. Hints that were taken earlier are still there.

    The last one shows the report again, with its fixes, in the place of the one above.
    """

    def __init__(self, rubric: Rubric, report: Report) -> None:
        journal, _ = read_journal()
        passed = report.verdict == "passed"
        self.rubric, self.report = rubric, report
        self.taken = 0 if passed else journal.hints_taken(rubric.number)
        self.told: list[Markup] = []
        self.hint = widgets.Button(layout=WIDE)
        self.solution = widgets.Button(description="Show the solution", layout=WIDE)
        self.message = widgets.HTML()
        self.open = passed or journal.tries(rubric.number) >= TRIES
        buttons = [self.solution] if passed else [self.hint, self.solution]
        self.help = (widgets.HBox(buttons), self.message)
        self.box = widgets.VBox(self.help)
        self.hint.on_click(self._take_a_hint)
        self.solution.on_click(self._ask_for_the_solution)
        for number in range(1, self.taken + 1):
            self._tell(PARAGRAPH.format(prose(hint_text(rubric, number))))
        self._name_the_next_hint()

    def _take_a_hint(self, _: Any) -> None:
        self.taken += 1
        notice = note_help(self.rubric.number, self.taken)
        self._tell(PARAGRAPH.format(prose(hint_text(self.rubric, self.taken))), notice)
        self._name_the_next_hint()
        if self.hint.disabled and not self.report.shows_fixes:
            self.show_report(replace(self.report, shows_fixes=True))

    def show_report(self, report: Report, notice: str = "") -> None:
        """Put it above the buttons, and hide the one that the cell showed."""
        self.box.add_class("wmt-unfolded")
        html = REPLACES + to_html(for_a_cell(report))
        self.box.children = (*map(widgets.HTML, filter(None, (html, notice))), *self.help)

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
        hint = "" if self.hint.disabled else " A hint may be all you need."
        self._tell(PARAGRAPH.format(f"It teaches more after two tries of your own.{hint}"))

    def _tell(self, html: Markup, notice: str = "") -> None:
        self.told += [html, PARAGRAPH.format(notice)] if notice else [html]
        inside = Markup("\n").join(self.told)
        self.message.value = f'<style>{STYLE}</style><div class="wmt" role="status">{inside}</div>'


# The whole report stands in the place of the folded one, the output above.
REPLACES = (
    "<style>.jp-OutputArea-child:has(+ .jp-OutputArea-child .wmt-unfolded) "
    ":is(.wmt, .wmt-by-hand) { display: none }</style>"
)


class LookButtons:
    """The lines to choose from, then the whole report and its help in their place."""

    def __init__(self, look: FirstLook) -> None:
        self._look = look
        earlier = peek().looks.get(look.rubric.number)
        tried = tuple(map(str, earlier.lines if earlier else ()))
        self._asked = replace(line_asked(look), tried=tried)
        self.view = QuestionView(self._asked, self._blame, lambda: self._blame(str(READ_AT_ONCE)))
        self.box = widgets.VBox([self.view])

    def _blame(self, line: str, _: bool = True) -> None:
        look, number = self._look, int(line)
        is_over, notice = look.blame(number)
        if is_over:
            below = HelpButtons(look.rubric, look.unfolded(number))
            below.show_report(look.unfolded(number), notice and PARAGRAPH.format(notice))
            self.box.children = (below.box,)
            return
        message = " ".join(filter(None, (look.miss(number), notice)))
        self._asked = replace(self._asked, tried=(*self._asked.tried, line), message=message)
        self.view.show(self._asked)


def _solution(rubric: Rubric) -> Markup:
    code = solution_code(rubric)
    return render_template("grader.learning.notebook", "solution.html", rubric=rubric, code=code)
