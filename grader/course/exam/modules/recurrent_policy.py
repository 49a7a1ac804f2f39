import torch
from torch import nn


class RecurrentPolicy(nn.Module):
    def __init__(self, observations=4, hidden=8, actions=3):
        super().__init__()
        self.hidden = hidden
        self.cell = nn.GRUCell(observations, hidden)
        self.actor = nn.Linear(hidden, actions)
        self.device = self.actor.weight.device

    def forward(self, observations):
        state = torch.zeros(observations.shape[1], self.hidden, device=self.device)
        logits = []
        for observation in observations:
            state = self.cell(observation, state)
            logits.append(self.actor(state))
        return torch.stack(logits)


def example_input():
    return (torch.randn(5, 2, 4),)
