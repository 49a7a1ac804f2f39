"""Write the repository's address, which pyproject.toml has, wherever a reader meets it.

Usage: python tools/refresh_address.py. Each notebook gets its badges and the cell that installs the
course in Colab; the pages get their examples. Nothing is run, and a second time changes nothing.
"""

import re
import sys
import tomllib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import nbformat

ROOT = Path(__file__).resolve().parent.parent
NAME = "wheres-my-tensor"
PAGES = (*sorted(ROOT.glob("docs/*.md")), ROOT / "README.md")
TOLD = re.compile(rf"(github\.com(?:/|%2F)|uses: )[\w.-]+(/|%2F){NAME}\b")
BADGES, IN_COLAB = "badges", "in-colab"  # the ids of the two cells
# JupyterLab folds the code, the site leaves it out, and Colab, where it has to run, shows it.
FOLDED = {"jupyter": {"source_hidden": True}, "tags": ["remove-cell"]}
FIRST_MAP = "first-map"  # of the cell in 00 that a newcomer runs before anything else


def owner() -> str:
    """Whose repository it is.

    Raises:
        ValueError: pyproject.toml has another kind of address.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    address = project["urls"]["Repository"]
    found = re.fullmatch(rf"https://github\.com/([\w.-]+)/{NAME}", address)
    if not found:
        raise ValueError(f"pyproject.toml: {address} is not https://github.com/OWNER/{NAME}")
    return found[1]


def badges(stem: str) -> str:
    """The links that open a notebook in Colab and in Binder."""
    slug = f"{owner()}/{NAME}"
    colab = f"https://colab.research.google.com/github/{slug}/blob/main/notebooks/{stem}.ipynb"
    tree = f"lab%2Ftree%2Fnotebooks%2F{stem}.ipynb"
    binder = f"https://mybinder.org/v2/gh/{slug}/main?urlpath={tree}"
    return (
        f"[![Open in Colab](images/open_in_colab.svg)]({colab})\n"
        f"[![Open in Binder](images/open_in_binder.svg)]({binder})"
    )


def in_colab() -> str:
    """The code that installs the course where it runs in Colab, and lays it out there."""
    return f"""# For Colab: installs the course. Anywhere else there is nothing to do.
import sys

if "google.colab" in sys.modules:
    get_ipython().system(
        "command -v grader >/dev/null || "
        "(pip install -q anywidget git+https://github.com/{owner()}/{NAME}"
        " && grader lab . --no-open)"
    )"""


def put_openings(notebook: Any, stem: str) -> None:
    """Put both cells below the title, and count the code cells as if all had been run.

    In 00 they come below the first map, which has the first screen to itself.
    """
    rest = [each for each in notebook.cells if each.id not in {BADGES, IN_COLAB}]
    index = next((n for n, each in enumerate(rest) if each.id == FIRST_MAP), 0) + 1
    links = nbformat.v4.new_markdown_cell(badges(stem), id=BADGES)
    entry = nbformat.v4.new_code_cell(in_colab(), id=IN_COLAB, metadata=FOLDED)
    notebook.cells = [*rest[:index], links, entry, *rest[index:]]
    code = [each for each in notebook.cells if each.cell_type == "code"]
    for count, cell in enumerate(code, start=1):
        cell.execution_count = count
        for output in cell.outputs:
            if "execution_count" in output:
                output.execution_count = count


def with_openings(text: str, stem: str) -> str:
    """A notebook's text with both cells in it."""
    notebook = nbformat.reads(text, as_version=4)
    put_openings(notebook, stem)
    return str(nbformat.writes(notebook)) + "\n"


def with_address(page: str) -> str:
    """A page with the repository's own address in place of another's."""
    return TOLD.sub(lambda found: f"{found[1]}{owner()}{found[2]}{NAME}", page)


def main() -> int:
    """Write the address everywhere; return 0."""
    for path in sorted(ROOT.glob("notebooks/[0-9]*.ipynb")):
        rewrite(path, partial(with_openings, stem=path.stem))
    for path in PAGES:
        rewrite(path, with_address)
    return 0


def rewrite(path: Path, change: Callable[[str], str]) -> None:
    """Change a file's text, if there is anything to change."""
    before = path.read_text(encoding="utf-8")
    after = change(before)
    if after != before:
        path.write_text(after, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
