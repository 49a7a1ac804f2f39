"""What an audit costs, in times of one forward and backward of the module that it looks at.

    python benchmarks/audit_speed.py [--every N] [PACKAGE ...]

Measured are modules of PyTorch's at usual sizes, and every Nth class of the packages, built and
called as `grader audit --package` does it. A PACKAGE is importable or a folder; without any, those
of the field report are meant that this Python has. Each module has a process of its own, and both
times are the processor's: the least of some forward and backward on the plain CPU, and the least of
some audits, from turning the simulated device on to the report.

The floor is what an audit's own calls of a plain module cost without it: building it twice, five
times `forward` in eval mode, and one step.

Forward and backward of a tiny module take less than turning the device on. So the ratios are of
modules that take a millisecond at least, and for the others the milliseconds are told.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).parents[1]))

from grader.auditing.one_module import audit_report
from grader.auditing.survey.package.discovery import Found, discover
from grader.auditing.survey.package.distribution import PackageError, find_package
from grader.auditing.survey.package.planning import plan_for
from grader.auditing.survey.package.witnesses import planned_target
from grader.auditing.survey.recipes import Recipes, read_recipes
from grader.auditing.survey.run_in_child import NoAnswerError, Note, call_in_child
from grader.auditing.survey.survey import Refusal
from grader.probe.audited import as_inputs, audit_subject
from grader.probe.device import cuda_device
from grader.probe.forward import call_forward
from grader.probe.generators import seed_generators
from grader.probe.inspection.inputs import Inputs
from grader.probe.inspection.source import source_text
from grader.probe.run import no_full_collections, run_probe
from grader.probe.sequence import Work, steps_for
from grader.probe.session import Session
from grader.probe.training import distance_to_random_targets
from grader.schema import Evidence

BENCHMARKS = Path(__file__).parent
FIELD_REPORT = BENCHMARKS / "results" / "field_report.json"
RECIPES = BENCHMARKS / "field_recipes.toml"
SECONDS = 300.0  # by the clock, for one module
REPEATS = 3
LEAST_STEP = 1e-3  # seconds of forward and backward, from which on a ratio is told
LEAST_MEASURED = 0.02  # seconds: so long forward and backward are repeated
USUAL: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "Linear": (lambda: nn.Linear(1024, 1024), (128, 1024)),
    "Conv2d": (lambda: nn.Conv2d(16, 32, 3), (8, 16, 64, 64)),
    "Conv1d": (lambda: nn.Conv1d(64, 64, 5), (16, 64, 256)),
    "BatchNorm2d": (lambda: nn.BatchNorm2d(32), (16, 32, 64, 64)),
    "LSTM": (lambda: nn.LSTM(128, 128, batch_first=True), (16, 32, 128)),
    "GRU": (lambda: nn.GRU(128, 128, batch_first=True), (16, 32, 128)),
    "TransformerEncoderLayer": (
        lambda: nn.TransformerEncoderLayer(256, 4, batch_first=True),
        (16, 64, 256),
    ),
    "TransformerEncoder": (
        lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(256, 4, batch_first=True), 2),
        (8, 64, 256),
    ),
    "convolutions": (
        lambda: nn.Sequential(
            *(nn.Sequential(nn.Conv2d(16, 16, 3), nn.BatchNorm2d(16), nn.ReLU()) for _ in range(4))
        ),
        (4, 16, 64, 64),
    ),
}

Parts = dict[str, float]


@dataclass(frozen=True)
class Cost:
    """Processor seconds.

    Attributes:
        step: one forward and backward. audit: the quickest audit. parts: of it, by stage.
        floor: building, calling and training the module as often as an audit does.
    """

    name: str
    step: float
    audit: float
    floor: float
    parts: Parts

    @property
    def ratio(self) -> float:
        """How many times forward and backward an audit costs."""
        return self.audit / self.step


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def audited(target: Any, inputs: Any, source: str) -> tuple[float, Parts]:
    """The seconds of `grader.auditing.audit`, and of each of its parts."""
    parts: Parts = defaultdict(float)

    def timed(name: str, work: Work, session: Session, evidence: Evidence) -> Evidence:
        start = time.process_time()
        try:
            return work(session, evidence)
        finally:
            parts[name] += time.process_time() - start

    def whole() -> None:
        subject = audit_subject(target, inputs, seed=1)
        steps = tuple(
            step._replace(run=partial(timed, step.stage.value, step.run))
            for step in steps_for(subject)
        )
        start = time.process_time()
        with no_full_collections(), cuda_device("simulated") as label:
            parts["simulated device on and off"] = time.process_time() - start
            evidence = run_probe(subject, label, steps)
            start = time.process_time()
        parts["simulated device on and off"] += time.process_time() - start
        parts["judging"] = seconds(lambda: audit_report(lambda _: evidence, "", "", source, ""))

    return seconds(whole), parts


def least(work: Callable[[], object]) -> float:
    """The least seconds of a short work, which is repeated until a clock can tell."""
    work()
    count = 1 + int(LEAST_MEASURED / max(seconds(work), 1e-6))
    return min(seconds(lambda: [work() for _ in range(count)]) / count for _ in range(REPEATS))


def forward_and_backward(module: nn.Module, inputs: Inputs) -> float:
    """The least seconds of one forward and backward; of forward if that is all."""

    def train() -> None:
        module.zero_grad(set_to_none=True)
        loss = distance_to_random_targets(call_forward(module, inputs), seed=0)
        if loss is not None:
            loss.backward()  # type: ignore[no-untyped-call]

    return least(train)


def own_calls(target: Any, module: nn.Module, inputs: Inputs, step: float) -> float:
    """The seconds of what an audit does with a module, without the audit."""

    def forward() -> None:
        with torch.no_grad():
            call_forward(module, inputs)

    building = 0.0 if isinstance(target, nn.Module) else least(target)
    module.eval()
    return 2 * building + 5 * least(forward) + step


def cost_of(name: str, target: Any, inputs: Any, source: str = "") -> Cost:
    """What both cost in this process, which should be a child."""
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    audits = [audited(target, inputs, source) for _ in range(REPEATS)]
    whole, parts = min(audits, key=lambda pair: pair[0])
    seed_generators(1)
    module = target if isinstance(target, nn.Module) else target()
    given = as_inputs(inputs)
    try:
        step = forward_and_backward(module.train(), given)
    except Exception:  # some take no batch of one in train mode
        step = forward_and_backward(module.eval(), given)
    return Cost(name, step, whole, own_calls(target, module, given, step), dict(parts))


def cost_of_usual(name: str, note: Note) -> Cost:
    """The cost of one of PyTorch's modules."""
    make, shape = USUAL[name]
    return cost_of(f"nn: {name}", make, torch.randn(shape))


