"""Print how many lines of Python each wing of grader/ has, as code and as content, and tests/.

    python tools/rooms.py

Content is what is taught, as data: rubrics, the assignments'
templates, the notebooks' pictures. Blank lines, docstrings and comments count.
"""

import tomllib
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "grader"
CONTENT = (
    "course/rubrics/[0-9]*.py",
    "course/templates/*.py",
    "course/figures/*.py",
)


def wings() -> tuple[str, ...]:
    """The folders of the package, from what imports nothing to what imports the rest.

    They stand in that order in the contract of import-linter.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    names = [name.strip(" ()") for layer in reversed(layers) for name in layer.split("|")]
    return tuple(name for name in names if (PACKAGE / name).is_dir())


def lines(folder: Path) -> int:
    """How many lines of Python there are below a folder."""
    return _count(path for suffix in ("py", "pyi") for path in folder.rglob(f"*.{suffix}"))


def _count(files: Iterable[Path]) -> int:
    return sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)


if __name__ == "__main__":
    for wing in wings():
        content = _count(
            path for pattern in CONTENT for path in PACKAGE.glob(pattern) if wing in path.parts
        )
        print(f"{wing:16}{lines(PACKAGE / wing) - content:8,}{content or '':8}")
    for folder in ("grader", "tests"):
        print(f"{folder:16}{lines(ROOT / folder):8,}")
