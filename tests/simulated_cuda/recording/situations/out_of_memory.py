"""More memory than a device has: asked for by factories, and inside operators."""

import torch
from torch import nn

from ._make import g, leaf

MANY = 2**20


def _refused(run):
    """What a call that needs terabytes raises, without the figures of the device it ran on."""
    before = torch.cuda.memory_stats()["num_ooms"], torch.cuda.memory_allocated()
    try:
        run()
    except Exception as error:
        text = str(error).split(" GPU")[0]
        raised = [type(error).__name__, isinstance(error, RuntimeError), text]
    else:
        raised = ["nothing"]
    counted = torch.cuda.memory_stats()["num_ooms"] - before[0]
    return [*raised, {"counted": counted, "kept": torch.cuda.memory_allocated() - before[1]}]


def broadcasting():
    column, row = g(MANY, 1), g(1, MANY)
    return {
        "add": _refused(lambda: column + row),
        "sub": _refused(lambda: column - row),
        "mul": _refused(lambda: column * row),
        "div": _refused(lambda: column / row),
        "pow": _refused(lambda: column**row),
        "maximum": _refused(lambda: torch.maximum(column, row)),
        "equal": _refused(lambda: column == row),
        "where": _refused(lambda: torch.where(column > 0, row, column)),
        "atan2": _refused(lambda: torch.atan2(column, row)),
        "half": _refused(lambda: column.half() + row.half()),
        "double": _refused(lambda: column.double() + row),
    }


def products():
    column, row = g(MANY, 1), g(1, MANY)
    return {
        "matmul": _refused(lambda: column @ row),
        "mm": _refused(lambda: torch.mm(column, row)),
        "outer": _refused(lambda: torch.outer(column[:, 0], row[0])),
        "einsum": _refused(lambda: torch.einsum("i,j->ij", column[:, 0], row[0])),
        "bmm": _refused(lambda: torch.bmm(column[None], row[None])),
        "linear": _refused(lambda: nn.functional.linear(column, row.T)),
        "kron": _refused(lambda: torch.kron(column, row)),
        "addmm": _refused(lambda: torch.addmm(g(1), column, row)),
    }


def copies():
    wide = g(1).expand(MANY, MANY)
    return {
        "clone": _refused(lambda: wide.clone(memory_format=torch.contiguous_format)),
        "contiguous": _refused(wide.contiguous),
        "reshape": _refused(lambda: wide.reshape(-1)),
        "repeat": _refused(lambda: g(1).repeat(MANY, MANY)),
        "half": _refused(lambda: wide.half().contiguous()),
        "cat": _refused(lambda: torch.cat([wide, wide])),
        "stack": _refused(lambda: torch.stack([wide, wide])),
        "relu": _refused(lambda: wide.contiguous().relu()),
        "repeat_interleave": _refused(lambda: g(2).repeat_interleave(MANY * MANY)),
        "cuda": _refused(lambda: torch.ones(1).expand(MANY, MANY).cuda()),
        "to 1": _refused(lambda: wide.to("cuda:1")),
    }


def factories():
    size = (MANY, MANY)
    return {
        "empty": _refused(lambda: torch.empty(size, device="cuda")),
        "zeros": _refused(lambda: torch.zeros(size, device="cuda")),
        "ones": _refused(lambda: torch.ones(size, device="cuda")),
        "full": _refused(lambda: torch.full(size, 1.0, device="cuda")),
        "rand": _refused(lambda: torch.rand(size, device="cuda")),
        "randn": _refused(lambda: torch.randn(size, device="cuda")),
        "randint": _refused(lambda: torch.randint(9, size, device="cuda")),
        "eye": _refused(lambda: torch.eye(MANY, device="cuda")),
        "arange": _refused(lambda: torch.arange(MANY * MANY, device="cuda")),
        "new_zeros": _refused(lambda: g(1).new_zeros(size)),
        "exabyte": _refused(lambda: torch.empty(2**60, device="cuda")),
        "resize_": _refused(lambda: g(1).resize_(size)),
    }


def layers():
    with torch.device("cuda"):
        made = {
            "Linear": _refused(lambda: nn.Linear(MANY, MANY)),
            "Embedding": _refused(lambda: nn.Embedding(MANY, MANY)),
            "Conv2d": _refused(lambda: nn.Conv2d(MANY, MANY, 1)),
        }
    tokens = torch.zeros(MANY, dtype=torch.long, device="cuda")
    return made | {
        "one_hot": _refused(lambda: nn.functional.one_hot(tokens, MANY)),
        "cdist": _refused(lambda: torch.cdist(g(MANY, 1), g(MANY, 1))),
        "pad": _refused(lambda: nn.functional.pad(g(MANY), (0, MANY * MANY))),
        "interpolate": _refused(
            lambda: nn.functional.interpolate(g(1, 1, 2), size=MANY * MANY, mode="nearest")
        ),
        "embedding": _refused(lambda: nn.functional.embedding(tokens, g(1, MANY))),
        "unfold": _refused(lambda: g(1).expand(MANY, MANY).unfold(0, 2, 1).contiguous()),
        "gather": _refused(
            lambda: torch.gather(g(1, MANY).expand(MANY, MANY), 1, tokens.expand(MANY, MANY))
        ),
        "meshgrid": _refused(lambda: torch.cartesian_prod(g(MANY), g(MANY))),
        "tril_indices": _refused(lambda: torch.tril_indices(MANY, MANY, device="cuda")),
    }


def backward():
    column, row = leaf(MANY, 1), g(1, MANY)
    total = (column[:2] * row).sum()
    total.backward()

    class Outer(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.sum()

        @staticmethod
        def backward(ctx, grad):
            return column.detach() * row

    return {
        "fits": column.grad,
        "in a backward": _refused(lambda: Outer.apply(leaf(2)).backward())[:3],
    }


def with_a_limit():
    torch.cuda.set_per_process_memory_fraction(0.0004)
    x = g(1000, 1000)
    return {
        "reserved": torch.cuda.memory_reserved(),
        "add": _refused(lambda: g(1000, 1) + g(1, 6000)),
        "cat": _refused(lambda: torch.cat([x] * 9)),
        "clones": _refused(lambda: [x.clone() for _ in range(9)]),
        "whole": _refused(lambda: torch.zeros(3000, 3000, device="cuda")),
        "small": x[0].clone().device,
        "retries": torch.cuda.memory_stats()["num_alloc_retries"],
    }


def cached_memory_under_a_limit():
    torch.cuda.set_per_process_memory_fraction(0.0004)
    x = g(1000, 1000)
    del x
    return {
        "cached": torch.cuda.memory_reserved(),
        "fits after a retry": lambda: g(7, 1000, 1000).device,
        "retries": lambda: torch.cuda.memory_stats()["num_alloc_retries"],
        "refused": lambda: torch.cuda.memory_stats()["num_ooms"],
    }


def caught():
    column, row = g(MANY, 1), g(1, MANY)
    batch, tried = MANY, []
    while batch > 4:
        try:
            tried.append([batch, (column[:batch] * row).shape[0]])
            break
        except torch.OutOfMemoryError:
            batch //= 2**16
    return {
        "is torch.cuda's": torch.cuda.OutOfMemoryError is torch.OutOfMemoryError,
        "retries": torch.cuda.memory_stats()["num_alloc_retries"] > 0,
        "ended with": tried,
    }
