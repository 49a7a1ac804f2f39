"""Small things that CUDA does and a simulated device easily gets wrong; each is true on a GPU.

They need real values, so that a recording made without a GPU cannot answer them.
"""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812
from torch.utils.checkpoint import checkpoint

sys.path.insert(0, str(Path(__file__).parents[2]))

from recording import isolation, record

D = "cuda"


def x() -> Tensor:
    return torch.ones(3, device=D)


def p() -> nn.Parameter:
    return nn.Parameter(x())


def ints() -> Tensor:
    return torch.ones(2, 2, dtype=torch.long, device=D)


def passes(call: Callable[[], Any]) -> bool:
    """True; an exception of the call is not caught."""
    call()
    return True


def raises(call: Callable[[], Any], kind: type[Exception], words: str = "") -> bool:
    try:
        call()
    except kind as error:
        return words in str(error)
    return False


def data_in_place() -> bool:
    w = p()
    y = (w * w).sum()
    w.data.clamp_(-0.1, 0.1)
    return passes(y.backward)


def error_after_a_checkpoint() -> bool:
    module = nn.Linear(3, 3).cuda()
    checkpoint(module, x().requires_grad_(), use_reentrant=False).sum().backward()
    y = module(x()).sum()
    y.backward()
    return raises(y.backward, RuntimeError, "second time")


def checkpoint_stops_early() -> bool:
    calls: list[int] = []
    module = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 3), nn.Identity()).cuda()
    module[3].register_forward_hook(lambda *_: calls.append(1))
    checkpoint(module, x().requires_grad_(), use_reentrant=False).sum().backward()
    return len(calls) == 1


def ctc_loss() -> bool:
    log, targets = torch.randn(9, 2, 5, device=D).log_softmax(2), torch.ones(2, 3, device=D).long()
    return F.ctc_loss(log, targets, torch.tensor([9, 9]), torch.tensor([3, 3])).is_cuda


def fused_adam() -> bool:
    q = p()
    q.grad = torch.ones_like(q)
    return passes(torch.optim.Adam([q], lr=torch.tensor(1e-3), fused=True).step)


def default_device(make: Callable[[], Tensor]) -> bool:
    torch.set_default_device(D)
    return make().is_cuda


def inside_grad() -> bool:
    seen: list[str] = []
    torch.func.grad(lambda v: (seen.append(v.device.type), v.sum())[1])(x())
    return seen == [D]


def conjugate() -> bool:
    z = torch.randn(2, 2, dtype=torch.cfloat, device=D)
    z.conj()[0, 0] = 7
    return z[0, 0].item() == 7


def asarray_copies() -> bool:
    y = x()
    torch.asarray(y, copy=True)[0] = 5
    return y[0].item() == 1


def deterministic() -> bool:
    torch.use_deterministic_algorithms(True)
    pooled = F.adaptive_avg_pool2d(torch.randn(1, 1, 4, 4, device=D, requires_grad=True), 2)
    return raises(pooled.sum().backward, RuntimeError, "deterministic")


def current_stream() -> bool:
    s = torch.cuda.Stream()
    with torch.cuda.stream(s):
        return torch.cuda.current_stream() == s


def default_tensor_type() -> bool:
    torch.set_default_tensor_type("torch.cuda.FloatTensor")
    return torch.ones(1).is_cuda


def save_on_cpu() -> bool:
    with torch.autograd.graph.save_on_cpu(pin_memory=True):
        y = (x().requires_grad_() ** 2).sum()
    return passes(y.backward)


def gradcheck() -> bool:
    return torch.autograd.gradcheck(
        F.hardswish, (torch.randn(3, dtype=torch.double, device=D, requires_grad=True),)
    )


class Sub(torch.Tensor):
    pass


