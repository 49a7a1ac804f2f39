"""Run the notebooks and store what they show, so that a reader sees it without running them.

Without arguments, all of notebooks/. First every starter is brought, as `make starters` stored it,
into the cell that checks it, every answer from grader/course/questions/ to where it is told, and
the repository's address to the top: a notebook never has its own. What would answer a question
before it is asked is stored folded, and so is code that only draws. A cell that raises stops the
run and leaves its notebook as it was. What differs from one machine or run to the next (times,
Python's version, view settings) is not stored, and cell ids stay, so that a second run changes
nothing. Run it where no GPU is: the stored outputs name the simulated device, and
notebooks/nbval_sanitize.cfg lets a real one pass.
"""

import argparse
import ast
import os
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from grader.course import catalog
from grader.course.items import Item, find_question

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "notebooks"

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
FOLDED = "hide-output"  # the tag by which MyST-NB folds what a cell shows on the site
OWN_RECORD = re.compile(r'progress\((?:"\w+")?\)\npuzzle\(\)')  # what it shows is the reader's own
WIDGET = "application/vnd.jupyter.widget-view+json"  # without its kernel, an empty place
ANSWER = re.compile(
    r"<details>\n<summary>Why\? The answer to prediction (\d\d[a-z]?\.\d)</summary>.*?</details>",
    re.DOTALL,
)
CHECK = re.compile(r'^check\("(\w+)", \w+\)$', re.MULTILINE)
# The same, or of a method that is written in a cell of its own; the cell of CHECK has the last.
CHECKS = re.compile(r'^check\("(\w+)", (\w+)\.?(\w*)\)$', re.MULTILINE)
PREDICT = re.compile(r'^predict\("([\w.]+)"\)$')
HEADING = re.compile(r"^#+ ", re.MULTILINE)


def exercise_code(code: str) -> str:
    """What a notebook has of an exercise's file: all but the task."""
    docstring, *_ = ast.parse(code).body
    return "\n".join(code.splitlines()[docstring.end_lineno :]).strip("\n")


def put_code(notebook: Any, code_of: Callable[[str], str]) -> None:
    """Put `code_of(stem)` into the cells that check an exercise.

    Where methods have cells of their own, each of those goes up to the end of its method, and the
    next one goes on with `class A(A):`.
    """
    begun: dict[str, tuple[str, str]] = {}  # by exercise, how the next cell begins, and the rest
    for cell in notebook.cells:
        checked = CHECKS.search(cell.source) if cell.cell_type == "code" else None
        if not checked:
            continue
        number, name, method = checked.groups()
        code = exercise_code(code_of(catalog.find(number).stem))
        head, rest = begun.pop(number, ("", code))
        if method:
            end = rest.index("\n\n", rest.index(f"    def {method}("))
            begun[number] = f"class {name}({name}):\n", rest[end:].lstrip("\n")
            rest = rest[:end]
        cell.source = f"{head}{rest}\n\n\n{checked[0]}"


