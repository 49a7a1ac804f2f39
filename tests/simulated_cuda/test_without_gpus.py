"""A machine without a GPU: which calls of `torch.cuda` and `torch.accelerator` raise there.

`grader` plays it for tasks that are to work on every machine. The same table holds for both
implementations, each in a process of its own.
"""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from grader.simulated_cuda import simulated_cuda

cuda: Any = torch.cuda
accelerator: Any = torch.accelerator

STARTING = [
    *("cudart", "current_device", "current_stream", "default_stream", "get_device_capability"),
    *("get_device_name", "get_device_properties", "get_rng_state", "init", "initial_seed"),
    *("ipc_collect", "mem_get_info", "synchronize"),
]
RAISE: dict[str, Callable[[], Any]] = {
    **{name: lambda name=name: getattr(cuda, name)() for name in STARTING},
    "can_device_access_peer": lambda: cuda.can_device_access_peer(0, 1),
    "set_device": lambda: cuda.set_device(0),
    "synchronize(0)": lambda: cuda.synchronize(0),
    "with device": lambda: cuda.device(0).__enter__(),
    "accelerator.current_device_index": lambda: accelerator.current_device_index(),
    "accelerator.current_device_idx": lambda: accelerator.current_device_idx(),
    "accelerator.current_stream": lambda: accelerator.current_stream(),
    "accelerator.get_memory_info": lambda: accelerator.get_memory_info(),
    "accelerator.set_device_index": lambda: accelerator.set_device_index(0),
    "accelerator.synchronize": lambda: accelerator.synchronize(),
    "with accelerator.device_index": lambda: accelerator.device_index(0).__enter__(),
    "pin_memory": lambda: torch.ones(1).pin_memory(),
    "pin_memory=True": lambda: torch.ones(1, pin_memory=True),
    "to": lambda: torch.ones(1).to("cuda"),
    "zeros": lambda: torch.zeros(1, device="cuda"),
    "a module": lambda: torch.nn.Linear(1, 1).cuda(),
}
GIVE: dict[str, tuple[Callable[[], Any], Any]] = {
    "device_count": (lambda: cuda.device_count(), 0),
    "empty_cache": (lambda: cuda.empty_cache(), None),
    "get_rng_state_all": (lambda: cuda.get_rng_state_all(), []),
    "is_available": (lambda: cuda.is_available(), False),
    "is_bf16_supported": (lambda: cuda.is_bf16_supported(), False),
    "is_initialized": (lambda: cuda.is_initialized(), False),
    "is_tf32_supported": (lambda: cuda.is_tf32_supported(), False),
    "manual_seed": (lambda: cuda.manual_seed(1), None),
    "manual_seed_all": (lambda: cuda.manual_seed_all(1), None),
    "max_memory_allocated": (lambda: cuda.max_memory_allocated(), 0),
    "memory_allocated": (lambda: cuda.memory_allocated(), 0),
    "memory_reserved": (lambda: cuda.memory_reserved(), 0),
    "seed": (lambda: cuda.seed(), None),
    "accelerator.device_count": (lambda: accelerator.device_count(), 0),
    "accelerator.empty_cache": (lambda: accelerator.empty_cache(), None),
    "accelerator.is_available": (lambda: accelerator.is_available(), False),
    "accelerator.memory_allocated": (lambda: accelerator.memory_allocated(), 0),
    "accelerator.synchronize(0)": (lambda: accelerator.synchronize(0), None),
}


@pytest.mark.filterwarnings("ignore:.*current_device_index:FutureWarning")
def test_what_needs_a_gpu_raises_and_what_only_asks_does_not() -> None:
    with simulated_cuda(devices=0):
        raised = {name: _error(call) for name, call in RAISE.items()}
        given = {name: call() for name, (call, _) in GIVE.items()}

    assert {n: e for n, e in raised.items() if not e.startswith("No CUDA GPUs are")} == {}
    assert given == {name: value for name, (_, value) in GIVE.items()}


def _error(call: Callable[[], Any]) -> str:
    try:
        return f"it gave {call()}"
    except RuntimeError as error:
        return str(error)
