"""Four graders on the same 20 submissions of one exercise: CPU seconds and memory, side by side.

    python benchmarks/studies/classroom.py [--others FOLDER]

nbgrader and otter-grader are looked for in FOLDER (the `bin` of an environment of their own, with
PyTorch), else on PATH. Results are kept in benchmarks/results/classroom.json. What is equal in the
comparison, and what is not, is said in docs/classroom.md. Exits 1 if the batch takes more than a
sixtieth of nbgrader's CPU time, and 2 if something is missing.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import shutil
import sys
import sysconfig
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from contenders import CHECKS, STEM, Contender, batch, nbgrader, otter, pytest_each  # noqa: E402
from metering import CannotMeasureError, Cost, metered  # noqa: E402

SetUp = Callable[[Path, Mapping[str, str], Path], Contender]
RESULTS = ROOT / "benchmarks" / "results" / "classroom.json"
SUBMISSIONS = 20
COSTS = ("cpu_seconds", "further_cpu_seconds", "peak_bytes")
LEAST_TIMES_LESS_THAN_NBGRADER = 60
INSTALL = "python -m venv others && others/bin/pip install nbgrader otter-grader torch"


def submissions() -> dict[str, str]:
    """The solution, the starter, accepted answers and mistakes: no two alike, one per learner."""
    from grader.course.catalog import solution_file, starter

    path = ROOT / "tests" / "variants" / f"{STEM}.py"
    source, shared = path.read_text(encoding="utf-8"), "ACCEPTED = "
    names = [
        node.name
        for node in ast.parse(source).body
        if isinstance(node, ast.ClassDef) and node.name != "Scaled"
    ]
    code = source.partition(shared)[0]
    kinds = [solution_file(STEM).read_text(encoding="utf-8"), starter(STEM)]
    kinds += [f"{code}\nclass CenterScale({name}):\n    pass\n" for name in names]
    return {f"learner_{i:02}": f"{kinds[i % len(kinds)]}\n# {i}\n" for i in range(SUBMISSIONS)}


def measure(
    prepare: SetUp, folder: Path, handed_in: dict[str, str], where: Path
) -> dict[str, float]:
    """What grading all of them cost, and each of them beyond the first."""
    (folder / "one").mkdir(parents=True)
    (folder / "all").mkdir()
    learner, source = next(iter(handed_in.items()))
    one = _cost(prepare(folder / "one", {learner: source}, where), {learner})
    cost = _cost(prepare(folder / "all", handed_in, where), set(handed_in))
    beyond = cost["cpu_seconds"] * len(handed_in) - one["cpu_seconds"]
    return {**cost, "further_cpu_seconds": round(beyond / (len(handed_in) - 1), 3)}


def _cost(contender: Contender, learners: set[str]) -> dict[str, float]:
    cost = Cost()
    for command in contender.commands:
        cost += metered(command, contender.folder, contender.environment)
    scores = contender.scores()
    if scores.keys() != learners:
        raise CannotMeasureError(f"Not graded: {', '.join(sorted(learners - scores.keys()))}")
    return {
        "cpu_seconds": round(cost.cpu_seconds / len(learners), 3),
        "wall_seconds": round(cost.wall_seconds / len(learners), 3),
        "peak_bytes": cost.peak_bytes,
        "full_marks": sum(score == len(CHECKS) for score in scores.values()),
        "load": round(os.getloadavg()[0], 1),
    }


def programs(others: Path | None) -> Path:
    """Where nbgrader and otter are.

    Raises:
        CannotMeasureError: one is missing.
    """
    for name in ("nbgrader", "otter"):
        found = shutil.which(name, path=str(others) if others else None)
        if not found:
            where = others or "PATH"
            message = f"There is no {name} in {where}. Install them apart: {INSTALL}"
            raise CannotMeasureError(f"{message}\nThen: python {sys.argv[0]} --others others/bin")
    assert found is not None  # the last of the two
    return Path(found).absolute().parent


def show(results: dict[str, dict[str, float]]) -> None:
    """The table of docs/classroom.md: a line for each, and ratios to the first."""
    own = results["grader batch"]
    print("| | CPU s each | ratio | each further | ratio | peak memory | ratio | full marks |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name, result in results.items():
        cpu, further, peak = (result[key] for key in COSTS)
        to_cpu, to_further, to_peak = (result[key] / own[key] for key in COSTS)
        print(
            f"| `{name}` | {cpu:.2f} | {to_cpu:.1f} | {further:.2f} | {to_further:.1f} "
            f"| {peak / 1e6:.0f} MB | {to_peak:.1f} | {result['full_marks']} |"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--others", type=Path, help="where nbgrader and otter are: ENV/bin")
    arguments = parser.parse_args()
    here, handed_in = Path(sysconfig.get_path("scripts")), submissions()
    try:
        there = programs(arguments.others)
        results = {}
        with TemporaryDirectory() as folder:
            for name, set_up, where in (
                ("grader batch", batch, here),
                ("nbgrader autograde", nbgrader, there),
                ("otter run", otter, there),
                ("pytest", pytest_each, here),
            ):
                workplace = Path(folder, name.split()[0])
                results[name] = measure(set_up, workplace, handed_in, where)
                print(f"{name}: {results[name]}", flush=True)
    except CannotMeasureError as error:
        print(error, file=sys.stderr)
        return 2
    show(results)
    facts = {"submissions": SUBMISSIONS, "cores": len(os.sched_getaffinity(0))}
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_text(json.dumps({**facts, "graders": results}, indent=2) + "\n")
    ratio = results["nbgrader autograde"]["cpu_seconds"] / results["grader batch"]["cpu_seconds"]
    print(f"{ratio:.1f} times less CPU than nbgrader; expected {LEAST_TIMES_LESS_THAN_NBGRADER}")
    return 0 if ratio >= LEAST_TIMES_LESS_THAN_NBGRADER else 1


if __name__ == "__main__":
    sys.exit(main())
