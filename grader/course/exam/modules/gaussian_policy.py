import torch
from torch import nn


class GaussianPolicy(nn.Module):
    def __init__(self, observations=4, actions=2):
        super().__init__()
        self.mean = nn.Sequential(nn.Linear(observations, 8), nn.Tanh(), nn.Linear(8, actions))
        self.log_deviation = nn.Parameter(torch.zeros(actions))

    def forward(self, observation):
        mean = self.mean(observation)
        deviation = self.log_deviation.exp().expand_as(mean)
        noise = torch.randn_like(mean)
        action = mean + noise * deviation
        log_density = -0.5 * noise.square() - deviation.log()
        return action, log_density.sum(dim=-1)


def example_input():
    return (torch.randn(3, 4),)
