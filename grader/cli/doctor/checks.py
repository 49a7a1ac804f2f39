"""From facts to lines: what is well, what is not, and the command that fixes it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import Any, NamedTuple, cast

from grader.cli.doctor.facts import PACKAGES, MachineFacts
from grader.render import SIGNS, Mood


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
    torch = _torch(facts)
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


def _torch(facts: MachineFacts) -> tuple[str, str]:
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
