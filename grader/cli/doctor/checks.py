"""From facts to lines: what is well, what is not, and the command that fixes it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files

from grader.cli.doctor.facts import EXTENSIONS, MachineFacts
from grader.cli.doctor.remedies import Remedies
from grader.render import Mood

NEEDED = ("jupyterlab", "ipykernel", "ipywidgets", "anywidget", "matplotlib")


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
    remedies = Remedies(facts)
    return (
        *_python(facts, remedies),
        *_torch(facts, remedies),
        *_gpu(facts, remedies),
        *_notebooks(facts, remedies),
        *_course(facts, remedies),
        *_git(facts),
    )


def _python(facts: MachineFacts, remedies: Remedies) -> Iterator[HealthCheck]:
    message = f"{facts.python}, {facts.home}: {facts.executable}"
    is_old = _numbers(facts.python) < OLDEST_PYTHON
    yield HealthCheck(
        "bad" if is_old else "good", "Python", message, remedies.python if is_old else ""
    )


def _torch(facts: MachineFacts, remedies: Remedies) -> Iterator[HealthCheck]:
    torch = facts.torch
    if torch.error.startswith("ModuleNotFoundError: No module named 'torch'"):
        yield HealthCheck(
            "bad", "PyTorch", "is not installed, so nothing can be graded", remedies.torch
        )
    elif torch.error:
        message = f"is installed but broken, so nothing can be graded: {torch.error}"
        yield HealthCheck("bad", "PyTorch", message, remedies.torch_anew)
    elif _numbers(torch.version) < OLDEST_TORCH:
        oldest = ".".join(map(str, OLDEST_TORCH))
        message = f"{torch.version} is too old: the course needs {oldest} or newer"
        yield HealthCheck("bad", "PyTorch", message, remedies.torch)
    elif _numbers(torch.version)[:2] > NEWEST_TRIED_TORCH:
        newest = ".".join(map(str, NEWEST_TRIED_TORCH))
        message = (
            f"{torch.version}, built for {_build(facts)}. The course was not tried with torch "
            f"{torch.version.partition('+')[0]} yet; {newest} is the newest that was"
        )
        yield HealthCheck("doubt", "PyTorch", message, remedies.try_torch)
    else:
        yield HealthCheck("good", "PyTorch", f"{torch.version}, built for {_build(facts)}")


def _build(facts: MachineFacts) -> str:
    torch = facts.torch
    if torch.hip:
        return f'ROCm {torch.hip}: "cuda" means an AMD GPU'
    return f"CUDA {torch.cuda}" if torch.cuda else "the CPU only"


def _gpu(facts: MachineFacts, remedies: Remedies) -> Iterator[HealthCheck]:
    torch = facts.torch
    if torch.error or _numbers(torch.version) < OLDEST_TORCH:
        return
    if torch.gpus:
        yield HealthCheck("good", "GPU", ", ".join(torch.gpus))
        yield HealthCheck("good", "Judged on", f"cuda:0 ({torch.gpus[0]})")
        return
    old = next((warning for warning in torch.warnings if "driver" in warning.lower()), "")
    if old:
        message = f"PyTorch cannot use it, because of its driver: {_first_sentence(old)}"
        yield HealthCheck("doubt", "GPU", message, remedies.driver)
    elif facts.nvidia and not torch.cuda:
        message = f"{facts.nvidia[0]} is here, but this PyTorch was not built for CUDA"
        yield HealthCheck("doubt", "GPU", message, remedies.torch_for_cuda)
    elif facts.nvidia:
        message = f"{facts.nvidia[0]} is here, but PyTorch does not find it"
        if torch.warnings:
            message += f": {_first_sentence(torch.warnings[0])}"
        yield HealthCheck("doubt", "GPU", message, remedies.driver)
    elif facts.system == "Darwin":
        yield HealthCheck("good", "GPU", "a Mac's own is not CUDA, and is not needed")
    else:
        yield HealthCheck("good", "GPU", "none, and none is needed")
    yield HealthCheck("good", "Judged on", "cuda:0 (simulated)")
    yield from _simulated(facts, remedies)


def _simulated(facts: MachineFacts, remedies: Remedies) -> Iterator[HealthCheck]:
    """Which of the two simulated devices it is."""
    library = facts.library
    if library == "built":
        yield HealthCheck("good", "Simulated", "by the native device, compiled for this PyTorch")
    elif library == "to build":
        yield HealthCheck(
            "good", "Simulated", "by the native device, which is compiled at first use"
        )
    elif library == "no compiler":
        message = "by the Python device, which is slower, because there is no C++ compiler"
        yield HealthCheck("doubt", "Simulated", message, remedies.compiler)
    elif library == "failed":
        message = "by the Python device, which is slower: compiling failed"
        yield HealthCheck("doubt", "Simulated", message, remedies.compile_again)


def _notebooks(facts: MachineFacts, remedies: Remedies) -> Iterator[HealthCheck]:
    missing = [name for name in NEEDED if name not in facts.packages]
    there = [f"{name} {facts.packages[name]}" for name in NEEDED if name in facts.packages]
    if there:
        yield HealthCheck("good", "Notebooks", ", ".join(there))
    if _is_plain(facts):
        if missing:
            message = f"not installed: {', '.join(missing)}"
            yield HealthCheck("open", "Notebooks", message, remedies.notebooks)
        return
    if missing:
        message = f"missing: {', '.join(missing)}"
        yield HealthCheck("bad", "Notebooks", message, remedies.notebooks)
    for package, extension in EXTENSIONS.items():
        if {package, "jupyterlab"} <= facts.packages.keys() and extension not in facts.extensions:
            message = f"JupyterLab does not see {extension}, so widgets of {package} stay empty"
            yield HealthCheck("bad", "Widgets", message, remedies.again(package))
    if "nbval" not in facts.packages:
        message = "nbval is missing; only `pytest --nbval notebooks/` needs it"
        yield HealthCheck("doubt", "Tests", message, remedies.install("nbval"))


def _course(facts: MachineFacts, remedies: Remedies) -> Iterator[HealthCheck]:
    if facts.course:
        yield HealthCheck("good", "Course", facts.course)
    else:
        message = "there is none in this folder or above it"
        yield HealthCheck(
            "open" if _is_plain(facts) else "bad", "Course", message, "grader lab my-course"
        )
    for path in facts.unwritable:
        if path != facts.journal:
            yield HealthCheck(
                "bad", "Course", f"{path} cannot be written", _make_writable(facts, path)
            )
    if not facts.journal:
        message = "is not kept: this is a plain installation, for audits"
        yield HealthCheck("open", "Progress", message, remedies.learn)
    elif facts.journal in facts.unwritable:
        message = f"{facts.journal} cannot be written, so your progress is not kept"
        remedy = "Name another file in the environment variable GRADER_JOURNAL, or fix its folder."
        yield HealthCheck("bad", "Progress", message, remedy)
    else:
        yield HealthCheck("good", "Progress", facts.journal)


def _is_plain(facts: MachineFacts) -> bool:
    """Whether it is an installation for audits: the extra `learn`, part of `notebooks`, is missing.

    The command of a checkout finds the course in there, whether it is asked for or not.
    """
    return not facts.journal


def _make_writable(facts: MachineFacts, path: str) -> str:
    if facts.system == "Windows":
        return f'icacls "{path}" /grant "%USERNAME%":M'
    return f"chmod u+w '{path}' (or, if it is not yours: sudo chown \"$USER\" '{path}')"


def _git(facts: MachineFacts) -> Iterator[HealthCheck]:
    if facts.git:
        yield HealthCheck("good", "git", facts.git.removeprefix("git version "))
    else:
        message = "is not installed; only updating the course needs it"
        yield HealthCheck("doubt", "git", message, "https://git-scm.com/downloads")


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.!)])\s+(?=[A-Z(])", " ".join(text.split()))[0]
