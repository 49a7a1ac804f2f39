"""Write the table of docs/architecture.md: each wing, its sentence, its lines of code and content.

    python tools/rooms.py

Content is what is taught, as data: questions, rubrics, the exam's modules, the assignments'
templates, the notebooks' pictures. Blank lines, docstrings and comments count as code.
"""

import ast
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE, PAGE = ROOT / "grader", ROOT / "docs" / "architecture.md"
CONTENT = (
    "course/exam/modules/*.py",
    "course/questions/[0-9]*.py",
    "course/rubrics/[0-9]*.py",
    "course/templates/*.py",
    "learning/notebook/figures/*.py",
)
BEGIN, END = "| wing |", "\n\n"


def wings() -> tuple[str, ...]:
    """The folders of the package, from what imports nothing to what imports the rest.

    They stand in that order in the contract of import-linter.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    names = [name.strip(" ()") for layer in reversed(layers) for name in layer.split("|")]
    return tuple(name for name in names if (PACKAGE / name).is_dir())


def lines(wing: str) -> tuple[int, int]:
    """How many lines of Python a wing has as code, and as content."""
    content = {path for pattern in CONTENT for path in PACKAGE.glob(pattern)}
    counts = [0, 0]
    for path in (PACKAGE / wing).rglob("*.py*"):
        if path.suffix in (".py", ".pyi"):
            counts[path in content] += len(path.read_text(encoding="utf-8").splitlines())
    return counts[0], counts[1]


def table() -> str:
    """The table, as Markdown."""
    counts = {wing: lines(wing) for wing in wings()}
    rows = [_row(f"`{wing}/`", _sentence(wing), *counts[wing]) for wing in counts]
    code, content = (sum(column) for column in zip(*counts.values(), strict=True))
    head = f"{BEGIN} what it is | code | content |\n| --- | --- | ---: | ---: |"
    return "\n".join([head, *rows, _row("", "all wings", code, content)])


def with_table(page: str) -> str:
    """The page with the table of today."""
    before, _, rest = page.partition(BEGIN)
    return before + table() + END + rest.partition(END)[2]


def _row(name: str, sentence: str, code: int, content: int) -> str:
    return f"| {name} | {sentence} | {code:,} | {f'{content:,}' if content else ''} |"


def _sentence(wing: str) -> str:
    source = (PACKAGE / wing / "__init__.py").read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(source)) or "").split("\n")[0]


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    print(table())
