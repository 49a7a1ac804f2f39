"""Write rules.h: which operators CUDA has, and what PyTorch's wrappers around them check.

    python generate_rules.py OUT.h

PyTorch generates the outermost layer of its CUDA operators from `native_functions.yaml`: that layer
makes sure that the arguments are on one device, and its names are in the words of the errors. The
generator and the yaml lie in every PyTorch wheel (`torchgen`), so we run the same generator and
read from its C++ what is checked.
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
struct Rule {
  const char* op;
  const char* method;   // CUDA's wrapper
  const char* checked;  // the arguments that it wants on one device
  bool is_same_as_cpu;  // PyTorch has one function for both
  bool is_plain_structured;  // structured, and not over a TensorIterator
  c10::DispatchKey key, host_key;
};
static const Rule RULES[] = {
"""


def rules(parsed: Any, key: DispatchKey, host: DispatchKey) -> Iterator[str]:
    """One line of C++ for each operator that has a kernel for `key`."""
    index, host_index = parsed.backend_indices[key], parsed.backend_indices[host]

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
    for function in get_grouped_native_functions(parsed.native_functions):
        for text in define(function):
            for method, argument in CHECK.findall(text):
                checked.setdefault(method, []).append(argument)
        for text in register(function):
            methods.update(REGISTRATION.findall(text))
    kernels = {str(name): metadata.kernel for name, metadata in index.index.items()}
    on_host = {str(name): metadata.kernel for name, metadata in host_index.index.items()}
    plain = {
        str(group.out.func.name)
        for group in get_grouped_native_functions(parsed.native_functions)
        if isinstance(group, NativeFunctionsGroup)
        and group.structured
        and group.out.structured_inherits is None
    }
    for op, method in sorted(methods.items()):
        same = str(op in kernels and kernels[op] == on_host.get(op)).lower()
        is_plain = str(op in plain).lower()
        arguments = ",".join(checked.get(method, []))
        keys = f"c10::DispatchKey::{key.name}, c10::DispatchKey::{host.name}"
        yield f'  {{"aten::{op}", "{method}", "{arguments}", {same}, {is_plain}, {keys}}},'


def main(out: Path) -> None:
    """Write the header."""
    folder = Path(torchgen.__file__).parent / "packaged" / "ATen" / "native"
    parsed = parse_native_yaml(str(folder / "native_functions.yaml"), str(folder / "tags.yaml"))
    lines = [line for pair in BACKENDS.items() for line in rules(parsed, *pair)]
    ending = "};\n}  // namespace simulated_cuda\n"
    out.write_text(HEADER + "\n".join(lines) + "\n" + ending, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
