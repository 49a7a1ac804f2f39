import torch
from torch import nn


class StrokeDecoder(nn.Module):
    def __init__(self, latent=4, hidden=6, steps=5):
        super().__init__()
        self.steps, self.hidden = steps, hidden
        self.start = nn.Linear(latent, hidden)
        self.cell = nn.LSTMCell(2, hidden)
        self.pen = nn.Linear(hidden, 2)

    def forward(self, latent):
        hidden = torch.tanh(self.start(latent))
        memory = hidden.new_zeros(hidden.shape)
        point = latent.new_zeros(len(latent), 2)
        path = []
        for _ in range(self.steps):
            hidden, memory = self.cell(point, (hidden, memory))
            point = self.pen(hidden)
            path.append(point)
        return torch.stack(path, dim=1)


def example_input():
    return (torch.randn(3, 4),)
