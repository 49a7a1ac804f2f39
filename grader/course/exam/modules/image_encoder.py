import torch
from torch import nn


class ImageEncoder(nn.Module):
    def __init__(self, channels=3, latent=4):
        super().__init__()
        self.features = nn.Conv2d(channels, 8, 3, padding=1)
        self.mean = nn.Linear(8, latent)
        self.log_variance = nn.Linear(8, latent)

    def forward(self, image):
        features = torch.relu(self.features(image)).mean(dim=(2, 3))
        mean = self.mean(features)
        deviation = torch.exp(0.5 * self.log_variance(features))
        noise = torch.randn(deviation.shape)
        latent = mean + noise * deviation
        return latent, mean, deviation


def example_input():
    return (torch.randn(2, 3, 8, 8),)
