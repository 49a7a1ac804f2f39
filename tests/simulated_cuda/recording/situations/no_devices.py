"""A machine with CUDA's driver and no device: what every entry into torch.cuda says."""

import os
from typing import Any

import torch
from torch import nn

from ._make import c


def _hidden(calls: dict[str, Any]) -> dict[str, Any]:
    """`calls`, made in a process that CUDA_VISIBLE_DEVICES shows no device."""
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    return calls


def questions():
    return _hidden(
        {
            "is_available": torch.cuda.is_available,
            "device_count": torch.cuda.device_count,
            "is_initialized": torch.cuda.is_initialized,
            "bfloat16": torch.cuda.is_bf16_supported,
            "accelerator": torch.accelerator.is_available,
            "accelerators": torch.accelerator.device_count,
            "current accelerator": torch.accelerator.current_accelerator,
            "checked": lambda: torch.accelerator.current_accelerator(check_available=True),
            "cudnn": torch.backends.cudnn.is_available,
            "fork": torch.cuda._is_in_bad_fork,
        }
    )


def moves():
    return _hidden(
        {
            "cuda": lambda: c(2).cuda(),
            "to": lambda: c(2).to("cuda"),
            "to 1": lambda: c(2).to("cuda:1"),
            "module": lambda: nn.Linear(2, 2).cuda(),
            "parameters": lambda: nn.Linear(2, 2, device="cuda"),
            "type": lambda: c(2).type("torch.cuda.FloatTensor"),
            "storage": lambda: c(2).untyped_storage().cuda(),
            "pinned": lambda: c(2).pin_memory(),
            "is_pinned": lambda: c(2).is_pinned(),
            "is_cuda": lambda: c(2).is_cuda,
        }
    )


def factories():
    return _hidden(
        {
            "ones": lambda: torch.ones(2, device="cuda"),
            "empty": lambda: torch.empty(2, device="cuda:1"),
            "rand": lambda: torch.rand(2, device="cuda"),
            "tensor": lambda: torch.tensor([1.0], device="cuda"),
            "as_tensor": lambda: torch.as_tensor([1.0], device="cuda"),
            "arange": lambda: torch.arange(2, device="cuda"),
            "zeros_like": lambda: torch.zeros_like(c(2), device="cuda"),
            "new_ones": lambda: c(2).new_ones(2, device="cuda"),
            "legacy": lambda: torch.cuda.FloatTensor(2),
            "pinned": lambda: torch.empty(2, pin_memory=True),
            "generator": lambda: torch.Generator(device="cuda"),
        }
    )


def management():
    return _hidden(
        {
            "init": torch.cuda.init,
            "current_device": torch.cuda.current_device,
            "set_device": lambda: torch.cuda.set_device(0),
            "device": lambda: torch.cuda.device(0).__enter__(),
            "synchronize": torch.cuda.synchronize,
            "name": torch.cuda.get_device_name,
            "properties": lambda: torch.cuda.get_device_properties(0),
            "capability": torch.cuda.get_device_capability,
            "peers": lambda: torch.cuda.can_device_access_peer(0, 1),
            "index": torch.accelerator.current_device_index,
            "synchronize accelerator": torch.accelerator.synchronize,
            "set index": lambda: torch.accelerator.set_device_index(0),
            "current stream": torch.cuda.current_stream,
            "stream": torch.cuda.Stream,
            "event": lambda: torch.cuda.Event().record(),
            "accelerator's stream": torch.accelerator.current_stream,
        }
    )


def memory():
    return _hidden(
        {
            "allocated": torch.cuda.memory_allocated,
            "reserved": lambda: torch.cuda.memory_reserved(0),
            "peak": torch.cuda.max_memory_allocated,
            "stats": torch.cuda.memory_stats,
            "summary": torch.cuda.memory_summary,
            "information": torch.cuda.mem_get_info,
            "empty_cache": torch.cuda.empty_cache,
            "reset": torch.cuda.reset_peak_memory_stats,
            "fraction": lambda: torch.cuda.set_per_process_memory_fraction(0.5),
        }
    )


def seeds():
    return _hidden(
        {
            "manual_seed": lambda: torch.cuda.manual_seed(0),
            "all": lambda: torch.cuda.manual_seed_all(0),
            "torch's": lambda: torch.manual_seed(0).device,
            "state": torch.cuda.get_rng_state,
            "states": torch.cuda.get_rng_state_all,
            "initial": torch.cuda.initial_seed,
        }
    )


def defaults():
    def by_default():
        torch.set_default_device("cuda")
        try:
            return torch.ones(2)
        finally:
            torch.set_default_device(None)

    def in_a_block():
        with torch.device("cuda"):
            return torch.ones(2)

    return _hidden({"set": by_default, "block": in_a_block})


def mixed_precision():
    return _hidden(
        {
            "autocast": lambda: torch.autocast("cuda")._enabled,
            "scaler": lambda: torch.amp.GradScaler("cuda").is_enabled(),
            "scale": lambda: torch.amp.GradScaler("cuda").scale(c(1)),
        }
    )


def parallel():
    return _hidden({"DataParallel": lambda: type(nn.DataParallel(nn.Linear(2, 2)))})
