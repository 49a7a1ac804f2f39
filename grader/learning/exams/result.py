"""The result of an exam, as one line of JSON.

The digest shows that the line was not changed by accident. It is no signature: who edits their
answers can also compute it. Whose answers they are, and whether somebody looked into the pool, no
file can prove.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from hashlib import sha256
from pathlib import Path

import msgspec

from grader.course import TEN, THREE, draw, to_fix
from grader.learning.exams.fixing import LIMITS, LearnerFix, judge_fix
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
