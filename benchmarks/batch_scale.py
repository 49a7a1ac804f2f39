"""How a batch grows: throughput and the parent's memory for 100, 1,000 and 10,000 submissions.

    python benchmarks/batch_scale.py [--sizes 100,1000] [--picture]

Each size runs in a process of its own, whose peak memory is the parent's. Results are kept in
benchmarks/results/batch_scale.json; with --picture, docs/images/batch_scale.svg is drawn from them.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

RESULTS = ROOT / "benchmarks" / "results" / "batch_scale.json"
PICTURE = ROOT / "docs" / "images" / "batch_scale.svg"
SIZES = "100,1000,10000"
STEM = "03_member_tensors"


def hand_in(folder: Path, count: int) -> None:
    """A solution or a starter for each learner, no two alike."""
    from grader.course.catalog import solution_file, starter

    kinds = (solution_file(STEM).read_text(encoding="utf-8"), starter(STEM))
    for i in range(count):
        path = folder / f"learner {i:05}" / f"{STEM}.py"
        path.parent.mkdir()
        path.write_text(f"{kinds[i % 2]}\n# {i}\n", encoding="utf-8")


def one(count: int) -> None:
    """Grade so many, and print what it took."""
    from grader.classroom.batch import BatchOptions, run_batch

    jobs = len(os.sched_getaffinity(0))
    with TemporaryDirectory() as folder:
        root = Path(folder, "in")
        root.mkdir()
        hand_in(root, count)
        begun = time.monotonic()
        run_batch(root, Path(folder, "out"), BatchOptions(jobs), lambda _: lambda: None)
        seconds = time.monotonic() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    load = os.getloadavg()[0]
    print(
        json.dumps(
            {
                "submissions": count,
                "seconds": round(seconds, 1),
                "parent_bytes": peak,
                "jobs": jobs,
                "load": round(load, 1),
            }
        )
    )


def measure(count: int) -> dict[str, float]:
    """The same, in a process of its own."""
    command = [sys.executable, __file__, "--one", str(count)]
    ran = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    result: dict[str, float] = json.loads(ran.stdout)
    return result


def draw(results: list[dict[str, float]]) -> None:
    """Two pictures side by side: submissions a minute, and memory."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "batch"
    import matplotlib.pyplot as plt

    sizes = [result["submissions"] for result in results]
    panels = {
        "Submissions a minute": [
            60 * result["submissions"] / result["seconds"] for result in results
        ],
        "The parent's peak memory, MB": [result["parent_bytes"] / 1e6 for result in results],
    }
    figure, axes = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
    for axis, (title, values) in zip(axes, panels.items(), strict=True):
        axis.plot(sizes, values, marker="o", color="#1f6feb")
        for size, value in zip(sizes, values, strict=True):
            axis.annotate(f"{value:,.0f}", (size, value), textcoords="offset points", xytext=(0, 7))
        axis.set(title=title, xlabel="submissions", xscale="log", ylim=(0, 1.3 * max(values)))
        axis.spines[["top", "right"]].set_visible(False)
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(PICTURE, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default=SIZES)
    parser.add_argument("--picture", action="store_true", help="only draw what is stored")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        one(arguments.one)
        return
    stored = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
    if not arguments.picture:
        for count in map(int, arguments.sizes.split(",")):
            result = measure(count)
            print(result, flush=True)
            others = [run for run in stored if run["submissions"] != count]
            stored = sorted([*others, result], key=lambda run: run["submissions"])
            RESULTS.parent.mkdir(parents=True, exist_ok=True)
            RESULTS.write_text(json.dumps(stored, indent=2) + "\n")
    draw(stored)


if __name__ == "__main__":
    main()
