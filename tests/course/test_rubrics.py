"""Nothing that an exercise is built or fed with hides a fault: all of it varies."""

import pytest
import torch

from grader.course.catalog import all_rubrics, solution_file
from grader.grading.grade import answer_file, grade_file
from grader.loading import class_of, execute, read_source
from grader.probe.inspection.values import fill_state
from verify.try_mutants import equivalents, mutants_of_exercise


def numbers_in(value):
    if isinstance(value, list):
        return [number for part in value for number in numbers_in(part)]
    return [value] if isinstance(value, float) else []


def hides_something(arguments, others):
    """Why a fault of an answer may not show: an argument is told from no other."""
    for name, value in arguments.items():
        if value == others[name]:
            yield f"{name} has one value"
        numbers = numbers_in(value) if isinstance(value, list) else []
        if any(number * 2 == round(number * 2) for number in numbers):
            yield f"{name} has a round number"
        each = [list(v) for v in (value, others[name]) if isinstance(v, dict | list)]
        if each and all(isinstance(names[0], str) and names == sorted(names) for names in each):
            yield f"{name} has its names in alphabetic order"


def test_every_argument_takes_two_values_that_are_uneven_and_in_no_order():
    for rubric in all_rubrics():
        usual, others = rubric.recipe.arguments, rubric.recipe.other_arguments
        assert usual.keys() == others.keys(), rubric.stem
        assert [*hides_something(usual, others), *hides_something(others, usual)] == [], rubric.stem


def test_what_is_filled_has_different_numbers_in_it():
    filled = [r for r in all_rubrics() if r.recipe.filled and not r.recipe.model]
    for rubric in filled:
        path = solution_file(rubric.stem)
        cls = class_of(execute(read_source(path), path), rubric.class_name)
        module = cls(**rubric.recipe.arguments)
        before = {name: tensor.clone() for name, tensor in module.state_dict().items()}
        fill_state(module, 7, rubric.recipe.filled)
        for name in rubric.recipe.filled:
            tensor = module.state_dict()[name]
            assert not torch.equal(tensor, before[name]), rubric.stem
            assert len(tensor.unique()) > tensor.numel() / 2, rubric.stem


@pytest.mark.search
@pytest.mark.parametrize("rubric", all_rubrics(), ids=lambda rubric: rubric.number)
def test_no_argument_can_be_a_constant(rubric):
    mutants = list(mutants_of_exercise(rubric, accepted=False))
    ignoring = [mutant for _, mutant in mutants if mutant.rule == "argument ignored"]

    listed = equivalents(rubric)
    for mutant in ignoring:
        if (mutant.before, mutant.after) in listed:
            continue
        with answer_file(rubric, mutant.source) as path:
            assert grade_file(rubric, path, "simulated").verdict == "failed", mutant
