"""The result of an exam, as one line of JSON that a teacher can score again.

The digest shows that the line was not changed by accident. It is no signature: who edits their
answers can also compute it. So `verify` trusts neither the digest nor the points: it draws the
modules from the seed, scores the answers and runs the fixes again. Whose answers they are, and
whether somebody looked into the pool, no file can prove.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from hashlib import sha256
from pathlib import Path

import msgspec

from grader.course import TEN, THREE, draw, to_fix, version
from grader.learning.exams.fixing import LIMITS, ExamError, LearnerFix, judge_fix
from grader.learning.exams.sitting import Judgement, Sitting
from grader.learning.journal import now

Say = Callable[[str], object]


class ExamResult(msgspec.Struct, frozen=True):
    """A finished exam.

    Attributes:
        answers, fixes: by the module's name; a fix is the whole file.
        found: how many of the ten were judged right. fixed: how many of the three are fixed.
    """

    seed: str
    pool: str
    answers: dict[str, Judgement]
    fixes: dict[str, str]
    found: int
    fixed: int
    of: int = TEN + THREE
    at: datetime = msgspec.field(default_factory=now)
    digest: str = ""

    @property
    def points(self) -> int:
        return self.found + self.fixed

    def line(self) -> str:
        return msgspec.json.encode(self.signed()).decode()

    def signed(self) -> ExamResult:
        """It, with the digest of all the rest."""
        blank = msgspec.structs.replace(self, digest="")
        return msgspec.structs.replace(self, digest=sha256(msgspec.json.encode(blank)).hexdigest())


def score(sitting: Sitting, folder: Path, say: Say) -> tuple[ExamResult, dict[str, LearnerFix]]:
    """The result of a sitting whose fixes are in `folder`, and how each fix was judged."""
    fixes = {
        module.name: (folder / f"{module.name}.py").read_text(encoding="utf-8", errors="replace")
        for module in to_fix(sitting.seed)
    }
    judged = judge_fixes(sitting.seed, fixes, say)
    found = count_right(sitting.seed, sitting.answers)
    fixed = sum(fix.passed for fix in judged.values())
    result = ExamResult(sitting.seed, sitting.pool, sitting.answers, fixes, found, fixed)
    return result.signed(), judged


def count_right(seed: str, answers: dict[str, Judgement]) -> int:
    """How many of the ten modules were judged right."""
    given = {name: answer.outcome for name, answer in answers.items()}
    return sum(given.get(module.name) == module.truth.outcome for module in draw(seed))


def judge_fixes(seed: str, fixes: dict[str, str], say: Say) -> dict[str, LearnerFix]:
    """How each of the three fixes is judged; `say` gets a line before each."""
    judged = {}
    for number, module in enumerate(to_fix(seed), 1):
        say(f"Running fix {number} of {THREE}: {module.name} (at most {LIMITS.seconds:.0f} s)")
        judged[module.name] = judge_fix(module, fixes.get(module.name, ""))
    return judged


def read_result(path: Path) -> ExamResult:
    """The result in a file.

    Raises:
        ExamError: the file holds none.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=ExamResult)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ExamError(f"{path} holds no result of an exam: {error}") from None


def exam_problems(result: ExamResult, seed: str, say: Say) -> Iterator[str]:
    """What is wrong with a result: each in a sentence.

    Args:
        result: what a learner handed in.
        seed: the seed that they were given, `""` if that is not known.
        say: gets a line before each fix is run.
    """
    if seed and result.seed != seed:
        yield f"It is exam {result.seed}; the one given out was {seed}."
    if result.signed().digest != result.digest:
        yield "The digest does not fit: the line was changed."
    if result.pool != version():
        yield f"It was drawn from another version of the pool: {result.pool}; here: {version()}."
        return
    names = {module.name for module in draw(result.seed)}
    if set(result.answers) != names or set(result.fixes) != {e.name for e in to_fix(result.seed)}:
        yield "Its modules are not those that the seed draws."
    if result.of != TEN + THREE:
        yield f"It counts {result.of} points in all; an exam has {TEN + THREE}."
    if (found := count_right(result.seed, result.answers)) != result.found:
        yield f"It claims {result.found} of {TEN} modules judged right; scored again: {found}."
    judged = judge_fixes(result.seed, result.fixes, say)
    if (fixed := sum(fix.passed for fix in judged.values())) != result.fixed:
        yield f"It claims {result.fixed} of {THREE} fixes; run again: {fixed}."
