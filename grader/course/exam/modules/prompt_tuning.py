import torch
from torch import nn


class PromptTuning(nn.Module):
    def __init__(self, vocabulary=30, width=8, prompts=4):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width).requires_grad_(False)
        self.prompt = torch.randn(prompts, width, requires_grad=True)
        self.read = nn.Linear(width, 2)

    def forward(self, tokens):
        words = self.embed(tokens)
        prompt = self.prompt.to(words.device)
        prompt = prompt.expand(len(tokens), -1, -1)
        return self.read(torch.cat([prompt, words], dim=1).mean(dim=1))


def example_input():
    return (torch.randint(0, 30, (3, 5)),)
