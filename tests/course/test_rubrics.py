"""Nothing that an exercise is built or fed with hides a fault: all of it varies."""

import pytest
import torch

from grader.course.catalog import all_rubrics, solution_file
from grader.grading.grade import answer_file, grade_file
from grader.loading import class_of, execute, read_source
from grader.probe.inspection.values import fill_state
from verify.try_mutants import equivalents, mutants_of_exercise

RUBRICS = pytest.mark.parametrize("rubric", all_rubrics(), ids=lambda rubric: rubric.number)


def numbers_in(value):
    if isinstance(value, list):
        return [number for part in value for number in numbers_in(part)]
    return [value] if isinstance(value, float) else []


@RUBRICS
def test_every_argument_takes_two_values(rubric):
    usual, others = rubric.recipe.arguments, rubric.recipe.other_arguments

    assert others is not None
    assert usual.keys() == others.keys()
    assert [name for name in usual if usual[name] == others[name]] == []


@RUBRICS
def test_no_table_of_numbers_is_round(rubric):
    for arguments in (rubric.recipe.arguments, rubric.recipe.other_arguments):
        for name, value in arguments.items():
            numbers = numbers_in(value) if isinstance(value, list) else []
            assert [number for number in numbers if number * 2 == round(number * 2)] == [], name


@RUBRICS
def test_no_names_come_in_alphabetic_order(rubric):
    for value in rubric.recipe.arguments.values():
        names = list(value) if isinstance(value, dict | list) else []
        if names and isinstance(names[0], str):
            assert names != sorted(names)


@pytest.mark.parametrize(
    "rubric",
    [rubric for rubric in all_rubrics() if rubric.recipe.filled and rubric.number != "02b"],
    ids=lambda rubric: rubric.number,
)
def test_what_is_filled_has_different_numbers_in_it(rubric):
    path = solution_file(rubric.stem)
    module = class_of(execute(read_source(path), path), rubric.class_name)
    module = module(**rubric.recipe.arguments)
    before = {name: tensor.clone() for name, tensor in module.state_dict().items()}

    fill_state(module, 7, rubric.recipe.filled)

    for name in rubric.recipe.filled:
        tensor = module.state_dict()[name]
        assert not torch.equal(tensor, before[name])
        assert len(tensor.unique()) > tensor.numel() / 2


@pytest.mark.search
@RUBRICS
def test_no_argument_can_be_a_constant(rubric):
    mutants = list(mutants_of_exercise(rubric, accepted=False))
    ignoring = [mutant for _, mutant in mutants if mutant.rule == "argument ignored"]

    listed = equivalents(rubric)
    for mutant in ignoring:
        if (mutant.before, mutant.after) in listed:
            continue
        with answer_file(rubric, mutant.source) as path:
            assert grade_file(rubric, path, "simulated").verdict == "failed", mutant
