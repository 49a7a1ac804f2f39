"""The stored runs of benchmarks/all.py, and docs/speed.md, which is written from them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from speed_goals import GOALS, Goal

ROOT = Path(__file__).resolve().parents[1]
RUNS = ROOT / "benchmarks" / "results" / "speed"
PAGE = ROOT / "docs" / "speed.md"
PICTURE = ROOT / "docs" / "images" / "speed.svg"
HEAD = """\
# Speed

Every figure is a ratio of two times taken in one run on one machine, so it means the same on
yours. Times are the processor's, of all processes together; only the `grader` commands and `check`
are told by the clock. The floor is what you would pay with nothing of ours, in the same unit.
`grader check` imports PyTorch each time, and [leaves nothing behind](decisions.md) to save that;
`grader watch` does not. This page is written by

    python benchmarks/all.py

which stores each run in `benchmarks/results/speed/`. No test and no CI step fails for a time.

"""


@dataclass(frozen=True)
class Run:
    """One run of all or some benchmarks.

    Attributes:
        commit: of the checkout. date: of the commit, in UTC.
        is_changed: whether `grader/` had changes beyond it.
        load: the machine's, at the end.
        ratios: by name.
    """

    date: str
    commit: str
    is_changed: bool
    torch: str
    cores: int
    load: float
    ratios: dict[str, float]


def runs() -> list[Run]:
    """The stored ones, the oldest first."""
    texts = (path.read_text(encoding="utf-8") for path in RUNS.glob("*.json"))
    return sorted((Run(**json.loads(text)) for text in texts), key=lambda run: run.date)


def store(run: Run) -> None:
    """Write a run; joined with what was measured of that commit before, the later counting."""
    RUNS.mkdir(parents=True, exist_ok=True)
    path = RUNS / f"{run.date[:10]}-{run.commit}.json"
    if path.exists():
        before = Run(**json.loads(path.read_text(encoding="utf-8")))
        run = replace(run, ratios=before.ratios | run.ratios)
    path.write_text(json.dumps(asdict(run), indent=1) + "\n", encoding="utf-8")


def last(name: str, stored: list[Run]) -> float | None:
    """The figure in the last run that has it."""
    return next((run.ratios[name] for run in reversed(stored) if name in run.ratios), None)


def floor_of(goal: Goal, stored: list[Run]) -> float | None:
    """What a user pays with nothing of ours."""
    return last(goal.floor, stored) if isinstance(goal.floor, str) else goal.floor


def write() -> None:
    """Write the page and its picture."""
    PAGE.write_text(page(runs()), encoding="utf-8")
    draw(runs())


def page(stored: list[Run]) -> str:
    """The page as Markdown."""
    return HEAD + "\n".join((*_goals(stored), "", *_history(stored))) + "\n"


def _goals(stored: list[Run]) -> Iterator[str]:
    yield "| what | in times of | ratio | goal | floor |"
    yield "| --- | --- | ---: | ---: | ---: |"
    for goal in GOALS:
        ratio, floor = last(goal.name, stored), floor_of(goal, stored)
        mark = "" if ratio is None or ratio <= goal.most else " (above)"
        cells = (goal.what, goal.unit, f"{_number(ratio)}{mark}", f"{goal.most:g}", _number(floor))
        yield f"| {' | '.join(cells)} |"


def _history(stored: list[Run]) -> Iterator[str]:
    yield "## Over time"
    yield ""
    yield "![Each ratio, divided by its goal, in each run](images/speed.svg)"
    yield ""
    yield f"| what | {' | '.join(f'{run.date[:10]}, {_commit(run)}' for run in stored)} |"
    yield "| --- |" + " ---: |" * len(stored)
    for goal in GOALS:
        cells = (_number(run.ratios.get(goal.name)) for run in stored)
        yield f"| {goal.what} | {' | '.join(cells)} |"


def _commit(run: Run) -> str:
    return f"`{run.commit}`" + (" and changes" if run.is_changed else "")


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}" if value < 10 else f"{value:.1f}"


def draw(stored: list[Run]) -> None:
    """A line for each goal: its ratio divided by the goal, so that 1 is reached."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams |= {"svg.hashsalt": "speed", "svg.fonttype": "none"}
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(8, 4), layout="constrained")
    for goal in GOALS:
        points = [(i, run.ratios.get(goal.name)) for i, run in enumerate(stored)]
        known = [(i, ratio / goal.most) for i, ratio in points if ratio is not None]
        if known:
            axis.plot(*zip(*known, strict=True), marker="o", label=goal.name)
    axis.axhline(1, color="#888888", linewidth=1)
    axis.set(yscale="log", ylabel="ratio ÷ goal", xticks=range(len(stored)))
    axis.set_xticklabels([f"{run.date[:10]}\n{run.commit}" for run in stored])
    axis.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False, fontsize="small")
    axis.spines[["top", "right"]].set_visible(False)
    figure.savefig(PICTURE, metadata={"Date": None})