CHECKS: dict[str, Callable[[], bool]] = {
    "w.data in place between forward and backward": data_in_place,
    "gradcheck": gradcheck,
    "torch.tensor of cuda numbers": lambda: torch.tensor([x()[0], x()[1]]).tolist() == [1, 1],
    "x[..., [cuda number]]": lambda: x()[..., [torch.tensor(1, device=D)]].tolist() == [1],
    "x.to('meta') is on meta": lambda: x().to("meta").is_meta,
    "empty_like(x, device='meta')": lambda: torch.empty_like(x(), device="meta").is_meta,
    "csr.to_dense() is dense": lambda: (
        torch.eye(3, device=D).to_sparse_csr().to_dense().layout is torch.strided
    ),
    "asarray(copy=True) copies": asarray_copies,
    "writes through x.conj()": conjugate,
    "default device cuda: as_tensor(1.)": lambda: default_device(lambda: torch.as_tensor(1.0)),
    "default device cuda: asarray": lambda: default_device(lambda: torch.asarray([1.0])),
    "torch.device(0) is cuda:0": lambda: torch.device(0) == torch.device("cuda:0"),
    "inside torch.func.grad x.device is cuda": inside_grad,
    "_parse_to(x) is cuda": lambda: torch._C._nn._parse_to(x())[0].type == D,
    "torch.get_device_module()": lambda: torch.get_device_module() is torch.cuda,
    "type(p)(data, requires_grad=...)": lambda: passes(
        lambda: type(p())(torch.ones(2), requires_grad=False)
    ),
    "x.as_subclass(Sub)": lambda: type(x().as_subclass(Sub)) is Sub,
    "Sub.cuda()": lambda: torch.ones(2).as_subclass(Sub).cuda().is_cuda,
    "ctc_loss with lengths on the CPU": ctc_loss,
    "fused Adam, lr a CPU tensor": fused_adam,
    "_foreach_copy_ from another device": lambda: passes(
        lambda: torch._foreach_copy_([x()], [torch.zeros(3)])
    ),
    "int64 @ int64 refused": lambda: raises(
        lambda: ints() @ ints(), RuntimeError, "not implemented"
    ),
    "int64 linear refused": lambda: raises(
        lambda: F.linear(ints(), ints()), RuntimeError, "not implemented"
    ),
    "float16 fft": lambda: torch.fft.fft(torch.ones(4, device=D, dtype=torch.half)).is_cuda,
    "matmul(out=) under grad refused": lambda: raises(
        lambda: torch.matmul(p(), p(), out=torch.empty((), device=D)), RuntimeError, "out="
    ),
    "deterministic algorithms: alert": deterministic,
    "checkpoint stops early": checkpoint_stops_early,
    "the error after a checkpoint is its own": error_after_a_checkpoint,
    "too much memory: OutOfMemoryError": lambda: raises(
        lambda: torch.empty(2**50, device=D), torch.OutOfMemoryError, "CUDA out of memory"
    ),
    "accelerator.synchronize()": lambda: passes(torch.accelerator.synchronize),
    "accelerator.empty_cache()": lambda: passes(torch.accelerator.empty_cache),
    "accelerator.memory_allocated()": lambda: torch.accelerator.memory_allocated() >= 0,
    "cuda.memory_summary()": lambda: bool(torch.cuda.memory_summary()),
    "cuda.nvtx.range_push": lambda: torch.cuda.nvtx.range_push("a") is not None,
    "cuda.profiler.start()": lambda: passes(torch.cuda.profiler.start),
    "cuda.set_sync_debug_mode": lambda: passes(lambda: torch.cuda.set_sync_debug_mode("default")),
    "with cuda.stream(s): current_stream() is s": current_stream,
    "torch.Stream('cuda')": lambda: torch.Stream(D).device.type == D,
    "isinstance(cuda.Stream(), torch.Stream)": lambda: isinstance(
        torch.cuda.Stream(), torch.Stream
    ),
    "torch.version.cuda": lambda: torch.version.cuda is not None,
    "cuda.FloatTensor()": lambda: torch.cuda.FloatTensor().numel() == 0,
    "set_default_tensor_type(cuda)": default_tensor_type,
    "torch.tensor(..., pin_memory=True)": lambda: torch.tensor([1.0], pin_memory=True).is_pinned(),
    "save_on_cpu(pin_memory=True)": save_on_cpu,
    "from_dlpack": lambda: torch.from_dlpack(x()).is_cuda,
    "nested tensors": lambda: torch.nested.nested_tensor([x(), x()[:2]]).is_cuda,
    "copy.deepcopy of a sparse tensor": lambda: (
        copy.deepcopy(torch.eye(3).to_sparse().cuda()).is_cuda
    ),
    "x.is_shared()": lambda: x().is_shared(),
    "storage clone": lambda: x().untyped_storage().clone().device.type == D,
    "swap_module_params flag is False": lambda: (
        not torch.__future__.get_swap_module_params_on_conversion()
    ),
    "torch.compile(f) does not raise when called on f": lambda: callable(torch.compile(torch.sin)),
    "torch.range(device=)": lambda: torch.range(0, 3, device=D).is_cuda,
}


def run() -> dict[str, str]:
    """`ok`, or what was wrong, for each check on the simulated device, each in its own process."""
    record.import_once()
    results: dict[str, str] = {}
    for name, check in CHECKS.items():

        def tasks(name: str = name, check: Callable[[], bool] = check) -> Iterator[isolation.Task]:
            record.quiet()
            with record.device(simulated=True):
                yield name, lambda: _said(check)

        results |= isolation.run(tasks)
    return results


def _said(check: Callable[[], bool]) -> str:
    try:
        return "ok" if check() else "differs"
    except Exception as error:
        return f"{type(error).__name__}: {str(error).strip():.100}"


if __name__ == "__main__":
    print(json.dumps(run()))
