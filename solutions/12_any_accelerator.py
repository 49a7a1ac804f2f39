"""One good answer to exercise 12: a weight is asked for its device, and no device is named."""

import torch
from torch import nn


class Storyteller(nn.Module):
    """Reads a story word by word, and scores what could come next."""

    def __init__(self, words: int, features: int, depth: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, features)
        self.cell = nn.GRUCell(features, features)
        layers = [nn.Linear(features, features) for _ in range(depth)]
        self.head = nn.Sequential(*layers, nn.Linear(features, words))

    def begin(self, stories: int) -> torch.Tensor:
        """The state before the first word of each story."""
        device = self.embedding.weight.device
        return torch.zeros(stories, self.cell.hidden_size, device=device)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        """Take word numbers (stories, length), 0 for no word; return scores (stories, words)."""
        words = words.to(self.embedding.weight.device)
        state = self.begin(len(words))
        has_word = (words != 0).float()
        for i, embedded in enumerate(self.embedding(words).unbind(dim=1)):
            state = torch.lerp(state, self.cell(embedded, state), has_word[:, i : i + 1])
        decay = 0.5 ** torch.arange(state.shape[1], device=state.device)
        return self.head(state * decay)
