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
        "A number of the CPU for `smooth_l1_loss` or `binary_cross_entropy`",
        "CUDA's text is an internal assertion, with a path and a line of PyTorch's source. Ours "
        "says the same without them.",
        r"smooth_?l1|SmoothL1|BCELoss|binary_cross_entropy",
        r"INTERNAL ASSERT FAILED at",
        r"INTERNAL ASSERT FAILED in",
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
    "in place": 59.2,
    "module on cpu, input on cuda": 93.7,
    "module on cuda, input on cpu": 91.6,
    "module on cuda:1, input on cuda:0": 84.6,
    "on cpu": 92.8,
    "on cuda": 92.3,
    "on cuda:1": 89.7,
    "out on cpu": 52.4,
    "advanced": 23.5,
    "autocast": 60.0,
    "conversions": 49.3,
    "devices": 51.7,
    "generators": 66.6,
    "identities": 62.8,
    "layers": 47.0,
    "loading": 39.2,
    "memory": 23.0,
    "mixed": 64.2,
    "moves": 37.8,
    "optimizers": 47.8,
    "printing": 88.2,
    "saving": 63.2,
    "sequences": 45.0,
    "training": 30.2,
}

# Of the Python device on newer versions, whose lists of operators are others.
PYTHON_NEWER: dict[str, dict[str, float]] = {
    "2.14": {"on cpu": 92.6, "on cuda": 92.1, "on cuda:1": 89.5, "out on cpu": 52.0},
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
