"""The watched names are those that the probe uses, and no others are watched."""

import ast
import copy
import importlib
import sys
from pathlib import Path
from types import ModuleType

import msgspec
import pytest
import torch
from torch import nn

import grader.probe.inspection.walk
import grader.probe.sequence
from grader.probe.containment.guard import namespaces
from grader.probe.containment.guard.namespaces import snapshot

PACKAGE = Path(grader.__file__).parent
WATCHED = {f"{module}.{n}" for module, names in namespaces.NAMES.items() for n in names.split()}
ALL_OF = tuple(f"{module.__name__}." for module in namespaces.MODULES)
# Classes of C are immutable.
CLASSES = ("torch.Tensor.", "torch.nn.Module.", "torch._C.TensorBase.")


def used() -> set[str]:
    """`torch.equal` and the like, as the probe's source writes them."""
    names = set()
    for file in PACKAGE.joinpath("probe").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            text = ast.unparse(node) if isinstance(node, ast.Attribute) else ""
            if text.split(".")[0] in ("torch", "nn") and text.replace(".", "").isidentifier():
                names.add(f"torch.{text}" if text.startswith("nn.") else text)
    return names


@pytest.mark.parametrize("name", sorted(used()))
def test_every_function_of_torch_that_the_probe_calls_is_watched(name):
    value = torch
    for part in name.split(".")[1:]:
        value = getattr(value, part)
    is_inert = isinstance(value, torch.dtype | torch.layout | str | bool | type(None))
    is_module = isinstance(value, ModuleType)
    assert name in WATCHED or name.startswith((*ALL_OF, *CLASSES)) or is_inert or is_module


@pytest.fixture(params=[True, False], ids=["by version", "by value"])
def changed(request, monkeypatch):
    """What names a change, where Python counts the changes of a dict and where it does not."""
    monkeypatch.setattr(namespaces, "HAVE_VERSIONS", request.param and namespaces.HAVE_VERSIONS)
    return snapshot()


def test_this_python_counts_the_changes_of_a_dict():
    assert namespaces.HAVE_VERSIONS is (sys.version_info < (3, 14))


@pytest.fixture
def rebound(monkeypatch):
    return monkeypatch.setattr


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (torch, "equal"),
        (torch.cuda, "is_available"),
        (torch.Tensor, "device"),
        (nn.Module, "named_parameters"),
        (copy, "deepcopy"),
        (grader.probe.inspection.walk, "DEEPEST"),
        (grader.probe.inspection.walk.Walk, "_visit"),
    ],
)
def test_a_name_that_the_probe_depends_on_is_named(owner, name, rebound, changed):
    rebound(owner, name, lambda *args: None)

    assert changed().endswith(f".{name}")


def test_a_table_of_ours_with_another_entry_is_named(monkeypatch, changed):
    monkeypatch.setitem(grader.probe.steps.movement.MOVES, "by hand", lambda module: module)

    assert changed() == "grader.probe.steps.movement.MOVES.by hand"


@pytest.mark.parametrize(
    ("cls", "name"),
    [(nn.Parameter, "torch.nn.parameter.Parameter"), (msgspec.Struct, "msgspec.Struct")],
)
def test_a_new_name_that_stands_before_an_inherited_one_is_named(cls, name, rebound, changed):
    rebound(cls, "__eq__", lambda a, b: True, raising=False)

    assert changed() == f"{name}.__eq__"


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (nn.Module, "device"),
        (torch.Tensor, "describe"),
        (torch, "manual_seed"),
        (torch, "compile"),
        (torch.nn.functional, "relu"),
        (torch.Tensor, "__repr__"),
    ],
)
def test_what_cannot_change_a_verdict_is_nobodys_business(owner, name, rebound, changed):
    rebound(owner, name, lambda *args: None, raising=False)

    assert changed() == ""


def test_a_library_loaded_again_is_the_same(changed):
    names = dict(vars(copy))
    try:
        importlib.reload(copy)
        assert changed() == ""
    finally:
        vars(copy).update(names)
