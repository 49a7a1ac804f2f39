"""Exercise 09c: a pooling layer that asks its Parameters where it is.

`WordPool` turns the words of a sentence into one vector: their mean or, with `learned=True`, a
weighted mean with learned weights. It takes CPU batches and moves them to where it is. With
learned weights on one GPU all is well. Without them it raises `StopIteration` on every device, and
under `nn.DataParallel` it raises with them, too.

Your task: let it work with learned weights and without, and in the replicas of `nn.DataParallel`.
With learned weights it still moves its inputs to them. Without, it computes where the words are.

Check it with:  grader check 09c
"""

import torch
from torch import nn


class WordPool(nn.Module):
    """One vector for each sentence, from the vectors of its words."""

    def __init__(self, features: int, learned: bool) -> None:
        super().__init__()
        self.score = nn.Linear(features, 1, bias=False) if learned else None

    def forward(self, words: torch.Tensor, last: torch.Tensor) -> torch.Tensor:
        """Take (batch, longest, features), and each last word's place; return a vector each."""
        device = next(self.parameters()).device
        words, last = words.to(device), last.to(device)
        places = torch.arange(words.shape[1], device=device)
        scores = words.new_zeros(words.shape[:2])
        if self.score is not None:
            scores = self.score(words).flatten(1)
        scores = scores.masked_fill(places > last[:, None], float("-inf"))
        return (scores.softmax(dim=1)[:, :, None] * words).sum(dim=1)
