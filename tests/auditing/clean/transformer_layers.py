"""PyTorch's own transformer layer, an LSTM and an attention, with their own first states."""

import torch
from torch import nn


class SequenceModel(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.rnn = nn.LSTM(dim, dim, batch_first=True)
        self.encoder = nn.TransformerEncoderLayer(dim, 2, 16, dropout=0.0, batch_first=True)
        self.attend = nn.MultiheadAttention(dim, 2, batch_first=True)

    def forward(self, x):
        mask = nn.Transformer.generate_square_subsequent_mask(
            x.shape[1], device=x.device, dtype=x.dtype
        )
        h, _ = self.rnn(x)
        h = self.encoder(h, src_mask=mask)
        return self.attend(h, h, h, need_weights=False)[0]


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 5, 8),)


CLEAN = SequenceModel
