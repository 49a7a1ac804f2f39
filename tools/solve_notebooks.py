"""Run the notebooks with the solutions in place of the starters, and print each check's verdict.

Usage: python tools/solve_notebooks.py; prints one JSON object, such as {"03": "passed", ...}.

Every cell of every notebook is run, by IPython itself but without a kernel for each: starting those
would take longer than all the rest.
"""

import io
import json
import sys
import warnings
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import matplotlib
import nbformat
from IPython.core.interactiveshell import InteractiveShell

from grader import simulated_cuda
from grader.course import catalog
from refresh_notebooks import CHECK, NOTEBOOKS, put_code


def answer(stem: str) -> str:
    """The solution of an exercise."""
    return catalog.solution_file(stem).read_text(encoding="utf-8")


def solve(path: Path, shell: InteractiveShell) -> dict[str, str]:
    """Run one notebook from a clean start; give each exercise's verdict.

    Raises:
        Exception: what a cell raised.
    """
    notebook: Any = nbformat.read(path, as_version=4)
    put_code(notebook, answer)
    shell.reset(new_session=True)
    simulated_cuda.disable()
    verdicts = {}
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        result = shell.run_cell(cell.source, store_history=True)
        result.raise_error()
        if checked := CHECK.search(cell.source):
            verdicts[checked[1]] = result.result.verdict
    return verdicts


def main() -> int:
    """Solve the whole course; return 1 unless every check passed."""
    matplotlib.use("agg")
    warnings.filterwarnings("ignore", message=".*non-interactive")  # `plt.show()` shows nobody
    shell = InteractiveShell.instance()
    verdicts: dict[str, str] = {}
    with redirect_stdout(io.StringIO()):
        for path in sorted(NOTEBOOKS.glob("[0-9]*.ipynb")):
            verdicts |= solve(path, shell)
    print(json.dumps(verdicts, indent=1))
    return 0 if set(verdicts.values()) == {"passed"} else 1


if __name__ == "__main__":
    sys.exit(main())
