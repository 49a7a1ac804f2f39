"""A fix: words, and the edits that make it; the context that fixes are written from."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from grader.judge.fixes.expressions import device_here, may_be_none
from grader.judge.fixes.source_file import CodeSite, SourceFile
from grader.schema import Edit, Evidence, Expected, Finding, Rubric, Site, TensorFact

# Which kind of a code's faults it is, where the fixes differ.
Variant = Literal[
    "",
    "not trained",
    "gives nothing",
    "GPU by default",
    "called before the move",
]


@dataclass(frozen=True)
class Fault(Finding):
    """A finding before its fix is made, with what that needs and no report holds.

    Attributes:
        may_be_meant: whether nothing was seen to go wrong.
        shared_with: the path of the tensor whose memory it shares.
        alike: the paths of others that the same holds for.
        site: the expression that made, moved or used the tensor. there: what could be named there
            and is where the tensor should be.
    """

    variant: Variant = ""
    may_be_meant: bool = False
    shared_with: str = ""
    alike: tuple[str, ...] = ()
    site: Site | None = None
    there: tuple[str, ...] = ()


@dataclass(frozen=True)
class CodeFix:
    """What to do.

    Attributes:
        words: a clause without its full stop: "Register it as a buffer".
        edits: the changes to make, none where words must do.
    """

    words: str
    edits: tuple[Edit, ...] = ()

    def __str__(self) -> str:
        """The words, then the new code: inline if it is one line, else on lines of its own."""
        if not self.edits:
            return f"{self.words}."
        edits = sorted(self.edits, key=lambda edit: edit.line)
        if len(edits) == 1 and edits[0].after and "\n" not in edits[0].after:
            return f"{self.words}: `{edits[0].after}`."
        return "\n".join(
            [f"{self.words}:", *(line for edit in edits for line in _edit_lines(edit))]
        )


def _edit_lines(edit: Edit) -> Iterator[str]:
    if not edit.after:
        last = edit.line + edit.before.count("\n")
        lines = f"line {edit.line}" if last == edit.line else f"lines {edit.line} to {last}"
        yield f"    {lines}: leave {'it' if last == edit.line else 'them'} out"
        return
    first, *more = edit.after.split("\n")
    yield f"    line {edit.line}: {first}"
    yield from (f"        {line}" for line in more)


@dataclass(frozen=True)
class Context:
    """What the functions that write fixes read.

    Attributes:
        code: the file of the finding.
        evidence: what the probe saw.
        rubric: what the exercise asks, None in an audit.
        file: the name of `code` in evidence.
    """

    code: SourceFile
    evidence: Evidence
    rubric: Rubric | None = None
    file: str = ""

    @property
    def nn(self) -> str:
        """The file's name for `torch.nn`."""
        return self.code.name_of("torch.nn")

    def fact(self, path: str) -> TensorFact | None:
        return next((fact for fact in self.evidence.tensors if fact.path == path), None)

    def first_name(self, fact: TensorFact) -> str:
        """The path of another registered tensor that it is, or is a view of; `""` if none is."""
        tensors, itself = self.evidence.tensors, (fact.identity, fact.base)
        same = (f for f in tensors if f.identity in itself and f.path != fact.path)
        return next((other.path for other in same if other.role != "plain"), "")

    def device_at(self, site: CodeSite) -> str:
        """An expression for the module's device, in a statement; `""` if none is in scope."""
        return device_here(self.code, site, self.evidence, own=self._stays)

    def device_named(
        self, fault: Fault, site: CodeSite, *, own: bool = False, but: str = ""
    ) -> str:
        """The device of a tensor that the fault's expression could name; `""` if of none.

        One that may be None in another instance or call is none.

        Args:
            fault: of which the probe has seen where that tensor is.
            site: its statement.
            but: no source: what is to be moved.
            own: take a tensor of the module's; so it is where an input may not have been moved yet.
        """
        unsure, own = may_be_none(site), own or self._stays
        for name in fault.there:
            first = name.split(".")[:2] if name.startswith("self.") else [name]
            if ".".join(first) not in unsure | {but} and (name.startswith("self.") or not own):
                return f"{name}.device"
        return ""

    @property
    def _stays(self) -> bool:
        """Whether inputs may not be where the module is."""
        stay = self.rubric is not None and self.rubric.recipe.inputs_stay
        return stay or any(run.moved_inputs for run in self.evidence.runs)

    def expected_tensor(self, path: str) -> Expected | None:
        """What the exercise wants of the tensor by this name."""
        tensors = self.rubric.tensors if self.rubric and self.rubric.names_matter else ()
        return next((tensor for tensor in tensors if f"self.{tensor.name}" == path), None)

    def missing(self, *, trained: bool = True) -> Iterator[str]:
        """The names of the exercise's tensors that no attribute or registration has.

        Args:
            trained: whether Parameters count.
        """
        held = {fact.path for fact in self.evidence.tensors}
        named = held | {f"self.{fact.name}" for fact in self.evidence.tensors}
        for tensor in self.rubric.tensors if self.rubric and self.rubric.names_matter else ():
            if f"self.{tensor.name}" not in named and (trained or tensor.role != "parameter"):
                yield tensor.name


def assignment_to(context: Context, path: str, line: int) -> tuple[CodeSite, ast.expr] | None:
    """The statement on a line that binds `path` alone, in a method, and what it binds to it."""
    site = context.code.site(line)
    if site is None or site.function is None:
        return None
    statement = site.statement
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    if [ast.unparse(target) for target in targets] == [path]:
        value = statement.value  # type: ignore[attr-defined]
        return (site, value) if value is not None else None
    return None
