import torch
from torch import nn


class BandStatistics:
    def __init__(self, mean, deviation):
        self.mean = torch.tensor(mean).view(-1, 1, 1)
        self.deviation = torch.tensor(deviation).view(-1, 1, 1)

    def apply(self, image):
        return (image - self.mean) / self.deviation


class SatelliteRegressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.bands = BandStatistics([0.4, 0.3, 0.2, 0.5], [0.2, 0.2, 0.1, 0.3])
        self.features = nn.Conv2d(4, 6, 3, padding=1)
        self.out = nn.Linear(6, 1)

    def forward(self, image):
        image = self.bands.apply(image)
        features = torch.relu(self.features(image))
        return self.out(features.mean(dim=(2, 3)))


def example_input():
    return (torch.rand(2, 4, 6, 6),)
