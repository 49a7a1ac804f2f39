"""What single kernels of CUDA take, refuse and give back, as recorded with torch 2.14.1+cu130.

`recordings/kernel_facts-2.14.1.json` has expressions in the names below, and their outcomes
(`recording.outcomes`). The CPU's kernels do otherwise. `tests/cuda_build/test_single_kernels.py`
asks PyTorch's CUDA build again.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from recording import files
from recording.outcomes import outcome
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812
from torch.nn.parallel import comm

GPU = "cuda:0"


def x(*shape: int, dtype: torch.dtype = torch.float, device: str = GPU) -> Tensor:
    """Ones."""
    return torch.ones(shape, device=device).to(dtype)


def strides(result: Any) -> list[tuple[int, ...]]:
    return [t.stride() for t in result]


def put(index: Callable[[Tensor], Tensor], value: Callable[[Tensor], Tensor]) -> Tensor:
    y = x(4, 4)
    y[index(y)] = value(y)
    return y


def gloo(call: Callable[[], Any]) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        meeting = Path(folder, "rendezvous").as_uri()
        dist.init_process_group("gloo", init_method=meeting, rank=0, world_size=1)
        try:
            return call()
        finally:
            dist.destroy_process_group()


def quantized(**how: Any) -> Tensor:
    return torch.quantize_per_tensor(x(2, 3), 0.1, 0, torch.qint8, **how)


def per_channel() -> Tensor:
    scales, zeros = x(2), x(2, dtype=torch.long)
    return torch.quantize_per_channel(x(2, 3), scales, zeros, 0, torch.qint8)


def sparse(dtype: torch.dtype, layout: torch.layout = torch.sparse_coo) -> Tensor:
    return torch.eye(3).to_sparse(layout=layout).to(GPU, dtype)


def jagged(dtype: torch.dtype) -> Tensor:
    rows = [x(3, 2, 8, dtype=dtype), x(5, 2, 8, dtype=dtype)]
    return torch.nested.as_nested_tensor(rows, layout=torch.jagged).transpose(1, 2)


def attention(dtype: torch.dtype, **how: Any) -> tuple[int, ...]:
    q = jagged(dtype)
    return tuple(F.scaled_dot_product_attention(q, q, q, **how).transpose(1, 2).values().shape)


def scaled(one: Tensor, other: Tensor) -> Tensor:
    return torch._scaled_mm(one, other, x(), x(), out_dtype=torch.bfloat16)


def image() -> Tensor:
    return x(2, 4, 3, 3).to(memory_format=torch.channels_last)


HALF, LONG, BYTE = torch.half, torch.long, torch.int8
U16, E4M3 = torch.uint16, torch.float8_e4m3fn

RECORDED = files.RECORDINGS / "kernel_facts-2.14.1.json"
FACTS: dict[str, Any] = json.loads(RECORDED.read_text(encoding="utf-8"))["facts"]


def asked(expression: str) -> Any:
    """The outcome of an expression on the device that is here."""
    return outcome(lambda: eval(expression, {**globals(), "comm": comm, "nn": nn}))


if __name__ == "__main__":
    print(json.dumps({expression: asked(expression) for expression in FACTS}))
