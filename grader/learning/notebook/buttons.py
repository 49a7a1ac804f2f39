"""What has buttons while a notebook is live: help below a report, a prediction, a review.

- the line to blame, of the first report on an exercise, which then unfolds;
- help: hints, one at a time, and the solution behind a second thought;
- a prediction: a choice, and how sure;
- puzzles: which change is right, one level after the other;
- a review: one question after the other, then a module of the exam's pool.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import monotonic
from typing import Any

import ipywidgets as widgets
from markupsafe import Markup

from grader.course import Puzzle, Question
from grader.learning.first_look import READ_AT_ONCE, FirstLook, Statement
from grader.learning.help import TRIES, hint_text, solution_code
from grader.learning.journal import SOLUTION, Prediction, note_help, now, read_journal
from grader.learning.notebook.display import for_a_cell
from grader.learning.notebook.question_view import Actions, QuestionState, QuestionView
from grader.learning.predictions import answer_again, lock_in, locked_text
from grader.learning.puzzles.map import map_of_choice
from grader.learning.puzzles.solved import note_puzzle
from grader.render import STYLE, prose, render_template, to_html
from grader.schema import Report, Rubric

PARAGRAPH = Markup("<p>{}</p>")
WIDE = {"width": "max-content"}
FIND = "One more: find the bug, if there is one"


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
    "<style>.jp-OutputArea-child:has(+ .jp-OutputArea-child .wmt-unfolded) .wmt { display: none }"
    "</style>"
)
CODE = "<style>.wmt-lines select { font-family: var(--jp-code-font-family, monospace) }</style>"


class LookButtons:
    """A list of lines to choose from, then the whole report and its help in the list's place."""

    def __init__(self, look: FirstLook) -> None:
        self.look = look
        options = [(_option(choice), choice.line) for choice in look.choices]
        self.lines = widgets.Select(
            options=options, rows=len(options), description="Line", layout={"width": "98%"}
        )
        self.lines.style.description_width = "initial"
        self.blame = widgets.Button(description="This line is to blame", layout=WIDE)
        self.why = widgets.Button(description="Show me the whole report", layout=WIDE)
        buttons = widgets.HBox([self.blame, self.why])
        self.box = widgets.VBox([widgets.HTML(CODE), self.lines, buttons])
        self.box.add_class("wmt-lines")
        self.blame.on_click(lambda _: self._unfold(self.lines.value))
        self.why.on_click(lambda _: self._unfold(READ_AT_ONCE))

    def _unfold(self, line: int) -> None:
        notice, report = self.look.note(line), self.look.unfolded(line)
        below = HelpButtons(self.look.rubric, report)
        below.show_report(report, notice and PARAGRAPH.format(notice))
        self.box.children = (below.box,)


def _option(choice: Statement) -> str:
    """One line of a list, which would draw two spaces as one."""
    first, *more = choice.text.splitlines()
    return f"{choice.line:4}  {first}{' ...' if more else ''}".replace(" ", "\N{NO-BREAK SPACE}")


def _solution(rubric: Rubric) -> Markup:
    code = solution_code(rubric)
    return render_template("grader.learning.notebook", "solution.html", rubric=rubric, code=code)


class PredictionButtons:
    """A question in a cell. An answer that was locked in earlier is still locked in."""

    def __init__(self, question: Question) -> None:
        self._asked = QuestionState(question, f"Prediction {question.number}")
        self.view = QuestionView(self._asked, Actions(self._lock_in))
        if earlier := read_journal()[0].prediction(question.number):
            self._close(earlier)

    def _lock_in(self, choice: str, sure: bool) -> None:
        self._close(*lock_in(self._asked.question, choice, sure))

    def _close(self, prediction: Prediction, notice: str = "") -> None:
        sentences = [locked_text(prediction), "Run the next cell, then open Why? below it.", notice]
        message = " ".join(filter(None, sentences))
        self.view.show(replace(self._asked, chosen=prediction.choice, message=message))


class _InTurn:
    """One question after the other; an answer is explained before the next one is asked."""

    following: str  # what the button to the next one says

    def __init__(self, waiting: list[QuestionState]) -> None:
        self._waiting = waiting
        self._begin()
        self.view = QuestionView(self._asked, Actions(self._answer, self._go_on))

    def _begin(self) -> None:
        self._asked, self._begun = self._waiting.pop(0), monotonic()
        self._asked = replace(self._asked, beside=self._beside(self._asked.question))

    def _keep(self, question: Question, choice: str, sure: bool) -> str:
        """Keep an answer; return what to say of it."""
        raise NotImplementedError

    def _beside(self, question: Question, choice: str = "") -> tuple[tuple[str, str], ...]:
        """What stands next to the code, before an answer and after it."""
        return ()

    def _answer(self, choice: str, sure: bool) -> None:
        question = self._asked.question
        message = self._keep(question, choice, sure)
        button = self.following if self._waiting else ""
        beside = self._beside(question, choice)
        answered = replace(self._asked, chosen=choice, beside=beside, is_answered=True)
        self.view.show(replace(answered, message=message, button=button))

    def _go_on(self) -> None:
        self._begin()
        self.view.show(self._asked)


class PuzzleButtons(_InTurn):
    """One level after the other, each as a choice between changes."""

    following = "Next level"

    def __init__(self, levels: Sequence[Puzzle]) -> None:
        asked = [QuestionState(each.question(), each.heading, with_code=True) for each in levels]
        self._levels = {state.question: each for state, each in zip(asked, levels, strict=True)}
        super().__init__(asked)

    def _beside(self, question: Question, choice: str = "") -> tuple[tuple[str, str], ...]:
        return map_of_choice(self._levels[question], choice)

    def _keep(self, question: Question, choice: str, sure: bool) -> str:
        if choice != question.right:
            return ""
        seconds = round(monotonic() - self._begun)
        return note_puzzle(self._levels[question], seconds, is_helped=False)


class ReviewButtons(_InTurn):
    """Asks the questions that are due, then a last one, whose answer is not kept.

    Args:
        questions: those that are due.
        last: about a module of the exam's pool, or a puzzle.
        heading: what stands above the last.
    """

    following = "Next question"

    def __init__(self, questions: list[Question], last: Question, heading: str = FIND) -> None:
        self._last = last
        headings = [
            f"Prediction {question.number}, {count} of {len(questions)}"
            for count, question in enumerate(questions, 1)
        ]
        both = zip([*questions, last], [*headings, heading], strict=True)
        super().__init__([QuestionState(*each, with_code=True) for each in both])

    def _keep(self, question: Question, choice: str, sure: bool) -> str:
        kept = () if question is self._last else answer_again(question, choice, sure, now())
        then = "" if self._waiting else "That was the last one."
        return " ".join(filter(None, [*kept, then]))
