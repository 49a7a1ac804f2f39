"""None of the learner's code runs in the probe's thread, whatever it overrides.

There it would run among the probe's frames, between two looks at the names that may not change.
"""

import gc
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import pytest
import torch
from torch import nn

from grader.course.catalog import find
from grader.probe.answer import exercise_subject
from grader.probe.containment.guard.learner_thread import learner_thread
from grader.probe.run import run_probe
from grader.probe.subject import Subject
from grader.simulated_cuda import simulated_cuda

RUBRIC = find("04")


def passing_on(base, names):
    """Methods of this file that do what those of `base` do."""

    def method(name):
        return lambda self, *args, **kwargs: getattr(base, name)(self, *args, **kwargs)

    return {name: method(name) for name in names.split()}


class Table(dict):
    """A dict whose every method is the learner's."""

    vars().update(passing_on(dict, "items __iter__ __len__ values keys"))


class Row(list):
    """A list like that."""

    vars().update(passing_on(list, "__iter__ __len__"))


class Settings(Mapping):
    """A mapping of the learner's own."""

    def __init__(self, given):
        self.given = given

    def __getitem__(self, key):
        return self.given[key]

    def __iter__(self):
        return iter(self.given)

    def __len__(self):
        return len(self.given)


class Image(torch.Tensor):
    """A tensor of a kind of its own."""

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return super().__torch_function__(func, types, args, kwargs or {})

    @property
    def device(self):
        return torch.device("cuda:0")


class Slots:
    """An object with slots, and a property for each."""

    __slots__ = ("_held", "held")

    def __init__(self, held):
        self.held = held

    def __repr__(self):
        return "Slots"

    def __eq__(self, other):
        return self is other

    def __hash__(self):
        return 1


class Key(str):
    """A key that shows itself in its own way."""

    def __repr__(self):
        return "Key"

    def __hash__(self):
        return super().__hash__()


@dataclass
class Result:
    """An output."""

    values: torch.Tensor
    more: list = field(default_factory=list)

    def __getattribute__(self, name):
        return super().__getattribute__(name)


class OddError(Exception):
    """An exception that says what it is in its own way."""

    def __str__(self):
        return "odd"


MODULES_OWN = (
    "__getattribute__ __getattr__ named_parameters parameters named_buffers named_modules modules "
    "children state_dict load_state_dict train eval _apply"
)


class CenterScale(nn.Module):
    """Overrides all that a probe may ask for."""

    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.register_buffer("running_mean", torch.zeros(features))
        self.table = Table(a=torch.ones(1), b=[torch.ones(2)])
        self.row = Row([torch.ones(1), nn.Linear(2, 2)])
        self.settings = Settings({"scale": torch.ones(1)})
        self.image = torch.ones(2).as_subclass(Image)
        self.slots = Slots(torch.ones(1))
        self.keyed = {Key("k"): torch.ones(1)}

    vars().update(passing_on(nn.Module, MODULES_OWN))

    def __eq__(self, other):
        return self is other

    def __hash__(self):
        return id(self)

    def __len__(self):
        return 3

    def __bool__(self):
        return True

    def __repr__(self):
        return "CenterScale()"

    @property
    def training(self):
        return self.__dict__.get("training", True)

    @training.setter
    def training(self, mode):
        self.__dict__["training"] = mode

    def forward(self, x):
        return Result((x - self.running_mean) * self.weight, Row([x]))


class Raises(CenterScale):
    """The same, with an exception of its own."""

    def forward(self, x):
        raise OddError


class Stateless(CenterScale):
    """The same, with a `state_dict` that gives nothing: the probe has to find out why it fails."""

    def state_dict(self, *args, **kwargs):
        return None


class Yields(CenterScale):
    """The same, with a table as the result."""

    def forward(self, x):
        return Table(out=(x - self.running_mean) * self.weight)


def ran_in_the_probes_thread(subject: Subject) -> set[str]:
    """What of this file ran in the thread of the probe, by the code's names."""
    seen: set[str] = set()

    def watch(frame, event, arg):
        if event == "call" and frame.f_code.co_filename == __file__ and not is_ours(frame):
            caller = frame.f_back
            while caller and "/grader/" not in caller.f_code.co_filename:
                caller = caller.f_back
            location = caller and f"{caller.f_code.co_qualname}:{caller.f_lineno}"
            seen.add(f"{frame.f_code.co_qualname} from {location}")

    def is_ours(frame):
        return frame.f_code.co_qualname.startswith(("ran_in", "test_"))

    sys.setprofile(watch)
    try:
        run_probe(subject, "cuda:0 (simulated)", guard=learner_thread(gc.enable, gc.disable).run)
    finally:
        sys.setprofile(None)
    return seen


@pytest.mark.parametrize("cls", [CenterScale, Raises, Stateless, Yields])
@pytest.mark.parametrize("thorough", [False, True], ids=["exercise", "audit"])
def test_no_code_of_the_learners_runs_in_the_probes_thread(cls, thorough):
    gc.disable()
    try:
        with simulated_cuda():
            recipe = replace(RUBRIC.recipe, thorough=thorough)
            subject = exercise_subject(cls, recipe, {(__file__, cls.__name__)}, 0)
            assert ran_in_the_probes_thread(subject) == set()
    finally:
        gc.enable()
