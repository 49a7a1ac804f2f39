"""What the whole course costs under `pytest --nbval`, in times of its kernels and imports alone.

    python benchmarks/notebooks.py

The floor is the same command on notebooks that do nothing but import: one cell each, with every
import statement of the notebook. Counted is processor time, in a control group (metering.py).
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from metering import metered

ROOT = Path(__file__).resolve().parents[1]
NAME = "pytest --nbval notebooks"


def imports(notebook: dict[str, Any]) -> Iterator[str]:
    """The import statements in its cells."""
    for cell in notebook["cells"]:
        try:
            tree = ast.parse("".join(cell["source"]) if cell["cell_type"] == "code" else "")
        except SyntaxError:  # a line for IPython
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                yield ast.unparse(node)


def bare(notebook: dict[str, Any]) -> dict[str, Any]:
    """A notebook of one cell, which imports the same."""
    source = "\n".join(dict.fromkeys(imports(notebook)))
    cell = {"cell_type": "code", "id": "imports", "metadata": {}, "outputs": []}
    return {**notebook, "cells": [{**cell, "execution_count": None, "source": source}]}


def course(folder: Path, is_bare: bool) -> None:
    """The course's files in a folder, its notebooks whole or bare."""
    shutil.copytree(ROOT / "notebooks", folder / "notebooks")
    for name in ("exercises", "solutions", "tests"):
        (folder / name).symlink_to(ROOT / name)
    shutil.copy(ROOT / "pyproject.toml", folder)
    for path in (folder / "notebooks").glob("*.ipynb") if is_bare else ():
        notebook = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps(bare(notebook)), encoding="utf-8")


def cost(is_bare: bool) -> float:
    """The processor seconds."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        course(folder, is_bare)
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "GRADER_JOURNAL": str(folder / "journal.json"),
        }
        command = [sys.executable, "-m", "pytest", "--nbval", "-q", "-p", "no:cacheprovider"]
        return metered([*command, "notebooks"], folder, environment).cpu_seconds


def measure() -> dict[str, float]:
    """The ratio.

    Raises:
        CannotMeasureError: there is no control group to be had, or pytest did not start.
    """
    return {NAME: cost(is_bare=False) / cost(is_bare=True)}


def main() -> None:
    print(f"{NAME}: {measure()[NAME]:.2f} times its kernels and imports")


if __name__ == "__main__":
    main()
