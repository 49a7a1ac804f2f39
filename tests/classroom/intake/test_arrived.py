"""What was handed in is never nothing: it is read, or a person is to look at it."""

import pytest
from handing_in import NORMALIZER, SCALE, hand_in, notebook, solution, wrong

from grader.classroom.results.gradebook import gradebook
from grader.classroom.results.ledger import latest, read_ledger
from grader.classroom.results.pages import page_files

# As Windows, a browser and Notepad leave a right answer.
READ = {
    f"{NORMALIZER}.py.txt": solution(),
    f"{NORMALIZER}.PY.TXT": solution(),
    f"{NORMALIZER}.ipynb.txt": notebook("import torch\nfrom torch import nn", solution()),
    f"{NORMALIZER}.ipynb.json": notebook("import torch\nfrom torch import nn", solution()),
    "03.py.txt": solution(),
    "utf-16.py": solution().encode("utf-16"),
    f"{NORMALIZER}.py": solution().replace("\n", "\r\n").encode("utf-16"),
}
# What nobody opens here, and what of it the exercise is.
UNREAD = {
    f"{NORMALIZER}.7z": "03",
    f"{NORMALIZER}.tar.gz": "03",
    f"{NORMALIZER}.pdf": "03",
    f"{NORMALIZER}.txt": "03",
    f"{NORMALIZER}/answer.docx": "03",
    f"week 1 {NORMALIZER}.rar": "03",
    "exercise 03.pdf": "03",
    "hw.tar.gz": "any",
    f"{NORMALIZER}.ipynb": "03",
    "utf-16 without a mark 03.py": "03",
}
CONTENTS = {
    f"{NORMALIZER}.ipynb": b'{"cells": 3}',
    "utf-16 without a mark 03.py": solution().encode("utf-16-le"),
}


@pytest.fixture
def batch(tmp_path, grader):
    def run(files):
        root = hand_in(tmp_path / "in", {f"ada/{NORMALIZER}.py": solution(), **files})
        ended = grader("batch", root, "--out", tmp_path / "out")
        return ended, latest(read_ledger(tmp_path / "out"))

    return run


def test_a_right_answer_under_an_odd_name_or_in_utf_16_is_right(batch):
    _, entries = batch({f"learner {i}/{name}": READ[name] for i, name in enumerate(READ)})

    verdicts = {key: entry.report.verdict for key, entry in entries.items()}
    assert set(verdicts.values()) == {"passed"}, verdicts
    assert len(verdicts) == len(READ) + 1


def test_what_nobody_can_open_needs_a_person_and_is_named(batch):
    names = {f"learner {i}": name for i, name in enumerate(UNREAD)}
    files = {
        f"{who}/{name}": CONTENTS.get(name, b"%PDF or the like") for who, name in names.items()
    }

    ended, entries = batch({**files, f"ada/{SCALE}.py": solution(SCALE)})

    assert ended.status == 2
    pages = dict(page_files(gradebook(entries.values())))
    for who, name in names.items():
        report = entries[who, "03"].report
        assert report.verdict == "cannot_grade", name
        assert name in report.message
        assert f"Hand in `{NORMALIZER}.py`" in report.message
        other = "cannot_grade" if UNREAD[name] == "any" else "not_attempted"
        assert entries[who, "04"].report.verdict == other, name
        assert name in ended.out.replace("\n", "")
        assert who in pages["index.html"]
        assert any(name in page and f"{NORMALIZER}.py" in page for page in pages.values())


def test_a_picture_or_a_table_next_to_an_answer_changes_nothing(batch):
    more = {"bo/loss 04.png": b"", "bo/notes.txt": b"", f"bo/{NORMALIZER}/data.csv": b"1,2"}
    ended, entries = batch({f"bo/{NORMALIZER}.py": wrong(), **more})

    assert ended.status == 0
    assert [key for key in entries if key[0] == "bo"] == [("bo", "03")]
    assert entries["bo", "03"].report.verdict == "failed"


def test_what_lies_in_a_copy_of_the_course_is_no_answer(batch):
    course = "bo/course"
    files = {
        f"{course}/exercises/{NORMALIZER}.py": wrong(),
        f"{course}/tests/golden/{SCALE}.txt": "",
        f"{course}/docs/{SCALE}.pdf": "",
    }

    _, entries = batch(files)

    assert [key for key in entries if key[0] == "bo"] == [("bo", "03")]
