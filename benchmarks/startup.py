"""How long the `grader` command takes to start, as ratios to `import torch` in one run.

    python benchmarks/startup.py [--rounds N]

Exits 1 if a ratio is above its limit.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
IMPORT_TORCH = ("-c", "import torch")
LIMITS = {
    "grader list": (("-m", "grader.cli", "list"), 0.2),
    "grader check 03": (("-m", "grader.cli", "check", "03"), 1.3),
}


def seconds(arguments: tuple[str, ...]) -> float:
    """How long a fresh Python takes for this, from its start to its end."""
    start = time.perf_counter()
    ran = subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True)
    elapsed = time.perf_counter() - start
    if ran.returncode == 2 or "Traceback" in ran.stderr:  # 1 is a starter's honest verdict
        sys.exit(f"{' '.join(arguments)} did not work:\n{ran.stdout}{ran.stderr}")
    return elapsed


def measure(rounds: int) -> dict[str, list[float]]:
    """Every command once a round, so that what else the machine does falls on all alike."""
    commands: dict[str, tuple[str, ...]] = {"import torch": IMPORT_TORCH, "python": ("-c", "pass")}
    commands |= {name: arguments for name, (arguments, _) in LIMITS.items()}
    for arguments in commands.values():  # read from disk once, and compiled
        seconds(arguments)
    taken: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, arguments in commands.items():
            taken[name].append(seconds(arguments))
    return taken


def ratios(taken: dict[str, list[float]]) -> dict[str, float]:
    """The median ratio of each command to the `import torch` of its round."""
    base = taken["import torch"]
    return {
        name: statistics.median(mine / one for mine, one in zip(taken[name], base, strict=True))
        for name in taken
        if taken[name] is not base
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    taken = measure(parser.parse_args().rounds)
    print(f"{'import torch':16} {statistics.median(taken['import torch']):6.3f} s")
    status = 0
    for name, (_, limit) in LIMITS.items():
        median, ratio = statistics.median(taken[name]), ratios(taken)[name]
        verdict = "ok" if ratio <= limit else "TOO SLOW"
        print(f"{name:16} {median:6.3f} s   x {ratio:.2f}   at most {limit}   {verdict}")
        status |= ratio > limit
    return status


if __name__ == "__main__":
    sys.exit(main())
