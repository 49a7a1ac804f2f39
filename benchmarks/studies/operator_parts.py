"""What one operator costs on the simulated device, by parts, beside an empty boxed kernel.

    python benchmarks/studies/operator_parts.py [--size N]

Compiles the device once more, together with operator_parts.cpp, and times `a + b` in C++, so that
Python's share is not in it. An empty boxed kernel, which hands the call on to the CPU, is the floor
for any device that is made in this way. Each figure is a ratio to `a + b` on the CPU: the median of
some rounds.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[2]))

from grader.simulated_cuda import simulated_cuda
from grader.simulated_cuda.native import build

SOURCE = Path(__file__).with_suffix(".cpp")
CALLS = 20_000
ROUNDS = 15
PARTS = ("plain", "boxed", "ours", "check", "views", "wrapping")

Ratios = dict[str, float]


def compiled(folder: Path) -> Path:
    """The device with the timed parts in it."""
    program = build.compiler()
    if program is None:
        raise SystemExit("No C++ compiler was found.")
    rules = [sys.executable, "-P", str(build.RULES), str(folder / "rules.h")]
    library = folder / f"parts{build.SUFFIX}"
    command = build.command_line(program, folder, "-o", str(library), f"-I{build.SOURCE}")
    command[command.index(str(build.SOURCE / "library.cpp"))] = str(SOURCE)
    for step in (rules, command):
        subprocess.run(step, check=True)
    return library


def measure(size: int) -> Ratios:
    """Each part of `a + b` of `size` numbers, as a ratio to plain CPU."""
    with tempfile.TemporaryDirectory() as folder:
        library = compiled(Path(folder))
        build.find_or_build = lambda: library
        with simulated_cuda():
            a, b = torch.ones(size, device="cuda"), torch.ones(size, device="cuda")
            rounds = [torch.ops.simulated_cuda.parts(a, b, CALLS) for _ in range(ROUNDS)]
    rows = [dict(zip(PARTS, row, strict=True)) for row in rounds]
    ratios = {part: statistics.median(row[part] / row["plain"] for row in rows) for part in PARTS}
    print(f"plain CPU: {statistics.median(row['plain'] for row in rows):.0f} ns")
    return ratios


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--size", type=int, default=64 * 64, help="numbers in each tensor")
    ratios = measure(parser.parse_args().size)
    boxed = ratios["boxed"] - 1
    parts = boxed + ratios["check"] + ratios["views"] + ratios["wrapping"]
    print(f"an empty boxed kernel (the floor)       {ratios['boxed']:5.2f}")
    print(f"the simulated device                    {ratios['ours']:5.2f}")
    print(f"  dispatch through a boxed kernel       {boxed:5.2f}")
    print(f"  looking at the tensors' devices       {ratios['check']:5.2f}")
    print(f"  views of the arguments on the host    {ratios['views']:5.2f}")
    print(f"  wrapping of the result                {ratios['wrapping']:5.2f}")
    print(f"  the rest                              {ratios['ours'] - 1 - parts:5.2f}")


if __name__ == "__main__":
    main()
