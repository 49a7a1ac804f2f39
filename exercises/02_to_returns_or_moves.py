"""Exercise 02: a first state that does not arrive.

`GestureClassifier` reads the movement of a hand, step by step, with an LSTM, and tells which
gesture it was. An LSTM starts from a state of two tensors, which are zeros here. Whoever wrote
`first_state` knew that they must be moved to where `x` is. On the CPU it works. On CUDA it raises.

Your task: make it work wherever the model and the batch are: on the CPU, the first GPU or the
second. The numbers stay as they are.

Check it with:  grader check 02
"""

import torch
from torch import nn


class GestureClassifier(nn.Module):
    """Tells gestures apart by how a hand moves."""

    def __init__(self, features: int, hidden: int, gestures: int) -> None:
        super().__init__()
        self.hidden = hidden
        self.lstm = nn.LSTM(features, hidden, batch_first=True)
        self.head = nn.Linear(hidden, gestures)

    def first_state(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the state before the first step: the hidden state and the cell state."""
        hidden_state = torch.zeros(1, len(x), self.hidden)
        cell_state = torch.zeros(1, len(x), self.hidden)
        for state in (hidden_state, cell_state):
            state.to(x.device)
        return hidden_state, cell_state

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Take a batch of shape (batch, steps, features); return a score for each gesture."""
        outputs, _ = self.lstm(x, self.first_state(x))
        return self.head(outputs[:, -1])
