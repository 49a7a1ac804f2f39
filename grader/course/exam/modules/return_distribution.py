import torch
from torch import nn


class ReturnDistribution(nn.Module):
    def __init__(self, observations=4, actions=2, atoms=11):
        super().__init__()
        self.actions, self.atoms = actions, atoms
        self.body = nn.Sequential(nn.Linear(observations, 16), nn.ReLU())
        self.head = nn.Linear(16, actions * atoms)
        self.support = torch.linspace(-10.0, 10.0, atoms)

    def forward(self, observation):
        logits = self.head(self.body(observation))
        logits = logits.view(-1, self.actions, self.atoms)
        probabilities = logits.softmax(dim=-1)
        return (probabilities * self.support).sum(dim=-1)


def example_input():
    return (torch.randn(3, 4),)
