"""Gradients, hooks, custom functions, checkpointing."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from ._make import c, g, g1, leaf, net


def gradients_from_elsewhere():
    def backward(grad):
        x = leaf(2)
        (x * 2).backward(grad)
        return x.grad

    return {
        "cpu": lambda: backward(c(2)),
        "cuda:1": lambda: backward(g1(2)),
        "other shape": lambda: backward(g(3)),
        "other dtype": lambda: backward(g(2).half()),
        "none": lambda: backward(None),
        "right": lambda: backward(g(2)),
        "autograd.grad": lambda: torch.autograd.grad(leaf(2) * 2, leaf(2), c(2)),
    }


def gradient_of_autograd_grad():
    x = leaf(2)
    return lambda: torch.autograd.grad(x * 2, x, c(2))


def number_gradient_of_the_cpu():
    x = leaf(2)
    x.sum().backward(torch.tensor(1.0))
    return x.grad


def wrong_custom_function():
    class WrongBackward(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad.cpu()

    return lambda: WrongBackward.apply(leaf(2)).sum().backward()


def custom_function():
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * 2 + 0 * x

    x = leaf(2)
    y = Double.apply(x)
    y.sum().backward()
    return {"result": y, "gradient": x.grad}


def functions_that_move():
    class Move(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.cpu()

        @staticmethod
        def backward(ctx, grad):
            return grad.cuda()

    x = leaf(2)
    Move.apply(x).sum().backward()
    return x.grad


def backward_twice():
    y = leaf(2).pow(2).sum()
    y.backward()
    return y.backward


def backward_without_graph():
    return {"no grad": lambda: g(1).sum().backward(), "vector": lambda: (leaf(2) * 2).backward()}


def hooks_on_tensors():
    x, y, seen = leaf(2), leaf(2), []
    x.register_hook(lambda grad: seen.append(str(grad.device)))
    x.register_post_accumulate_grad_hook(lambda p: seen.append(str(p.grad.device)))
    (x * 2).sum().backward()
    y.register_hook(lambda grad: grad.cpu())
    return {"devices": seen, "a hook that moves": lambda: (y * 2).sum().backward()}


def hook_of_another_type():
    x = leaf(2)
    x.register_hook(lambda grad: grad.half())
    return lambda: (x * 2).sum().backward()


def anomaly():
    x = leaf(2)
    with torch.autograd.set_detect_anomaly(True):
        y = (x * 2).sum()
        y.backward()
    return x.grad


def in_place_errors():
    x, y = leaf(2), leaf(2)
    z = y * 2
    result = (z * z).sum()
    z.add_(1)
    return {"leaf": lambda: x.add_(1), "saved tensor": result.backward}


def data_in_place():
    w = nn.Parameter(g(3))
    y = (w * w).sum()
    w.data.clamp_(-0.1, 0.1)
    y.backward()
    return w.grad


def saved_tensors():
    y = leaf(2).pow(2)
    seen = []
    with torch.autograd.graph.saved_tensors_hooks(
        lambda x: (seen.append(str(x.device)), x.cpu())[1], lambda x: x.cuda()
    ):
        leaf(2).pow(2).sum().backward()
    return {"saved": y.grad_fn._saved_self, "packed": seen}


def save_on_cpu():
    def train(pinned):
        x = leaf(2)
        with torch.autograd.graph.save_on_cpu(pin_memory=pinned):
            y = x.pow(2).sum()
        y.backward()
        return x.grad

    return {"plain": lambda: train(False), "pinned": lambda: train(True)}


def gradients_of_gradients():
    x = leaf(2)
    (first,) = torch.autograd.grad(x.pow(3).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    return {"first": first, "second": second}


def retained_and_unused():
    x, y = leaf(2), leaf(2)
    z = x * 2
    z.retain_grad()
    z.sum().backward()
    return {
        "retained": z.grad,
        "unused": lambda: torch.autograd.grad((x * 2).sum(), y),
        "allowed": lambda: torch.autograd.grad((x * 2).sum(), y, allow_unused=True)[0],
    }


def step_without_move():
    module = net().cuda()
    return lambda: module(c(2, 3)).sum().backward()


def checkpointing():
    def run(reentrant):
        module, x = nn.Linear(2, 2).cuda(), leaf(1, 2)
        out = checkpoint(module, x, use_reentrant=reentrant)
        out.sum().backward()
        return {"out": out, "gradient": x.grad}

    return {"reentrant": lambda: run(True), "not reentrant": lambda: run(False)}


def checkpointing_twice():
    module, x = nn.Linear(3, 3).cuda(), leaf(3)
    checkpoint(module, x, use_reentrant=False).sum().backward()
    y = module(x).sum()
    y.backward()
    return y.backward


def checkpointing_stops_early():
    calls, module = [], nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 3), nn.Identity())
    module[3].register_forward_hook(lambda *_: calls.append(1))
    checkpoint(module.cuda(), leaf(3), use_reentrant=False).sum().backward()
    return len(calls)


def deterministic_algorithms():
    torch.use_deterministic_algorithms(True)
    x = leaf(1, 1, 4, 4)
    return {
        "adaptive_avg_pool2d": lambda: nn.functional.adaptive_avg_pool2d(x, 2).sum().backward(),
        "interpolate": lambda: nn.functional.interpolate(x, 8, mode="bilinear").sum().backward(),
        "put": lambda: g(2).put_(torch.tensor([0]).cuda(), g(1)),
        "cumsum": lambda: g(2).cumsum(0),
    }
