"""`load_state_dict(assign=True)` leaves on meta what the checkpoint does not hold.

Thread: https://github.com/huggingface/transformers/issues/25555
"""

import torch
from torch import nn

CODE = "meta-init"
WHERE = "self.positions"


class TextEmbedding(nn.Module):
    def __init__(self, vocabulary=12, longest=16, dim=8):
        super().__init__()
        self.token = nn.Embedding(vocabulary, dim)
        self.place = nn.Embedding(longest, dim)
        self.register_buffer("positions", torch.arange(longest), persistent=False)

    def forward(self, ids):
        return self.token(ids) + self.place(self.positions[: ids.shape[1]])


class CountingEmbedding(TextEmbedding):
    def __init__(self):
        super().__init__()
        del self.positions

    def forward(self, ids):
        return self.token(ids) + self.place(torch.arange(ids.shape[1], device=ids.device))


def loaded(cls=TextEmbedding):
    state = cls().state_dict()
    with torch.device("meta"):
        model = cls()
    model.load_state_dict(state, assign=True)
    return model


def loaded_without_positions():
    return loaded(CountingEmbedding)


def loaded_with_positions():
    model = loaded()
    model.positions = torch.arange(len(model.positions))
    return model


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randint(0, 12, (4, 6)),)


BUGGY = loaded
FIXED = (loaded_without_positions, loaded_with_positions)
