"""What modules are given: batches that they move themselves, but not all that is in them."""

import torch
from torch import nn


def on_the_device(batch, device):
    return {
        name: part.to(device) if torch.is_tensor(part) else part for name, part in batch.items()
    }


class Recording(nn.Module):
    """A sound next to its rate, as data sets of sounds give it, behind a window and a list."""

    example_input = ({"sound": (torch.randn(4, 8), 16_000), "pitch": torch.randn(4, 1)},)

    def __init__(self):
        super().__init__()
        self.pitch = nn.Linear(1, 8)
        self.window = torch.ones(8)  # fault: member-tensor
        self.layers = [nn.Linear(8, 8)]  # fault: python-container

    def forward(self, batch):
        batch = on_the_device(batch, self.pitch.weight.device)
        sound, _ = batch["sound"]
        sound = sound * self.window
        for layer in self.layers:
            sound = layer(sound)  # fault: input-transfer
        return sound + self.pitch(batch["pitch"]) + torch.randn(8)  # fault: made-in-forward
