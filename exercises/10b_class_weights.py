"""Exercise 10b: class weights that nobody owns.

`RareCells` tells kinds of cells apart in small images. Some kinds are rare, so its loss weighs each
kind by how rare it was in the training data. The model keeps its losses in a dict by name, since
there will be more. On the CPU it trains. On CUDA it does not, and a checkpoint lacks the weights,
which only the training data could tell.

Your task: change `__init__` so that the weights move with the model and are saved in its
`state_dict()`, and so that nothing trains them. You may name things as you like. The model returns
the same scores and the same loss as before.

Check it with:  grader check 10b
"""

import torch
from torch import nn


class RareCells(nn.Module):
    """A classifier of small images that knows its own loss."""

    def __init__(self, pixels: int, counts: list[int]) -> None:
        super().__init__()
        seldom = torch.tensor([sum(counts) / (len(counts) * count) for count in counts])
        self.hidden = nn.Linear(pixels, 5)
        self.scores = nn.Linear(5, len(counts))
        self.losses = {"kind": nn.CrossEntropyLoss(weight=seldom)}

    def forward(
        self, images: torch.Tensor, kinds: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Take images of shape (batch, pixels) and their kinds; return the scores and the loss."""
        scores = self.scores(torch.relu(self.hidden(images)))
        return scores, self.losses["kind"](scores, kinds)
