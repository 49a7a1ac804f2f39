"""Exercise 12: a story that only one kind of GPU can go on with.

`Storyteller` reads the beginning of a story and scores each word as the next one. It takes word
numbers as the tokenizer returns them, on the CPU. Written years ago for NVIDIA GPUs, it asks three
times whether this is one. On the first GPU it works. On the CPU of the same machine it raises, on a
second GPU too, and on any other accelerator.

Your task: let it work on whatever device it is moved to: the CPU, every GPU, and kinds of devices
whose names the code does not know. The stories stay on the CPU, and the scores are returned where
the model is. Its Parameters keep their names.

Check it with:  grader check 12
"""

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
        state = torch.zeros(stories, self.cell.hidden_size)
        return state.cuda() if torch.cuda.is_available() else state

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        """Take word numbers (stories, length), 0 for no word; return scores (stories, words)."""
        if self.embedding.weight.type() == "torch.cuda.FloatTensor":
            words = words.cuda()
        state = self.begin(len(words))
        has_word = (words != 0).float()
        for i, embedded in enumerate(self.embedding(words).unbind(dim=1)):
            state = torch.lerp(state, self.cell(embedded, state), has_word[:, i : i + 1])
        decay = 0.5 ** torch.arange(state.shape[1])
        if torch.cuda.is_available():
            decay = decay.to("cuda")
        return self.head(state * decay)
