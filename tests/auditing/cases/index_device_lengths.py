"""Lengths are moved to the GPU with the rest of the batch, but packing wants them on the CPU.

Thread: https://github.com/pytorch/pytorch/issues/43227
"""

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

CODE = "index-device"
LINE_HAS = "pack_padded_sequence("


class SentenceEncoder(nn.Module):
    def __init__(self, dim=5, hidden=4):
        super().__init__()
        self.rnn = nn.GRU(dim, hidden, batch_first=True)

    def forward(self, words, lengths):
        packed = pack_padded_sequence(words, lengths, batch_first=True, enforce_sorted=False)
        output, _ = self.rnn(packed)
        return pad_packed_sequence(output, batch_first=True, total_length=words.shape[1])[0]


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6, 5), torch.randint(1, 7, (4,)))


BUGGY = SentenceEncoder
FIXED = (
    """\
-        packed = pack_padded_sequence(words, lengths, batch_first=True, enforce_sorted=False)
+        packed = pack_padded_sequence(words, lengths.cpu(), batch_first=True, enforce_sorted=False)
""",
    # Packs nothing, and blanks what lies beyond each length.
    """\
-        packed = pack_padded_sequence(words, lengths, batch_first=True, enforce_sorted=False)
-        output, _ = self.rnn(packed)
-        return pad_packed_sequence(output, batch_first=True, total_length=words.shape[1])[0]
+        output, _ = self.rnn(words)
+        position = torch.arange(words.shape[1], device=words.device)
+        return output * (position < lengths[:, None]).unsqueeze(-1)
""",
)
