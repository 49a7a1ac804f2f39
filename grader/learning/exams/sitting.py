"""An exam that someone sits: its seed and the answers so far, in a file next to the journal."""

from __future__ import annotations

import secrets
from hashlib import sha256
from pathlib import Path

import msgspec

from grader.course import Module, draw, to_fix, version
from grader.learning.exams.fixing import ExamError
from grader.learning.journal import Sure, journal_path


class Judgement(msgspec.Struct, frozen=True):
    """One answer: an outcome, and how sure the learner was."""

    outcome: str
    sure: Sure


class Sitting(msgspec.Struct):
    """An exam under way.

    Attributes:
        pool: the version of the pool that the modules were drawn from.
        answers: by the module's name.
    """

    seed: str
    pool: str = msgspec.field(default_factory=version)
    answers: dict[str, Judgement] = msgspec.field(default_factory=dict)

    @property
    def waiting(self) -> list[Module]:
        """The modules that are not answered yet."""
        return [module for module in draw(self.seed) if module.name not in self.answers]

    def answer(self, module: Module, outcome: str, sure: Sure) -> None:
        """Lock an answer in, and write it down. The first one counts."""
        self.answers.setdefault(module.name, Judgement(outcome, sure))
        path = _file(self.seed)
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_suffix(".new")
        beside.write_bytes(msgspec.json.format(msgspec.json.encode(self), indent=1))
        beside.replace(path)


def sit(seed: str = "") -> Sitting:
    """The exam of that seed; without one, the last that was begun, or else a new one.

    Raises:
        ExamError: it was begun with another version of the pool, or its file is damaged.
    """
    path = _file(seed) if seed else _latest()
    if path is None or not path.exists():
        return Sitting(seed or new_seed())
    try:
        sitting = msgspec.json.decode(path.read_bytes(), type=Sitting)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise ExamError(f"{path} is damaged. Delete it to begin this exam again.") from None
    if sitting.pool != version():
        raise ExamError(
            f"Exam {sitting.seed} was begun with another version of the course's modules. Finish "
            "it with that version, or begin another: grader exam --new"
        )
    return sitting


def new_seed() -> str:
    return secrets.token_hex(4)


def hand_out(seed: str, folder: Path) -> list[Path]:
    """Write the three modules to fix into `folder`; what is there already stays."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for module in to_fix(seed):
        path = folder / f"{module.name}.py"
        if not path.exists():
            path.write_text(module.source, encoding="utf-8")
        paths.append(path)
    return paths


def _folder() -> Path:
    return journal_path().parent / "exams"


def _file(seed: str) -> Path:
    # A seed may be anything, a path too.
    return _folder() / f"{sha256(seed.encode()).hexdigest()[:16]}.json"


def _latest() -> Path | None:
    return max(_folder().glob("*.json"), key=lambda path: path.stat().st_mtime_ns, default=None)
