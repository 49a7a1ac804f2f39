"""Which modules a seed draws. It depends on SHA-256 only, so every Python draws the same ones.

`random` promises no more than the same floats; how `sample` uses them may change with the version.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from hashlib import sha256

from grader.course.items import Item, pool
from grader.course.items.item import Behaviour

DRAWN: dict[Behaviour, int] = {"works": 3, "raises": 4, "silently wrong": 3}
FIXED: dict[Behaviour, int] = {"raises": 2, "silently wrong": 1}
TEN = sum(DRAWN.values())
THREE = sum(FIXED.values())


def draw(seed: str) -> tuple[Item, ...]:
    """Ten modules in the order in which they are asked."""
    ordered = _in_order(f"draw {seed}", pool())
    drawn = [item for kind, count in DRAWN.items() for item in _of_kind(kind, count, ordered)]
    return tuple(_in_order(f"order {seed}", drawn))


def to_fix(seed: str) -> tuple[Item, ...]:
    """The three of the ten that are to be fixed."""
    drawn = draw(seed)
    return tuple(
        module
        for kind, count in FIXED.items()
        for module in [other for other in drawn if other.behaviour == kind][:count]
    )


def _in_order(salt: str, modules: Iterable[Item]) -> list[Item]:
    return sorted(modules, key=lambda module: sha256(f"{salt} {module.key}".encode()).digest())


def _of_kind(kind: Behaviour, count: int, ordered: list[Item]) -> list[Item]:
    """The first of a kind, with as many different bugs as there are."""
    seen: Counter[str] = Counter()
    ranked = []
    for module in ordered:
        if module.behaviour == kind:
            ranked.append((seen[module.finding], module))
            seen[module.finding] += 1
    return [module for _, module in sorted(ranked, key=lambda pair: pair[0])][:count]
