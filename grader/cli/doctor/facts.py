"""What the machine has, as plain data. It decides nothing."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import msgspec

from grader.cli.environment import Home, home, installed_version
from grader.course import course_root
from grader.learning import journal_path

# Of the simulated device: there, to be compiled at first use, or why the Python device stands in.
Library = Literal["built", "to build", "no compiler", "failed", ""]
PACKAGES = ("jupyterlab", "ipykernel", "ipywidgets", "anywidget", "matplotlib")
PATIENCE = 120

# In a process of its own: a broken PyTorch may raise, crash or write to the terminal.
_ASK_TORCH = """\
import json, warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import torch
    gpus = []
    if torch.cuda.is_available():
        gpus = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
built = {"CUDA": torch.version.cuda, "ROCm": torch.version.hip}
built = [f"{name} {version}" for name, version in built.items() if version] or ["the CPU only"]
warned = [str(warning.message) for warning in caught]
known = {"version": torch.__version__, "built": built[0], "gpus": gpus, "warnings": warned}
print("\\n" + json.dumps(known))
"""


@dataclass(frozen=True)
class Torch:
    """PyTorch, as it says itself.

    Attributes:
        error: why it cannot be imported; then the rest is empty.
        warnings: what it said while it looked for them.
    """

    version: str = ""
    built: str = "the CPU only"
    gpus: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    error: str = ""


@dataclass(frozen=True)
class MachineFacts:
    """All that a diagnosis is made from.

    Attributes:
        system: `Linux`, `Darwin` or `Windows`.
        packages: their versions; one that is missing is not there.
        library: the simulated device's, which is compiled for one PyTorch.
        nvidia: name and driver of NVIDIA's GPUs, as the driver's own tool says.
    """

    system: str
    python: str
    executable: str
    home: Home
    torch: Torch
    packages: dict[str, str] = field(default_factory=dict)
    library: Library = ""
    nvidia: tuple[str, ...] = ()
    course: str = ""
    is_checkout: bool = False
    journal: str = ""
    unwritable: tuple[str, ...] = ()


def examine() -> MachineFacts:
    """The facts about this machine and this environment."""
    root, journal = course_root(), _journal()
    exercises = root / "exercises"
    has_course = exercises.is_dir()
    places = [exercises, *exercises.glob("*.py")] if has_course else []
    return MachineFacts(
        system=platform.system(),
        python=platform.python_version(),
        executable=sys.executable,
        home=home(),
        torch=_torch(),
        library=_library(),
        packages={name: found for name in PACKAGES if (found := installed_version(name))},
        nvidia=tuple(
            _lines("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader")
        ),
        course=str(root) if has_course else "",
        is_checkout=(root / "constraints.txt").is_file(),
        journal=str(journal or ""),
        unwritable=tuple(str(path) for path in [*places, journal] if path and _is_closed(path)),
    )


def _journal() -> Path | None:
    """The file of the learner's progress; None in an installation without what keeps one."""
    try:
        return journal_path()
    except ModuleNotFoundError:
        return None


def _torch() -> Torch:
    ran = _run(sys.executable, "-c", _ASK_TORCH)
    if ran is None:
        return Torch(error=f"importing it took more than {PATIENCE} seconds")
    if ran.returncode == 0:
        return msgspec.json.decode(ran.stdout.splitlines()[-1], type=Torch)
    last = (ran.stderr.strip().splitlines() or ["it said nothing"])[-1]
    crashed = f"its import ended Python (exit code {ran.returncode}): "
    return Torch(error=last if "Error" in last else crashed + last)


def _library() -> Library:
    # A process of its own asks, for PyTorch may be broken.
    state = _lines(sys.executable, "-m", "grader.simulated_cuda.native.build", "--state")
    return msgspec.convert(state[-1], Library) if state else ""


def _lines(*command: str) -> list[str]:
    """What a program prints; nothing if it is not there or fails."""
    ran = _run(*command)
    return ran.stdout.strip().splitlines() if ran and ran.returncode == 0 else []


def _run(program: str, *words: str) -> subprocess.CompletedProcess[str] | None:
    try:
        command = [shutil.which(program) or program, *words]
        return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    except (OSError, subprocess.TimeoutExpired):
        return None


def _is_closed(path: Path) -> bool:
    """Whether nothing can be written there."""
    existing = next(parent for parent in (path, *path.parents) if parent.exists())
    return not os.access(existing, os.W_OK) or (existing != path and not existing.is_dir())
