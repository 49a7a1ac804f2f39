"""Which operators check devices how: the Python device's tables against PyTorch's own."""

import re
from collections import defaultdict
from pathlib import Path

import pytest
import torch

from grader.simulated_cuda import simulated_cuda

with simulated_cuda():  # the operators' modules need the backend
    from grader.simulated_cuda.python_device.operators import rules


def _base(name: str) -> str:
    return name if name.startswith("__") else name.rstrip("_")


@pytest.fixture(scope="module")
def entries() -> dict[str, str]:
    """The text of native_functions.yaml for each operator, all its overloads in one."""
    torchgen = pytest.importorskip("torchgen", reason="the table comes with PyTorch's generator")
    table = Path(torchgen.__file__).parent / "packaged/ATen/native/native_functions.yaml"
    found: dict[str, str] = defaultdict(str)
    for entry in re.split(r"^- func: ", table.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        found[_base(re.match(r"\w+", entry)[0])] += entry  # type: ignore[index]
    return found


def test_every_operator_of_the_tables_is_pytorchs() -> None:
    schemas = {s.name.removeprefix("aten::") for s in torch._C._jit_get_all_schemas()}
    named = rules.ELEMENTWISE | rules.ITERATED | rules.STRUCTURED
    assert named - set(map(_base, schemas)) == set()
    assert not rules.ELEMENTWISE & rules.STRUCTURED


def test_what_an_iterator_checks_has_no_generated_check(entries: dict[str, str]) -> None:
    iterated = rules.ELEMENTWISE | rules.ITERATED
    assert [name for name in iterated if "device_check: NoCheck" not in entries[name]] == []


def test_structured_operators_are_structured(entries: dict[str, str]) -> None:
    kinds = ("structured: True", "structured_delegate:")
    assert [n for n in rules.STRUCTURED if not any(kind in entries[n] for kind in kinds)] == []
