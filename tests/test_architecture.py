"""The table of rooms in docs/architecture.md names every room of the package, and no other."""

import re
from pathlib import Path

import grader

PACKAGE = Path(grader.__file__).parent
PAGE = PACKAGE.parent / "docs" / "architecture.md"


def rooms():
    """Folders with a slash and modules, except for what is data or the package itself."""
    for path in PACKAGE.iterdir():
        if path.is_dir() and path.name not in ("__pycache__", "course", "findings_pages"):
            yield f"{path.name}/"
        elif path.suffix == ".py" and path.name != "__init__.py":
            yield path.name


def test_the_table_names_every_room():
    table = PAGE.read_text(encoding="utf-8").partition("| room |")[2].partition("\n\n")[0]
    first_cells = (line.split("|")[1] for line in table.splitlines() if line.startswith("| `"))
    named = [name for cell in first_cells for name in re.findall(r"`([\w/.]+)`", cell)]

    assert sorted(named) == sorted(rooms())
