"""The result of an exam, to read and to print: each module, why its outcome is right, each fix."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.course import TEN, THREE, draw, to_fix
from grader.learning.exams.fixing import LIMITS, LearnerFix, judge_fix
from grader.learning.exams.sitting import Sitting
from grader.render import SIGNS, STYLE, Mood, render_template

Say = Callable[[str], object]


@dataclass(frozen=True)
class ResultLine:
    """A module or a fix: how it looks, its heading, and what there is to say of it."""

    look: Mood
    heading: str
    why: str

    @property
    def sign(self) -> str:
        return SIGNS[self.look]


@dataclass(frozen=True)
class ExamResult:
    """A scored exam; the fixes by the files that they are in."""

    sitting: Sitting
    fixes: dict[Path, LearnerFix]

    @property
    def heading(self) -> str:
        exam = self.sitting.exam
        score = f"{exam.found} of {TEN} read right, {exam.fixed} of {THREE} fixed"
        return f"Exam {self.sitting.seed}, {exam.at:%d %B %Y}: {score}"

    def lines(self) -> Iterator[ResultLine]:
        """The ten modules in the order of the exam, then the three fixes."""
        for module in draw(self.sitting.seed):
            given, right = self.sitting.exam.readings[module.name], self.sitting.is_right(module)
            said = f" (you said: {given.outcome}{'; you were sure' if given.sure else ''})"
            heading = f"{module.name}: {module.truth.outcome}{'' if right else said}"
            yield ResultLine("good" if right else "bad", heading, module.why)
        for path, fix in self.fixes.items():
            yield ResultLine("good" if fix.passed else "open", str(path), fix.message)

    @property
    def next_step(self) -> str:
        is_left = any(not fix.passed for fix in self.fixes.values())
        return "Fix more and run this again for a new result." if is_left else ""

    def text(self) -> str:
        lines = [self.heading, ""]
        for line in self.lines():
            lines.append(f"  {line.sign} {line.heading}")
            lines += [f"    {line.why}"] if line.why else []
        return "\n".join([*lines, "", self.next_step]).rstrip()

    def to_html(self) -> str:
        return str(render_template("grader.learning", "exam.html", result=self, style=STYLE))


def score(sitting: Sitting, say: Say) -> ExamResult:
    """Run the fixes of a sitting whose ten modules are all answered, and keep the result.

    Args:
        sitting: the answers.
        say: gets a line before each fix is run.
    """
    fixes = {}
    for number, (path, module) in enumerate(
        zip(sitting.hand_out(), to_fix(sitting.seed), strict=True), 1
    ):
        say(f"Running fix {number} of {THREE}: {module.name} (at most {LIMITS.seconds:.0f} s)")
        fixes[path] = judge_fix(module, path.read_text(encoding="utf-8", errors="replace"))
    if notice := sitting.score(sum(fix.passed for fix in fixes.values())):
        say(notice)
    return ExamResult(sitting, fixes)
