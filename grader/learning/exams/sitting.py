"""An exam that someone sits: its seed, and the answers so far, as the journal keeps them."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path

from grader.course import Module, draw, to_fix
from grader.learning.journal import Exam, Journal, Reading, keep, peek


@dataclass
class Sitting:
    """An exam under way; without a journal it lasts as long as the process."""

    seed: str
    exam: Exam

    @property
    def waiting(self) -> list[Module]:
        """The modules that are not answered yet."""
        return [module for module in draw(self.seed) if module.name not in self.exam.readings]

    @property
    def folder(self) -> Path:
        """Where the modules to fix are, in the folder that the learner works in."""
        safe = "".join(letter if letter.isalnum() else "-" for letter in self.seed)[:32]
        return Path(f"exam-{safe}")

    def answer(self, module: Module, outcome: str, sure: bool) -> str:
        """Lock an answer in; the first one counts. Return a notice or `""`."""
        self.exam.readings.setdefault(module.name, Reading(outcome, sure))
        return self._keep()

    def score(self, fixed: int) -> str:
        """Keep the result; return a notice or `""`."""
        self.exam.found = sum(map(self.is_right, draw(self.seed)))
        self.exam.fixed = fixed
        return self._keep()

    def is_right(self, module: Module) -> bool:
        return self.exam.readings[module.name].outcome == module.truth.outcome

    def hand_out(self) -> list[Path]:
        """Write the three modules to fix into the folder; what is there already stays."""
        self.folder.mkdir(parents=True, exist_ok=True)
        files = {self.folder / f"{module.name}.py": module for module in to_fix(self.seed)}
        for path, module in files.items():
            if not path.exists():
                path.write_text(module.source, encoding="utf-8")
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
