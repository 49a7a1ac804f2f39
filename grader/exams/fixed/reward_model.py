import torch
from torch import nn


class RewardModel(nn.Module):
    def __init__(self, observations=4, momentum=0.05):
        super().__init__()
        self.momentum = momentum
        self.net = nn.Sequential(nn.Linear(observations, 8), nn.Tanh(), nn.Linear(8, 1))
        self.register_buffer("scale", torch.ones(()))

    def forward(self, observation):
        reward = self.net(observation)
        if self.training:
            spread = reward.detach().std()
            self.scale.lerp_(spread, self.momentum)
        return reward / (self.scale.clone() + 1e-3)


def example_input():
    return (torch.randn(8, 4),)
