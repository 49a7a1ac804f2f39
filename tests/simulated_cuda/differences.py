"""Where the simulated device is known to differ from the recordings, and why: the only such table.

The native device has to be explained entry by entry: an entry that differs must fit a cause, and
a cause that fits no entry must be removed. The Python device, which is used where no native library
can be built, is not developed further: its share of equal entries must not fall, and that is all.
docs/simulated_cuda.md shows both tables; a test compares them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import torch
from recording.compare import Entry

# Operators that do something else than on the CPU. The page gives the reason for each.
NOT_ON_CUDA = {"sparse.mm.reduce", "narrow_copy", "histogram", "histogramdd"}
AS_ON_CUDA = {"addr", "linalg.lstsq", "nn.functional.scaled_dot_product_attention"}
AS_ON_CUDA |= {"linalg.svd", "svd", "svd_lowrank", "pca_lowrank"}
AS_ON_CUDA |= {"torch.ops.aten._scaled_dot_product_flash_attention_for_cpu"}
EXCEPTIONS = {"fft.ihfft2", "fft.ihfftn", "linalg.lstsq.grad_oriented", *NOT_ON_CUDA, *AS_ON_CUDA}
# Operators that the CPU cannot run at all: there is nothing to compare with.
CUDA_ONLY = {
    "jiterator_unary",
    "jiterator_binary",
    "jiterator_4inputs_with_extra_args",
    "jiterator_binary_return_by_ref",
    "jiterator_2inputs_2outputs",
}


@dataclass(frozen=True)
class Cause:
    """Differences that have one reason. The patterns are searched for; an empty one fits all.

    Attributes:
        title: a few words, as the page shows them.
        reason: why the device differs, and why that is accepted.
        keys: entries, such as `op/addmm/0/out on cpu` or `printing/sparse/coo`.
        cuda: the outcome on CUDA.
        ours: the outcome on the simulated device.
        only_on_cpu_builds: a CUDA build of PyTorch does as CUDA does, also without a driver.
    """

    title: str
    reason: str
    keys: str
    cuda: str = ""
    ours: str = ""
    only_on_cpu_builds: bool = False

    def fits(self, entry: Entry) -> bool:
        return all(
            re.search(pattern, str(text), re.DOTALL)
            for pattern, text in (
                (self.keys, entry.key),
                (self.cuda, entry.cuda),
                (self.ours, entry.ours),
            )
        )


# Of the native device, most entries first.
NATIVE: list[Cause] = [
    Cause(
        "`_scaled_mm` of unsuitable dtypes",
        "CUDA and the CPU have a function each that checks them: mostly in the same words, under "
        "RuntimeError and ValueError. A CPU with instructions for it, such as AMX, takes scales of "
        "any dtype.",
        r"_scaled_mm",
        r"^(RuntimeError|ValueError)",
        r"^(ValueError: Invalid scaling|ok)",
    ),
    Cause(
        "Batch norm as compilers call it",
        "Modules and functions call `batch_norm`, which is as on CUDA. These operators ask cuDNN "
        "themselves there, and keep statistics of half precision in single precision.",
        r"_batch_norm_with_update|native_batch_norm",
    ),
    Cause(
        "One of several kernels",
        "By shape or argument, CUDA chooses among kernels of different names. Of each dtype we "
        "know one name.",
        r"div\.|geqrf|/qr|linalg\.|lowrank|aminmax|scatter_reduce|cummax|cumsum|cumprod",
        r'NotImplementedError: "\w+" not implemented for',
        r'NotImplementedError: "\w+" not implemented for',
    ),
    Cause(
        "A dtype that is refused with some arguments only",
        "A reduction, `dtype=` or a size decides which kernel runs, and one of them has no code "
        "for the dtype. We refuse what every call refuses.",
        r"scatter_reduce|masked\.cum|pdist|logcumsumexp|bmm|lowrank",
        r'NotImplementedError: "\w+" not implemented for',
        r"^(ok|RuntimeError)",
    ),
    Cause(
        "Internal assertions",
        "CUDA's text has a path and a line of PyTorch's source. Ours says the same without them, "
        "or that the dtype is not supported.",
        r"",
        r"INTERNAL ASSERT FAILED",
    ),
    Cause(
        "Indices of another dtype, or of a tensor without dimensions",
        "CUDA's code counts the indices and looks at shapes before devices and dtypes.",
        r"index_put|masked_index",
        r"too many indices|expected scalar type|expanded size",
    ),
    Cause(
        "Complex numbers of half precision",
        "The CPU has no kernel for them, and the function asks for this dtype. The same of "
        "integers, of a number's `logcumsumexp`.",
        r"(nansum|nanmean|isin|masked).*complex32|logcumsumexp",
        r"^ok",
    ),
    Cause(
        "Indices of a dtype that no caller gives",
        "CUDA's code comes to another of its checks first.",
        r"multilabel_margin_loss|embedding_?bag|EmbeddingBag|repeat_interleave|bfloat16/transposed",
    ),
    Cause(
        "cuDNN's attention",
        "We offer the flash, efficient and plain kernels. Where this was recorded, cuDNN could not "
        "compile its own.",
        r"attention",
        r"cuDNN Frontend|^3$",
    ),
    Cause(
        "What modes see of our Python",
        "Where CUDA's functions are C++, some of ours call PyTorch, and a mode that watches every "
        "call sees that.",
        r"modes_(around_devices|while_loading)",
    ),
    Cause(
        "`torch.compile`",
        "There is no compiler for this device, so functions run as they are.",
        r"api_edges/compiling",
    ),
    Cause(
        "`torch.export` of a `with torch.device` block, strictly",
        "Dynamo asks a build without CUDA for a CUDA device in C++.",
        r"exporting/block/strict",
        only_on_cpu_builds=True,
    ),
    Cause(
        "The history of memory",
        "`_record_memory_history` checks what it is given, and records nothing.",
        r"memory_details/recorded_history",
    ),
    Cause(
        "`torch.set_default_tensor_type`, deprecated",
        "A build without CUDA refuses it in C++. We set the default dtype and device instead, "
        "which factory functions in C++ do not see.",
        r"default.tensor.type",
        only_on_cpu_builds=True,
    ),
    Cause(
        "Values that kernels would have written",
        "No kernel ran where this was recorded: zeros are printed in narrower columns, and have no "
        "positive sum.",
        r"printing/many|multinomial",
    ),
    Cause(
        "NCCL",
        "There is none here, and nothing pretends to be.",
        r"devices/libraries/nccl",
    ),
]

# Of the Python device: the least share of equal entries in per cent, on PyTorch 2.13.
PYTHON: dict[str, float] = {
    "a number on cpu": 92.4,
    "a number on cuda": 95.8,
    "a number on cuda:1": 94.3,
    "in place": 59.2,
    "module on cpu, input on cuda": 93.7,
    "module on cuda, input on cpu": 91.6,
    "module on cuda:1, input on cuda:0": 84.6,
    "on cpu": 92.8,
    "on cuda": 92.3,
    "on cuda:1": 89.7,
    "out on cpu": 52.4,
    "advanced": 23.5,
    "api_edges": 34.5,
    "attention": 69.0,
    "autocast": 60.0,
    "conversions": 49.3,
    "determinism": 74.5,
    "devices": 51.7,
    "environments": 57.7,
    "exporting": 38.4,
    "generators": 66.6,
    "identities": 62.8,
    "layer_dtypes": 71.4,
    "layers": 61.1,
    "legacy_types": 32.1,
    "loading": 39.2,
    "masks_and_numbers": 57.3,
    "memory": 23.0,
    "memory_details": 0.0,
    "mixed": 60.3,
    "moves": 37.8,
    "no_devices": 19.4,
    "optimizers": 47.8,
    "out_of_memory": 0.0,
    "printing": 88.2,
    "saving": 63.2,
    "sequences": 25.8,
    "training": 30.2,
}

# Of the Python device on newer versions, whose lists of operators are others.
PYTHON_NEWER: dict[str, dict[str, float]] = {
    "2.14": {
        "a number on cpu": 92.0,
        "a number on cuda": 95.4,
        "a number on cuda:1": 93.9,
        "on cpu": 92.6,
        "on cuda": 92.1,
        "on cuda:1": 89.5,
        "out on cpu": 52.0,
    },
}

# A recording of another minor version than the installed one says less: per cent of equal entries.
OTHER_VERSION = {"native": 94.0, "python": 40.0}


def floors(version: str) -> dict[str, float]:
    """The least shares of the Python device on a version of PyTorch, such as "2.14"."""
    return PYTHON | PYTHON_NEWER.get(version, {})


def unexplained(entries: list[Entry]) -> list[Entry]:
    """The entries of the native device that differ and fit no cause."""
    return [
        entry
        for entry in entries
        if entry.kind != "equal" and not any(cause.fits(entry) for cause in NATIVE)
    ]


def stale(entries: list[Entry]) -> list[str]:
    """The titles of causes that fit no difference, though they would on this build of PyTorch."""
    different = [entry for entry in entries if entry.kind != "equal"]
    causes = [c for c in NATIVE if not (c.only_on_cpu_builds and torch.version.cuda)]
    return [c.title for c in causes if not any(c.fits(entry) for entry in different)]


def shares(entries: list[Entry]) -> dict[str, float]:
    """Per cent of equal entries, by way of mixing or theme."""
    ways: dict[str, list[bool]] = {}
    for entry in entries:
        ways.setdefault(entry.way, []).append(entry.kind == "equal")
    return {way: 100 * sum(equal) / len(equal) for way, equal in sorted(ways.items())}
