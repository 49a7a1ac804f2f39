"""A class that stands for `nn.Module` is probed by a model that is built on it."""

import pytest
import torch
from torch import nn

from grader.course import find, solution_file
from grader.grading import grade_file
from grader.loading import class_of, execute, read_source
from grader.probe.driven import Driven, model_on

RUBRIC = find("02b")
SOLUTION = read_source(solution_file(RUBRIC.stem))
SETATTR = "    def __setattr__(self, name: str, value: Any) -> None:\n"
CHILDREN = "            self._modules[name] = value\n"


def solution():
    path = solution_file(RUBRIC.stem)
    return class_of(execute(SOLUTION, path), RUBRIC.class_name)


def graded(tmp_path, *change):
    path = tmp_path / "answer.py"
    assert change[0] in SOLUTION
    path.write_text(SOLUTION.replace(*change), encoding="utf-8")
    return grade_file(RUBRIC, path, "simulated")


def test_each_module_of_the_model_has_one_next_to_it_with_the_same_registers():
    model = model_on(solution(), **RUBRIC.recipe.arguments)

    kinds = [type(child).__name__ for child in model.modules()]
    assert kinds == ["Prices", "HiddenLayer", "Scale", "Layer", "Layer"]
    assert all(isinstance(child, Driven) for child in model.modules())
    assert model.hidden.layer._parameters is model.of.hidden.layer._parameters
    assert model.double().price.bias.dtype is torch.float64
    assert model.of.price.bias.dtype is torch.float64


def test_what_a_call_assigns_is_there_as_well():
    model = model_on(solution(), **RUBRIC.recipe.arguments)

    prices, _ = model(torch.ones(2, 3))

    assert torch.equal(model.state_dict()["last"], prices)
    assert model.highest == prices.max()


def test_nothing_is_lent_to_the_learners_class():
    class Empty:
        def __init__(self):
            vars(self).update(_parameters={}, _buffers={}, _modules={})

        def register_buffer(self, name, tensor):
            self._buffers[name] = tensor

    model = model_on(Empty, **RUBRIC.recipe.arguments)

    assert not hasattr(model.of, "children")
    assert list(model.state_dict()) == ["last"]
    with pytest.raises(AttributeError, match="'Prices' object has no attribute '_apply'"):
        model.cpu()


def test_a_class_that_inherits_the_work_is_refused():
    with pytest.raises(TypeError, match=r"Own inherits from nn\.Module"):
        model_on(type("Own", (nn.Module,), {}))


def test_the_method_that_leaves_something_out_is_blamed(tmp_path):
    report = graded(tmp_path, CHILDREN, "            object.__setattr__(self, name, value)\n")
    (finding,) = report.findings

    assert (finding.code, finding.where) == ("to-override", "self.__setattr__")
    assert finding.line == SOLUTION[: SOLUTION.index(SETATTR)].count("\n") + 1


def test_new_parameters_in_the_place_of_the_old_are_noticed(tmp_path):
    kept = "            parameter.data = fn(parameter.data)\n"
    new = "            self._parameters[name] = nn.Parameter(fn(parameter.data))\n"
    walked = "for parameter in self._parameters.values():\n"
    named = "for name, parameter in self._parameters.items():\n"
    report = graded(tmp_path, walked + kept, named + new)

    assert [finding.where for finding in report.findings] == ["self._apply"]
    assert "goes on with the old ones" in report.findings[0].message


def test_what_the_learners_class_does_beyond_the_task_disturbs_nothing(tmp_path):
    more = (
        '    training = "today"\n\n    def train(self, mode):\n        return None\n\n'
        "    def eval(self):\n        raise NotImplementedError\n\n"
        "    def state_dict(self):\n        return list(self.parameters())\n\n"
    )

    assert graded(tmp_path, SETATTR, more + SETATTR).verdict == "passed"


@pytest.mark.parametrize(
    "listed", ["self._parameters", "None", "self._parameters.values()", "self.nothing"]
)
def test_a_wrong_list_of_parameters_is_a_mistake_and_no_fraud(tmp_path, listed):
    walk = SOLUTION.index("        yield from self._parameters.values()")
    end = SOLUTION.index("    def _apply")
    report = graded(tmp_path, SOLUTION[walk:end], f"        return {listed}\n\n")

    assert report.verdict == "failed"
