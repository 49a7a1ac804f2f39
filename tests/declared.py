"""Every exercise's starter and declared mistakes, and how to judge a text that holds one."""

from collections.abc import Iterator
from pathlib import Path

from pasting import Judge, loaded

from grader.course.catalog import exercise_file, find
from grader.grading.grade import grade_class
from grader.loading import execute, read_source
from grader.schema.report import Report
from verify.variants import variants_file


def judge_of(stem: str, name: str, folder: Path) -> Judge:
    """What grades the class called `name` of a text, which it keeps in `folder`."""

    def judge(text: str) -> Report:
        return grade_class(find(stem), getattr(loaded(text, folder), name), "simulated")

    return judge


def starter_and_mistakes(stem: str, folder: Path) -> Iterator[tuple[str, str, Judge]]:
    """The name of each, the text that holds it, and what grades it."""
    rubric = find(stem)
    text = read_source(exercise_file(stem))
    yield "the starter", text, judge_of(stem, rubric.class_name, folder)
    path = variants_file(stem)
    text = read_source(path)
    for name in vars(execute(text, path))["MISTAKES"]:
        yield name, text, judge_of(stem, name, folder)
