"""Write rules.h: which operators CUDA has, and what PyTorch's wrappers around them check.

    python generate_rules.py OUT.h DTYPES.txt

PyTorch generates the outermost layer of its CUDA operators from `native_functions.yaml`: that layer
makes sure that the arguments are on one device, and its names are in the words of the errors. The
generator and the yaml lie in every PyTorch wheel (`torchgen`), so we run the same generator and
read from its C++ what is checked. Which dtypes a kernel refuses is in no yaml: it was recorded, and
is in the second file (tests/simulated_cuda/recording/refusals.py). An operator's variants in place
and with `out=` share its kernel, and so do `add.Tensor` and `add.Scalar`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torchgen
from torchgen import dest
from torchgen.gen import get_grouped_native_functions, parse_native_yaml
from torchgen.model import DispatchKey, NativeFunctionsGroup
from torchgen.selective_build.selector import SelectiveBuilder
from torchgen.utils import Target

CHECK = re.compile(r'check_and_update_common_device\(common_device, \w+, "(\w+)", "(\w+)"\)')
REGISTRATION = re.compile(r'm\.impl\("([\w.]+)",\s*TORCH_FN\((\w+)\)')
# Each with the one whose kernels run in its place.
BACKENDS = {
    DispatchKey.CUDA: DispatchKey.CPU,
    DispatchKey.SparseCUDA: DispatchKey.SparseCPU,
    DispatchKey.SparseCsrCUDA: DispatchKey.SparseCsrCPU,
    DispatchKey.QuantizedCUDA: DispatchKey.QuantizedCPU,
    DispatchKey.NestedTensorCUDA: DispatchKey.NestedTensorCPU,
}
HEADER = """// Made by generate_rules.py from PyTorch's native_functions.yaml.
#pragma once
namespace simulated_cuda {
struct Refusal {
  const char* kernel;  // which the error names
  bool by_common;      // whether the promoted dtype decides, not the first tensor's
  bool not_trivial;    // not if a tensor is empty or the first has no dimensions
  uint64_t dtypes;     // a bit for each
};
#define BIT(dtype) (uint64_t(1) << static_cast<int>(c10::ScalarType::dtype))
struct Rule {
  const char* op;
  const char* method;   // CUDA's wrapper
  const char* checked;  // the arguments that it wants on one device
  bool is_same_as_cpu;  // PyTorch has one function for both
  bool is_plain_structured;  // structured, and not over a TensorIterator
  c10::DispatchKey key, host_key;
  uint16_t first_refusal, refusals;  // in REFUSALS
};
"""


class Refusals:
    """The rows of the table of dtypes, and which of them an operator has."""

    def __init__(self, text: str, groups: list[Any]) -> None:
        rows = [line.split() for line in text.splitlines()]
        self.rows = rows
        self._places: dict[str, list[int]] = {}
        for place, (operator, *_) in enumerate(rows):
            self._places.setdefault(operator.removeprefix("aten::"), []).append(place)
        self._functional = {
            str(variant.func.name): str(group.functional.func.name)
            for group in groups
            if isinstance(group, NativeFunctionsGroup)
            for variant in group.functions()
        }

    def of(self, operator: str, key: DispatchKey) -> tuple[int, int]:
        """Where its rows begin, and how many there are; those of other layouts name their key."""
        suffix = "" if key is DispatchKey.CUDA else f"@{key.name}"
        functional = self._functional.get(operator, operator)
        base, _, overload = functional.partition(".")
        other = {"Scalar": "Tensor", "Tensor": "Scalar"}.get(overload, "")
        helped = base.removeprefix("_").removesuffix("_helper")  # `_cummax_helper`, `sort.stable`
        in_place = operator.replace("_.", ".")
        names = (operator, functional, in_place, f"{base}.{other}", helped)
        places = next(filter(None, (self._places.get(name + suffix) for name in names)), [])
        return (places[0], len(places)) if places else (0, 0)

    def lines(self) -> Iterator[str]:
        for _, decides, kernel, *dtypes in self.rows:
            bits = " | ".join(f"BIT({dtype})" for dtype in dtypes) or "0"
            flags = f"{decides[0] == 'c':d}, {decides[-1] == '*':d}"
            yield f'  {{"{kernel}", {flags}, {bits}}},'


def rules(
    indices: Any, groups: list[Any], refusals: Refusals, key: DispatchKey, host: DispatchKey
) -> Iterator[str]:
    """One line of C++ for each operator that has a kernel for `key`."""
    index, host_index = indices[key], indices[host]

    def generator(target: Target) -> dest.RegisterDispatchKey:
        return dest.RegisterDispatchKey(
            index,
            target,
            SelectiveBuilder.get_nop_selector(),
            rocm=False,
            symint=True,
            class_method_name=None,
            skip_dispatcher_op_registration=False,
        )

    define, register = generator(Target.ANONYMOUS_DEFINITION), generator(Target.REGISTRATION)
    checked: dict[str, list[str]] = {}
    methods: dict[str, str] = {}
    for group in groups:
        registered = REGISTRATION.findall("".join(register(group)))
        methods.update(registered)
        for method, argument in CHECK.findall("".join(define(group)) if registered else ""):
            checked.setdefault(method, []).append(argument)
    kernels = {str(name): metadata.kernel for name, metadata in index.index.items()}
    on_host = {str(name): metadata.kernel for name, metadata in host_index.index.items()}
    plain = {
        str(group.out.func.name)
        for group in groups
        if isinstance(group, NativeFunctionsGroup)
        and group.structured
        and group.out.structured_inherits is None
    }
    for op, method in sorted(methods.items()):
        same = str(op in kernels and kernels[op] == on_host.get(op)).lower()
        is_plain = str(op in plain).lower()
        arguments = ",".join(checked.get(method, []))
        keys = f"c10::DispatchKey::{key.name}, c10::DispatchKey::{host.name}"
        first, count = refusals.of(op, key)
        facts = f"{same}, {is_plain}, {keys}, {first}, {count}"
        yield f'  {{"aten::{op}", "{method}", "{arguments}", {facts}}},'


def main(out: Path, dtypes: Path) -> None:
    """Write the header."""
    folder = Path(torchgen.__file__).parent / "packaged" / "ATen" / "native"
    parsed = parse_native_yaml(str(folder / "native_functions.yaml"), str(folder / "tags.yaml"))
    groups = get_grouped_native_functions(parsed.native_functions)
    refusals = Refusals(dtypes.read_text(encoding="utf-8"), groups)
    indices = parsed.backend_indices
    lines = [line for pair in BACKENDS.items() for line in rules(indices, groups, refusals, *pair)]
    tables = {"Refusal REFUSALS": refusals.lines(), "Rule RULES": lines}
    parts = [
        "\n".join([f"static const {name}[] = {{", *rows, "};\n"]) for name, rows in tables.items()
    ]
    out.write_text(HEADER + "".join(parts) + "}  // namespace simulated_cuda\n", encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
