"""The course's notebooks as they are stored: their words, questions, code and outputs."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from grader.course.items import Item, load_questions

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"
# Of an exercise, and also of one of its methods.
CHECKS = re.compile(r'^check\("(\w+)", [\w.]+\)$', re.MULTILINE)
CHECK = re.compile(r'^check\("(\w+)", \w+\)$', re.MULTILINE)
PREDICT = re.compile(r'^predict\("([\w.]+)"\)$')  # as in tools/refresh_notebooks.py
QUESTION = re.compile(r'^predict\("(\d\d[a-z]?\.\d)"\)$')  # not on an exercise's map
ANSWER = re.compile(r"<details>.*?</details>", re.DOTALL)
FENCED = re.compile(r"```.*?```", re.DOTALL)
LINK = re.compile(r"!?\[([^]]*)\]\([^)]*\)")
FACT = re.compile(r"F\d\d")
WORDS_A_MINUTE, SECONDS_A_LINE, SECONDS_A_SHOWN_LINE, SECONDS_A_PREDICTION = 200, 5, 2, 60


@dataclass(frozen=True)
class Notebook:
    """A notebook as it is stored, and its questions."""

    path: Path

    @cached_property
    def cells(self) -> list[dict[str, Any]]:
        """All cells, in their order."""
        cells: list[dict[str, Any]] = json.loads(self.path.read_text(encoding="utf-8"))["cells"]
        return cells

    @cached_property
    def code(self) -> list[dict[str, Any]]:
        """The code cells."""
        return [cell for cell in self.cells if cell["cell_type"] == "code"]

    @cached_property
    def questions(self) -> tuple[Item, ...]:
        """What it asks."""
        return load_questions(self.path.stem)

    @property
    def markdown(self) -> str:
        """The text of its Markdown cells, answers included."""
        markdown = (cell for cell in self.cells if cell["cell_type"] == "markdown")
        return "\n\n".join(map(source, markdown))

    @property
    def prose(self) -> str:
        """The same without answers, code and the addresses of links."""
        return LINK.sub(r"\1", FENCED.sub("", ANSWER.sub("", self.markdown)))

    @property
    def words(self) -> int:
        """The words of its prose and of its questions."""
        return words(self.prose) + sum(
            words(text) for question in self.questions for text in texts_of(question)
        )

    @property
    def minutes(self) -> float:
        """How long it takes to read and predict."""
        predictions = sum(bool(PREDICT.match(source(cell))) for cell in self.code)
        seconds = SECONDS_A_LINE * self.lines_of_code + SECONDS_A_SHOWN_LINE * self.lines_shown
        seconds += SECONDS_A_PREDICTION * predictions
        return self.words / WORDS_A_MINUTE + seconds / 60

    @property
    def lines_of_code(self) -> int:
        """The lines of code that are not folded away."""
        folded = ("source_hidden" in cell["metadata"].get("jupyter", {}) for cell in self.code)
        read = [cell for cell, is_folded in zip(self.code, folded, strict=True) if not is_folded]
        return sum(bool(line.strip()) for cell in read for line in source(cell).splitlines())

    @property
    def lines_shown(self) -> int:
        """The lines of the outputs, without questions and reports on untouched exercises."""
        asking = (CHECKS.search(source(cell)) or PREDICT.match(source(cell)) for cell in self.code)
        read = [cell for cell, asks in zip(self.code, asking, strict=True) if not asks]
        outputs = [output for cell in read for output in shown(cell)]
        texts = [output.get("text") or output["data"]["text/plain"] for output in outputs]
        return sum(len("".join(text).splitlines()) for text in texts)

    @property
    def exercises(self) -> int:
        """How many cells check an exercise."""
        return sum(bool(CHECK.search(source(cell))) for cell in self.code)

    @property
    def facts(self) -> set[str]:
        """The facts that its cells show."""
        tags = {tag for cell in self.cells for tag in cell["metadata"].get("tags", [])}
        return {tag for tag in tags if FACT.fullmatch(tag)}

    @property
    def defined(self) -> list[set[str]]:
        """For each cell, the names that its code binds, fenced code in prose too."""
        return [set().union(*map(bound, code_in(cell))) for cell in self.cells]


def notebooks() -> list[Notebook]:
    """The course, in its order."""
    return [Notebook(path) for path in sorted(NOTEBOOKS.glob("[0-9]*.ipynb"))]


def source(cell: dict[str, Any]) -> str:
    """The text of a cell."""
    return "".join(cell["source"])


def shown(cell: dict[str, Any]) -> list[dict[str, Any]]:
    """The outputs of a code cell, without the empty one that stands for folded ones."""
    return [output for output in cell["outputs"] if output.get("data") != {}]


def words(text: str) -> int:
    """How many words a text has."""
    return sum(any(map(str.isalnum, word)) for word in text.split())


def texts_of(question: Item) -> list[str]:
    """What a question says, in all."""
    return [
        question.text,
        *(part for choice in question.choices for part in (choice.text, choice.why)),
    ]


def code_in(cell: dict[str, Any]) -> list[str]:
    """The code of a cell, or what stands between fences in it."""
    if cell["cell_type"] == "code":
        return [source(cell)]
    return re.findall(r"```python\n(.*?)```", source(cell), flags=re.DOTALL)


def bound(code: str) -> set[str]:
    """The names that code assigns, imports, defines or takes as arguments."""
    try:
        tree = ast.parse(code)
    except SyntaxError:  # four numbered lines to choose from, say
        return set()
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.add(node.attr)  # `self.window = ...`
        elif isinstance(node, ast.Call) and ast.unparse(node.func).startswith("self.register_"):
            names.update(
                str(part.value) for part in node.args[:1] if isinstance(part, ast.Constant)
            )
        elif isinstance(node, ast.alias):
            names.add(node.asname or node.name)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
    return names
