"""Files that Python cannot read, or only with difficulty: a sentence at once, and an exit code."""

import os
import socket
import sys

import pytest
from answering import report, source

DEEP = {
    "brackets": "(" * 5_000 + ")" * 5_000,
    "signs": "-" * 100_000 + "1",
    "dots": "a" + ".b" * 100_000,
    "sums": "+".join(["1"] * 100_000),
    "lambdas": "lambda: " * 3_000 + "1",
}


def test_encodings_that_python_reads_are_read(tmp_path):
    assert report(tmp_path, source().encode("utf-16")).verdict == "passed"  # by its mark
    for codec in ("latin-1", "cp1252", "utf-7", "ascii"):
        text = f"# -*- coding: {codec} -*-\n{source()}"
        assert report(tmp_path, text.encode(codec)).verdict == "passed"


@pytest.mark.parametrize("name", DEEP)
def test_what_is_too_deep_for_python_is_said(name, tmp_path):
    result = report(tmp_path, source(after=f"deep = lambda: {DEEP[name]}"))

    assert result.verdict == "not_defined"
    assert "nested" in result.message
    assert "grader itself" not in result.message


@pytest.mark.parametrize("depth", [100, 300, 900, 1_500, 2_500])
def test_at_any_depth_there_is_a_verdict(depth, tmp_path):
    for deep in ("+".join(["1"] * depth), "a" + ".b" * depth, "-" * depth + "1"):
        result = report(tmp_path, source(after=f"deep = lambda: {deep}"))

        assert result.verdict in ("passed", "not_defined")
        assert "grader itself" not in result.message


def test_a_null_byte_is_said(tmp_path):
    for after in ("x = 1\0", "x = '\0'"):
        result = report(tmp_path, source(after=after))

        assert result.verdict == "not_defined"
        assert "null bytes" in result.message


@pytest.fixture
def places(tmp_path):
    """What lies where a file should, with what is said of it."""
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe.py")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket.py"))
        with (tmp_path / "huge.py").open("wb") as file:
            file.truncate(2**40)  # a hole: it takes no room
        yield {
            "/dev/zero": "a device",
            "/dev/null": "a device",
            tmp_path / "folder": "folder",  # of an audit: it holds no Python file
            tmp_path / "pipe.py": "a named pipe",
            tmp_path / "socket.py": "a socket",
            tmp_path / "huge.py": "too large",
        }


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such files")
@pytest.mark.parametrize("command", ["check", "audit"])
def test_what_is_no_ordinary_file_is_not_read(command, places, grader):
    for path, kind in places.items():
        ended = grader(command, path)

        assert ended.status == 2
        assert kind in " ".join((ended.out + ended.err).split())
