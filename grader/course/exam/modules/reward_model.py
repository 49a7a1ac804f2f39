import torch
from torch import nn


class RewardModel(nn.Module):
    def __init__(self, observations=4, momentum=0.05):
        super().__init__()
        self.momentum = momentum
        self.net = nn.Sequential(nn.Linear(observations, 8), nn.Tanh(), nn.Linear(8, 1))
        self.scale = 1.0

    def forward(self, observation):
        reward = self.net(observation)
        if self.training:
            spread = reward.detach().std().item()
            self.scale += self.momentum * (spread - self.scale)
        return reward / (self.scale + 1e-3)


def example_input():
    return (torch.randn(8, 4),)
