"""Exercise 07b: an evaluation that gathers its counts somewhere else.

`Evaluation` goes through a data set in batches, and counts how often each kind of flower is taken
for each other. The data set is too large for the GPU, so it stays on the CPU, wherever the model
is. A single batch fits. On the CPU it works.

Your task: let it work on every device. The counts and the mean loss are returned where the model
is, and no more than one batch is there at a time.

Check it with:  grader check 07b
"""

import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader, TensorDataset


class Evaluation(nn.Module):
    """Counts what a linear classifier takes for what."""

    def __init__(self, features: int, kinds: int, batch_size: int) -> None:
        super().__init__()
        self.scores = nn.Linear(features, kinds)
        self.batch_size = batch_size

    @torch.no_grad()
    def forward(
        self, flowers: torch.Tensor, kinds: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Take a data set on the CPU; return counts (true kind, taken for) and the mean loss."""
        counts = torch.zeros(self.scores.out_features, self.scores.out_features)
        loss = torch.zeros(())
        for batch, true in DataLoader(TensorDataset(flowers, kinds), self.batch_size):
            scores = self.scores(batch)
            taken_for = scores.argmax(dim=1)
            counts.index_put_((true, taken_for), torch.ones(len(true)), accumulate=True)
            loss = loss + cross_entropy(scores, true, reduction="sum")
        return counts, loss / len(flowers)
