"""Pages of feedback under the names by which Moodle, Canvas and nbgrader take them back.

As one zip, the same bytes each time.
"""

from __future__ import annotations

import io
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from grader.classroom.intake.notes import SECRET, TIMESTAMP
from grader.classroom.results.gradebook import Gradebook, Result, Total, alone
from grader.classroom.results.pages import feedback_page
from grader.errors import GraderError


class NoPlaceError(GraderError, ValueError):
    """Nothing that was graded came from the platform, so it would take nothing back."""


def moodle_feedback(book: Gradebook) -> Iterator[tuple[str, bytes]]:
    """For each assignment a zip for *Upload multiple feedback files in a zip*.

    Moodle splits a folder's name at underscores and wants the participant's number second
    (mod/assign/feedback/file/importziplib.php), so the name before it may hold none.
    """
    return _zips(book, "moodle", moodle_path, "Moodle's *Download all submissions*")


def canvas_feedback(book: Gradebook) -> Iterator[tuple[str, bytes]]:
    """For each assignment a zip for *Upload submissions*, which makes a comment of each page.

    Canvas takes the first two numbers between underscores for the learner and the attachment
    (`infer_comment_context_from_filename` in its assignment.rb).
    """
    return _zips(book, "canvas", canvas_path, "Canvas's *Download submissions*")


def nbgrader_feedback(book: Gradebook) -> Iterator[tuple[str, str]]:
    """`LEARNER/ASSIGNMENT/NOTEBOOK.html`, as `nbgrader release_feedback` wants `feedback/`.

    Next to it stands what nbgrader noted of the submission, by which it finds the learner's folder.
    """
    pages: dict[str, list[Result]] = defaultdict(list)
    for result in book.results():
        if result.entry and (path := _in_nbgrader(result)):
            pages[path].append(result)
    if not pages:
        raise NoPlaceError(
            "No graded notebook lies as LEARNER/ASSIGNMENT/NOTEBOOK.ipynb. Grade nbgrader's own "
            "folder: grader batch submitted/ --out …"
        )
    for path, results in pages.items():
        yield path, feedback_page(list(map(alone, results)))
        if receipts := _receipts(results, "nbgrader"):
            timestamp, _, secret = receipts.pop().partition("\n")
            folder = path.rpartition("/")[0]
            yield f"{folder}/{TIMESTAMP}", timestamp
            yield f"{folder}/{SECRET}", secret


def moodle_id(total: Total) -> str:
    """The participant's number, which is another in each assignment; `""` if it has none."""
    found = _receipts(total.results, "moodle")
    return found.pop() if len(found) == 1 else ""


def _receipts(results: Iterable[Result], platform: str) -> set[str]:
    entries = [result.entry for result in results if result.entry]
    return {entry.receipt for entry in entries if entry.platform == platform}


def _zips(
    book: Gradebook, platform: str, path_of: Callable[[str, str, str], str], source: str
) -> Iterator[tuple[str, bytes]]:
    """A zip for each assignment of which anything came from the platform."""
    is_empty = True
    for item in book.items:
        files: dict[str, str] = {}
        for learner in book.learners:
            total = book.total(learner, item)
            # A page on all, if the platform takes it at one place; else one for each exercise.
            is_one = len(_receipts(total.results, platform)) == 1
            for part in [total] if is_one else map(alone, total.results):
                for receipt in _receipts(part.results, platform):
                    path = path_of(learner, receipt, f"{part.item.stem}.html")
                    files[path] = feedback_page([part])
        if files:
            is_empty = False
            yield f"{item.stem}.zip", zipped(files)
    if is_empty:
        raise NoPlaceError(f"Nothing here was graded from the zip of {source}.")


def moodle_path(name: str, number: str, file: str) -> str:
    """Where Moodle looks for a participant's file; see `moodle_feedback`."""
    return f"{shortened(name.replace('_', ' '))}_{number}_assignsubmission_file_/{file}"


def canvas_path(name: str, numbers: str, file: str) -> str:
    """Where Canvas looks for a file; a number in the name would be taken for the learner's."""
    name = re.sub(r"(?<![^_])\d+(?![^_])", "", shortened(name))
    return f"{name}_{numbers}_{file}"


def _in_nbgrader(result: Result) -> str:
    """Below nbgrader's `submitted/LEARNER/` a notebook is in the folder of its assignment."""
    file = PurePosixPath(result.entry.file) if result.entry else PurePosixPath()
    if len(file.parts) != 2 or file.suffix != ".ipynb" or "/" in result.learner:
        return ""
    return f"{result.learner}/{file.with_suffix('.html')}"


MOST_BYTES = 100  # of a learner's name in a file's; file systems take 255 for the whole


def zipped(files: Mapping[str, str] | Mapping[str, bytes]) -> bytes:
    """A zip with these texts, or bytes, under these paths."""
    stream = io.BytesIO()
    with ZipFile(stream, "w", ZIP_DEFLATED) as archive:
        for path, content in files.items():
            member = ZipInfo(path)  # which is from 1980, whenever it is made
            member.compress_type, member.external_attr = ZIP_DEFLATED, 0o644 << 16
            archive.writestr(member, content)
    return stream.getvalue()


def shortened(name: str) -> str:
    """A name that leaves room for the rest of a file's name, and holds no folder."""
    text = "".join(" " if letter in '/\\:*?"<>|' or letter < " " else letter for letter in name)
    return text.encode("utf-8", "replace")[:MOST_BYTES].decode("utf-8", "ignore").strip(" .")
