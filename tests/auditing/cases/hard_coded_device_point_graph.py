"""The neighbour graph of a point cloud is indexed with offsets made on torch.device("cuda").

Thread: https://github.com/LianpoWang/GMPTV/issues/15
"""

import torch
from torch import nn

CODE = "hard-coded-device"


def graph_feature(points, neighbours):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    batch, count, dim = points.shape
    nearest = torch.cdist(points, points).topk(neighbours, largest=False).indices
    offset = torch.arange(batch, device=device).view(-1, 1, 1) * count
    return points.reshape(-1, dim)[(nearest + offset).flatten()].view(batch, count, -1)


def graph_feature_like(points, neighbours):
    batch, count, dim = points.shape
    nearest = torch.cdist(points, points).topk(neighbours, largest=False).indices
    offset = torch.arange(batch, device=points.device).view(-1, 1, 1) * count
    return points.reshape(-1, dim)[(nearest + offset).flatten()].view(batch, count, -1)


class EdgeConv(nn.Module):
    def __init__(self, dim=3, neighbours=2):
        super().__init__()
        self.neighbours = neighbours
        self.mix = nn.Linear(dim * neighbours, 4)

    def forward(self, points):
        return self.mix(graph_feature(points, self.neighbours))


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6, 3),)


BUGGY = EdgeConv
FIXED = (
    """\
-        return self.mix(graph_feature(points, self.neighbours))
+        return self.mix(graph_feature_like(points, self.neighbours))
""",
)
