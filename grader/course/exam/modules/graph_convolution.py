import torch
from torch import nn


class GraphConvolution(nn.Module):
    def __init__(self, features=5, hidden=4):
        super().__init__()
        self.project = nn.Linear(features, hidden)
        self.gate = nn.Linear(features, hidden)

    def forward(self, nodes, edges):
        source, target = edges
        messages = self.project(nodes)[source]
        gathered = torch.zeros(len(nodes), messages.shape[-1])
        gathered = gathered.index_add(0, target, messages)
        return torch.sigmoid(self.gate(nodes)) * gathered


def example_input():
    return (torch.randn(4, 5), torch.tensor([[0, 1, 2, 3], [1, 2, 3, 0]]))
