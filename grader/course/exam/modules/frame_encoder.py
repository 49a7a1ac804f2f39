import torch
from torch import nn


class FrameEncoder(nn.Module):
    def __init__(self, frame=16, hop=8, channels=4):
        super().__init__()
        self.frame, self.hop = frame, hop
        self.window = torch.hann_window(frame)
        self.project = nn.Linear(frame, channels)

    def forward(self, wave):
        frames = wave.unfold(-1, self.frame, self.hop)
        centred = frames - frames.mean(dim=-1, keepdim=True)
        windowed = centred * self.window
        return torch.relu(self.project(windowed))


def example_input():
    return (torch.randn(2, 64),)
