"""A prediction is not answered by the code beneath it.

Outputs are folded until a cell is run; its code is not. So whoever reads a question sees the next
cell too, and these rules keep the answer out of it.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from notebook_text import CHECKS, QUESTION, Notebook, notebooks, source
from rules import for_each

from grader.course.items import Item, find_question

RAISES = re.compile(r"\braises?\b|\ban error\b", re.IGNORECASE)
SETS_APART = re.compile(r"<-|\b(bug|wrong|fix|mistake|line to \w+)\b", re.IGNORECASE)
COMMENT = re.compile(r"#(.*)$", re.MULTILINE)
QUOTED = re.compile(r"`([^`]+)`")


@dataclass(frozen=True)
class Asked:
    """A question, and the code that answers it."""

    question: Item
    cells: tuple[str, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.question.text, *(choice.text for choice in self.question.choices))

    @property
    def named(self) -> set[str]:
        """The calls and comparisons that are asked about; `x = ...` says what is given."""
        quoted = [nodes(code) for text in self.texts for code in QUOTED.findall(text)]
        return {
            ast.unparse(node)
            for code in quoted
            if not any(isinstance(node, ast.Assign) for node in code)
            for node in code
            if isinstance(node, ast.Call | ast.Compare)
        }

    @property
    def classes(self) -> set[str]:
        """What choices consist of, such as `nn.ModuleDict`."""
        whole = (QUOTED.fullmatch(choice.text) for choice in self.question.choices)
        return {match[1] for match in whole if match and re.fullmatch(r"nn\.\w+", match[1])}

    @property
    def may_raise(self) -> bool:
        return any(map(RAISES.search, self.texts)) or "expected_error():" in "".join(self.cells)


def nodes(code: str) -> list[ast.AST]:
    try:
        return list(ast.walk(ast.parse(code)))
    except SyntaxError:  # `... * self.window`, say
        return []


def all_asked() -> Iterator[Asked]:
    for notebook in notebooks():
        for i, cell in enumerate(notebook.cells):
            if match := QUESTION.match(source(cell)):
                yield Asked(find_question(match[1]), answering(notebook, i))


def answering(notebook: Notebook, asking: int) -> tuple[str, ...]:
    """The code cells between a question and its answer."""
    until_told = takewhile(
        lambda cell: "<details>" not in source(cell), notebook.cells[asking + 1 :]
    )
    return tuple(source(cell) for cell in until_told if cell["cell_type"] == "code")


ASKED = [asked for asked in all_asked() if asked.cells]


every_question = for_each(ASKED, lambda asked: asked.question.key)


def is_expecting(statement: ast.AST) -> bool:
    return isinstance(statement, ast.With) and any(
        ast.unparse(item.context_expr) == "expected_error()" for item in statement.items
    )


def outside(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a cell that no `expected_error()` is around."""
    for child in ast.iter_child_nodes(tree):
        if not is_expecting(child):
            yield child
            yield from outside(child)


@every_question
def test_whatever_may_raise_is_expected_to(asked: Asked) -> None:
    if asked.may_raise:
        assert "expected_error():" in "".join(asked.cells)
        bare = {ast.unparse(node) for cell in asked.cells for node in outside(ast.parse(cell))}
        assert not bare & (asked.named | asked.classes)


@every_question
def test_a_contrast_waits_for_the_answer(asked: Asked) -> None:
    functions = {name.partition("(")[0] for name in asked.named} - {"print"}
    calls = [node for cell in asked.cells for node in nodes(cell) if isinstance(node, ast.Call)]
    variants = [ast.unparse(call) for call in calls if ast.unparse(call.func) in functions]
    assert set(variants) <= asked.named
    bound = [
        ast.unparse(target)
        for cell in asked.cells
        for statement in ast.parse(cell).body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
    ]
    assert len(set(bound)) == len(bound)


def test_no_comment_marks_the_line() -> None:
    for notebook in notebooks():
        for cell in notebook.code:
            if not CHECKS.search(source(cell)):
                comments = COMMENT.findall(source(cell))
                assert not [comment for comment in comments if SETS_APART.search(comment)]
