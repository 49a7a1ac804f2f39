"""What the closures of the probe's functions hold, and the defaults of their keywords."""

import functools
from contextlib import contextmanager
from types import FunctionType

import pytest
import torch

from grader.probe import device
from grader.probe.containment.guard import cells
from grader.probe.containment.guard.cells import functions_in, watched_cells
from grader.probe.containment.guard.namespaces import snapshot


@pytest.fixture(params=[True, False], ids=["by memory", "by value"])
def watched(request, monkeypatch):
    monkeypatch.setattr(cells, "IS_READABLE", request.param)
    return lambda **values: watched_cells(values.items())


def decorated(kind=contextmanager):
    def block():
        yield

    return kind(block)


def test_another_function_in_a_cell_is_named(watched):
    block = decorated()
    changed = watched(other=decorated(), block=block)
    assert changed() == ""

    block.__closure__[0].cell_contents = print

    assert changed() == "block"


def test_what_a_function_in_a_cell_holds_counts_as_well(watched):
    inner = decorated()
    outer = functools.wraps(inner)(lambda: inner())
    changed = watched(outer=outer)

    inner.__closure__[0].cell_contents = print

    assert changed() == "outer"


def test_a_counter_in_a_cell_is_nobodys_business(watched):
    calls = 0

    def count():
        nonlocal calls
        calls += 1

    changed = watched(count=count)
    count()

    assert changed() == ""


def test_functions_are_found_behind_what_wraps_them():
    def found(value):
        return [function.__name__ for function in functions_in(value)]

    class Holder:
        both = property(lambda self: 0, lambda self, value: None)

        @staticmethod
        def static():
            pass

        @classmethod
        def of_class(cls):
            pass

        @functools.cached_property
        def once(self):
            pass

        kept = functools.lru_cache(decorated(lambda function: function))

    names = {name: found(value) for name, value in vars(Holder).items() if name[:2] != "__"}
    assert names == {
        "both": ["<lambda>", "<lambda>"],
        "static": ["static"],
        "of_class": ["of_class"],
        "once": ["once"],
        "kept": ["block"],
    }


def test_the_functions_of_ours_that_have_closures_are_watched():
    changed = snapshot()
    block = device.cuda_device
    assert isinstance(block, FunctionType)
    (cell,) = block.__closure__
    original = cell.cell_contents
    try:
        cell.cell_contents = decorated().__closure__[0].cell_contents
        assert changed().endswith(".cuda_device")  # the first module that has it
    finally:
        cell.cell_contents = original
    assert changed() == ""


def test_a_keyword_with_another_default_is_named(monkeypatch):
    changed = snapshot()

    monkeypatch.setitem(torch.nn.Module.state_dict.__kwdefaults__, "prefix", "weight")

    assert changed() == "torch.nn.modules.module.Module.state_dict.__kwdefaults__.prefix"
