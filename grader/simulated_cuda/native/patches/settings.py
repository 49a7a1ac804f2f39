"""Settings of CUDA and cuDNN that code sets and reads, and that have no effect here."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import torch

from ...common.patches import Patch
from ...common.refusals import refuse, refused_class
from .bindings import c_functions, is_integer

CUDNN = 91900  # its version, also in source/hooks.h
# Functions of torch._C without `_cuda_`: setter, getter, and the value in a CUDA build (sm_90).
SETTINGS: tuple[tuple[str, str, Any], ...] = (
    ("tunableop_enable", "tunableop_is_enabled", False),
    ("tunableop_tuning_enable", "tunableop_tuning_is_enabled", True),
    ("record_untuned_enable", "record_untuned_is_enabled", False),
    ("tunableop_set_max_tuning_duration", "tunableop_get_max_tuning_duration", 30),
    ("tunableop_set_max_tuning_iterations", "tunableop_get_max_tuning_iterations", 100),
    ("tunableop_set_filename", "tunableop_get_filename", "tunableop_results.csv"),
    ("tunableop_set_rotating_buffer_size", "tunableop_get_rotating_buffer_size", 0),
    ("setCublasWorkspaceSize", "getCublasWorkspaceSize", 32 * 1024**2),
    ("setCublasLtWorkspaceSize", "getCublasLtWorkspaceSize", 32 * 1024**2),
    ("cudaCachingAllocator_enable", "cudaCachingAllocator_is_enabled", True),
    ("setMemoryMetadata", "getMemoryMetadata", ""),
    ("set_cudnn_benchmark_limit", "get_cudnn_benchmark_limit", 10),
)


def _pair(name: str, value: Any) -> tuple[Any, Any]:
    """A setter of this name and its getter. Those of TunableOp look at the type."""
    values = [value]
    kind = "a bool" if isinstance(value, bool) else "an int"

    def set_value(new: Any, *_: Any) -> None:
        fits = isinstance(new, bool) if kind == "a bool" else is_integer(new)
        if not fits and "tun" in name and not isinstance(value, str):
            raise RuntimeError(f"cuda_{name} expects {kind}, but got {type(new).__name__}")
        values[0] = new

    return set_value, lambda: values[0]


def patches() -> Iterator[Patch]:
    """The functions of `torch._C`, with fresh values."""
    yield from c_functions(
        _functions(), "setting it changes nothing here, and reading gives it back"
    )
    cudnn: Any = torch.backends.cudnn
    yield Patch(torch._C, "_has_cudnn", True, "a CPU build has no cuDNN")
    yield Patch(cudnn.m, "_init", lambda: True, "it would load cuDNN")
    yield Patch(cudnn.m, "__cudnn_version", CUDNN, "what `_init` sets from the library")
    modes = SimpleNamespace(RNNMode=SimpleNamespace(rnn_relu=0, rnn_tanh=1, lstm=2, gru=3))
    yield Patch(cudnn.rnn.m, "_cudnn", modes, "`get_cudnn_mode` reads the numbers of RNN kinds")


def _functions() -> dict[str, Any]:
    functions: dict[str, Any] = {}
    for setter, getter, value in SETTINGS:
        functions[setter], functions[getter] = _pair(setter, value)
    allocators = refuse("other allocators")
    return functions | {
        "tunableop_get_results": tuple,
        "tunableop_get_validators": tuple,
        "tunableop_read_file": lambda filename: False,
        "tunableop_set_numerical_check_tolerances": lambda *_: None,
        "allocationTraceback": lambda address: None,
        "getAllocator": object,
        "customAllocator": allocators,
        "changeCurrentAllocator": allocators,
        "cudaHostAllocator": allocators,
        "CUDAAllocator_AllocatorState": refused_class("AllocatorState", "other allocators"),
        "jiterator_compile_and_launch_kernel": refuse("kernels that are compiled at run time"),
    }
