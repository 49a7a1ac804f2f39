"""What the simulated device costs, as ratios to plain CPU in one run.

    python benchmarks/simulated_cuda_speed.py [--json]

Exits 1 if a ratio is above its limit.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).parents[1]))

from grader.simulated_cuda import simulated_cuda

LIMITS = {
    "training step": 1.3,
    "a + a, 64 x 64": 1.4,
    "matmul, 1024 x 1024": 1.1,
    "CPU code while it is on": 1.05,
}


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


def add(device: str) -> Callable[[], None]:
    x = torch.randn(64, 64, device=device)

    def run() -> None:
        x + x

    return run


def matmul(device: str) -> Callable[[], None]:
    x = torch.randn(1024, 1024, device=device)

    def multiply() -> None:
        x @ x

    return multiply


def seconds(work: Callable[[], None], repeats: int) -> float:
    """Processor time of one call, so that a busy machine does not count."""
    start = time.thread_time()
    for _ in range(repeats):
        work()
    return (time.thread_time() - start) / repeats


def ratio(one: Callable[[], None], other: Callable[[], None], repeats: int, rounds: int) -> float:
    """The least time of `other` over the least of `one`, in rounds that alternate.

    What else the machine does only adds time, so the least of many rounds is the code's own.
    """
    pairs = [(seconds(one, repeats), seconds(other, repeats)) for _ in range(rounds)]
    least_one, least_other = (min(column) for column in zip(*pairs, strict=True))
    return float(least_other / least_one)


def measure() -> dict[str, float]:
    torch.set_num_threads(1)
    on, off = [], []
    step = training_step("cpu")
    for _ in range(20):  # in turns, as a processor's speed changes
        off += [seconds(step, 20) for _ in range(10)]
        with simulated_cuda():
            on += [seconds(step, 20) for _ in range(10)]
    with simulated_cuda():
        cases = {
            "training step": (training_step, 20, 200),
            "a + a, 64 x 64": (add, 300, 100),
            "matmul, 1024 x 1024": (matmul, 1, 30),
        }
        ratios = {
            name: ratio(make("cpu"), make("cuda"), repeats, rounds)
            for name, (make, repeats, rounds) in cases.items()
        }
    return ratios | {"CPU code while it is on": min(on) / min(off)}


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
