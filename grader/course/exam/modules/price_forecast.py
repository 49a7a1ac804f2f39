import torch
from torch import nn


class PriceForecast(nn.Module):
    def __init__(self, history=12, horizon=4):
        super().__init__()
        self.horizon = horizon
        self.level = nn.Linear(history, 1)
        self.slope = nn.Linear(history, 1)

    def forward(self, prices):
        level = self.level(prices)
        slope = self.slope(prices)
        steps = torch.arange(1, self.horizon + 1, dtype=prices.dtype)
        steps.to(prices.device)
        trend = slope * steps
        return level + trend


def example_input():
    return (torch.randn(3, 12),)
