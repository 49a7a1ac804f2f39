"""What the simulated device costs, as ratios to plain CPU in one run.

    python benchmarks/simulated_cuda_speed.py [--json]

Exits 1 if a ratio is above its limit.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).parents[1]))

from grader.simulated_cuda import simulated_cuda

LIMITS = {"training step": 4.0, "matmul": 1.1}


def training_step(device: str) -> Callable[[], None]:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10)).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    loss = nn.CrossEntropyLoss()
    x = torch.randn(32, 64, device=device)
    y = torch.randint(0, 10, (32,), device=device)

    def step() -> None:
        optimizer.zero_grad()
        loss(net(x), y).backward()
        optimizer.step()

    return step


def matmul(device: str) -> Callable[[], None]:
    x = torch.randn(1024, 1024, device=device)

    def multiply() -> None:
        x @ x

    return multiply


def seconds(work: Callable[[], None], repeats: int) -> float:
    """Processor time, so that a busy machine does not count."""
    start = time.thread_time()
    for _ in range(repeats):
        work()
    return (time.thread_time() - start) / repeats


def ratio(make: Callable[[str], Callable[[], None]], repeats: int, rounds: int = 61) -> float:
    """The median of many short rounds, each of which measures both, one after the other."""
    plain = make("cpu")
    with simulated_cuda():
        simulated = make("cuda")
    ratios = []
    for _ in range(rounds):
        plain()  # turning the device off and on empties Python's caches
        here = seconds(plain, repeats)
        with simulated_cuda():
            simulated()
            ratios.append(seconds(simulated, repeats) / here)
    return statistics.median(ratios)


def measure() -> dict[str, float]:
    torch.set_num_threads(1)
    return {"training step": ratio(training_step, 20), "matmul": ratio(matmul, 1)}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    as_json = parser.parse_args().json
    ratios = measure()
    if as_json:
        print(json.dumps(ratios))
    else:
        for name, value in ratios.items():
            print(f"{name}: {value:.2f} x plain CPU (limit {LIMITS[name]:g})")
    return int(any(value > LIMITS[name] for name, value in ratios.items()))


if __name__ == "__main__":
    sys.exit(main())
