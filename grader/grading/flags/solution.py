"""Whether a submission says what the solution says, where that is unlikely to be chance."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import cache

from grader.course import solution_file, starter
from grader.grading.flags.normal_form import methods_of, normal, syntax_tree
from grader.schema import Flag, Rubric

# Tokens that the solution adds to the starter. Most solutions add 1 to 30: there honest learners
# find the same words. Those of 02b, 07, 07b, 12b, 13 and 14 add 60 and more.
ENOUGH = 40


def solution_flags(tree: ast.Module, rubric: Rubric, class_name: str) -> Iterator[Flag]:
    """A flag if the class's normal form is the solution's, and the solution is long enough.

    Only the solution is compared: it is what learners can look up. The accepted answers in
    tests/variants are those that honest learners find.
    """
    if rubric.home or added_tokens(rubric.stem) < ENOUGH:  # nobody can look up a variant's
        return
    if methods_of(tree, class_name) == _solution(rubric.stem, rubric.class_name):
        same = "is the shipped solution, apart from comments, layout and names of local variables"
        yield Flag("solution", 0, same)


@cache
def added_tokens(stem: str) -> int:
    """How many tokens the solution adds to the starter, in the normal form of both."""
    before, after = _tokens(starter(stem)), _tokens(_solution_text(stem))
    changes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return sum(end - begin for kind, _, _, begin, end in changes if kind != "equal")


def _tokens(text: str) -> list[str]:
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    methods = [node for node in ast.walk(_tree(text)) if isinstance(node, kinds)]
    found = []
    for method in methods:
        lines = io.StringIO(ast.unparse(ast.fix_missing_locations(normal(method))))
        found += [token.string for token in tokenize.generate_tokens(lines.readline)]
    return [token for token in found if token.strip()]


@cache
def _solution(stem: str, class_name: str) -> dict[str, str]:
    return methods_of(_tree(_solution_text(stem)), class_name)


def _solution_text(stem: str) -> str:
    return solution_file(stem).read_text(encoding="utf-8")


def _tree(text: str) -> ast.Module:
    tree = syntax_tree(text)
    assert tree is not None, "the course's own files parse"
    return tree
