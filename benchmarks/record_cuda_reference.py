"""Record what CUDA does and says, on whatever CUDA is here, as JSON.

    python benchmarks/record_cuda_reference.py OUT.json [--simulated]

Run it on a machine with a GPU and put the file into tests/simulated_cuda/reference/: a test then
holds the simulated device to it. It records, for every operator of two or more tensors in
PyTorch's list, what happens when one argument is left on the CPU; the words of common mistakes;
what keeps its identity over a move; and printed forms. Without a GPU it records the simulation.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import types
import unittest
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.utils import _pytree as pytree

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.modules.setdefault("expecttest", types.SimpleNamespace(TestCase=unittest.TestCase))  # type: ignore[arg-type]

from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402

from grader.simulated_cuda import simulated_cuda  # noqa: E402


def outcome(call: Callable[[], Any]) -> str:
    """`ok`, or the exception and the first line of what it says."""
    try:
        call()
    except Exception as error:  # whatever CUDA raises is what is recorded
        return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
    return "ok"


def mixing(names: list[str]) -> dict[str, dict[str, str]]:
    """For each operator: which argument was left on the CPU, and what was said."""
    table = {}
    for op in op_db:
        name = op.name + (f".{op.variant_test_name}" if op.variant_test_name else "")
        if (names and name not in names) or torch.float32 not in op.supported_dtypes("cpu"):
            continue
        with contextlib.suppress(Exception):  # a list that needs what is not installed
            samples = op.sample_inputs("cpu", torch.float32)
            given = max(((s.input, s.args, s.kwargs) for s in samples), key=_shaped)
            row = dict(_leave_each(op, given))
            if row:
                table[name] = row
    return table


def _shaped(given: Any) -> int:
    """How many tensors are no mere numbers: those are the ones CUDA minds."""
    return sum(isinstance(x, torch.Tensor) and x.dim() > 0 for x in pytree.tree_leaves(given))


def _leave_each(op: Any, given: Any) -> Iterator[tuple[str, str]]:
    leaves, shape = pytree.tree_flatten(given)
    tensors = [n for n, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
    for left in tensors if len(tensors) > 1 else []:
        moved = [x.cuda() if n in tensors and n != left else x for n, x in enumerate(leaves)]
        first, args, kwargs = pytree.tree_unflatten(moved, shape)
        yield f"tensor {tensors.index(left)}", outcome(lambda: op(first, *args, **kwargs))  # noqa: B023


def messages() -> dict[str, str]:
    x, cpu = torch.ones(3, device="cuda"), torch.ones(3)
    nets = {
        "linear": (nn.Linear(3, 3), cpu),
        "conv": (nn.Conv1d(1, 1, 1), cpu.view(1, 1, 3)),
        "lstm": (nn.LSTM(3, 3), cpu.view(1, 1, 3)),
        "layer norm": (nn.LayerNorm(3), cpu),
        "batch norm": (nn.BatchNorm1d(3), cpu.view(1, 3).repeat(2, 1)),
        "embedding": (nn.Embedding(3, 2), torch.tensor([1])),
    }
    said = {}
    for name, (net, given) in nets.items():
        said[f"{name} on cuda, input on cpu"] = outcome(lambda: net.cuda()(given))  # noqa: B023
        said[f"{name} on cpu, input on cuda"] = outcome(lambda: net.cpu()(given.cuda()))  # noqa: B023
    calls: dict[str, Callable[[], Any]] = {
        "numpy": lambda: x.numpy(),
        "bad ordinal": lambda: cpu.cuda(63),
        "negative ordinal": lambda: cpu.cuda(-1),
        "cpu indexed by cuda": lambda: cpu[torch.tensor([0], device="cuda")],
        "cuda indexed by cpu": lambda: x[torch.tensor([0])],
        "copy_": lambda: x.copy_(cpu),
        "0-dim cpu": lambda: x + torch.tensor(1.0),
        "0-dim cuda": lambda: cpu + torch.tensor(1.0, device="cuda"),
        "masked_fill": lambda: x.masked_fill(cpu > 0, 1.0),
        "index_put values": lambda: x.__setitem__(torch.tensor([0, 1]), cpu[:2]),
        "where": lambda: torch.where(x > 0, x, cpu),
        "clamp": lambda: x.clamp(min=cpu),
        "generator": lambda: torch.randn(2, device="cuda", generator=torch.Generator()),
        "cuda generator": lambda: cpu.clone().normal_(generator=torch.Generator(device="cuda")),
        "set data": lambda: setattr(x.clone(), "data", cpu),
        "pin": lambda: x.pin_memory(),
        "lengths": lambda: nn.utils.rnn.pack_padded_sequence(
            x.view(3, 1, 1), torch.tensor([3], device="cuda")
        ),
    }
    return said | {name: outcome(call) for name, call in calls.items()}


def identities() -> dict[str, bool]:
    net = nn.BatchNorm1d(3)
    weight, mean = net.weight, net.running_mean
    net.cuda()
    leaf = torch.ones(1, requires_grad=True)
    x = torch.ones(1, device="cuda")
    return {
        "parameter is the same object": net.weight is weight,
        "buffer is the same object": net.running_mean is mean,
        "moved leaf is a leaf": leaf.cuda().is_leaf,
        "tensor in place is itself": x.cuda() is x,
        "parameter is a Parameter": isinstance(weight, nn.Parameter),
    }


def printed() -> dict[str, str]:
    x = torch.arange(3.0, device="cuda")
    return {
        "tensor": repr(x),
        "half": repr(x.half()),
        "parameter": repr(nn.Parameter(x)),
        "result": repr(nn.Parameter(x) * 2),
        "moved": repr(torch.ones(1, requires_grad=True).cuda()),
        "number": repr(x[0]),
        "empty": repr(x[:0].view(0, 3)),
        "sparse": repr(torch.eye(2).to_sparse().cuda()),
        "type": x.type(),
        "device": repr(x.device),
    }


def record(names: list[str]) -> dict[str, Any]:
    return {
        "device": torch.cuda.get_device_name(0),
        "torch": torch.__version__,
        "mixing": mixing(names),
        "messages": messages(),
        "identities": identities(),
        "printed": printed(),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("names", nargs="*", help="operators to mix; all, if none is named")
    parser.add_argument("--simulated", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    simulated = options.simulated or not torch.cuda.is_available()
    with simulated_cuda() if simulated else contextlib.nullcontext():
        recorded = record(options.names)
    options.out.write_text(json.dumps(recorded, indent=1, sort_keys=True) + "\n")
    print(f"recorded {recorded['device']}: {len(recorded['mixing'])} operators -> {options.out}")


if __name__ == "__main__":
    main()