def cost_of_class(found: Found, recipes: Recipes, folder: str, note: Note) -> Cost | None:
    """The cost of one class of a package, None if it cannot be built or called."""
    plan = plan_for(found, recipes.of(found.dotted), folder, frozenset(), note)
    if isinstance(plan, Refusal) or not plan.inputs_from:
        return None
    note("audit")
    cls = found.load()
    seed_generators(1)
    return cost_of(found.dotted, *planned_target(cls, plan), source_text(cls))


def costs_of_usual() -> Iterator[Cost]:
    """The costs of PyTorch's modules."""
    for name in USUAL:
        yield call_in_child(partial(cost_of_usual, name), SECONDS)


def costs_of(packages: list[str], every: int) -> Iterator[Cost]:
    """The costs of every Nth class of the packages that are installed here."""
    recipes = read_recipes(RECIPES)
    with TemporaryDirectory() as folder:
        for package in packages:
            try:
                classes, _ = discover(find_package(package))
            except PackageError:
                continue
            for found in classes[::every]:
                try:
                    cost = call_in_child(partial(cost_of_class, found, recipes, folder), SECONDS)
                except NoAnswerError:  # it ended its process, or took too long
                    continue
                if cost:
                    yield cost


def published() -> list[str]:
    """The packages of the field report."""
    return list(json.loads(FIELD_REPORT.read_text(encoding="utf-8")))


def figures(found: list[Cost]) -> dict[str, float]:
    """Ratios of those that take a millisecond at least; the milliseconds of the others' audits."""
    usual = [cost for cost in found if cost.step >= LEAST_STEP]
    tiny = [1e3 * cost.audit for cost in found if cost.step < LEAST_STEP]
    ratios = sorted(cost.ratio for cost in usual)
    return {
        "modules": len(usual),
        "median": statistics.median(ratios),
        "p90": ratios[int(0.9 * (len(ratios) - 1))],
        "median floor": statistics.median(cost.floor / cost.step for cost in usual),
        "tiny modules": len(tiny),
        "milliseconds of a tiny module's audit": statistics.median(tiny) if tiny else 0.0,
    }


def median_parts(found: list[Cost]) -> Parts:
    """What each part costs in times of forward and backward, the costliest first."""
    usual = [cost for cost in found if cost.step >= LEAST_STEP]
    names = {name for cost in usual for name in cost.parts}
    medians = {
        name: statistics.median(cost.parts.get(name, 0.0) / cost.step for cost in usual)
        for name in names
    }
    return dict(sorted(medians.items(), key=lambda pair: -pair[1]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("packages", nargs="*", metavar="PACKAGE")
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    found = []
    for cost in chain(costs_of_usual(), costs_of(options.packages or published(), options.every)):
        found.append(cost)
        print(
            f"{cost.name[-60:]:60} {1e3 * cost.step:8.2f} ms, audit {1e3 * cost.audit:8.1f} ms = "
            f"x {cost.ratio:.1f}",
            flush=True,
        )
    for name, value in (figures(found) | median_parts(found)).items():
        print(f"{name:50} {value:8.2f}")


if __name__ == "__main__":
    main()
