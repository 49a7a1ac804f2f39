"""The exam: ten modules, of which one says what happens, then three to fix; and its result.

A seed draws them. The answers are in the journal; the fixes are files in the learner's folder.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.course import TEN, THREE, Item, draw, to_fix
from grader.learning.journal import Exam, Journal, Reading, keep, peek
from grader.learning.quiz.judging import LIMITS, Verdict, judge
from grader.render import SIGNS, STYLE, Mood, render_template

Say = Callable[[str], object]
UNCHANGED = Verdict("raises", "It is unchanged.")


@dataclass
class Sitting:
    """An exam under way; without a journal it lasts as long as the process."""

    seed: str
    exam: Exam

    @property
    def waiting(self) -> list[Item]:
        """The modules that are not answered yet."""
        return [module for module in draw(self.seed) if module.key not in self.exam.readings]

    @property
    def folder(self) -> Path:
        """Where the modules to fix are, in the folder that the learner works in."""
        safe = "".join(letter if letter.isalnum() else "-" for letter in self.seed)[:32]
        return Path(f"exam-{safe}")

    def answer(self, module: Item, choice: str, sure: bool) -> str:
        """Lock an answer in; the first one counts. Return a notice or `""`."""
        self.exam.readings.setdefault(module.key, Reading(choice, sure))
        return self._keep()

    def score(self, fixed: int) -> str:
        """Keep the result; return a notice or `""`."""
        self.exam.found = sum(map(self.is_right, draw(self.seed)))
        self.exam.fixed = fixed
        return self._keep()

    def is_right(self, module: Item) -> bool:
        return self.exam.readings[module.key].choice == module.right

    def hand_out(self) -> list[Path]:
        """Write the three modules to fix into the folder; what is there already stays."""
        self.folder.mkdir(parents=True, exist_ok=True)
        files = {self.folder / f"{module.key}.py": module for module in to_fix(self.seed)}
        for path, module in files.items():
            if not path.exists():
                path.write_text(module.code, encoding="utf-8")
        return list(files)

    def _keep(self) -> str:
        def edit(journal: Journal) -> None:
            journal.exams.pop(self.seed, None)
            journal.exams[self.seed] = self.exam

        return keep(edit)


def sit(seed: str = "") -> Sitting:
    """The exam of that seed; without one, the last that was begun, or else a new one."""
    begun = peek().exams
    seed = seed or next(reversed(begun), "") or new_seed()
    return Sitting(seed, begun.get(seed, Exam()))


def new_seed() -> str:
    return secrets.token_hex(4)


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
    fixes: dict[Path, Verdict]

    @property
    def heading(self) -> str:
        exam = self.sitting.exam
        score = f"{exam.found} of {TEN} read right, {exam.fixed} of {THREE} fixed"
        return f"Exam {self.sitting.seed}, {exam.at:%d %B %Y}: {score}"

    def lines(self) -> Iterator[ResultLine]:
        """The ten modules in the order of the exam, then the three fixes."""
        for module in draw(self.sitting.seed):
            given, right = self.sitting.exam.readings[module.key], self.sitting.is_right(module)
            said = f" You said: {module.choice(given.choice).text}" if not right else ""
            sure = " You were sure." if given.sure and not right else ""
            truth = module.choice(module.right)
            heading = f"{module.key}: {truth.text}{said}{sure}"
            yield ResultLine("good" if right else "bad", heading, truth.why)
        for path, fix in self.fixes.items():
            yield ResultLine("open" if fix.failed_by else "good", str(path), fix.message)

    @property
    def next_step(self) -> str:
        is_left = any(fix.failed_by for fix in self.fixes.values())
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
    for path, module in zip(sitting.hand_out(), to_fix(sitting.seed), strict=True):
        say(f"Running {path.name} (at most {LIMITS.seconds:.0f} s)")
        source = path.read_text(encoding="utf-8", errors="replace")
        fixes[path] = UNCHANGED if source == module.code else judge(module, source)
    if notice := sitting.score(sum(not fix.failed_by for fix in fixes.values())):
        say(notice)
    return ExamResult(sitting, fixes)
