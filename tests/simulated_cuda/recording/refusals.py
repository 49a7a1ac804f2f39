"""Write the device's table of dtypes from a recording of `kernels`.

A row of grader/simulated_cuda/native/dtypes/VERSION.txt: an operator, which dtype decides (of its
first tensor, or the one to which its tensors are promoted; with a `*`, if no tensor is empty and
the first has dimensions), the kernel that the error names, and the dtypes that this kernel always
refuses. Others it refuses only in some calls, or never.
"""

from __future__ import annotations

import contextlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import torch

from .kernels import Outcomes

REFUSED = re.compile(r'NotImplementedError: "([^"]+)" not implemented for \'(\w+)\'')
# The names in CUDA's errors (c10/core/ScalarType.h), by those of Python.
NAMES = {
    "bool": "Bool", "uint8": "Byte", "int8": "Char", "int16": "Short", "int32": "Int",
    "int64": "Long", "float16": "Half", "bfloat16": "BFloat16",
    "float32": "Float", "float64": "Double", "complex32": "ComplexHalf",
    "complex64": "ComplexFloat", "complex128": "ComplexDouble",
    "uint16": "UInt16", "uint32": "UInt32", "uint64": "UInt64",
    "float8_e4m3fn": "Float8_e4m3fn", "float8_e5m2": "Float8_e5m2",
    "float8_e4m3fnuz": "Float8_e4m3fnuz", "float8_e5m2fnuz": "Float8_e5m2fnuz",
}  # fmt: skip


@dataclass
class Call:
    dtypes: list[str]
    is_trivial: bool
    text: str
    times: int

    @property
    def refused(self) -> tuple[str, str] | None:
        """The kernel and the dtype that the error names."""
        match = REFUSED.match(self.text)
        return (match.group(1), match.group(2)) if match else None


def rows(outcomes: Outcomes) -> Iterator[str]:
    by_operator: dict[str, list[Call]] = defaultdict(list)
    for key, texts in outcomes.items():
        operator, names, *trivial = key.split("/")
        for text, times in texts.items():
            by_operator[operator].append(Call(names.split(), bool(trivial), text, times))
    for operator, calls in sorted(by_operator.items()):
        if any(call.refused for call in calls):
            yield from _rows_of(operator, calls)


def _rows_of(operator: str, calls: list[Call]) -> Iterator[str]:
    """One row for each kernel; the dtype decides that explains most of what was recorded."""

    def passed(decides: str, trivial: bool) -> set[str]:
        among = [call for call in calls if call.is_trivial == trivial and call.text == "ok"]
        return {_deciding(decides, call.dtypes) for call in among}

    refused = [(call, *found) for call in calls if (found := call.refused)]

    def unexplained(decides: str) -> int:
        return sum(
            dtype != _deciding(decides, call.dtypes) or dtype in passed(decides, call.is_trivial)
            for call, _, dtype in refused
        )

    decides = min(("first", "common"), key=unexplained)
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for call, kernel, dtype in refused:
        if not call.dtypes or dtype == _deciding(decides, call.dtypes):
            votes[dtype][kernel] += call.times
    kernels: dict[tuple[str, str], list[str]] = defaultdict(list)
    for dtype, names in sorted(votes.items()):
        mark = "*" if dtype in passed(decides, True) else ""
        always = dtype not in passed(decides, False)
        kernels[mark, names.most_common(1)[0][0]] += [dtype] if always else []
    for (mark, kernel), dtypes in kernels.items():
        yield " ".join([operator, decides + mark, kernel, *dtypes])


def _deciding(decides: str, dtypes: list[str]) -> str:
    if not dtypes:
        return ""
    first, *others = (getattr(torch, name) for name in dtypes)
    for other in others if decides == "common" else ():
        with contextlib.suppress(RuntimeError):  # those of 8 bits are not promoted
            first = torch.promote_types(first, other)
    return NAMES.get(str(first).removeprefix("torch."), "")
