"""Checkpoints and pickles go where a GPU's would."""

import io
import pickle
from typing import Any

import pytest
import torch
from torch import nn

from grader.simulated_cuda import simulated_cuda

LOCATIONS: list[tuple[Any, str]] = [
    (None, "cuda:1"),
    ("cpu", "cpu"),
    ("cuda:0", "cuda:0"),
    (torch.device("cuda"), "cuda:0"),
    ({"cuda:1": "cuda:0"}, "cuda:0"),
    (lambda storage, location: storage, "cpu"),
    (lambda storage, location: storage.cuda(1), "cuda:1"),
]


def checkpoint() -> io.BytesIO:
    file = io.BytesIO()
    with simulated_cuda(devices=2):
        torch.save({"x": torch.arange(3.0, device="cuda:1")}, file)
    file.seek(0)
    return file


@pytest.mark.parametrize(("location", "device"), LOCATIONS)
def test_every_map_location(location: Any, device: str) -> None:
    with simulated_cuda(devices=2):
        x = torch.load(checkpoint(), map_location=location)["x"]
        assert str(x.device) == device
        assert x.tolist() == [0, 1, 2]


def test_without_cuda_a_checkpoint_says_what_to_do() -> None:
    if torch.cuda.is_available():
        assert torch.load(checkpoint())["x"].device.type == "cuda"
        return
    with pytest.raises(RuntimeError, match="Attempting to deserialize object on a CUDA device but"):
        torch.load(checkpoint())
    assert torch.load(checkpoint(), map_location="cpu")["x"].tolist() == [0, 1, 2]


def test_too_few_devices() -> None:
    file = checkpoint()
    with (
        simulated_cuda(devices=1),
        pytest.raises(RuntimeError, match=r"CUDA device 1 but torch.cuda.device_count\(\) is 1"),
    ):
        torch.load(file)


@pytest.mark.usefixtures("cuda")
def test_sharing_survives() -> None:
    x = torch.ones(3, device="cuda")
    file = io.BytesIO()
    torch.save([x, x[1:]], file)
    file.seek(0)
    x, tail = torch.load(file)
    x.fill_(5)
    assert tail.tolist() == [5, 5]


@pytest.mark.usefixtures("cuda")
def test_modules_and_pickles() -> None:
    net = nn.Linear(2, 2).cuda()
    twin = pickle.loads(pickle.dumps(net))
    assert isinstance(twin.weight, nn.Parameter)
    assert twin.weight.is_cuda
    assert torch.equal(twin.weight, net.weight)
    fresh = nn.Linear(2, 2)
    fresh.load_state_dict(net.state_dict())
    assert fresh.weight.device.type == "cpu"
    assert torch.equal(fresh.weight, net.weight.cpu())
