"""Which operators check devices how: the Python device's tables against PyTorch's own."""

import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
import torch

from grader.simulated_cuda import simulated_cuda
from grader.simulated_cuda.choice import implementation

with simulated_cuda():  # the operators' modules need the backend
    from grader.simulated_cuda.python_device.operators import checks, rules

# PyTorch generates no check for these operators of several tensors, and the Python device makes one
# all the same: it cannot run the first line's, and the others' kernels or their out= variants check
# otherwise.
CHECKED_ANYWAY = """
    _cudnn_ctc_loss _cudnn_rnn _efficient_attention_backward _flash_attention_backward
    _nested_from_padded _nested_view_from_buffer _use_cudnn_ctc_loss _use_miopen_ctc_loss
    miopen_ctc_loss _scaled_dot_product_efficient_attention_backward
    _scaled_dot_product_flash_attention_backward _validate_compressed_sparse_indices
    _fused_adagrad _fused_adam _fused_adamw _fused_sgd bernoulli binomial clamp clamp_max clamp_min
    fill is_set_to log_sigmoid_forward searchsorted segment_reduce set
"""
RULE = re.compile(r'\{"aten::([\w.]+)", "(\w+)", "([\w,]*)"')


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


@pytest.fixture(scope="module")
def generated() -> list[tuple[torch.FunctionSchema, str, list[str]]]:
    """Of each CUDA operator its schema, PyTorch's wrapper, and which arguments that checks."""
    torchgen = pytest.importorskip("torchgen", reason="the table comes with PyTorch's generator")
    from torchgen.gen import get_grouped_native_functions, parse_native_yaml
    from torchgen.model import DispatchKey

    from grader.simulated_cuda.native.generate_rules import Refusals
    from grader.simulated_cuda.native.generate_rules import rules as lines_of

    folder = Path(torchgen.__file__).parent / "packaged/ATen/native"
    parsed = parse_native_yaml(str(folder / "native_functions.yaml"), str(folder / "tags.yaml"))
    found = []
    groups = get_grouped_native_functions(parsed.native_functions)
    rest = (groups, Refusals("", groups), DispatchKey.CUDA, DispatchKey.CPU)
    for line in lines_of(parsed.backend_indices, *rest):
        name, method, checked = RULE.search(line).groups()  # type: ignore[union-attr]
        schema = torch._C._get_schema(f"aten::{name.partition('.')[0]}", name.partition(".")[2])
        found.append((schema, method, checked.split(",")))
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


def test_a_refusal_names_the_wrapper_that_pytorch_generates(generated: Any) -> None:
    wrong = [
        method
        for schema, method, checked in generated
        if len(checked) > 1
        and f"wrapper_CUDA_{checks.method_of(schema, schema.name.removeprefix('aten::'))}" != method
    ]
    assert wrong == []


def test_each_operator_without_a_generated_check_is_in_a_table(generated: Any) -> None:
    tables = rules.ELEMENTWISE | rules.ITERATED | checks.OWN.keys() | set(CHECKED_ANYWAY.split())
    several = {
        _base(schema.name.removeprefix("aten::"))
        for schema, _, checked in generated
        if len(checked) < 2
        and sum("Tensor" in str(argument.type) for argument in schema.arguments) > 1
    }
    assert {name for name in several if not name.startswith("_foreach_")} - tables == set()


# For an argument of the type, where the schema gives none.
GIVEN = {"number": 1, "float": 0.5, "int": 1, "bool": False, "str": "mean"}


def takes_a_number(name: str) -> bool | None:
    """Whether an operator takes a 0-dim CPU tensor for its second one; None if it has one only."""
    for overload in getattr(torch.ops.aten, name).overloads():
        operator = getattr(getattr(torch.ops.aten, name), overload)
        needed = [a for a in operator._schema.arguments if not a.has_default_value()]
        tensors = [a.name for a in needed if str(a.type) == "Tensor"]
        if len(tensors) < 2 or operator._schema.is_mutable:
            continue
        first, number = torch.ones(2), torch.tensor(1.0)
        if "bitwise" in name or "shift" in name:
            first, number = first.int(), number.int()
        values = {argument.name: GIVEN.get(str(argument.type)) for argument in needed}
        values |= dict.fromkeys(tensors, first.cuda()) | {tensors[1]: number}
        try:
            operator(*values.values())
        except RuntimeError as error:
            if not re.search("same device|is_cuda|CPU Scalar", str(error)):
                raise
            return False
        return True
    return None


def test_where_an_operator_takes_a_number_from_the_cpu() -> None:
    with simulated_cuda():
        refused = {name for name in rules.ELEMENTWISE if takes_a_number(name) is False}
        allowed = {name for name in rules.ITERATED - {"index_fill"} if takes_a_number(name)}
    # CUDA lets `tensor2` be one, not the first two; the Python device takes any.
    assert refused == ({"addcmul", "lerp"} if implementation() == "native" else set())
    assert allowed == {"max", "min"}  # of two tensors they are `maximum` and `minimum`
