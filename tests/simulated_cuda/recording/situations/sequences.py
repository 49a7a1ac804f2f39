"""Attention and recurrent networks in eval mode, states elsewhere, and packed sequences."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812
from torch.nn.utils import rnn

from ._make import c, g


def _grad_off(call):
    def run():
        with torch.no_grad():
            return call()

    return run


def multihead_attention_eval():
    x, y = c(1, 3, 4), g(1, 3, 4)
    module = nn.MultiheadAttention(4, 2, batch_first=True).eval()
    return {
        "module on cuda": _grad_off(lambda: module.cuda()(x, x, x)[0]),
        "mask on the CPU": _grad_off(lambda: module.cuda()(y, y, y, attn_mask=c(3, 3))[0]),
        "padding on the CPU": _grad_off(
            lambda: module.cuda()(y, y, y, key_padding_mask=c(1, 3) > 0)[0]
        ),
        "module on the CPU": _grad_off(lambda: module.cpu()(y, y, y)[0]),
        "right": _grad_off(lambda: module.cuda()(y, y, y)[0]),
    }


def _encoder():
    layer = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)
    return nn.TransformerEncoder(layer, 1)


def transformer_encoder_eval():
    y, module = g(1, 3, 4), _encoder().eval().cuda()
    return {
        "input on the CPU": _grad_off(lambda: module(c(1, 3, 4))),
        "mask on the CPU": _grad_off(lambda: module(y, mask=c(3, 3))),
        "right": _grad_off(lambda: module(y, mask=g(3, 3))),
        "module on the CPU": _grad_off(lambda: _encoder().eval()(y)),
    }


def lstm_states():
    module, x = nn.LSTM(3, 4, batch_first=True).cuda(), g(2, 5, 3)
    h, cell = c(1, 2, 4), g(1, 2, 4)
    return {
        "both on the CPU": lambda: module(x, (h, h))[0],
        "h on the CPU": lambda: module(x, (h, cell))[0],
        "c on the CPU": lambda: module(x, (cell, h))[0],
        "on cuda:1": lambda: module(x, (h.cuda(1), h.cuda(1)))[0],
        "module on the CPU, states on cuda": lambda: module.cpu()(c(2, 5, 3), (cell, cell))[0],
    }


def packed_sequences():
    x = torch.zeros(2, 3, 1)
    lengths = torch.tensor([3, 2])
    packed = rnn.pack_padded_sequence(x, lengths, batch_first=True)
    moved = packed.cuda()
    return {
        "data": moved.data,
        "batch_sizes": moved.batch_sizes,
        "is_cuda": moved.is_cuda,
        "lengths on cuda": lambda: (
            rnn.pack_padded_sequence(x.cuda(), lengths.cuda(), batch_first=True).data
        ),
        "unsorted": lambda: (
            rnn.pack_padded_sequence(
                x.cuda(), lengths.flip(0), batch_first=True, enforce_sorted=False
            ).sorted_indices
        ),
        "cpu module": lambda: nn.LSTM(1, 2)(moved)[0].data,
        "cpu sequence": lambda: nn.LSTM(1, 2).cuda()(packed)[0].data,
        "padded": lambda: rnn.pad_packed_sequence(moved)[0],
        "lengths": lambda: rnn.pad_packed_sequence(moved)[1],
        "same if it is there": lambda: moved.cuda() is moved,
        "to": lambda: moved.to("cuda:1").data,
        "pinned": lambda: packed.pin_memory().is_pinned(),
    }


def packed_forward():
    packed = rnn.pack_sequence([c(3, 1), c(2, 1)]).cuda()
    out, (h, _) = nn.LSTM(1, 2).cuda()(packed)
    return {"out": out.data, "h": h, "batch_sizes": out.batch_sizes}


def names_of_grad_fn():
    x = g(2, 3, 4)
    return {
        "lstm": lambda: nn.LSTM(4, 2).cuda()(x)[0],
        "gru": lambda: nn.GRU(4, 2).cuda()(x)[0],
        "rnn": lambda: nn.RNN(4, 2).cuda()(x)[0],
        "lstm cell": lambda: nn.LSTMCell(4, 2).cuda()(x[0])[0],
        "conv1d": lambda: nn.Conv1d(3, 2, 1).cuda()(x),
        "conv2d": lambda: nn.Conv2d(3, 2, 1).cuda()(g(1, 3, 4, 4)),
        "conv_transpose2d": lambda: nn.ConvTranspose2d(3, 2, 1).cuda()(g(1, 3, 4, 4)),
        "batch norm 2d": lambda: nn.BatchNorm2d(3).cuda()(g(2, 3, 4, 4)),
        "batch norm 1d": lambda: nn.BatchNorm1d(3).cuda()(g(2, 3)),
        "batch norm eval": lambda: nn.BatchNorm2d(3).cuda().eval()(g(2, 3, 4, 4)),
        "layer norm": lambda: nn.LayerNorm(4).cuda()(x),
        "rms norm": lambda: nn.RMSNorm(4).cuda()(x),
        "group norm": lambda: nn.GroupNorm(1, 3).cuda()(x),
        "linear": lambda: nn.Linear(4, 2).cuda()(x),
        "linear of rows": lambda: nn.Linear(4, 2).cuda()(x[0]),
        "embedding": lambda: nn.Embedding(3, 2).cuda()(torch.tensor([1]).cuda()),
        "attention": lambda: nn.MultiheadAttention(4, 2).cuda()(x, x, x)[0],
        "sdpa": lambda: F.scaled_dot_product_attention(x.requires_grad_(), x, x),
        "dropout": lambda: F.dropout(x),
        "gelu": lambda: F.gelu(x),
        "softmax": lambda: x.softmax(0),
        "cross entropy": lambda: F.cross_entropy(x[0], torch.zeros(3, dtype=torch.long).cuda()),
        "mse": lambda: F.mse_loss(x, g(2, 3, 4)),
        "bce": lambda: F.binary_cross_entropy_with_logits(x, g(2, 3, 4)),
        "max pool": lambda: F.max_pool1d(x, 2),
        "max pool 2d": lambda: F.max_pool2d(x, 2),
        "prelu": lambda: nn.PReLU().cuda()(x),
    }


def flattened_weights():
    module = nn.LSTM(3, 4).cuda()
    weights = module._flat_weights
    same = {w.untyped_storage().data_ptr() for w in weights}
    return {"one storage": len(same) == 1, "flatten again": module.flatten_parameters()}
