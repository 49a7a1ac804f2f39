"""How far the simulated device says what PyTorch's CUDA build says.

    python benchmarks/simulated_cuda_agreement.py [--recordings FOLDER] [--differences] [PART ...]

The parts are mixing, dtypes, situations and operators; all, if none is named. The recording
of this PyTorch's version is used, or the nearest. `SIMULATED_CUDA_IMPLEMENTATION` names the
implementation. `--differences` also prints what differs.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "simulated_cuda")]

import torch  # noqa: E402
from differences import CUDA_ONLY  # noqa: E402
from operators import full_name  # noqa: E402
from recording import compare, files, mixing, record  # noqa: E402
from test_operators import run  # noqa: E402

from grader.simulated_cuda import implementation  # noqa: E402

PARTS = (*record.LISTED, "situations", "operators")


def table(title: str, entries: list[compare.Entry]) -> None:
    """Print how many entries are equal, by way of mixing or by theme."""
    ways = Counter((entry.way, entry.kind) for entry in entries)
    kinds = Counter(entry.kind for entry in entries)
    print(f"\n{title:40}{'compared':>9}" + "".join(f"{k:>17}" for k in compare.KINDS))
    for way in [*sorted({way for way, _ in ways}), "all"]:
        row = kinds if way == "all" else Counter({k: ways[way, k] for k in compare.KINDS})
        print(f"{way:40}{row.total():9}" + "".join(f"{row[k]:17}" for k in compare.KINDS))
    print(f"{100 * kinds['equal'] / max(1, len(entries)):.2f} % equal")


def show(entries: list[compare.Entry]) -> None:
    """Print every entry that differs, sorted by kind and by the texts."""
    for entry in sorted(entries, key=lambda e: (e.kind, str(e.cuda), str(e.ours), e.key)):
        if entry.kind != "equal":
            print(f"\n{entry.kind}: {entry.key}\n  CUDA {entry.cuda}\n  ours {entry.ours}")


def operators(differences: bool) -> None:
    """Print how many of PyTorch's operators give the CPU's values, forward and backward."""
    real = [op for op in mixing.lists()[0] if torch.float32 in op.supported_dtypes("cpu")]
    names = {full_name(op) for op in real} - CUDA_ONLY
    results = {n: " ".join(found) for n, found in run().items() if n in names}
    with_grad = {full_name(op) for op in real if op.supports_autograd} & names
    backward = {n for n in with_grad if "backward: " in results[n]}
    forward = {n for n, text in results.items() if text} - backward
    print(f"\noperators, forward: {len(results) - len(forward)} of {len(results)} as on the CPU")
    print(f"operators, backward: {len(with_grad - backward)} of {len(with_grad)}")
    if differences:
        print(*(f"  {n}: {text}" for n, text in results.items() if text), sep="\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*")
    parser.add_argument("--recordings", type=Path, default=files.RECORDINGS)
    parser.add_argument("--differences", action="store_true")
    options = parser.parse_args()
    parts = options.parts or PARTS
    if set(parts) - set(PARTS):
        parser.error(f"the parts are {', '.join(PARTS)}")
    print(f"{implementation()} device on torch {torch.__version__}")
    for part in record.LISTED:
        if part not in parts:
            continue
        header, real = files.read_listed(files.nearest(part, options.recordings))
        entries, left_out = compare.listed(real, record.listed(part, simulated=True))
        table(f"{part}, torch {header['torch']}", entries)
        print("left out:", ", ".join(f"{n} ({why})" for why, n in left_out.items()))
        if options.differences:
            show(entries)
    if "situations" in parts:
        header, real = files.read_situations(files.nearest("situations", options.recordings))
        entries = compare.situated(real, record.situated(simulated=True))
        table(f"situations, torch {header['torch']}", entries)
        if options.differences:
            show(entries)
    if "operators" in parts:
        operators(options.differences)


if __name__ == "__main__":
    main()
