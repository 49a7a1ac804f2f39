"""Write the repository's address, which pyproject.toml has, wherever a reader meets it.

Usage: python tools/refresh_address.py [OWNER]; with a name, it is written to pyproject.toml first.

While pyproject.toml says OWNER, there is no public address: the notebooks have no badges and no
cell for Colab, and the pages say what to write in place of `OWNER`. With one, each notebook gets
both, and the pages their examples. Nothing is run, and a second time changes nothing.
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
NOBODY = "OWNER"
PROJECT = ROOT / "pyproject.toml"
PAGES = (*sorted(ROOT.glob("docs/*.md")), ROOT / "README.md")
TOLD = re.compile(rf"(github(?:usercontent)?\.com(?:/|%2F)|uses: )[\w.-]+(/|%2F){NAME}\b")
NOTICE = re.compile(r"(<!-- address -->\n).*?(<!-- end of address -->)", re.DOTALL)
NO_ADDRESS = f"""
The course has no public address yet. Push this repository to GitHub, and write your name there
in place of `{NOBODY}`; `make address {NOBODY}=…` does so everywhere.

"""
BADGES, IN_COLAB = "badges", "in-colab"  # the ids of the two cells
# JupyterLab folds the code, the site leaves it out, and Colab, where it has to run, shows it.
FOLDED = {"jupyter": {"source_hidden": True}, "tags": ["remove-cell"]}
FIRST_MAP = "first-map"  # of the cell in 00 that a newcomer runs before anything else


def owner() -> str:
    """Whose repository it is, or OWNER.

    Raises:
        ValueError: pyproject.toml has another kind of address.
    """
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    address = project["urls"]["Repository"]
    found = re.fullmatch(rf"https://github\.com/([\w.-]+)/{NAME}", address)
    if not found:
        raise ValueError(f"pyproject.toml: {address} is not https://github.com/{NOBODY}/{NAME}")
    return found[1]


def badges(stem: str, owner: str) -> str:
    """The links that open a notebook in Colab and in Binder."""
    slug = f"{owner}/{NAME}"
    colab = f"https://colab.research.google.com/github/{slug}/blob/main/notebooks/{stem}.ipynb"
    tree = f"lab%2Ftree%2Fnotebooks%2F{stem}.ipynb"
    binder = f"https://mybinder.org/v2/gh/{slug}/main?urlpath={tree}"
    return (
        f"[![Open in Colab](images/open_in_colab.svg)]({colab})\n"
        f"[![Open in Binder](images/open_in_binder.svg)]({binder})"
    )


def in_colab(owner: str) -> str:
    """The code that installs the course where it runs in Colab, and lays it out there."""
    return f"""# For Colab: installs the course. Anywhere else there is nothing to do.
import sys

if "google.colab" in sys.modules:
    get_ipython().system(
        "command -v grader >/dev/null || "
        "(pip install -q anywidget git+https://github.com/{owner}/{NAME}"
        " && grader lab . --no-open)"
    )"""


def put_openings(notebook: Any, stem: str, owner: str) -> None:
    """Put both cells below the title, or take them out, and count the code cells as if all had run.

    In 00 they come below the first map, which has the first screen to itself.
    """
    cells = [cell for cell in notebook.cells if cell.id not in {BADGES, IN_COLAB}]
    if owner != NOBODY:
        below = next((n for n, cell in enumerate(cells) if cell.id == FIRST_MAP), 0) + 1
        cells[below:below] = (
            nbformat.v4.new_markdown_cell(badges(stem, owner), id=BADGES),
            nbformat.v4.new_code_cell(in_colab(owner), id=IN_COLAB, metadata=FOLDED),
        )
    notebook.cells = cells
    code = [cell for cell in cells if cell.cell_type == "code"]
    for count, cell in enumerate(code, start=1):
        cell.execution_count = count
        for output in cell.outputs:
            if "execution_count" in output:
                output.execution_count = count


def with_openings(text: str, stem: str, owner: str) -> str:
    """A notebook's text, with both cells in it if there is an address."""
    notebook = nbformat.reads(text, as_version=4)
    put_openings(notebook, stem, owner)
    return str(nbformat.writes(notebook)) + "\n"


def with_address(page: str, owner: str) -> str:
    """A page with the repository's address in place of another's."""
    page = TOLD.sub(lambda found: f"{found[1]}{owner}{found[2]}{NAME}", page)
    notice = NO_ADDRESS if owner == NOBODY else ""
    return NOTICE.sub(lambda found: f"{found[1]}{notice}{found[2]}", page)


def main() -> int:
    """Write the address everywhere; return 0."""
    rewrite(PROJECT, partial(with_address, owner=sys.argv[1] if len(sys.argv) > 1 else owner()))
    for path in sorted(ROOT.glob("notebooks/[0-9]*.ipynb")):
        rewrite(path, partial(with_openings, stem=path.stem, owner=owner()))
    for path in PAGES:
        rewrite(path, partial(with_address, owner=owner()))
    return 0


def rewrite(path: Path, change: Callable[[str], str]) -> None:
    """Change a file's text, if there is anything to change."""
    before = path.read_text(encoding="utf-8")
    after = change(before)
    if after != before:
        path.write_text(after, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
