"""What single kernels of CUDA take, refuse and give back, as recorded with torch 2.14.1+cu130.

Each line is an expression and its outcome (`recording.outcomes`). The CPU's kernels do otherwise.
`tests/cuda_build/test_single_kernels.py` asks PyTorch's CUDA build again.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from recording.outcomes import outcome
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812
from torch.nn.parallel import comm

GPU = "cuda:0"
HEAD = "RuntimeError: "
OVERLAP = (
    f"{HEAD}unsupported operation: some elements of the input tensor and the written-to tensor "
    "refer to a single memory location. Please clone() the tensor before performing the operation."
)
UNWORDED = (
    " to be true, but got false.  (Could this error message be improved?  If so, please report an "
    "enhancement request to PyTorch.)"
)
ALL_ON_FIRST = f"{HEAD}All tensors must be on devices[0]: 0"


def x(*shape: int, dtype: torch.dtype = torch.float, device: str = GPU) -> Tensor:
    """Ones."""
    return torch.ones(shape, device=device).to(dtype)


def refused(kernel: str, dtype: str) -> str:
    return f"NotImplementedError: \"{kernel}\" not implemented for '{dtype}'"


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

FACTS: dict[str, Any] = {
    # Quantised tensors
    "quantized().cpu().device": "cpu",
    "quantized().to('cpu').dequantize().device": "cpu",
    "per_channel().cpu().q_per_channel_scales().device": "cpu",
    "quantized().to('cuda:1').int_repr().device": "cuda:1",
    "quantized().copy_(x(2, 3)).device": GPU,
    "quantized().copy_(x(2, 3, device='cpu')).device": f"{HEAD}quantize_tensor_per_tensor_affine "
    "expects a quantized and float tensors to be on the same device.",
    # Linear algebra
    "torch.linalg.lstsq(torch.eye(3, device=GPU), x(3, 2)).rank": "int64 (0,) on cuda:0",
    "torch.linalg.lstsq(x(3, 3), x(3, 2), driver='gelsd')": f"{HEAD}torch.linalg.lstsq: `driver` "
    "other than `gels` is not supported on CUDA",
    "strides(torch.linalg.lu(x(3, 3), pivot=False))": [[1], [3, 1], [3, 1]],
    "strides(torch.linalg.lu_factor(torch.eye(3, device=GPU), pivot=False))": [[1, 3], [1]],
    "strides(torch.linalg.svd(x(2, 3, 4)))": [[9, 1, 3], [3, 1], [16, 4, 1]],
    "strides(torch.linalg.svd(x(3, 3), driver='gesvdj'))": [[1, 3], [1], [3, 1]],
    "torch.linalg.svdvals(x(3, 3), driver='gesvd')": "float32 (3,) on cuda:0",
    "torch.linalg.svd(x(3, 3), driver='other')": f"{HEAD}torch.linalg.svd: unknown svd driver "
    "other in svd_cusolver computation. Check doc at "
    "https://pytorch.org/docs/stable/generated/torch.linalg.svd.html",
    # Products
    "torch._int_mm(x(4, 8, dtype=BYTE), x(8, 8, dtype=BYTE))": f"{HEAD}self.size(0) needs to be "
    "greater than 16, but got 4",
    "torch._int_mm(x(32, 8, dtype=BYTE), x(8, 7, dtype=BYTE))": f"{HEAD}mat2.size(1) needs to be "
    "greater than 0 and a multiple of 8, but got 7",
    "torch.mm(x(3, 3).half(), x(3, 3).half(), out_dtype=torch.double)": f"{HEAD}out_dtype "
    "must be the same as input dtype or fp32 for fp16/bf16 inputs",
    "scaled(x(16, 16, dtype=E4M3), x(16, 16, dtype=E4M3).t())": "bfloat16 (16, 16) on cuda:0",
    "scaled(x(16, 16, dtype=E4M3), x(16, 16, dtype=E4M3))": f"{HEAD}Only multiplication of "
    "row-major and column-major matrices is supported by cuBLASLt",
    "scaled(x(16, 16, dtype=E4M3), x(8, 16, dtype=E4M3).t())": f"{HEAD}mat2 shape (16x8) must be "
    "divisible by 16",
    # Sparse matrices
    "torch.sparse.mm(sparse(HALF), x(3, 3, dtype=HALF))": refused("addmm_sparse_cuda", "Half"),
    "sparse(LONG) @ x(3, 3, dtype=LONG)": refused("addmm_sparse_cuda", "Long"),
    "torch.addmm(x(3, 3).half(), sparse(HALF), x(3, 3).half())": refused(
        "addmm_sparse_cuda", "Half"
    ),
    "torch.sparse.softmax(sparse(HALF), 1)": refused("softmax", "Half"),
    "sparse(LONG, torch.sparse_csr) @ x(3, 3, dtype=LONG)": refused("spmm", "Long"),
    "sparse(HALF, torch.sparse_csr) @ x(3, 3, dtype=HALF)": "float16 (3, 3) on cuda:0",
    # Attention
    "attention(torch.float)": [8, 2, 8],
    "attention(HALF, is_causal=True)": [8, 2, 8],
    # Integers without a sign, and floats of 8 bits
    "x(4, dtype=U16) + x(4, dtype=U16)": refused("ufunc_add_CUDA", "UInt16"),
    "x(4, dtype=U16) > 1": refused("compare_cuda", "UInt16"),
    "x(4, dtype=U16)[x(1, dtype=LONG)]": refused("index_cuda", "UInt16"),
    "x(4, dtype=U16).max()": refused("max_all_cuda", "UInt16"),
    "x(4, dtype=U16).any()": refused("or_cuda", "UInt16"),
    "x(4, dtype=U16).clamp(0, 1)": refused("clamp_scalar_cuda", "UInt16"),
    "x(4, dtype=U16) << 1": refused("lshift_cuda", "UInt16"),
    "torch.arange(3, dtype=U16, device=GPU)": refused("arange_cuda", "UInt16"),
    "x(4, dtype=torch.uint32) + 1": refused("ufunc_add_CUDA", "UInt32"),
    "x(4, dtype=U16).float()": "float32 (4,) on cuda:0",
    "x(4, dtype=U16).sum()": "int64 () on cuda:0",
    "x(3, 3, dtype=E4M3) @ x(3, 3, dtype=E4M3)": refused("addmm_cuda", "Float8_e4m3fn"),
    "x(3, dtype=E4M3) * 2": refused("mul_cuda", "Float8_e4m3fn"),
    "x(3, dtype=E4M3).sum()": refused("sum_cuda", "Float8_e4m3fn"),
    "x(3, dtype=E4M3).abs()": refused("abs_cuda", "Float8_e4m3fn"),
    "x(3, dtype=E4M3).gather(0, x(1, dtype=LONG))": "float8_e4m3fn (1,) on cuda:0",
    "type(torch.equal(x(3, dtype=E4M3), x(3, dtype=E4M3)))": "builtins.bool",
    # Segments, indices, norms
    "torch.segment_reduce(x(4), 'sum', lengths=torch.tensor([2, 2]))": f"{HEAD}Expected "
    f"data.get_device() == lengths_value.get_device(){UNWORDED}",
    "torch.segment_reduce(x(4).cpu(), 'sum', offsets=torch.tensor([0, 4]).cuda())": f"{HEAD}"
    f"Expected data.get_device() == offsets_value.get_device(){UNWORDED}",
    "put(lambda y: torch.ones(4, 4, device=GPU) > 0, lambda y: y[0, :1])": OVERLAP,
    "put(lambda y: torch.ones(4, 4, device=GPU) > 0, lambda y: y[0, 0])": OVERLAP,
    "x(3, 3).index_select(0, x(1, 1, dtype=LONG))": f"{HEAD}Index is supposed to be an empty "
    "tensor or a vector",
    "nn.GroupNorm(2, 4).cuda()(image()).stride()": [36, 9, 3, 1],
    "nn.GroupNorm(2, 4).cuda().half()(image().half()).stride()": [36, 9, 3, 1],
    # Recurrent networks
    "nn.LSTM(4, 4).cuda()(x(2, 1, 4), (x(1, 1, 4).half(), x(1, 1, 4).half()))": f"{HEAD}Input and "
    "hidden tensors are not the same dtype, found input tensor with Float and hidden tensor with "
    "Half",
    # Copies between devices
    "comm.broadcast(x(2), out=[x(2).cpu()])": f"{HEAD}Expected all output tensors to be CUDA "
    "tensors, but output tensor at index 0 has device 'cpu'",
    "comm.broadcast(x(2), out=[x(3)])": f"{HEAD}Expected all output tensors to have same shape as "
    "the source tensor [2], but output tensor at index 0 has shape [3]",
    "comm.broadcast_coalesced([x(2), x(2).cpu()], [0, 1])": ALL_ON_FIRST,
    "nn.parallel.replicate(nn.Linear(2, 2).to('cuda:1'), [0, 1])": ALL_ON_FIRST,
    "comm.scatter(x(4), [-1])": f"{HEAD}Expected non-negative device index, but got -1",
    "comm.scatter(x(4), [0, 1], [4])": f"{HEAD}Expected devices and chunk_sizes to be of same "
    "length, but got len(devices) = 2 and len(chunk_sizes) = 1",
    "comm.scatter(x(4), out=[x(2), x(3)])": f"{HEAD}Total size for output tensors along scatter "
    "dim 0 does not match the source tensor size at dim 0. Expected 4, but got total size 5",
    "comm.gather([x(2, 2), x(2, 3)])": f"{HEAD}Input tensor at index 1 has invalid shape [2, 3], "
    "but expected [2, 2]",
    "comm.gather([x(2), x(2)], out=x(3))": f"{HEAD}Expected out tensor to have shape [4], but got "
    "[3]",
    "gloo(lambda: dist.all_reduce_coalesced([x(2)]))": f"{HEAD}ProcessGroupGloo::"
    "allreduce_coalesced: unsupported device type cuda",
    "gloo(lambda: dist.all_reduce_coalesced([x(2), x(2).cpu()]))": f"{HEAD}ProcessGroupGloo::"
    "allreduce_coalesced: tensors must all have the same type",
}


def asked(expression: str) -> Any:
    """The outcome of an expression on the device that is here."""
    return outcome(lambda: eval(expression, {**globals(), "comm": comm, "nn": nn}))


if __name__ == "__main__":
    print(json.dumps({expression: asked(expression) for expression in FACTS}))
