"""The pool: modules that work, raise on CUDA, or are silently wrong."""

from __future__ import annotations

import ast
import tomllib
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from string import ascii_uppercase
from typing import Literal

import msgspec

from grader.course.questions import Choice, Question

HERE = Path(__file__).parent
TRUTH = HERE / "truth.json"
WORKS, SILENT = "works", "silently wrong"
MOST_LINES = 4  # to choose from where a module may raise
SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return)
COMPUTING = (ast.AugAssign, ast.BinOp, ast.Call, ast.Subscript)
NAMED = (ast.Attribute, ast.Name)
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
        """The answers to choose from: works, silently wrong, or raises on one of four lines."""
        return (WORKS, SILENT, *self._raising)

    @cached_property
    def _raising(self) -> dict[str, int]:
        """The answers that it raises, each with its line."""
        lines = sorted(
            _operands(self.source).items(),
            key=lambda line: (f"raises on line {line[0]}" == self.truth.outcome, line[1]),
        )
        chosen = sorted(line for line, _ in lines[-MOST_LINES:])
        return {f"raises on line {line}": line for line in chosen}

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


def class_name(source: str) -> str:
    """The module's class: the last class of the file."""
    return [node.name for node in ast.parse(source).body if isinstance(node, ast.ClassDef)][-1]


def numbered(source: str) -> str:
    return "\n".join(
        f"{line:2}  {text}".rstrip() for line, text in enumerate(_class_source(source), 1)
    )


def _class_source(source: str) -> list[str]:
    return source.rstrip().splitlines()


def _operands(source: str) -> dict[int, int]:
    """The lines of its methods but `__init__` that compute, with how many names each has.

    A line that computes nothing, such as `outputs = []` or `if self.training:`, cannot raise.
    """
    methods = [
        method
        for cls in ast.parse(source).body
        if isinstance(cls, ast.ClassDef)
        for method in cls.body
        if isinstance(method, ast.FunctionDef) and method.name != "__init__"
    ]
    nodes = (node for method in methods for node in ast.walk(method) if isinstance(node, SIMPLE))
    parts = {node.lineno: list(ast.walk(node)) for node in nodes}
    return {
        line: len({ast.unparse(part) for part in inner if isinstance(part, NAMED)})
        for line, inner in parts.items()
        if any(isinstance(part, COMPUTING) for part in inner)
    }
