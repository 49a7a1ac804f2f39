"""The rules that change a right answer: what they make, and what they leave alone."""

import ast

import pytest

from grader.course.catalog import all_rubrics, find
from verify.mutants import mutants_of
from verify.try_mutants import mutants_of_exercise

FEWEST = 60
ANSWER = '''\
import torch
from torch import nn


def table(size: int = 3):
    return torch.ones(size).triu(1)


class Base(nn.Module):
    def forward(self, x):
        """Take 1 and give 2."""
        return (x - self.mean) * self.weight


class Right(Base):
    def __init__(self, features: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(features), persistent=False)
        self.weight = nn.Parameter(torch.ones(features))


class AlsoRight(Right):
    pass
'''
MADE = {
    "a neighbouring call": 'self.register_buffer("mean", torch.ones(features), persistent=False)',
    "a sign": "return ((x + self.mean)) * self.weight",
    "a keyword dropped": "self.register_buffer('mean', torch.zeros(features))",
    "a buffer to an attribute": "self.mean = torch.zeros(features)",
    "a Parameter to a buffer": "self.weight = nn.Buffer(torch.ones(features))",
    "a statement deleted": "pass",
    "a gradient cut off": "return ((x - self.mean) * self.weight).detach()",
    "another dtype after the call": "self.mean = self.mean.double()",
    "another default device": 'torch.set_default_device("cuda")',
    "an attribute mistaken": "return (x - self.weight) * self.weight",
}


def lines(*answers):
    return {mutant.after for _, mutant in mutants_of(ANSWER, answers)}


@pytest.mark.parametrize("line", MADE.values(), ids=MADE)
def test_a_rule_changes_one_line(line):
    assert line in lines("Right")


def test_every_mutant_is_another_program_that_can_be_parsed():
    programs = [ast.dump(ast.parse(mutant.source)) for _, mutant in mutants_of(ANSWER, ("Right",))]

    assert len(set(programs)) == len(programs)
    assert ast.dump(ast.parse(ANSWER)) not in programs


def test_docstrings_annotations_defaults_and_what_is_not_used_stay():
    changed = {mutant.before for _, mutant in mutants_of(ANSWER, ("Right",))}

    assert not [line for line in changed if "Take 1" in line or "def " in line or "triu" in line]


def test_what_several_answers_share_is_changed_for_the_first():
    assert {answer for answer, _ in mutants_of(ANSWER, ("Right", "AlsoRight"))} == {"Right"}


def test_a_mutant_knows_its_method_and_its_lines_before_and_after():
    edits = {mutant.after: mutant.edit for _, mutant in mutants_of(ANSWER, ("Right",))}
    line = "return (x - self.mean) * self.weight"
    after = "return ((x + self.mean)) * self.weight"

    assert edits[after] == ("forward", line, "->", after)


def test_a_method_is_changed_for_the_first_answer_that_does_not_override_it():
    forward = "    def forward(self, x):\n        return x\n"
    overrides = f"\n\nclass Overrides(Right):\n{forward}"
    made = mutants_of(ANSWER + overrides, ("Overrides", "AlsoRight"))

    answers = {mutant.edit[0]: answer for answer, mutant in made if "mean" in mutant.before}
    assert answers == {"__init__": "Overrides", "forward": "AlsoRight"}


def test_a_method_that_every_answer_overrides_is_not_changed():
    overrides = "\n\nclass Overrides(Right):\n    def forward(self, x):\n        return x\n"

    changed = {mutant.before for _, mutant in mutants_of(ANSWER + overrides, ("Overrides",))}
    assert not [line for line in changed if line.startswith("return (x")]


@pytest.mark.search
@pytest.mark.parametrize("rubric", all_rubrics(), ids=lambda rubric: rubric.stem)
def test_there_are_enough_for_every_exercise(rubric):
    assert len(list(mutants_of_exercise(rubric))) >= FEWEST


def test_the_same_answer_gives_the_same_mutants():
    assert list(mutants_of_exercise(find("04"))) == list(mutants_of_exercise(find("04")))
