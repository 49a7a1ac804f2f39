"""The embedding is replaced after the optimizer was built, so the optimizer trains the old one.

Thread: https://github.com/huggingface/transformers/pull/3532
"""

import torch
from torch import nn

CODE = "stale-optimizer"


class WordTagger(nn.Module):
    def __init__(self, vocabulary=10, new_tokens=2, dim=8, tags=4):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, dim)
        self.tag = nn.Linear(dim, tags)
        self.optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        self.resize(vocabulary + new_tokens)

    def resize(self, size):
        old = self.embedding.weight.data
        self.embedding = nn.Embedding(size, old.shape[1])
        self.embedding.weight.data[: old.shape[0]] = old

    def forward(self, ids):
        return self.tag(self.embedding(ids))


class WordTaggerConfigured(nn.Module):
    """Leaves the optimizer to whoever trains the model."""

    def __init__(self, vocabulary=10, new_tokens=2, dim=8, tags=4):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary + new_tokens, dim)
        self.tag = nn.Linear(dim, tags)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def forward(self, ids):
        return self.tag(self.embedding(ids))


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randint(0, 10, (4, 5)),)


BUGGY = WordTagger
FIXED = (
    """\
         self.tag = nn.Linear(dim, tags)
+        self.resize(vocabulary + new_tokens)
         self.optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
-        self.resize(vocabulary + new_tokens)
""",
    WordTaggerConfigured,
)
