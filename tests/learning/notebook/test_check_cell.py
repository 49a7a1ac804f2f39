"""What a learner calls in a cell."""

import pytest
import torch
from right_answer import CenterScale

from grader import check, ensure_cuda, hint, reset, simulated_cuda, solution
from grader.course.catalog import UnknownExerciseError, exercise_file, find, solution_file, starter

STEM = "04_parameter_or_buffer"


def test_without_an_answer_the_file_in_exercises_is_judged(course, capsys):
    report = check("04")

    assert report.verdict == "not_attempted"
    assert report.source.endswith(f"exercises/{STEM}.py")
    assert "○ NOT ATTEMPTED" in capsys.readouterr().out


@pytest.mark.parametrize("kind", [str, lambda path: path])
def test_a_path_is_judged(kind, answers, capsys):
    path = answers.edit("torch.ones(features)", "torch.ones((features,))")

    assert check("04", kind(path)).verdict == "passed"


@pytest.mark.parametrize("call", [check, hint, solution, reset])
def test_no_such_exercise(call, course):
    with pytest.raises(UnknownExerciseError, match="There is no exercise 99"):
        call("99")


@pytest.mark.parametrize(("number", "shown"), [(1, 1), (4, 4), (5, 4), (100, 4), (0, 1), (-3, 1)])
def test_hints_stay_within_their_number(number, shown, capsys):
    hint("04", number)

    assert capsys.readouterr().out.startswith(f"Hint {shown} of 4: ")


def test_a_hint_is_broken_between_words(capsys):
    hint("03", 1)

    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 1
    assert all(len(line) <= 88 for line in lines)
    assert " ".join(lines).endswith(find("03").hints[0])


def test_the_solution_is_shown_with_its_reason(capsys):
    solution("04")

    shown = capsys.readouterr().out
    assert shown.startswith(solution_file(STEM).read_text(encoding="utf-8"))
    assert "# Why: " in shown


def test_reset_keeps_every_answer_under_a_name_of_its_own(course):
    path = exercise_file(STEM)
    kept = []
    for answer in ("first", "second"):
        path.write_text(answer)
        kept.append(reset("04"))

    assert [path.name for path in kept] == [f"{STEM}.1.old.py", f"{STEM}.2.old.py"]
    assert [path.read_text() for path in kept] == ["first", "second"]
    assert path.read_text(encoding="utf-8") == starter(STEM)


def test_reset_of_a_starter_keeps_nothing_and_of_a_lost_file_brings_it_back(course):
    assert reset("04") is None
    exercise_file(STEM).unlink()

    assert reset("04") is None
    assert exercise_file(STEM).read_text(encoding="utf-8") == starter(STEM)


@pytest.mark.skipif(torch.cuda.is_available(), reason="a GPU is here")
def test_without_a_gpu_cuda_is_made_usable_once_and_says_that_it_is_simulated():
    try:
        assert ensure_cuda() == ensure_cuda() == "cuda:0 (simulated)"
        assert str(CenterScale(3).cuda().weight.device) == "cuda:0"
        assert torch.cuda.device_count() == 2
    finally:
        simulated_cuda.disable()


@pytest.mark.skipif(torch.cuda.is_available(), reason="a GPU is here")
def test_a_check_in_between_leaves_cuda_usable():
    with simulated_cuda(devices=2):
        check("04", CenterScale)
        assert str(torch.ones(1, device="cuda:1").device) == "cuda:1"


def test_the_package_offers_what_it_says_and_no_more():
    import grader

    assert set(grader.__all__) <= set(dir(grader))
    with pytest.raises(AttributeError, match="no attribute 'chekc'"):
        grader.chekc  # noqa: B018
