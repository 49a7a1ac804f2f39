"""A class's results in the forms that other systems take."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from grader.classroom.results.exports.canvas import canvas_csv
from grader.classroom.results.exports.github import github_files
from grader.classroom.results.exports.gradescope import gradescope_files
from grader.classroom.results.exports.junit import junit_xml
from grader.classroom.results.exports.nbgrader import nbgrader_csv
from grader.classroom.results.exports.results_csv import results_csv
from grader.classroom.results.gradebook import Gradebook
from grader.classroom.results.pages import page_files

# What is one file has a name for it; what is many has a folder.
FILES: dict[str, tuple[str, Callable[[Gradebook], str]]] = {
    "csv": ("results.csv", results_csv),
    "canvas": ("canvas.csv", canvas_csv),
    "nbgrader": ("nbgrader.csv", nbgrader_csv),
    "junit": ("junit.xml", junit_xml),
}
FOLDERS: dict[str, Callable[[Gradebook], Iterator[tuple[str, str]]]] = {
    "gradescope": gradescope_files,
    "github": github_files,
    "html": page_files,
}


def export(book: Gradebook, form: str, folder: Path, out: Path | None = None) -> Path:
    """Write a class's results, and say where.

    Args:
        book: the results.
        form: one of `FILES` or `FOLDERS`.
        folder: the batch's, where the result goes unless `out` says otherwise.
        out: a file or folder, as the form asks.
    """
    if form in FILES:
        name, render = FILES[form]
        return _write(out or folder / name, render(book))
    target = out or folder / form
    for name, text in FOLDERS[form](book):
        _write(target / name, text)
    return target


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
    return path
