"""Exercise 12b: a training script that runs on one machine only.

`TrainSpamFilter` does the work of `python train.py --gpu 1`; it is a module only so that the
grader can call it. It takes mails and labels as they come from a file, on the CPU. It trains a
linear spam filter, and logs the losses and the weights of every step as NumPy arrays, for plots.
It was written on a laptop without a GPU, and works there.

Your task: train on the GPU with the number `gpu` if the machine has that many, and on the CPU
otherwise. Return the weights on the device where they were trained. The two logs stay NumPy arrays,
and hold the same numbers on every device.

Check it with:  grader check 12b
"""

import numpy as np
import torch
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits


class TrainSpamFilter(nn.Module):
    """Trains a spam filter by gradient descent, and logs every step."""

    def __init__(self, gpu: int, steps: int, rate: float) -> None:
        super().__init__()
        self.gpu = gpu
        self.steps = steps
        self.rate = rate

    def forward(
        self, mails: torch.Tensor, is_spam: torch.Tensor
    ) -> tuple[torch.Tensor, np.ndarray, np.ndarray]:
        """Take mails of shape (mails, words) and booleans; return weights, losses, all weights."""
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        weights = torch.zeros(mails.shape[1], device=device)
        losses, history = [], []
        for _ in range(self.steps):
            scores = torch.mv(mails, weights)
            loss = binary_cross_entropy_with_logits(scores, is_spam.float())
            gradient = torch.mv(mails.T, scores.sigmoid() - is_spam.float()) / len(mails)
            weights -= self.rate * gradient
            losses.append(loss.detach().numpy())
            history.append(weights.detach().clone().numpy())
        return weights, np.stack(losses), np.stack(history)
