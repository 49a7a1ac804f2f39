"""Forked children, the end of the process, workers of data loaders."""

import os
import subprocess
import sys
import traceback
from collections.abc import Callable
from typing import Any

import torch
from torch.utils.data import DataLoader, TensorDataset

from grader.simulated_cuda import adopt_fork, disable, enable, simulated_cuda

from ._make import raises, situation


def _in_fork(work: Callable[[], None]) -> int:
    child = os.fork()
    if child == 0:
        status = 3
        try:
            work()
            status = 0
        except RuntimeError as error:
            status = 4 if "forked subprocess" in str(error) else 5
            traceback.print_exc()
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _train() -> None:
    layer = torch.nn.Linear(2, 2).cuda()
    layer(torch.ones(1, 2).cuda()).sum().backward()


def _adopt_and_train() -> None:
    adopt_fork()
    _train()


@situation
def forks() -> None:
    enable(2)
    assert _in_fork(_train) == 0  # not used yet
    x = torch.ones(2, device="cuda", requires_grad=True)
    assert _in_fork(_train) == 4
    x.sum().backward()
    assert _in_fork(_adopt_and_train) == 0
    assert _in_fork(lambda: repr(torch.ones(2))) == 0
    disable()
    assert _in_fork(lambda: enable(2)) == 0


@situation
def exit_with_live_tensors() -> None:
    code = (
        "import torch\nfrom grader.simulated_cuda import enable\nenable(2)\n"
        "x = torch.ones(3, device='cuda', requires_grad=True)\ny = (x * 2).sum()\n"
        "y.backward(retain_graph=True)\ntorch.kept = [x, y, torch.ones(2).pin_memory()]\n"
        "s = torch.cuda.Stream(); g = torch.Generator('cuda'); e = torch.cuda.Event(); e.record()\n"
        "cycle = [x]; cycle.append(cycle)\n"
    )
    for ending in ("", "raise SystemExit(0)", "import sys; sys.exit(0)"):
        run = subprocess.run([sys.executable, "-c", code + ending], capture_output=True, text=True)
        assert run.returncode == 0, (run.returncode, run.stderr)
        assert not run.stderr, run.stderr


class _OnCuda(torch.utils.data.Dataset[Any]):
    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: int) -> Any:
        return torch.ones(2, device="cuda")


@situation
def loaders_with_workers() -> None:
    with simulated_cuda():
        data = TensorDataset(torch.arange(8.0))
        loader = DataLoader(data, batch_size=2, num_workers=1, pin_memory=True)
        assert sum(batch.cuda().sum().item() for (batch,) in loader) == 28
        with raises(RuntimeError):
            list(DataLoader(_OnCuda(), num_workers=1))
