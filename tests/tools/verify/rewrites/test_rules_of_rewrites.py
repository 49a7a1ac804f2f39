"""The rules that bring a right answer into another form: what they make, and when they apply."""

import ast

import pytest

from grader.course.catalog import all_rubrics, solution_file
from grader.loading import read_source
from verify.rewrites import rewrites_of
from verify.rewrites.making import RULES

REWRITTEN = [rubric for rubric in all_rubrics() if not rubric.recipe.model]
FEWEST = 11
ANSWER = '''\
import torch
from torch import nn


class Right(nn.Module):
    """An answer with something for most of the rules."""

    def __init__(self, features: int, size: int = 3) -> None:
        super().__init__()
        self.size = size
        self.register_buffer("mean", torch.zeros(features))
        self.register_buffer("std", torch.ones(features))
        self.register_buffer("mask", torch.ones(size), persistent=False)
        self.weight = nn.Parameter(torch.ones(features))
        self.layers = nn.ModuleList([nn.Linear(features, features)])
        self.head = nn.Linear(features, size)

    def noise(self, x):
        return torch.randn(self.size, device=x.device)

    def forward(self, x):
        x = (x - self.mean) / self.std @ x.T
        return self.head(self.layers[0](x)) + self.noise(x)
'''
MADE = {
    "nn buffer": "self.mask = nn.Buffer(torch.ones(size), persistent=False)",
    "register parameter": "self.register_parameter('weight', nn.Parameter(torch.ones(features)))",
    "with setattr": "setattr(self, 'head', nn.Linear(features, size))",
    "add module": "self.add_module('head', nn.Linear(features, size))",
    "initialised afterwards": "nn.init.ones_(self.weight)",
    "lazy linear": "self.head = nn.LazyLinear(size)",
    "parametrised": "register_parametrization(self.head, 'weight', nn.Identity())",
    "containers subclassed": "class MyModuleList(nn.ModuleList):",
    "containers nested": "self.layers = nn.ModuleDict({'inner': nn.ModuleList(["
    "nn.Linear(features, features)])})",
    "attributes renamed": "self.register_buffer('the_mean', torch.zeros(features))",
    "helpers renamed": "def _noise(self, x):",
    "properties": "return torch.randn(self.size, device=x.device)",
    "base class": "class Right(Base):",
    "mixin": "class Right(Mixin, nn.Module):",
    "forward by another name": "forward = run",
    "super with arguments": "super(Right, self).__init__()",
    "base by name": "nn.Module.__init__(self)",
    "config of arguments": "self.size = self.config.size",
    "dataclass module": "@dataclass(eq=False)",
    "type hints": "weight: object",
    "annotated assignments": "self.size: object = size",
    "compiled": "@torch.compile",
    "compiled with options": "@torch.compile(dynamic=True)",
    "in place": "x = (x - self.mean).div_(self.std) @ x.T",
    "functional linear": "return nn.functional.linear(self.layers[0](x), self.head.weight, "
    "self.head.bias)",
    "moved after creation": "return torch.randn(self.size).to(x.device)",
    "device object": "return torch.randn(self.size, device=torch.device(x.device))",
}


def rewrites(names_matter=False, answer=ANSWER):
    return {rewrite.rule: rewrite.source for rewrite in rewrites_of(answer, "Right", names_matter)}


@pytest.mark.parametrize(("rule", "line"), MADE.items(), ids=MADE)
def test_a_rule_writes_another_form(rule, line):
    if (
        rule == "dataclass module"
    ):  # it does not apply where an argument and an attribute share a name
        sources = rewrites(answer=ANSWER.replace("self.size", "self.kept"))
    else:
        sources = rewrites()

    assert line in sources[rule]


def test_every_rewrite_is_another_program_that_can_be_parsed():
    programs = [ast.dump(ast.parse(source)) for source in rewrites().values()]

    assert len(set(programs)) == len(programs)
    assert ast.dump(ast.parse(ANSWER)) not in programs


def test_tensors_keep_their_names_where_names_matter():
    kept = rewrites(names_matter=True)

    assert "'mean'" in kept["attributes renamed"]
    assert not {"parametrised", "containers nested"} & kept.keys()


def test_super_comes_later_only_before_anything_is_registered():
    body = rewrites()["super later"].split("\n")
    at = body.index("        super().__init__()")

    assert body[at - 1] == "        self.size = size"
    assert "register_buffer" in body[at + 1]


def test_what_does_not_apply_makes_nothing():
    constructor = "def __init__(self): super().__init__()"
    plain = f"class Right(nn.Module):\n    {constructor}\n    def forward(self, x): ...\n"
    unused = {"nn buffer", "einsum", "lazy linear", "config of arguments", "dataclass module"}

    assert not unused & rewrites(answer=plain).keys()


@pytest.mark.parametrize("rubric", REWRITTEN, ids=lambda rubric: rubric.stem)
def test_there_are_enough_for_every_exercise(rubric):
    source = read_source(solution_file(rubric.stem))

    assert len(list(rewrites_of(source, rubric.class_name, rubric.names_matter))) >= FEWEST


def test_every_rule_applies_to_some_solution():
    used = {
        rewrite.rule
        for rubric in REWRITTEN
        for rewrite in rewrites_of(
            read_source(solution_file(rubric.stem)), rubric.class_name, rubric.names_matter
        )
    }

    assert used == {rule.__name__.strip("_").replace("_", " ") for rule in RULES}
