"""A dynamically quantised classifier: PyTorch has `quantized::linear_dynamic` for the CPU only."""

import warnings

import torch
from torch import nn


class QuantisedClassifier(nn.Module):
    def __init__(self, dim=6, classes=3):
        super().__init__()
        net = nn.Sequential(nn.Linear(dim, 8), nn.ReLU(), nn.Linear(8, classes)).eval()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.net = torch.ao.quantization.quantize_dynamic(net, {nn.Linear}, dtype=torch.qint8)

    def forward(self, x):
        return self.net(x.float())


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


CLEAN = QuantisedClassifier
