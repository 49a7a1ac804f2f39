"""Measures every goal of speed as a ratio, compares it with the last one, and stores it.

    python benchmarks/all.py                  # everything: about half an hour
    python benchmarks/all.py audit device     # only these groups

The last value of each is in benchmarks/results/speed.json, with its commit; docs/testing.md is
written by hand from it. What cannot be measured here is left out, with the reason. Nothing fails: a
ratio above its goal is marked.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import audit_speed
import batch_overhead
import check_latency
import simulated_cuda_speed
import startup
from latency import median_ratio
from metering import CannotMeasureError
from speed_goals import GOALS

import notebooks

ROOT = Path(__file__).resolve().parents[1]
STORED = ROOT / "benchmarks" / "results" / "speed.json"
ROUNDS = 7
FEWEST = 10  # published modules, for a median

Figures = dict[str, float]


def audits(found: list[audit_speed.Cost], kind: str) -> Figures:
    """The medians over modules that take a millisecond at least."""
    figures = audit_speed.figures(found)
    if figures["modules"] < FEWEST and kind == "published":
        raise CannotMeasureError("of the field report's packages too few are installed")
    return {
        f"audit of {kind} modules": figures["median"],
        f"audit of {kind} modules, p90": figures["p90"],
        f"calls of {kind} modules": figures["median floor"],
    }


def published() -> Figures:
    return audits(list(audit_speed.costs_of(audit_speed.published(), every=1)), "published")


def watched() -> Figures:
    # It drives a terminal as the tests do; where packages are surveyed, their tools may be missing.
    import watch_latency

    return {"grader watch": median_ratio(watch_latency.measure(rounds=1))}


GROUPS: dict[str, Callable[[], Figures]] = {
    "device": simulated_cuda_speed.measure,
    "check": lambda: startup.ratios(startup.measure(ROUNDS)),
    "watch": watched,
    "cell": lambda: {"check in a notebook": median_ratio(check_latency.measure(rounds=1))},
    "audit": lambda: audits(list(audit_speed.costs_of_usual()), "PyTorch's"),
    "batch": batch_overhead.measure,
    "notebooks": notebooks.measure,
    "published": published,
}


def git(*arguments: str) -> str:
    ran = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return ran.stdout.strip()


def measured(groups: list[str]) -> Figures:
    """The figures of the groups, each in turn; prints why one cannot be measured."""
    ratios: Figures = {}
    for group in groups:
        print(f"measuring {group} …", file=sys.stderr, flush=True)
        try:
            ratios |= GROUPS[group]()
        except CannotMeasureError as error:
            print(f"{group}: not measured. {str(error).partition(chr(10))[0]}")
    return ratios


def show(ratios: Figures, before: dict[str, Any]) -> None:
    """A line for each goal that was measured, with what it was last time."""
    print(f"{'':76} {'now':>7} {'goal':>7} {'floor':>7} {'before':>7}")
    for goal in GOALS:
        if goal.name in ratios:
            ratio = ratios[goal.name]
            floor = ratios.get(goal.floor) if isinstance(goal.floor, str) else goal.floor
            cells = (ratio, goal.most, floor, before.get(goal.name, {}).get("ratio"))
            numbers = " ".join(f"{'' if cell is None else f'{cell:.3g}':>7}" for cell in cells)
            print(f"{goal.what:76} {numbers}   {'' if ratio <= goal.most else 'above its goal'}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=", ".join(GROUPS))
    groups = parser.parse_args().groups
    if unknown := set(groups) - set(GROUPS):
        parser.error(f"no such group: {', '.join(sorted(unknown))}")
    before = json.loads(STORED.read_text(encoding="utf-8"))
    ratios = {name: round(ratio, 4) for name, ratio in measured(groups or list(GROUPS)).items()}
    show(ratios, before)
    source = {"commit": git("rev-parse", "--short", "HEAD"), "date": str(date.today())}
    after = before | {name: {"ratio": ratio, **source} for name, ratio in ratios.items()}
    text = json.dumps(after, indent=1, sort_keys=True)
    STORED.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
