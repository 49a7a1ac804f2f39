"""What a learner is looking at: what each key and save does to it, and how it is drawn."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grader.course import all_rubrics, exercise_file, find, rubrics_on
from grader.learning.first_look import READ_AT_ONCE, FirstLook, is_asked, look_at_file, numbered
from grader.learning.help import current_progress, for_learner
from grader.learning.journal import note_attempt, note_help, read_journal
from grader.learning.journal.progress import due_line
from grader.render import render_text
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


POINTER = "▸"
KEYS = ("h hint", "n next", "p previous", "q quit")
ASKING = ("↑ ↓ choose", "Enter this one", "w why", *KEYS)


def header(session: WatchSession, width: int) -> list[str]:
    grid = Table.grid(expand=True)
    grid.add_column(no_wrap=True, overflow="ellipsis")
    grid.add_column(justify="right", no_wrap=True)
    left = Text(f"exercises/{session.rubric.stem}.py", style="bold")
    state = "judging …" if session.judging else f"judged at {session.judged_at}"
    left.append(f"   {state}", style="not bold")
    grid.add_row(left, f"{len(session.passed)} of {len(session.course)} passed")
    return lines_of(Group(grid, Text("─" * width, style="dim")), width)


def footer(session: WatchSession, width: int, more: bool) -> list[str]:
    """The lines at the bottom: the keys, and whether there is more to read."""
    keys = Text("   ").join(map(_key, ASKING if session.is_asking else KEYS))
    if more:
        keys.append("   ↓ more", style="bold")
    return lines_of(Group(Text("─" * width, style="dim"), keys), width)


def body(session: WatchSession, width: int) -> list[str]:
    parts = [_report(session)]
    if session.notice:
        parts.insert(0, Padding(Text(f"! {session.notice}", style="yellow"), (0, 0, 1, 0)))
    return lines_of(Group(*parts), width)


def lines_of(picture: RenderableType, width: int) -> list[str]:
    stream = io.StringIO()
    console = Console(
        file=stream, width=width, force_terminal=True, color_system="standard", highlight=False
    )
    console.print(picture, crop=False, overflow="fold")
    return stream.getvalue().splitlines()


def _report(session: WatchSession) -> RenderableType:
    parts: list[RenderableType] = []
    for number, hint in enumerate(session.hints_so_far, 1):
        of = f"Hint {number} of {len(session.rubric.hints)}: "
        parts.append(Text.assemble((of, "bold"), hint))
    if parts:
        parts.append(Text())
    if session.report is None:
        title = f"{session.rubric.number} {session.rubric.title}"
        parts.append(Text(title, style="bold"))
        if not session.judged_at:
            parts.append(Text("The first verdict takes longest: PyTorch is being loaded."))
    else:
        parts.append(render_text(_report_for_screen(session, session.report)))
    if session.look:
        parts += [Text(), *_choices(session.look, session.pointed)]
    return Group(*parts)


def _choices(look: FirstLook, pointed: int) -> Iterator[RenderableType]:
    for place, choice in enumerate(look.choices):
        pointer = POINTER if place == pointed else " "
        yield Text(f"{pointer}{numbered(choice)}", "bold" if place == pointed else "")


def _report_for_screen(session: WatchSession, report: Report) -> Report:
    """The report without what the header says, and with keys in place of commands."""
    if session.look:
        return report
    number = session.rubric.number
    steps = {
        "passed": _after_passing(session),
        "failed": "Change it and save, or press h for a hint."
        if not session.has_all_hints
        else f"Change it and save, or see one good answer: grader solution {number}",
        "not_attempted": "Open the file in your editor, change it, and save. h gives a hint.",
    }
    return replace(report, next_step=steps.get(report.verdict, report.next_step))


def _after_passing(session: WatchSession) -> str:
    rubric = session.rubric
    others = [f"Also right: {answer}" for answer in rubric.also_right]
    return "\n".join([_next_line(session), "", f"Our answer: {rubric.reason}", *others])


def _next_line(session: WatchSession) -> str:
    following = session.following
    if following is None:
        return "That was the last one: all exercises are passed. q quits."
    return f"Press Enter to go on to {following.number} {following.title}."


def _key(text: str) -> Text:
    key, _, does = text.partition(" ")
    return Text.assemble((key, "bold reverse"), f" {does}")
