"""The end of an exam: score it and write what a learner keeps and hands in.

The picture is an SVG that needs no other file and follows the reader's theme.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from grader.course import TEN, THREE, draw
from grader.learning.exams.fixing import LearnerFix
from grader.learning.exams.result import ExamResult, Say, score
from grader.learning.exams.sitting import Sitting, hand_out
from grader.learning.journal import note_exam
from grader.render import SIGNS, Mood, render_template

LONGEST_SEED = 24
ROW, REST = 24, 190
Row = tuple[str, str, str, str, str]  # a class of the style sheet, a sign, and three cells


def picture(result: ExamResult, judged: dict[str, LearnerFix]) -> str:
    rows = [
        _row(module.name, result.answers[module.name].outcome, module.truth.outcome)
        for module in draw(result.seed)
    ]
    fixes = [(name, fix.passed) for name, fix in judged.items()]
    seed = result.seed
    shown = seed if len(seed) <= LONGEST_SEED else f"{seed[: LONGEST_SEED - 1]}…"
    return drawn_picture(result, shown, str(result.at.date()), rows, fixes)


def drawn_picture(
    result: object, seed: str, date: str, rows: list[Row], fixes: list[tuple[str, bool]]
) -> str:
    """The picture of anything with the attributes of an `ExamResult`; the site's has slots."""
    height = REST + ROW * (len(rows) + len(fixes))
    values = {"result": result, "seed": seed, "date": date, "rows": rows, "fixes": fixes}
    page = render_template("grader.learning.exams", "result.svg", height=height, **values)
    return str(page)


def _row(name: str, given: str, truth: str) -> Row:
    look: Mood = "good" if given == truth else "bad"
    return look, SIGNS[look], name, given, truth


RESULT, PICTURE = "result.json", "result.svg"


@dataclass(frozen=True)
class ScoredExam:
    """A scored exam, and the folder that its files are in."""

    result: ExamResult
    judged: dict[str, LearnerFix]
    folder: Path

    @property
    def svg(self) -> str:
        return picture(self.result, self.judged)

    def text(self) -> str:
        """The result in lines: every module, every fix, and where the files are."""
        return "\n".join([*_judge_answers(self.result), "", *self._fixes(), "", self._files()])

    def _fixes(self) -> Iterator[str]:
        yield f"Fixes: {self.result.fixed} of {THREE}"
        for name, fix in self.judged.items():
            yield f"  {SIGNS['good' if fix.passed else 'bad']} {self.folder / name}.py"
            if fix.message:
                yield f"    {fix.message}"

    def _files(self) -> str:
        is_left = self.result.fixed < THREE
        return (
            f"{self.result.points} of {self.result.of} points. Hand in {self.folder / RESULT}; "
            f"{self.folder / PICTURE} shows it."
            + (" Fix more and run this again for a new result." if is_left else "")
        )


def exam_folder(sitting: Sitting, parent: Path) -> Path:
    """Where the modules to fix and the result are."""
    safe = "".join(letter if letter.isalnum() else "-" for letter in sitting.seed)[:32]
    return parent / f"exam-{safe}"


def hand_in(sitting: Sitting, parent: Path, say: Say) -> ScoredExam:
    """Score a sitting whose ten modules are all answered, and write and note the result.

    Args:
        sitting: the answers.
        parent: the exam's folder is in it.
        say: gets a line before each fix is run.
    """
    folder = exam_folder(sitting, parent)
    hand_out(sitting.seed, folder)
    result, judged = score(sitting, folder, say)
    if notice := note_exam(result.seed, result.points, result.of):
        say(notice)
    handed_in = ScoredExam(result, judged, folder)
    (folder / RESULT).write_bytes(msgspec.json.encode(result) + b"\n")
    (folder / PICTURE).write_text(handed_in.svg, encoding="utf-8")
    return handed_in


def _judge_answers(result: ExamResult) -> Iterator[str]:
    certain = [
        module.name
        for module in draw(result.seed)
        if result.answers[module.name].outcome != module.truth.outcome
        and result.answers[module.name].sure == "certain"
    ]
    yield f"Modules: {result.found} of {TEN} judged right"
    for module in draw(result.seed):
        given = result.answers[module.name].outcome
        is_right = given == module.truth.outcome
        sign = SIGNS["good" if is_right else "bad"]
        yield f"  {sign} {module.name}: {module.truth.outcome}" + (
            "" if is_right else f" (you said: {given})"
        )
        if not is_right:
            yield f"    {module.why}"
    if certain:
        yield f"Certain and wrong, so worth a second look: {', '.join(certain)}"
