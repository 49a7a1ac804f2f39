"""The learner's frames that are running: where they are, and whether they catch exceptions."""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Iterable
from functools import lru_cache
from types import CodeType, FrameType
from typing import NamedTuple, TypeGuard

from grader.probe.inspection.source import Position, tree_of

Positions = tuple[Position, ...]


class At(NamedTuple):
    """An instruction that a frame was at, with the line."""

    code: CodeType
    instruction: int
    line: int

    @property
    def position(self) -> Position:
        return self.code.co_filename, self.line


def learners_frame(files: set[str], above: int = 1) -> FrameType | None:
    """The innermost running frame in one of `files`; None if none is.

    Args:
        files: the learner's.
        above: how many callers to pass over. Each look at a frame is an audit event (PEP 578).
    """
    frame: FrameType | None = sys._getframe(above)
    while frame is not None and frame.f_code.co_filename not in files:
        frame = frame.f_back
    return frame


def at(frame: FrameType | None) -> At | None:
    return frame and At(frame.f_code, frame.f_lasti, frame.f_lineno)


def running_lines(files: set[str]) -> Positions:
    """The position of each running frame in one of `files`, the innermost first."""
    found: list[Position] = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename in files:
            found.append((frame.f_code.co_filename, frame.f_lineno))
        frame = frame.f_back
    return tuple(found)


def are_in_a_try(positions: Iterable[Position]) -> bool:
    """Whether one of them is in a block that catches exceptions."""
    return any(line in _caught_lines("".join(linecache.getlines(file))) for file, line in positions)


@lru_cache(maxsize=64)
def _caught_lines(text: str) -> frozenset[int]:
    """The lines in the body of a `try` with an `except`, or of `with suppress(...)`."""
    nodes = ast.walk(tree_of(text))
    statements = (statement for block in nodes if _catches(block) for statement in block.body)
    return frozenset(
        line for s in statements for line in range(s.lineno, (s.end_lineno or s.lineno) + 1)
    )


def _catches(node: ast.AST) -> TypeGuard[ast.Try | ast.TryStar | ast.With]:
    if isinstance(node, ast.Try | ast.TryStar):
        return bool(node.handlers)
    return isinstance(node, ast.With) and any(
        "suppress" in ast.unparse(item.context_expr) for item in node.items
    )
