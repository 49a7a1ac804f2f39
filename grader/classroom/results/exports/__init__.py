"""A class's results in the forms that other systems take."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.metadata import entry_points
from pathlib import Path

from grader.classroom.results.exports.feedback import (
    canvas_feedback,
    moodle_feedback,
    nbgrader_feedback,
)
from grader.classroom.results.exports.moodle import moodle_files
from grader.classroom.results.exports.tables import canvas_csv, results_csv
from grader.classroom.results.gradebook import Gradebook
from grader.classroom.results.pages import page_files
from grader.errors import GraderError

Folder = Callable[[Gradebook], Iterator[tuple[str, str | bytes]]]
# What is one file has a name for it; what is many has a folder.
FILES: dict[str, tuple[str, Callable[[Gradebook], str]]] = {
    "csv": ("results.csv", results_csv),
    "canvas": ("canvas.csv", canvas_csv),
}
FOLDERS: dict[str, Folder] = {
    "html": page_files,
    # What a platform takes back, of what it gave out.
    "moodle": moodle_files,
    "moodle-feedback": moodle_feedback,
    "canvas-feedback": canvas_feedback,
    "nbgrader-feedback": nbgrader_feedback,
}


class UnknownFormError(GraderError, LookupError):
    """Results are written in no such form."""


def export(book: Gradebook, form: str, folder: Path, out: Path | None = None) -> Path:
    """Write a class's results, and say where.

    Args:
        book: the results.
        form: one of `FILES` or `FOLDERS`, or of what an installed package adds.
        folder: the batch's, where the result goes unless `out` says otherwise.
        out: a file or folder, as the form asks.

    Raises:
        UnknownFormError: there is no such form.
        NoPlaceError: the form is for a platform from which nothing came.
        TermError: a worksheet that the term names is none.
    """
    if form in FILES:
        name, render = FILES[form]
        return _write(out or folder / name, render(book))
    target = out or folder / form
    for name, content in _folder(form)(book):
        _write(target / name, content)
    return target


def _folder(form: str) -> Folder:
    others = {point.name: point for point in entry_points(group="wheres_my_tensor.exports")}
    if form not in FOLDERS | others:
        known = ", ".join(sorted({*FILES, *FOLDERS, *others}))
        raise UnknownFormError(f"Results are written in no form {form}. There are {known}.")
    return FOLDERS.get(form) or others[form].load()


def _write(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return path
