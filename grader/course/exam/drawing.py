"""Which modules a seed draws. It depends on SHA-256 only, so every Python draws the same ones.

`random` promises no more than the same floats; how `sample` uses them may change with the version.
"""

from __future__ import annotations

from collections import Counter
from hashlib import sha256

from grader.course.exam.pool import Kind, Module, pool

DRAWN: dict[Kind, int] = {"works": 3, "raises": 4, "silently wrong": 3}
FIXED: dict[Kind, int] = {"raises": 2, "silently wrong": 1}
TEN = sum(DRAWN.values())
THREE = sum(FIXED.values())


def draw(seed: str) -> tuple[Module, ...]:
    """Ten modules in the order in which they are asked."""
    ordered = _in_order(f"draw {seed}", pool())
    drawn = [module for kind, count in DRAWN.items() for module in _of_kind(kind, count, ordered)]
    return tuple(_in_order(f"order {seed}", drawn))


def to_fix(seed: str) -> tuple[Module, ...]:
    """The three of the ten that are to be fixed."""
    drawn = draw(seed)
    return tuple(
        module
        for kind, count in FIXED.items()
        for module in [other for other in drawn if other.kind == kind][:count]
    )


def _in_order(salt: str, modules: tuple[Module, ...] | list[Module]) -> list[Module]:
    return sorted(modules, key=lambda module: sha256(f"{salt} {module.name}".encode()).digest())


def _of_kind(kind: Kind, count: int, ordered: list[Module]) -> list[Module]:
    """The first of a kind, with as many different bugs as there are."""
    seen: Counter[str] = Counter()
    ranked = []
    for module in ordered:
        if module.kind == kind:
            ranked.append((seen[module.truth.code], module))
            seen[module.truth.code] += 1
    return [module for _, module in sorted(ranked, key=lambda pair: pair[0])][:count]
