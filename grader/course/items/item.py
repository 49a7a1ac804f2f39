"""One thing to ask: a question with its choices, and code that edits put right."""

from __future__ import annotations

import ast
import re
from difflib import SequenceMatcher
from random import sample
from string import ascii_uppercase
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from grader.course.items.edits import edited

NAMED = re.compile(r"""self\.(\w+)\s*=[^=]|self\.(?:register|add)_\w+\(\s*["'](\w+)""")
Behaviour = Literal["works", "raises", "silently wrong"]


class Choice(Struct, frozen=True, forbid_unknown_fields=True):
    """One of the answers offered.

    Attributes:
        why: why it is right, or what is wrong with it and what made it look right.
    """

    text: str
    why: str = ""


class WrongForm(Struct, frozen=True, forbid_unknown_fields=True):
    """A change that people make, and that must fail.

    Attributes:
        edits: as they are typed.
        fails: the finding's code, or `output`, `trained`, `keys`, `rule` or `raises`.
        why: why it is wrong.
    """

    edits: str
    fails: str
    why: str


class Item(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A prediction, a level or a module of the exam.

    Attributes:
        key: `03.1`, the first question of notebook 03; of others, their file's name.
        title: what stands above it.
        text: what is asked; of a level, its task.
        code: what it speaks of. A class to change needs no arguments, and is the last of its file.
        names: what the choices are called; `()` for A, B, C.
        right: the right one.
        hint: a nudge. why: why the fixes are right, or why a module does what it does.
        inputs: what `forward` is called with, as Python text.
        finding: the code of the fault; `""` of a module that works.
        symptom: what shows a level's fault where no device and no exception does.
        fixes: forms of the fix, as edits; the first computes what the others must.
        lines: how many lines may change; 0 for any number.
        forbid: texts that may not occur.
        keys: the keys that `state_dict()` must have; None for any.
        same_attributes: whether no attribute may be added.
        outcome: what happens to a module: `works`, `silently wrong`, or `raises on line 17`.
        offers: the lines to choose from where a module may raise.
    """

    key: str = ""
    title: str = ""
    text: str = ""
    code: str = ""
    choices: tuple[Choice, ...] = ()
    names: tuple[str, ...] = ()
    right: str = ""
    hint: str = ""
    why: str = ""
    inputs: str = ""
    finding: str = ""
    symptom: str = ""
    fixes: tuple[str, ...] = ()
    wrong: tuple[WrongForm, ...] = ()
    lines: int = 0
    forbid: tuple[str, ...] = ()
    keys: tuple[str, ...] | None = None
    same_attributes: bool = False
    outcome: str = ""
    offers: tuple[int, ...] = ()

    @property
    def letters(self) -> tuple[str, ...]:
        """What the choices are called."""
        return self.names or tuple(ascii_uppercase[: len(self.choices)])

    def choice(self, letter: str) -> Choice:
        """The choice called `letter`."""
        return self.choices[self.letters.index(letter)]

    def shuffled(self) -> Item:
        """The same with its choices in a random order, so that no letter is remembered."""
        choices = tuple(sample(self.choices, len(self.choices)))
        right = choices.index(self.choice(self.right))
        return replace(self, choices=choices, right=self.letters[right])

    @property
    def asked(self) -> str:
        """The question; a level asks which change is right."""
        return " ".join((self.text, self.rule, "Which change?")) if self.wrong else self.text

    @property
    def shown_code(self) -> str:
        """The code, with the numbers of its lines where the answer is about them."""
        if not self.inputs:
            return self.code
        lines = enumerate(self.code.rstrip().splitlines(), 1)
        return "\n".join(f"{number:2}  {line}".rstrip() for number, line in lines)

    @property
    def class_name(self) -> str:
        """The class to move: the last of the code."""
        return [n.name for n in ast.parse(self.code).body if isinstance(n, ast.ClassDef)][-1]

    @property
    def behaviour(self) -> Behaviour:
        """A module's outcome, without the line."""
        if self.outcome in ("works", "silently wrong"):
            return "works" if self.outcome == "works" else "silently wrong"
        return "raises"

    @property
    def rule(self) -> str:
        """What a fix must obey, in sentences."""
        sentences = []
        if self.lines:
            some = "one line" if self.lines == 1 else f"{self.lines} lines at most"
            sentences.append(f"Change {some}.")
        sentences += [f"Do not write `{text}`." for text in self.forbid]
        if self.keys is not None:
            listed = ", ".join(f"`{key}`" for key in self.keys)
            kept = f"only {listed}" if listed else "nothing"
            sentences.append(f"Keep {kept} in the checkpoint.")
        if self.same_attributes:
            sentences.append("Add no attribute.")
        return " ".join(sentences)

    def broken_rule(self, source: str) -> str:
        """Which rule a version of the code breaks, as far as its text tells; `""` for none."""
        for text in self.forbid:
            if text in source:
                return f"The rule says: do not write `{text}`."
        changed = _changed_lines(self.code, source)
        if self.lines and changed > self.lines:
            return f"The rule says: {self.rule} You changed {changed}."
        added = sorted(_attributes(source) - _attributes(self.code))
        if self.same_attributes and added:
            return f"The rule says: add no attribute. `{added[0]}` is new."
        return ""

    def edited(self, edits: str) -> str:
        """The code after edits."""
        return edited(self.code, edits)

    @property
    def fixed(self) -> str:
        """The code as it should be."""
        return self.edited(self.fixes[0])

    def known_mistake(self, source: str) -> WrongForm | None:
        """The wrong form that this is, whatever its spaces and quotes."""
        mine = ast.dump(ast.parse(source))
        forms = {ast.dump(ast.parse(self.edited(form.edits))): form for form in self.wrong}
        return forms.get(mine)


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
