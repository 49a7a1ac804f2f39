"""The course as a list: what each exercise may be called, and where its files are."""

from pathlib import Path

import pytest

from grader.course.catalog import (
    UnknownExerciseError,
    all_rubrics,
    course_root,
    exercise_file,
    find,
    find_by_file,
    is_untouched,
    require_course,
    solution_file,
    starter,
    stems,
)
from grader.loading import LoadingError

ROOT = Path(__file__).resolve().parents[2]


def test_one_stem_names_the_exercise_everywhere():
    for stem in stems():
        assert (ROOT / "exercises" / f"{stem}.py").is_file()
        assert solution_file(stem).is_file()
        assert (ROOT / "tests" / "variants" / f"{stem}.py").is_file()
        assert starter(stem).startswith(f'"""Exercise {find(stem).number}: ')


def test_exercises_come_in_the_order_of_their_numbers_and_none_twice():
    numbers = [rubric.number for rubric in all_rubrics()]

    assert numbers == sorted(set(numbers))
    assert [rubric.stem for rubric in all_rubrics()] == list(stems())


@pytest.mark.parametrize("stem", stems())
def test_an_exercise_is_found_by_its_number_and_by_its_name(stem):
    number = stem.split("_")[0]

    assert find(stem).stem == find(number).stem == find(number.removeprefix("0")).stem == stem


@pytest.mark.parametrize("name", ["", "000", "3x", "normalizer", "03_", "03_member_tensors.py"])
def test_what_is_no_exercise_is_said_with_what_there_is(name):
    with pytest.raises(UnknownExerciseError, match=r"There is no exercise .*03, 03b, 04"):
        find(name)


@pytest.mark.parametrize(
    ("file", "classes"),
    [
        ("04_parameter_or_buffer.py", ()),
        ("ada_lovelace_04_parameter_or_buffer.py", ()),
        ("homework.py", ("Helper", "CenterScale")),
        ("04_parameter_or_buffer.py", ("Normalizer",)),
    ],
)
def test_a_file_tells_its_exercise_by_its_name_or_else_by_its_class(file, classes):
    assert find_by_file(Path(file), classes).stem == "04_parameter_or_buffer"


@pytest.mark.parametrize("classes", [(), ("Perceptron",), ("Normalizer", "CenterScale")])
def test_a_file_that_tells_nothing_or_two_things_belongs_to_none(classes):
    with pytest.raises(UnknownExerciseError, match=r"homework.py belongs to no exercise"):
        find_by_file(Path("homework.py"), classes)


def test_the_course_is_the_nearest_folder_upwards_that_holds_one(course, monkeypatch):
    (course / "notebooks" / "drafts").mkdir()
    monkeypatch.chdir(course / "notebooks" / "drafts")

    assert course_root() == course
    assert exercise_file("03_member_tensors") == course / "exercises" / "03_member_tensors.py"


def test_outside_every_course_a_learner_is_told_how_to_get_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("grader.course.catalog.PACKAGE", tmp_path / "site-packages" / "grader")

    with pytest.raises(LoadingError, match="`grader lab my-course` lays one out"):
        require_course()


def test_elsewhere_the_course_is_the_one_the_grader_came_with(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    assert course_root() == ROOT


def test_comments_and_spaces_do_not_make_an_answer():
    source = starter("04_parameter_or_buffer")

    assert is_untouched(
        source.replace("\n\n\n", "\n\n\n# what is this?\n"), "04_parameter_or_buffer"
    )
    assert not is_untouched(source.replace("ones", "zeros"), "04_parameter_or_buffer")
    assert not is_untouched(source, "03_member_tensors")
