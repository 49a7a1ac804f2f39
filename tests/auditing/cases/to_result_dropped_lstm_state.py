"""The first state of an LSTM is "put on the GPU", but the moved copies are not kept.

Thread: https://github.com/taishan1994/pytorch_triple_extraction/issues/8
"""

import torch
from torch import nn

CODE = "to-result-dropped"
LINE_HAS = ".to(x.device)"


class EntityTagger(nn.Module):
    def __init__(self, dim=6, hidden=4, tags=3):
        super().__init__()
        self.hidden = hidden
        self.lstm = nn.LSTM(dim, hidden, batch_first=True)
        self.tag = nn.Linear(hidden, tags)

    def init_hidden(self, batch):
        return torch.zeros(1, batch, self.hidden), torch.zeros(1, batch, self.hidden)

    def forward(self, x):
        state = self.init_hidden(x.shape[0])
        for part in state:
            part.to(x.device)
        sequence, _ = self.lstm(x, state)
        return self.tag(sequence)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 5, 6),)


BUGGY = EntityTagger
FIXED = (
    """\
-        state = self.init_hidden(x.shape[0])
-        for part in state:
-            part.to(x.device)
+        state = tuple(part.to(x) for part in self.init_hidden(x.shape[0]))
""",
)
