"""What the simulated device costs, as ratios to plain CPU in one run.

    python benchmarks/simulated_cuda_speed.py [--json]

A training step is forward, backward and SGD. Exits 1 if a ratio is above its limit.
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

MLP, ENCODER, CONVOLUTIONS = "step of an MLP", "step of a Transformer", "step of convolutions"
BESIDE = "CPU code while it is on"
LIMITS = {
    MLP: 1.2,
    ENCODER: 1.1,
    CONVOLUTIONS: 1.1,
    "a + a, 64 x 64": 1.25,
    "matmul, 1024 x 1024": 1.1,
    BESIDE: 1.05,
}
Work = Callable[[], None]


def training_step(net: nn.Module, x: torch.Tensor, classes: int) -> Work:
    """One step of SGD, for `x` of which the first dimension is the batch."""
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    loss = nn.CrossEntropyLoss()
    y = torch.randint(0, classes, (len(x),), device=x.device)

    def step() -> None:
        optimizer.zero_grad()
        loss(net(x), y).backward()
        optimizer.step()

    return step


def mlp(device: str) -> Work:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10)).to(device)
    return training_step(net, torch.randn(32, 64, device=device), 10)


class Encoder(nn.Module):
    """Two layers of 256 features, and classes from the first position."""

    def __init__(self) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(256, 4, 1024, dropout=0.0, batch_first=True)
        self.layers, self.head = nn.TransformerEncoder(layer, 2), nn.Linear(256, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Scores of the classes."""
        return self.head(self.layers(x)[:, 0])  # type: ignore[no-any-return]


def encoder(device: str) -> Work:
    torch.manual_seed(0)
    return training_step(Encoder().to(device), torch.randn(16, 32, 256, device=device), 10)


def convolutions(device: str) -> Work:
    torch.manual_seed(0)
    layers = [
        layer
        for channels in (3, 16, 16, 16)
        for layer in (nn.Conv2d(channels, 16, 3, padding=1), nn.ReLU())
    ]
    net = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10))
    return training_step(net.to(device), torch.randn(8, 3, 64, 64, device=device), 10)


def add(device: str) -> Work:
    x = torch.randn(64, 64, device=device)

    def run() -> None:
        x + x

    return run


def matmul(device: str) -> Work:
    x = torch.randn(1024, 1024, device=device)

    def multiply() -> None:
        x @ x

    return multiply


# How often a case is repeated for one time, and in how many rounds.
CASES: dict[str, tuple[Callable[[str], Work], int, int]] = {
    MLP: (mlp, 20, 200),
    ENCODER: (encoder, 1, 30),
    CONVOLUTIONS: (convolutions, 1, 30),
    "a + a, 64 x 64": (add, 300, 100),
    "matmul, 1024 x 1024": (matmul, 1, 30),
}


def seconds(work: Work, repeats: int) -> float:
    """Processor time of one call, so that a busy machine does not count."""
    start = time.thread_time()
    for _ in range(repeats):
        work()
    return (time.thread_time() - start) / repeats


def ratio(one: Work, other: Work, repeats: int, rounds: int) -> float:
    """The least time of `other` over the least of `one`, in rounds that alternate.

    What else the machine does only adds time, so the least of many rounds is the code's own.
    """
    pairs = [(seconds(one, repeats), seconds(other, repeats)) for _ in range(rounds)]
    least_one, least_other = (min(column) for column in zip(*pairs, strict=True))
    return float(least_other / least_one)


def beside() -> float:
    """What a step on the CPU costs while the device is on, in turns with it off."""
    on, off = [], []
    step = mlp("cpu")
    for _ in range(20):
        off += [seconds(step, 20) for _ in range(10)]
        with simulated_cuda():
            on += [seconds(step, 20) for _ in range(10)]
    return min(on) / min(off)


def measure() -> dict[str, float]:
    torch.set_num_threads(1)
    with simulated_cuda():
        ratios = {
            name: ratio(make("cpu"), make("cuda"), repeats, rounds)
            for name, (make, repeats, rounds) in CASES.items()
        }
    return ratios | {BESIDE: beside()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
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
