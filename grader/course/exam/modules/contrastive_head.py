import torch
from torch import nn


class ContrastiveHead(nn.Module):
    def __init__(self, images=6, texts=5, width=4):
        super().__init__()
        self.image = nn.Linear(images, width, bias=False)
        self.text = nn.Linear(texts, width, bias=False)
        self.temperature = torch.tensor(0.07)

    def forward(self, image, text):
        image = nn.functional.normalize(self.image(image), dim=-1)
        text = nn.functional.normalize(self.text(text), dim=-1)
        return image @ text.t() / self.temperature


def example_input():
    return (torch.randn(3, 6), torch.randn(3, 5))
