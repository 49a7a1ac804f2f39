"""`grader doctor`: what is installed, which device, what is missing, and what fixes it."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

import click
import msgspec

from grader.cli.extras import Home, home, installed_version
from grader.course import course_root
from grader.learning import journal_path
from grader.render import SIGNS, Mood

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


class HealthCheck(NamedTuple):
    """One thing that was looked at; `remedy` is what to type or to do, if anything."""

    mood: Mood
    what: str
    message: str
    remedy: str = ""


def _table(name: str) -> dict[str, Any]:
    return tomllib.loads(files("grader.cli.doctor").joinpath(name).read_text(encoding="utf-8"))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)[:2]))


LINES, _VERSIONS = _table("lines.toml"), _table("versions.toml")
OLDEST_PYTHON = _numbers(_VERSIONS["python"]["tried"][0])
OLDEST_TORCH = _numbers(_VERSIONS["torch"]["tried"][0])
NEWEST_TRIED_TORCH = _numbers(_VERSIONS["torch"]["tried"][-1])


@click.command()
def doctor() -> None:
    """Say what is installed, which device there is, and how to fix what is missing.

    Exits 1 if something is missing that the course needs.
    """
    lines = diagnose(examine())
    click.echo(to_text(lines))
    sys.exit(any(line.mood == "bad" for line in lines))


def diagnose(facts: MachineFacts) -> tuple[HealthCheck, ...]:
    """All lines, in the order in which to fix things."""
    return tuple(line(facts, found, detail) for found, detail in _found(facts))


def line(facts: MachineFacts, found: str, detail: str = "") -> HealthCheck:
    """What is said of something that was found.

    An installation for audits has no journal, and so is not asked for what only the course needs.
    """
    quoted = f'"{facts.executable}"' if " " in facts.executable else facts.executable
    install = f"{quoted} -m pip install"
    if facts.home == "uv":
        install = f"uv pip install --python {quoted}"
    elif facts.home == "managed system":
        # This Python belongs to the system, whose pip refuses to touch it.
        install = f"{quoted} -m venv .venv && .venv/bin/python -m pip install"
    checkout = f"{found} of a checkout" if facts.is_checkout else found
    keys = (f"{found} on {facts.system}", checkout, found)
    mood, what, *texts = LINES[next(key for key in keys if key in LINES)]
    if found in ("no notebooks", "no course") and not facts.journal:
        mood = "open"
    values = {**vars(facts), "quoted": quoted, "install": install, "detail": detail}
    message, remedy = (text.format(**values) for text in texts)
    return HealthCheck(cast(Mood, mood), what, message, remedy)


def to_text(lines: Sequence[HealthCheck]) -> str:
    """A line for each, what to do below it, and the sum of it."""
    parts = []
    for line in lines:
        parts.append(f"{SIGNS[line.mood]} {line.what:10} {line.message}")
        if line.remedy:
            parts.append(f"{'':13}→ {line.remedy}")
    count = sum(line.mood == "bad" for line in lines)
    to_fix = f"{count} thing{'s' * (count > 1)} to fix, then run `grader doctor` again."
    return "\n".join([*parts, "", to_fix if count else "All is well."])


def _found(facts: MachineFacts) -> Iterator[tuple[str, str]]:
    """What was found, by its name in the table, with a detail."""
    yield "old python" if _numbers(facts.python) < OLDEST_PYTHON else "python", ""
    torch = _torch_found(facts)
    yield torch
    if torch[0] in ("torch", "new torch"):
        yield from _device(facts)
    there = facts.packages
    if there:
        yield "notebooks", ", ".join(f"{name} {there[name]}" for name in there)
    if missing := [name for name in PACKAGES if name not in there]:
        yield "no notebooks", ", ".join(missing)
    yield "course" if facts.course else "no course", ""
    yield from (("read only", path) for path in facts.unwritable if path != facts.journal)
    is_lost = facts.journal in facts.unwritable
    yield ("lost journal" if is_lost else "journal") if facts.journal else "no journal", ""


def _torch_found(facts: MachineFacts) -> tuple[str, str]:
    version = _numbers(facts.torch.version)
    oldest, newest = (".".join(map(str, each)) for each in (OLDEST_TORCH, NEWEST_TRIED_TORCH))
    if facts.torch.error:
        missing = "ModuleNotFoundError: No module named 'torch'"
        return "no torch" if facts.torch.error.startswith(missing) else "broken torch", ""
    if version < OLDEST_TORCH:
        return "old torch", oldest
    return ("new torch", newest) if version > NEWEST_TRIED_TORCH else ("torch", "")


def _device(facts: MachineFacts) -> Iterator[tuple[str, str]]:
    gpus, warnings = facts.torch.gpus, facts.torch.warnings
    if gpus:
        yield "gpu", ", ".join(gpus)
    elif facts.nvidia or any("driver" in warning for warning in warnings):
        because = f": {_first_sentence(warnings[0])}" if warnings else ""
        one = (*facts.nvidia, "One")[0]
        yield "hidden gpu", f"{one} is here, but PyTorch does not find it{because}"
    else:
        yield "no gpu", ""
    yield "device", (*gpus, "simulated")[0]
    if facts.library and not gpus:
        yield facts.library, ""


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.!)])\s+(?=[A-Z(])", " ".join(text.split()))[0]
