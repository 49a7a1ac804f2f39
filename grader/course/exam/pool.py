"""The pool: modules that work, raise on CUDA, or are silently wrong."""

from __future__ import annotations

import ast
import tomllib
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from string import ascii_uppercase
from typing import Literal

import msgspec

from grader.course.questions import Choice, Question

HERE = Path(__file__).parent
TRUTH = HERE / "truth.json"
WORKS, SILENT = "works", "silently wrong"
Kind = Literal["works", "raises", "silently wrong"]
ASKED = (
    "An instance moves with `.cuda()`, takes one training step on CUDA inputs, and is saved and "
    "loaded again. What happens?"
)


class Truth(msgspec.Struct, frozen=True):
    """What happens when a module runs.

    Attributes:
        outcome: `works`, `silently wrong`, or `raises on line 17`.
        code: the audit's code for the bug; `""` if there is none.
        why: the audit's explanation; `""` if it works.
        fix: the audit's fix, in words.
    """

    outcome: str
    code: str = ""
    why: str = ""
    fix: str = ""


@dataclass(frozen=True)
class Module:
    """One module of the pool."""

    name: str
    source: str
    truth: Truth

    @property
    def kind(self) -> Kind:
        """The outcome without the line."""
        if self.truth.outcome == WORKS:
            return "works"
        return "silently wrong" if self.truth.outcome == SILENT else "raises"

    @property
    def why(self) -> str:
        """Why its outcome is right."""
        if self.truth.outcome == WORKS:
            return "It moves, trains, and comes back from its checkpoint with all of its state."
        return self.truth.why

    @cached_property
    def outcomes(self) -> tuple[str, ...]:
        """The answers to choose from: works, silently wrong, or raises on one of its lines."""
        return (WORKS, SILENT, *self._raising)

    @cached_property
    def _raising(self) -> dict[str, int]:
        """The answers that it raises, each with its line."""
        return {f"raises on line {line}": line for line in _lines(self.source)}

    def question(self) -> Question:
        """The module as a question; its choices are `outcomes`, in that order."""
        choices = tuple(
            Choice(self._text(outcome), self._why(outcome)) for outcome in self.outcomes
        )
        right = ascii_uppercase[self.outcomes.index(self.truth.outcome)]
        return Question(self.name, ASKED, right, choices, numbered(self.source))

    def _text(self, outcome: str) -> str:
        if outcome == WORKS:
            return "It works."
        if outcome == SILENT:
            return "It is silently wrong: something is not trained, not saved or not shared."
        line = self.source.splitlines()[self._raising[outcome] - 1]
        return f"It {outcome}: `{line.strip()}`"

    def _why(self, outcome: str) -> str:
        if outcome != self.truth.outcome:
            return "That is not what happens when it runs."
        return self.why


@cache
def pool() -> tuple[Module, ...]:
    truths = msgspec.json.decode(TRUTH.read_bytes(), type=dict[str, Truth])
    return tuple(
        Module(name, (HERE / "modules" / f"{name}.py").read_text(encoding="utf-8"), truth)
        for name, truth in sorted(truths.items())
    )


def fixed_source(module: Module) -> str:
    source = module.source
    for lines in fixes()[module.name]:
        source = source.replace(lines["before"], lines["after"])
    return source


@cache
def fixes() -> dict[str, list[dict[str, str]]]:
    """By a wrong module's name, which lines to replace, each of them once in the module."""
    return tomllib.loads((HERE / "fixes.toml").read_text(encoding="utf-8"))


@cache
def version() -> str:
    """A digest of the pool: the same seed draws the same modules from the same version."""
    content = [(module.name, module.source, module.truth.outcome) for module in pool()]
    return sha256(msgspec.json.encode(content)).hexdigest()[:12]


def class_name(source: str) -> str:
    """The module's class: the last class of the file."""
    return [node.name for node in ast.parse(source).body if isinstance(node, ast.ClassDef)][-1]


def numbered(source: str) -> str:
    return "\n".join(
        f"{line:2}  {text}".rstrip() for line, text in enumerate(_class_source(source), 1)
    )


def _class_source(source: str) -> list[str]:
    return source.rstrip().splitlines()


def _lines(source: str) -> list[int]:
    """The first line of every simple statement and every head in the methods but `__init__`."""
    methods = [
        method
        for cls in ast.parse(source).body
        if isinstance(cls, ast.ClassDef)
        for method in cls.body
        if isinstance(method, ast.FunctionDef) and method.name != "__init__"
    ]
    nodes = (node for method in methods for node in ast.walk(method) if node is not method)
    return sorted(node.lineno for node in nodes if isinstance(node, ast.stmt))
