"""What the whole course costs under `pytest --nbval`, in times of its kernels and imports alone.

    python benchmarks/notebooks.py

The floor is the same command on notebooks that do nothing but import. Each has one cell, with every
import statement of the notebook and the modules that PyTorch and Matplotlib loaded while it ran:
PyTorch loads its compiler as soon as somebody makes an optimizer, with or without us. Counted is
processor time, in a control group (metering.py).
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
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


def loads(record: Path) -> Iterator[str]:
    """The modules of PyTorch and Matplotlib in a record of the notebook's last cell.

    Each is imported if it can be: some names in `sys.modules` are no modules.
    """
    for name in json.loads(record.read_text(encoding="utf-8")):
        yield f"with suppress(ImportError):\n    import {name}"


def with_cell(notebook: dict[str, Any], source: str, others: list[Any]) -> dict[str, Any]:
    """The notebook with `others` for its cells, and then one of that source."""
    cell = {"cell_type": "code", "id": "imports", "metadata": {}, "outputs": []}
    return {**notebook, "cells": [*others, {**cell, "execution_count": None, "source": source}]}


def recording(notebook: dict[str, Any], record: Path) -> dict[str, Any]:
    """The notebook, with a last cell that writes which modules there are by then."""
    source = (
        "import json, pathlib, sys\n"
        "names = [n for n in sys.modules if n.partition('.')[0] in ('torch', 'matplotlib')]\n"
        f"_ = pathlib.Path({str(record)!r}).write_text(json.dumps(names))"
    )
    return with_cell(notebook, source, notebook["cells"])


def bare(notebook: dict[str, Any], record: Path) -> dict[str, Any]:
    """A notebook of one cell, which imports the same."""
    lines = ["from contextlib import suppress", *imports(notebook), *loads(record)]
    return with_cell(notebook, "\n".join(dict.fromkeys(lines)), [])


def course(folder: Path, change: Callable[[dict[str, Any], Path], dict[str, Any]]) -> None:
    """The course's files in a folder, each notebook changed; records lie in the folder above."""
    shutil.copytree(ROOT / "notebooks", folder / "notebooks")
    for name in ("exercises", "solutions", "tests"):
        (folder / name).symlink_to(ROOT / name)
    shutil.copy(ROOT / "pyproject.toml", folder)
    for path in (folder / "notebooks").glob("*.ipynb"):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        record = folder.parent / f"{path.stem}.json"
        path.write_text(json.dumps(change(notebook, record)), encoding="utf-8")


def cost(folder: Path) -> float:
    """The processor seconds."""
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
    with TemporaryDirectory() as name:
        seconds = []
        for kind in (recording, bare):  # in this order: one writes what the other reads
            folder = Path(name, kind.__name__)
            folder.mkdir()
            course(folder, kind)
            seconds.append(cost(folder))
    whole, floor = seconds
    return {NAME: whole / floor}


def main() -> None:
    print(f"{NAME}: {measure()[NAME]:.2f} times its kernels and imports")


if __name__ == "__main__":
    main()
