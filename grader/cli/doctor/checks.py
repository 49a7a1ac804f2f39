"""From facts to lines: what is well, what is not, and the command that fixes it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files

from grader.cli.doctor.facts import MachineFacts
from grader.render import SIGNS, Mood

TORCH = "torch>=2.11"
NOTEBOOKS = ("jupyterlab>=4.4", "ipywidgets>=8.1", "anywidget>=0.9.18", "matplotlib>=3.9")
NEEDED = ("jupyterlab", "ipykernel", "ipywidgets", "anywidget", "matplotlib")
WITHOUT = "or go on without: the simulated device needs neither"
TRY = "grader check --all --solutions, where every solution must pass; or go on"
COMPILER = "Install g++ (on a Mac: xcode-select --install), or set CXX; or go on without"


@dataclass(frozen=True)
class HealthCheck:
    """One thing that was looked at.

    Attributes:
        mood: `bad` where the course needs it, `doubt` where it does without, `open` where nobody
            asked for it.
        remedy: what to type or to do, if anything.
    """

    mood: Mood
    what: str
    message: str
    remedy: str = ""


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)[:2]))


_VERSIONS = tomllib.loads(
    files("grader.cli.doctor").joinpath("versions.toml").read_text(encoding="utf-8")
)
OLDEST_PYTHON = _numbers(_VERSIONS["python"]["tried"][0])
OLDEST_TORCH = _numbers(_VERSIONS["torch"]["tried"][0])
NEWEST_TRIED_TORCH = _numbers(_VERSIONS["torch"]["tried"][-1])


def diagnose(facts: MachineFacts) -> tuple[HealthCheck, ...]:
    """All lines, in the order in which to fix things."""
    return (
        _python(facts),
        _torch(facts),
        *_device(facts),
        *_notebooks(facts),
        *_course(facts),
        _progress(facts),
    )


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


def _python(facts: MachineFacts) -> HealthCheck:
    message = f"{facts.python}, {facts.home}: {facts.executable}"
    if _numbers(facts.python) >= OLDEST_PYTHON:
        return HealthCheck("good", "Python", message)
    remedy = "Install Python 3.11 or newer (https://www.python.org/downloads), and set up again."
    return HealthCheck("bad", "Python", message, remedy)


def _torch(facts: MachineFacts) -> HealthCheck:
    torch, version = facts.torch, _numbers(facts.torch.version)
    oldest, newest = (".".join(map(str, each)) for each in (OLDEST_TORCH, NEWEST_TRIED_TORCH))
    if torch.error.startswith("ModuleNotFoundError: No module named 'torch'"):
        message, remedy = "is not installed, so nothing can be graded", "--upgrade"
    elif torch.error:
        message = f"is installed but broken, so nothing can be graded: {torch.error}"
        remedy = "--force-reinstall"
    elif version < OLDEST_TORCH:
        message = f"{torch.version} is too old: the course needs {oldest} or newer"
        remedy = "--upgrade"
    elif version > NEWEST_TRIED_TORCH:
        message = (
            f"{torch.version}, built for {torch.built}. The course was not tried with it yet; "
            f"{newest} is the newest that was"
        )
        return HealthCheck("doubt", "PyTorch", message, TRY)
    else:
        return HealthCheck("good", "PyTorch", f"{torch.version}, built for {torch.built}")
    return HealthCheck("bad", "PyTorch", message, _install(facts, remedy, TORCH))


def _device(facts: MachineFacts) -> Iterator[HealthCheck]:
    torch = facts.torch
    if torch.error or _numbers(torch.version) < OLDEST_TORCH:
        return
    if torch.gpus:
        yield HealthCheck("good", "GPU", ", ".join(torch.gpus))
        yield HealthCheck("good", "Judged on", f"cuda:0 ({torch.gpus[0]})")
        return
    if facts.nvidia or any("driver" in warning for warning in torch.warnings):
        message = f"{', '.join(facts.nvidia[:1]) or 'One'} is here, but PyTorch does not find it"
        because = f": {_first_sentence(torch.warnings[0])}" if torch.warnings else ""
        remedy = (
            "Install PyTorch for CUDA (https://pytorch.org/get-started) and the newest driver "
            f"(https://www.nvidia.com/drivers); {WITHOUT}"
        )
        yield HealthCheck("doubt", "GPU", message + because, remedy)
    else:
        yield HealthCheck("good", "GPU", "none for CUDA, and none is needed")
    yield HealthCheck("good", "Judged on", "cuda:0 (simulated)")
    build = f"{_quoted(facts.executable)} -m grader.simulated_cuda.native.build; or go on without"
    simulated: dict[str, tuple[Mood, str, str]] = {
        "built": ("good", "by the native device, compiled for this PyTorch", ""),
        "to build": ("good", "by the native device, which is compiled at first use", ""),
        "no compiler": (
            "doubt",
            "by the Python device, which is slower, because there is no C++ compiler",
            COMPILER,
        ),
        "failed": ("doubt", "by the Python device, which is slower: compiling failed", build),
    }
    if facts.library:
        mood, message, remedy = simulated[facts.library]
        yield HealthCheck(mood, "Simulated", message, remedy)


def _notebooks(facts: MachineFacts) -> Iterator[HealthCheck]:
    missing = [name for name in NEEDED if name not in facts.packages]
    there = [f"{name} {facts.packages[name]}" for name in NEEDED if name in facts.packages]
    if there:
        yield HealthCheck("good", "Notebooks", ", ".join(there))
    if missing:
        message = f"{'missing' if facts.journal else 'not installed'}: {', '.join(missing)}"
        yield HealthCheck(_needed(facts), "Notebooks", message, how_to_install_notebooks(facts))


def how_to_install_notebooks(facts: MachineFacts) -> str:
    if facts.is_checkout and facts.journal:
        return _install(facts, "-c constraints.txt -e", ".[notebooks]")
    return _install(facts, "", *NOTEBOOKS)


def _course(facts: MachineFacts) -> Iterator[HealthCheck]:
    if facts.course:
        yield HealthCheck("good", "Course", facts.course)
    else:
        message = "there is none in this folder or above it"
        yield HealthCheck(_needed(facts), "Course", message, "grader lab my-course")
    for path in facts.unwritable:
        if path != facts.journal:
            windows = f'icacls "{path}" /grant "%USERNAME%":M'
            linux = f"chmod u+w '{path}' (or, if it is not yours: sudo chown \"$USER\" '{path}')"
            remedy = windows if facts.system == "Windows" else linux
            yield HealthCheck("bad", "Course", f"{path} cannot be written", remedy)


def _progress(facts: MachineFacts) -> HealthCheck:
    if not facts.journal:
        message = "is not kept: this is a plain installation, for audits"
        name = ".[learn]" if facts.is_checkout else "wheres-my-tensor[learn]"
        options = "-c constraints.txt -e" if facts.is_checkout else ""
        return HealthCheck("open", "Progress", message, _install(facts, options, name))
    if facts.journal in facts.unwritable:
        message = f"{facts.journal} cannot be written, so your progress is not kept"
        remedy = "Name another file in the environment variable GRADER_JOURNAL, or fix its folder."
        return HealthCheck("bad", "Progress", message, remedy)
    return HealthCheck("good", "Progress", facts.journal)


def _needed(facts: MachineFacts) -> Mood:
    """How much the course is missed: an installation for audits has no `learn` and no journal."""
    return "bad" if facts.journal else "open"


def _install(facts: MachineFacts, options: str, *names: str) -> str:
    """What to type, also in a conda environment, where pip installs into it."""
    quoted = " ".join(f'"{name}"' for name in names)
    install = f"pip install {options} {quoted}".replace("  ", " ")
    python = _quoted(facts.executable)
    if facts.home == "uv":
        return f"uv {install} --python {python}"
    if facts.home != "managed system":
        return f"{python} -m {install}"
    # This Python belongs to the system, whose pip refuses to touch it.
    return f"{python} -m venv .venv && .venv/bin/python -m {install}"


def _quoted(path: str) -> str:
    return f'"{path}"' if " " in path else path


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.!)])\s+(?=[A-Z(])", " ".join(text.split()))[0]
