"""The stand-in says what it is, and computes what the CPU computes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.cuda_build
HERE = Path(__file__).parent


@pytest.fixture
def is_stand_in(device_name: str) -> None:
    if "stand-in" not in device_name:
        pytest.skip("there is a GPU")


@pytest.mark.usefixtures("is_stand_in")
def test_it_never_passes_for_a_gpu(device_name: str) -> None:
    assert device_name == "CUDA stand-in, no GPU"


@pytest.mark.usefixtures("is_stand_in")
def test_the_cpu_cannot_read_its_memory() -> None:
    code = "import ctypes, torch; ctypes.string_at(torch.ones(1).cuda().data_ptr(), 4)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True)
    assert ran.returncode == -11  # SIGSEGV


COMPUTED = """
import json, torch
from torch import nn
from torch.nn import functional as F

class Attention(nn.Module):
    def forward(self, x):
        return F.scaled_dot_product_attention(x, x, x, is_causal=True)

MODULES = {
    "linear": (nn.Linear(4, 3), (2, 4)),
    "convolution": (nn.Conv2d(2, 4, 3, groups=2), (2, 2, 5, 5)),
    "depthwise": (nn.Conv2d(2, 2, 3, groups=2), (2, 2, 5, 5)),
    "transposed": (nn.ConvTranspose2d(2, 3, 3), (2, 2, 4, 4)),
    "batch norm": (nn.BatchNorm2d(2), (3, 2, 4, 4)),
    "group norm": (nn.GroupNorm(2, 4), (3, 4, 5)),
    "rms norm": (nn.RMSNorm(4), (3, 4)),
    "lstm": (nn.LSTM(4, 3, 2, bidirectional=True), (5, 2, 4)),
    "gru": (nn.GRU(4, 3, bias=False), (5, 2, 4)),
    "lstm cell": (nn.LSTMCell(4, 3), (2, 4)),
    "gru cell": (nn.GRUCell(4, 3), (2, 4)),
    "attention": (Attention(), (2, 2, 5, 4)),
    "transformer": (nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0), (3, 2, 4)),
}

def step(module, x):
    x = x.detach().requires_grad_()
    optimizer = torch.optim.SGD([*module.parameters(), x], 0.01, momentum=0.9)
    y = module(x)
    y = y[0] if isinstance(y, tuple) else y
    (y * torch.arange(y.numel(), device=y.device).view_as(y)).sum().backward()
    optimizer.step()
    return [y, x.grad, *module.parameters(), *module.buffers()]

def close(name):
    module, shape = MODULES[name]
    x = torch.randn(shape)
    on_cuda = step(__import__("copy").deepcopy(module).cuda(), x.cuda())
    assert all(each.is_cuda for each in on_cuda)
    pairs = zip(step(module, x), on_cuda, strict=True)
    return all(torch.allclose(a, b.cpu(), rtol=1e-3, atol=1e-4) for a, b in pairs)

def seeded(device):
    torch.manual_seed(3)
    drawn = [torch.rand(3, device=device), torch.randn(2, 2, device=device)]
    state = torch.cuda.get_rng_state() if device == "cuda" else torch.get_rng_state()
    first = torch.randperm(9, device=device)
    (torch.cuda if device == "cuda" else torch).set_rng_state(state)
    return [*drawn, first, torch.randperm(9, device=device)]

x = torch.tensor([[0.0, 2.0], [3.0, 0.0]], device="cuda")
print(json.dumps({
    **{name: close(name) for name in MODULES},
    "seeds": all(map(torch.equal, seeded("cpu"), [each.cpu() for each in seeded("cuda")])),
    "nonzero": x.nonzero().tolist() == [[0, 1], [1, 0]],
    "masks": x[x > 0].tolist() == [2.0, 3.0],
    "unique": torch.tensor([2, 1, 2]).cuda().unique().tolist() == [1, 2],
    "strides": x.t().contiguous().tolist() == [[0.0, 3.0], [2.0, 0.0]],
    "grad_fn": type(x.clone().requires_grad_().exp().grad_fn).__name__ == "ExpBackward0",
    "item": (x.sum() * 2).item() == 10.0,
}))
"""


def test_it_computes_what_the_cpu_computes() -> None:
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", COMPUTED], capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    assert [name for name, equal in json.loads(ran.stdout).items() if not equal] == []


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("reports")
    made = {}
    for device in ("cuda", "simulated"):
        environment = dict(os.environ)
        if device == "simulated":
            environment["CUDA_VISIBLE_DEVICES"] = ""
        command = [sys.executable, "-W", "ignore", str(HERE / "reports.py"), device]
        subprocess.run([*command, str(folder / device)], check=True, env=environment)
        made[device] = json.loads((folder / device).read_text())
    return made


@pytest.mark.slow
def test_every_report_is_the_simulated_devices(reports: dict[str, Any], device_name: str) -> None:
    assert reports["cuda"]["labels"] == [f"cuda:0 ({device_name})"]
    assert reports["simulated"]["labels"] == ["cuda:0 (simulated)"]
    real, simulated = (reports[device]["reports"] for device in ("cuda", "simulated"))
    assert real.keys() == simulated.keys()
    assert {name for name in real if real[name] != simulated[name]} == set()
