"""Finding the class in a learner's file, or saying in plain words why it is not there."""

import sys
from pathlib import Path

import pytest

from grader.loading import (
    LoadingError,
    class_of,
    classes_in,
    execute,
    parse,
    read_source,
    require_class,
)

CODECS = ("klingon", "rot13", "base64", "undefined", "utf-16", "hex", "zip")


@pytest.fixture
def file(tmp_path):
    """Writes a learner's file."""

    def write(text):
        path = tmp_path / "answer.py"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def why_not(action, *arguments):
    with pytest.raises(LoadingError) as error:
        action(*arguments)
    return str(error.value)


def test_a_file_that_is_there_is_read(file):
    assert read_source(file("x = 'ü'\n")) == "x = 'ü'\n"


def test_windows_line_ends_and_a_byte_order_mark_do_no_harm(file):
    assert read_source(file(b"\xef\xbb\xbfx = 1\r\ny = 2\r\n")) == "x = 1\ny = 2\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b" \n\t\n", "is empty"),
        (b"x = '\xfc'\n", "is not UTF-8 text"),
        (b"\x80\x04\x95\x0e\x00\x00", "is not UTF-8 text"),
        *((f"# coding: {codec}\nx = 1\n".encode(), "is not UTF-8 text") for codec in CODECS),
    ],
)
def test_content_that_is_no_text(file, content, message):
    assert message in why_not(read_source, file(content))


def test_a_path_that_is_no_file(tmp_path):
    assert "is a directory" in why_not(read_source, tmp_path)
    assert "does not exist" in why_not(read_source, tmp_path / "nosuch.py")
    assert "cannot be read" in why_not(read_source, Path("a" * 5000))


@pytest.mark.parametrize(
    ("source", "line", "message"),
    [
        ("import torch\n\nclass Net(nn.Module)\n    pass\n", 3, "`class Net(nn.Module)`"),
        ("def f():\n\tif x:\n        y = 1\n", 3, "inconsistent use of tabs"),
        ("print 'hello'\n", 1, "Missing parentheses"),
        ("x = (1,\n", 1, "was never closed"),
    ],
)
def test_a_syntax_error_has_its_line(source, line, message):
    with pytest.raises(LoadingError) as error:
        parse(source, Path("answer.py"))

    assert error.value.line == line
    assert f"answer.py, line {line}: Python cannot read this line" in str(error.value)
    assert message in str(error.value)


def test_classes_are_those_at_the_top_level():
    tree = parse("class A:\n    class B: pass\n\ndef f():\n    class C: pass\n", Path("a.py"))

    assert classes_in(tree) == ("A",)


@pytest.mark.parametrize(
    "source",
    [
        "class Net: pass\n",
        "if True:\n    class Net: pass\n",
        "def make(): return object\nNet = make()\n",
        "from models import Net\n",
        "from models import Network as Net\n",
        "from models import *\n",
        "Net: type = object\n",
    ],
)
def test_a_name_may_be_bound_in_many_ways(source):
    require_class(parse(source, Path("answer.py")), "Net", Path("answer.py"))


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("net = 1\n", "It defines no class at all. Write `class Net(nn.Module):`."),
        ("class net: pass\n", "It defines net. Rename your class to Net"),
        ("class Model: pass\nclass Head: pass\n", "It defines Model and Head."),
        ("print(Net)\n", "It defines no class at all."),
    ],
)
def test_a_name_that_nothing_binds_is_missing_before_anything_runs(source, message):
    path = Path("answer.py")

    assert message in why_not(require_class, parse(source, path), "Net", path)


def test_a_file_runs_as_a_module_of_its_own(file):
    path = file("__all__ = []\nclass Net:\n    pass\n\nif __name__ == '__main__':\n    1 / 0\n")

    module = execute(read_source(path), path)

    assert module.__file__ == str(path)
    assert class_of(module, "Net").__module__ == module.__name__ == "learner_answer"
    assert sys.modules["learner_answer"] is module


def test_a_file_may_import_what_lies_beside_it_and_leaves_no_path_behind(file, tmp_path):
    (tmp_path / "beside_the_answer.py").write_text("WIDTH = 3\n")
    path = file("from beside_the_answer import WIDTH\n")
    before = list(sys.path)

    assert execute(read_source(path), path).WIDTH == 3
    assert sys.path == before


@pytest.mark.parametrize("statement", ["1 / 0", "raise SystemExit", "import nosuchmodule"])
def test_what_a_file_raises_comes_through_and_leaves_no_path_behind(file, statement):
    path = file(f"{statement}\n")
    before = list(sys.path)

    with pytest.raises((ZeroDivisionError, SystemExit, ModuleNotFoundError)):
        execute(read_source(path), path)

    assert sys.path == before


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("class Net: pass\ndel Net\n", "ran, but afterwards there is no Net"),
        ("Net = None\n", "ran, but afterwards there is no Net"),
        ("def Net(): pass\n", "Net is a function, not a class"),
        ("Net = 'class'\n", "Net is a str, not a class"),
    ],
)
def test_a_name_that_is_no_class_in_the_end(file, source, message):
    path = file(source)

    assert message in why_not(class_of, execute(source, path), "Net")
