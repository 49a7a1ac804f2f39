"""What each fixer makes of a learner's statements: see the texts in `edits/`.

A text holds frames, which are files with slots such as `{body|pass}`, and behaviours, each with the
questions that show it, and what is common to them. A question begins with `=== fixer: where`. The
statements in its slots are a diff: "-" goes, "+" comes, and what is neither stays. Without a
change, the fix is in words.
"""

import pkgutil
import re
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from fixed_code import ask, line_of
from literal import MEAN, WEIGHT, fact
from msgspec import convert, to_builtins

from grader.course.rubrics import load_rubric
from grader.judge import fixes
from grader.judge.fixes import apply_edits
from grader.schema import Raised, Run, TensorFact

TEXTS = sorted(Path(__file__).with_name("edits").glob("*.txt"))
FIXERS = {
    name: function
    for module in pkgutil.iter_modules(fixes.__path__, "grader.judge.fixes.")
    for name, function in vars(import_module(module.name)).items()
}
SLOT = re.compile(r"^( *)\{(\w+)(?:\|([^}]*))?\}|\{(\w+)(?:\|([^}]*))?\}", re.M)


@dataclass
class Asked:
    """A question to a fixer.

    Attributes:
        slots: the lines of each slot, with their marks.
        options: fields of the fault, `at`, `exercise`, `tensors`, the line that
            `raises`, and the `words` of the fix.
    """

    fixer: str
    where: str
    frame: str
    slots: dict[str, list[str]] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)

    @property
    def at(self) -> str:
        """The line of the finding: the first that goes, or else the last slot's first."""
        if "at" in self.options:
            return self.options["at"]
        lines = [line for slot in self.slots.values() for line in slot]
        gone = [line for line in lines if line.startswith("-")]
        return [*gone, *[*self.slots.values()][-1]][0][2:]

    def file(self, marks: str) -> str:
        """The frame with the lines that have one of these marks."""

        def put(match: re.Match[str]) -> str:
            indent, name, default = match[1] or "", match[2] or match[4], match[3] or match[5] or ""
            lines = self.slots.get(name, [f"  {default}"])
            first, *more = [line[2:] for line in lines if line[0] in marks] or [""]
            return "\n".join([indent + first, *(line and indent + line for line in more)])

        return SLOT.sub(put, self.frame)

    def problem(self) -> str:
        """What the fixer does otherwise than is written; `""` if nothing."""
        options: dict[str, Any] = dict(self.options)
        expected = options.pop("words", None)
        exercise, at = options.pop("exercise", ""), options.pop("at", self.at)
        tensors = [tensor(row) for row in options.pop("tensors", "").split("; ") if row]
        source = self.file(" -")
        if raising := options.pop("raises", ""):
            options["runs"] = (Run("cuda", Raised("RuntimeError", "", line_of(source, raising))),)
        rubric = load_rubric(exercise) if exercise else None
        fix = ask(FIXERS[self.fixer], source, self.where, at, *tensors, rubric=rubric, **options)
        is_changed = any(line[0] in "-+" for slot in self.slots.values() for line in slot)
        if fix is None:
            return "no fix" if is_changed or expected else ""
        if not fix.edits and expected is None:
            return f"words: {fix.words}"
        if expected not in (None, fix.words):
            return f"other words: {fix.words}"
        made, right = apply_edits(source, fix.edits), self.file(" +")
        return "" if stripped(made) == stripped(right) else f"another change:\n{made}"


def stripped(text: str) -> list[str]:
    """The lines without the spaces that a statement leaves behind."""
    return [line.rstrip() for line in text.splitlines()]


def tensor(row: str) -> TensorFact:
    """A tensor: `WEIGHT`, `MEAN`, or its path and the fields in which it differs from `fact`."""
    path, *changes = row.split(" ")
    if path in ("WEIGHT", "MEAN"):
        return WEIGHT if path == "WEIGHT" else MEAN
    fields = dict(change.split("=") for change in changes)
    shape = {"shape": fields.pop("shape").split(",")} if "shape" in fields else {}
    given = to_builtins(fact(path.removeprefix("self.")))
    return convert({**given, "path": path, **fields, **shape}, TensorFact, strict=False)


def behaviours(text: str) -> dict[str, list[Asked]]:
    """The questions of a text, by what they show."""
    sections = [section.partition("\n") for section in re.split(r"^## ", text, flags=re.M)[1:]]
    frames = {title: body for title, _, body in sections if title.startswith("frame ")}
    found = {}
    for title, _, body in sections:
        common, *parts = re.split(r"^=== ", body, flags=re.M)
        if title not in frames:
            found[title] = [asked(part, common, frames) for part in parts]
    return found


def asked(part: str, common: str, frames: dict[str, str]) -> Asked:
    """A question, read from its lines."""
    head, _, rest = part.rstrip("\n").partition("\n")
    match = re.fullmatch(r"(\w+): ?(.*?)(?: \(frame (\w+)\))?", head)
    assert match, head
    found = Asked(match[1], match[2], frames[f"frame {match[3] or 'net'}"].rstrip("\n") + "\n")
    slot = [one or other for _, one, _, other, _ in SLOT.findall(found.frame)][-1]
    for line in [*common.splitlines(), *rest.splitlines()]:
        if line.startswith("["):
            slot = line.strip("[]")
            found.slots[slot] = []
        elif line.startswith((" ", "-", "+")):
            found.slots.setdefault(slot, []).append(line)
        elif not line:
            found.slots.setdefault(slot, []).append("  ")
        elif not line.startswith("#"):
            key, _, value = line.partition(": ")
            found.options[key] = value
    return found


READ = {
    f"{path.stem}: {title}": shown
    for path in TEXTS
    for title, shown in behaviours(path.read_text(encoding="utf-8")).items()
}


@pytest.mark.parametrize("behaviour", READ)
def test_a_fixer_makes_this_change_and_no_other(behaviour):
    problems = [(each.where, each.at, each.problem()) for each in READ[behaviour]]

    assert [problem for problem in problems if problem[-1]] == []
