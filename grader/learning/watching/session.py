"""What a learner is looking at, and what each key and each save does to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime

from grader.course import all_rubrics, exercise_file, find, rubrics_on
from grader.learning.first_look import READ_AT_ONCE, FirstLook, is_asked, look_at_file
from grader.learning.help import for_learner
from grader.learning.journal import note_attempt, note_help, read_journal
from grader.learning.journal.progress import due_line
from grader.learning.standing import current_progress
from grader.schema import Report, Rubric


@dataclass
class WatchSession:
    """One exercise at a time, from whichever was asked for to the last.

    Attributes:
        grade: asks for a report on an exercise's file; it comes by `show_report`.
        report: on the file as it was last judged; None until there is one.
        look: which line is to blame? The report is folded until that is answered.
        pointed: the place in its choices.
        judging: whether a newer report is on its way.
        hints: how many are shown, by exercise.
        notice: what the learner's journal has to say, if anything.
    """

    rubric: Rubric
    grade: Callable[[Rubric], None]
    report: Report | None = None
    look: FirstLook | None = None
    pointed: int = 0
    judging: bool = True
    judged_at: str = ""
    hints: dict[str, int] = field(default_factory=dict)
    passed: set[str] = field(default_factory=set)
    notice: str = ""
    _was_saved: bool = False

    def __post_init__(self) -> None:
        self.course = all_rubrics()
        journal, notice = read_journal()
        self.notice = notice or due_line(current_progress()[0])
        self.passed = {rubric.number for rubric in self.course if journal.has_passed(rubric.number)}
        self.way = rubrics_on(journal.way)
        self.grade(self.rubric)

    @property
    def index(self) -> int:
        return self.course.index(self.rubric)

    @property
    def hints_so_far(self) -> tuple[str, ...]:
        return self.rubric.hints[: self.hints.get(self.rubric.number, 0)]

    @property
    def following(self) -> Rubric | None:
        """The next exercise on the way that is not yet passed, going round; None if all are."""
        order = self.course[self.index + 1 :] + self.course[: self.index]
        left = (each for each in order if each in self.way and each.number not in self.passed)
        return next(left, None)

    def grade_saved(self, stem: str) -> None:
        """Turn to what was saved, and have it graded."""
        self._turn_to(find(stem))
        self._was_saved = True

    def show_report(self, report: Report) -> None:
        """Show the report; keep it if it says something new."""
        whole, file = for_learner(self.rubric, report), exercise_file(self.rubric.stem)
        self.look = look_at_file(self.rubric, whole, file) if is_asked(self.rubric) else None
        self.report, self.judging = self.look.folded if self.look else whole, False
        self.point(0)  # the file may have fewer lines now
        self.judged_at = f"{datetime.now():%H:%M:%S}"
        number, is_new = self.rubric.number, self._was_saved
        if report.verdict == "passed":
            is_new = is_new or number not in self.passed
            self.passed.add(number)
        if is_new:
            self.notice = note_attempt(number, report, report_shown=not self.look)
        self._was_saved = False

    def step(self, by: int) -> None:
        """Turn to a neighbour in the course."""
        self._turn_to(self.course[(self.index + by) % len(self.course)])

    def go_on(self) -> None:
        """Do what is obviously next: blame the line, or open what follows a passed exercise."""
        if self.look:
            self._unfold(self.look.choices[self.pointed].line)
        elif self.report and self.report.verdict == "passed" and self.following:
            self._turn_to(self.following)

    @property
    def is_asking(self) -> bool:
        """Whether a line can be chosen now."""
        return self.look is not None

    def point(self, by: int) -> None:
        """Point at a line further down, or further up."""
        if self.look:
            self.pointed = max(0, min(self.pointed + by, len(self.look.choices) - 1))

    def why(self) -> None:
        """Show the whole report without an answer."""
        if self.is_asking:
            self._unfold(READ_AT_ONCE)

    def hint(self) -> None:
        number = len(self.hints_so_far) + 1
        if number <= len(self.rubric.hints):
            self.hints[self.rubric.number] = number
            self.notice = note_help(self.rubric.number, number)
            if self.report and self.has_all_hints:
                self.report = replace(self.report, shows_fixes=True)

    @property
    def has_all_hints(self) -> bool:
        return len(self.hints_so_far) == len(self.rubric.hints)

    def _unfold(self, line: int) -> None:
        if self.look:
            is_over, self.notice = self.look.blame(line)
            if not is_over:
                self.report = self.look.after_a_miss(line)
                return
            whole = self.look.unfolded(line)
            self.report = replace(whole, shows_fixes=whole.shows_fixes or self.has_all_hints)
            self.look = None

    def _turn_to(self, rubric: Rubric) -> None:
        if rubric != self.rubric:
            self.rubric, self.report, self.look, self.pointed = rubric, None, None, 0
        self._was_saved, self.judging = False, True
        self.grade(rubric)
