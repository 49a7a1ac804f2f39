"""Exercise 09b: a tagger that remembers where it was built.

`WordTagger` scores the tags of each word of a sentence. It asks once, in its constructor, which
device to use, and moves everything there. On the first GPU of this machine it works. On the CPU of
the same machine it fails, and so it does on a second GPU, or after a move.

Your task: let it work on whatever device it is moved to. Its sentences are always on the model's
device, so nothing has to be moved, and `forward` creates its own tensors there. The class takes the
same arguments as before.

Check it with:  grader check 09b
"""

import torch
from torch import nn


class WordTagger(nn.Module):
    """Scores the tags of each word by the word itself and by its place in the sentence."""

    def __init__(self, words: int, longest: int, features: int, tags: int) -> None:
        super().__init__()
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.words = nn.Embedding(words, features)
        self.places = nn.Embedding(longest, features)
        self.tags = nn.Linear(features, tags)

    def forward(self, sentences: torch.Tensor) -> torch.Tensor:
        """Take word numbers of shape (batch, length); return (batch, length, tags) scores."""
        places = torch.arange(sentences.shape[1], device=self.device)
        embedded = self.words(sentences.to(self.device)) + self.places(places)
        padding = torch.zeros(len(sentences), 1, embedded.shape[2]).cuda()
        before = torch.cat([padding, embedded[:, :-1]], dim=1)
        return self.tags(embedded + before)
