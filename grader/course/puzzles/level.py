"""A level: one TOML file, and what it says of itself."""

from __future__ import annotations

import ast
import re
from difflib import SequenceMatcher
from functools import cache, cached_property
from pathlib import Path
from string import ascii_uppercase
from zlib import crc32

import msgspec

from grader.course.exam.pool import class_name
from grader.course.puzzles.edits import edited
from grader.course.questions import Choice, Question
from grader.errors import GraderError

LEVELS = Path(__file__).parent / "levels"
SEED = 15  # of the order of choices: it spreads the right ones evenly
IMPORTS = "import torch, torch.nn as nn\n"  # line 1 of every level
NAMED = re.compile(r"""self\.(\w+)\s*=[^=]|self\.(?:register|add)_\w+\(\s*["'](\w+)""")


class UnknownPuzzleError(GraderError, LookupError):
    """No level has that number."""


class WrongForm(msgspec.Struct, frozen=True):
    """An answer that people give, and that must fail.

    Attributes:
        edits: as they are typed.
        fails: the finding's code, or `output`, `trained`, `keys`, `rule` or `raises`.
        why: why it is wrong.
    """

    edits: str
    fails: str
    why: str


class Puzzle(msgspec.Struct, frozen=True, kw_only=True, dict=True, forbid_unknown_fields=True):
    """One level.

    Attributes:
        name: its file's, without the suffix: `07_list_of_layers`.
        code: the class; its constructor needs no arguments.
        inputs: what `forward` is called with, as Python text.
        finding: the code of its fault.
        symptom: what shows the fault where no device and no exception does; `""` elsewhere.
        hint: a nudge. why: why the right forms are right.
        right: forms of the fix, as edits; the first computes what the others must.
        lines: how many lines may change; 0 for any number.
        forbid: texts that may not occur.
        keys: the keys that `state_dict()` must have; None for any.
        same_attributes: whether no attribute may be added.
    """

    name: str = ""
    title: str
    task: str
    code: str
    inputs: str
    finding: str
    symptom: str = ""
    hint: str
    why: str
    right: tuple[str, ...]
    wrong: tuple[WrongForm, ...]
    lines: int = 0
    forbid: tuple[str, ...] = ()
    keys: tuple[str, ...] | None = None
    same_attributes: bool = False

    @property
    def number(self) -> str:
        return self.name.partition("_")[0]

    @cached_property
    def source(self) -> str:
        """The file that a learner edits: the class below line 1."""
        return IMPORTS + self.code

    @property
    def class_name(self) -> str:
        return class_name(self.source)

    @property
    def slug(self) -> str:
        """Its name without the number, which may change."""
        return self.name.partition("_")[2]

    @property
    def heading(self) -> str:
        return f"Level {int(self.number)} of {len(all_puzzles())}: {self.title}"

    @property
    def rule(self) -> str:
        """What an answer must obey, in sentences."""
        sentences = []
        if self.lines:
            sentences.append(
                "Change one line." if self.lines == 1 else f"Change {self.lines} lines at most."
            )
        sentences += [f"Do not write `{text}`." for text in self.forbid]
        if self.keys is not None:
            listed = ", ".join(f"`{key}`" for key in self.keys)
            kept = f"only {listed}" if listed else "nothing"
            sentences.append(f"Keep {kept} in the checkpoint.")
        if self.same_attributes:
            sentences.append("Add no attribute.")
        return " ".join(sentences)

    @property
    def forms(self) -> list[str]:
        """The changes to choose from, each as edits, in the order of their letters."""
        forms = [self.right[0], *(form.edits for form in self.wrong)]
        return sorted(forms, key=lambda edits: crc32(f"{SEED} {self.name} {edits}".encode()))

    def question(self) -> Question:
        """The level where nothing can be typed: which change is right?"""
        whys = {self.right[0]: self.why, **{form.edits: form.why for form in self.wrong}}
        choices = tuple(Choice(_quoted(edits), whys[edits]) for edits in self.forms)
        text = " ".join(filter(None, (self.task, self.rule, "Which change?")))
        right = ascii_uppercase[self.forms.index(self.right[0])]
        lines = enumerate(self.source.splitlines(), 1)
        code = "\n".join(f"{number:2}  {line}".rstrip() for number, line in lines)
        return Question(f"puzzle-{self.number}", text, right, choices, code)

    def broken_rule(self, source: str) -> str:
        """Which rule a version of the class breaks, as far as its text tells; `""` for none."""
        for text in self.forbid:
            if text in source:
                return f"The rule says: do not write `{text}`."
        changed = _changed_lines(self.source, source)
        if self.lines and changed > self.lines:
            return f"The rule says: {self.rule} You changed {changed}."
        added = sorted(_attributes(source) - _attributes(self.source))
        if self.same_attributes and added:
            return f"The rule says: add no attribute. `{added[0]}` is new."
        return ""

    def answered(self, form: str) -> str:
        """The source with a form's edits."""
        return edited(self.source, form)

    def known_mistake(self, source: str) -> WrongForm | None:
        """The wrong form that this is, whatever its spaces and quotes."""
        mine = ast.dump(ast.parse(source))
        forms = {ast.dump(ast.parse(self.answered(form.edits))): form for form in self.wrong}
        return forms.get(mine)


def _quoted(edits: str) -> str:
    """Edits as a choice shows them, each as code."""
    return ", ".join(f"`{edit.strip()}`" for edit in edits.strip().splitlines())


@cache
def all_puzzles() -> tuple[Puzzle, ...]:
    """The levels, from trivial to hard."""
    return tuple(
        msgspec.structs.replace(msgspec.toml.decode(path.read_bytes(), type=Puzzle), name=path.stem)
        for path in sorted(LEVELS.glob("*.toml"))
    )


def find_puzzle(number: str) -> Puzzle:
    """The level with that number: `7` or `07`.

    Raises:
        UnknownPuzzleError: there is none.
    """
    for puzzle in all_puzzles():
        if puzzle.number == number.zfill(2):
            return puzzle
    raise UnknownPuzzleError(f"There is no level {number}. There are {len(all_puzzles())}.")


def _changed_lines(before: str, after: str) -> int:
    """How many lines differ; a line that is replaced counts once."""
    matched = SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)
    return sum(
        max(old_end - old, new_end - new)
        for what, old, old_end, new, new_end in matched.get_opcodes()
        if what != "equal"
    )


def _attributes(source: str) -> set[str]:
    """The names that the class gives to attributes of `self`."""
    return {name for found in NAMED.finditer(source) for name in found.groups() if name}