def put_answers(notebook: Any) -> None:
    """Write, below each prediction, what is right and what is wrong with the other choices."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = ANSWER.sub(lambda found: answer(find_question(found[1])), cell.source)


def answer(question: Item) -> str:
    """A closed answer, for whoever reads without a kernel."""
    others = [letter for letter in question.letters if letter != question.right]
    return "\n".join(
        (
            f"<details>\n<summary>Why? The answer to prediction {question.key}</summary>\n",
            f"**{question.right}.** {question.choice(question.right).why}\n",
            *(f"- *{letter}.* {question.choice(letter).why}" for letter in others),
            "\n</details>",
        )
    )


def run(notebook: Any) -> None:
    """Execute every cell in a fresh kernel, and store its outputs in `notebook`.

    Raises:
        CellExecutionError: a cell raised.
    """
    # The kernel takes the place it is started in for the course's, as it does in JupyterLab.
    client = NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        record_timing=False,
        extra_arguments=["--IPKernelApp.log_level=ERROR"],
        resources={"metadata": {"path": str(NOTEBOOKS)}},
    )
    client.execute()


def join_streams(outputs: list[Any]) -> list[Any]:
    """The outputs with what was printed in several pieces as one, unless something came between.

    nbclient's own `coalesce_streams` puts all of it before what a cell displays.
    """
    joined: list[Any] = []
    for output in outputs:
        last = joined[-1] if joined else {}
        if output.output_type == "stream" and output.name == last.get("name"):
            last["text"] += output.text
        else:
            joined.append(output)
    return joined


def normalise(notebook: Any) -> None:
    """Drop what would differ the next time."""
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        if OWN_RECORD.fullmatch(cell.source):
            cell.outputs = []
        tags = [tag for tag in cell.metadata.get("tags", []) if tag != FOLDED]
        cell.metadata = nbformat.from_dict({"tags": tags} if tags else {})
        for output in cell.get("outputs", []):
            output.get("data", {}).pop(WIDGET, None)
        if cell.cell_type == "code":
            shown = [output for output in cell.outputs if output.get("data") != {}]
            cell.outputs = join_streams(shown)


def fold(notebook: Any) -> None:
    """Fold what answers a question before it is asked, and give pictures their text.

    Outputs are hidden from a question up to the next heading, and below an exercise: running a cell
    shows them. JupyterLab reads `jupyter.outputs_hidden`, MyST-NB the tag and `mystnb`; `collapsed`
    is nbformat's older name for it. GitHub folds nothing.
    """
    is_asked = False
    for cell in notebook.cells:
        if cell.source.startswith("figures."):
            (figure,) = cell.outputs
            cell.metadata.mystnb = {"image": {"alt": figure.data["text/plain"]}}
        if cell.cell_type == "markdown":
            is_asked = is_asked and not HEADING.search(cell.source)
        elif PREDICT.match(cell.source):
            is_asked = True
        elif cell.outputs and (is_asked or CHECKS.search(cell.source)):
            cell.metadata.setdefault("tags", []).append(FOLDED)
            cell.metadata.update(jupyter={"outputs_hidden": True}, collapsed=True)
            # In place of folded outputs JupyterLab shows the first line of the first of them.
            cell.outputs.insert(0, nbformat.v4.new_output("display_data"))


def number(notebook: Any) -> None:
    """Count the code cells as if all had run."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for count, cell in enumerate(code, start=1):
        cell.execution_count = count
        for output in cell.outputs:
            if "execution_count" in output:
                output.execution_count = count


def refresh(path: Path) -> bool:
    """Run one notebook and write it back; return whether that changed the file."""
    before = path.read_text(encoding="utf-8")
    notebook = nbformat.reads(before, as_version=4)
    put_code(notebook, catalog.starter)
    put_answers(notebook)
    run(notebook)
    normalise(notebook)
    fold(notebook)
    number(notebook)
    nbformat.validate(notebook)
    after: str = nbformat.writes(notebook) + "\n"
    path.write_text(after, encoding="utf-8")
    return after != before


def main() -> int:
    """Refresh the notebooks named on the command line, or all; return 1 if a cell raised."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("notebooks", nargs="*", type=Path, metavar="NOTEBOOK")
    paths = parser.parse_args().notebooks or sorted(NOTEBOOKS.glob("[0-9]*.ipynb"))
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"  # else the kernel warns about its debugger
    with tempfile.TemporaryDirectory() as directory:
        os.environ["GRADER_JOURNAL"] = f"{directory}/journal.json"  # nobody's progress
        for path in paths:
            try:
                changed = refresh(path)
            except CellExecutionError as error:
                print(f"{path.name}: left as it was.\n{error}", file=sys.stderr)
                return 1
            print(f"{path.name}: {'changed' if changed else 'unchanged'}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
