"""Checkpoints and pickles go where a GPU's would."""

import io

import pytest
import torch

from grader.simulated_cuda import simulated_cuda


def checkpoint() -> io.BytesIO:
    file = io.BytesIO()
    with simulated_cuda(devices=2):
        torch.save({"x": torch.arange(3.0, device="cuda:1")}, file)
    file.seek(0)
    return file


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
