"""Masks and indices of every dtype and device, and fills."""

import torch
from torch import nn

from ._make import c, g, g1, index

MASKS = {
    "bool": lambda: g(3).bool(),
    "float": lambda: g(3),
    "long": lambda: g(3).long(),
    "uint8": lambda: g(3).byte(),
    "cpu": lambda: c(3).bool(),
    "cuda:1": lambda: g1(3).bool(),
    "shape": lambda: g(2).bool(),
}


def _with(call):
    return {name: lambda mask=mask: call(mask()) for name, mask in MASKS.items()}


def masked_fill():
    return {
        "number": _with(lambda m: g(3).masked_fill(m, 1.0)),
        "tensor": _with(lambda m: g(3).masked_fill(m, torch.tensor(1.0))),
        "in place": _with(lambda m: g(3).masked_fill_(m, 1.0)),
        "vector": lambda: g(3).masked_fill(g(3).bool(), g(3)),
    }


def masked_select():
    return _with(lambda m: g(3).masked_select(m))


def masked_scatter():
    return {
        "mask": _with(lambda m: g(3).masked_scatter(m, g(3))),
        "source in half": lambda: g(3).masked_scatter(g(3).bool(), g(3).half()),
        "source on cpu": lambda: g(3).masked_scatter(g(3).bool(), c(3)),
        "source of long": lambda: g(3).masked_scatter(g(3).bool(), g(3).long()),
    }


def indexing():
    return {
        "read": _with(lambda m: g(3)[m]),
        "write": _with(lambda m: g(3).__setitem__(m, 1.0)),
        "of cpu": _with(lambda m: c(3)[m]),
    }


def where():
    return _with(lambda m: torch.where(m, g(3), 0.0))


def attention_masks():
    q = g(1, 2, 3, 4)
    return _with(lambda m: nn.functional.scaled_dot_product_attention(q, q, q, attn_mask=m))


def indices():
    kinds = {
        "long": index(0, 1),
        "int": index(0, 1).int(),
        "short": index(0, 1).short(),
        "float": g(2),
        "bool": g(2).bool(),
        "cpu": torch.tensor([0, 1]),
    }
    x = g(3, 4)
    return {
        name: {
            "index_select": lambda i=i: x.index_select(0, i),
            "index_fill": lambda i=i: x.index_fill(0, i, 0.0),
            "index_fill tensor": lambda i=i: x.index_fill(0, i, torch.tensor(0.0)),
            "index_add": lambda i=i: x.index_add(0, i, g(2, 4)),
            "index_copy": lambda i=i: x.index_copy(0, i, g(2, 4)),
            "gather": lambda i=i: g(2).gather(0, i),
            "scatter": lambda i=i: g(2).scatter(0, i, 1.0),
            "take": lambda i=i: x.take(i),
            "put": lambda i=i: x.put(i, g(2)),
        }
        for name, i in kinds.items()
    }


def fills():
    return {
        "of cpu with cuda": lambda: c(2).fill_(g(1)[0]),
        "with cuda:1": lambda: g(2).fill_(g1(1)[0]),
        "with a vector": lambda: g(2).fill_(c(2)),
        "with cpu": lambda: g(2).fill_(torch.tensor(1.0)),
        "diagonal": lambda: g(2, 2).fill_diagonal_(1.0),
    }


def probabilities():
    return {
        "in place": lambda: g(2).bernoulli_(torch.full((2,), 0.5)).shape,
        "long": lambda: g(2).bernoulli_(g(2).long()),
        "out on cpu": lambda: torch.bernoulli(g(2), out=c(2)).device,
    }
