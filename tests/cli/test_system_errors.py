"""What the operating system refuses is said with the folder and the next step."""

import errno
import os

import pytest
from handing_in import NORMALIZER, hand_in, solution

from grader.classroom.results.ledger import Record


def raising(number, *filename):
    """A function that raises what the operating system does, with or without a file's name."""

    def refuse(*arguments):
        raise OSError(number, os.strerror(number), *filename)

    return refuse


@pytest.fixture
def batch(tmp_path, grader):
    """Runs `grader batch` of one answer."""
    submissions = hand_in(tmp_path / "class", {f"ada/{NORMALIZER}.py": solution()})
    return lambda: grader("batch", submissions, "--out", tmp_path / "marks", "--jobs", "1")


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk(number, batch, tmp_path, monkeypatch):
    monkeypatch.setattr(Record, "keep", raising(number))

    ended = batch()

    assert (ended.status, "Errno" in ended.err) == (2, False)
    assert str(tmp_path / "marks") in ended.err
    assert "run the same command again" in ended.err


def test_a_file_system_that_can_only_be_read(batch, tmp_path, monkeypatch):
    file = tmp_path / "elsewhere" / "ledger.jsonl"
    monkeypatch.setattr(Record, "keep", raising(errno.EROFS, str(file)))

    ended = batch()

    assert (ended.status, "Errno" in ended.err) == (2, False)
    assert f"{tmp_path / 'elsewhere'} is on a file system that can only be read" in ended.err


def test_a_regrade_and_a_merge_of_no_results_write_nothing(tmp_path, grader):
    folder = tmp_path / "empty"
    folder.mkdir()

    for ended in (grader("regrade", folder), grader("merge", folder, "--out", tmp_path / "all")):
        assert (ended.status, "no ledger.jsonl" in ended.err) == (2, True)
    assert not (tmp_path / "all").exists()
    assert list(folder.iterdir()) == []
