"""An embedding is named after a data column, and the column has the name of a dict method.

Thread: https://github.com/shenweichen/DeepCTR-Torch/issues/97
"""

import torch
from torch import nn

CODE = "registration-misuse"
LINE_HAS = "nn.ModuleDict("

COLUMNS = {"user": 5, "update": 4}


class ColumnEmbeddings(nn.Module):
    def __init__(self, dim=3):
        super().__init__()
        self.embeddings = nn.ModuleDict(
            {name: nn.Embedding(size, dim) for name, size in COLUMNS.items()}
        )

    def forward(self, user, update):
        return self.embeddings["user"](user) + self.embeddings["update"](update)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randint(0, 5, (4,)), torch.randint(0, 4, (4,)))


BUGGY = ColumnEmbeddings
FIXED = (
    """\
-            {name: nn.Embedding(size, dim) for name, size in COLUMNS.items()}
+            {f"column_{name}": nn.Embedding(size, dim) for name, size in COLUMNS.items()}

-        return self.embeddings["user"](user) + self.embeddings["update"](update)
+        return self.embeddings["column_user"](user) + self.embeddings["column_update"](update)
""",
)
