"""Gradients, optimizers, checkpointing, autocast."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from ._make import c, g, g1, leaf, net, places


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


def optimizers_step():
    def state(kind, **how):
        module = nn.Linear(2, 1).cuda()
        optimizer = kind(module.parameters(), **how)
        module(g(1, 2)).sum().backward()
        optimizer.step()
        found = optimizer.state[module.weight]
        return {k: v for k, v in found.items() if isinstance(v, torch.Tensor) or v is None}

    optim = torch.optim
    return {
        "sgd": state(optim.SGD, lr=0.1),
        "momentum": state(optim.SGD, lr=0.1, momentum=0.9),
        "adam": state(optim.Adam),
        "adam, capturable": state(optim.Adam, capturable=True),
        "adam, fused": state(optim.Adam, fused=True),
        "adam, foreach": state(optim.Adam, foreach=True),
        "adamw": state(optim.AdamW),
        "adam, amsgrad": state(optim.Adam, amsgrad=True),
        "rmsprop": state(optim.RMSprop),
        "adagrad": state(optim.Adagrad),
        "adadelta": state(optim.Adadelta),
        "nadam": state(optim.NAdam),
        "radam": state(optim.RAdam),
        "rprop": state(optim.Rprop),
    }


def optimizer_before_the_move():
    module = nn.Linear(2, 1)
    optimizer = torch.optim.Adam(module.parameters())
    module(c(1, 2)).sum().backward()
    optimizer.step()
    module.cuda()
    module(g(1, 2)).sum().backward()
    return {
        "holds the parameter": optimizer.param_groups[0]["params"][0] is module.weight,
        "state": optimizer.state[module.weight]["exp_avg"],
        "step": optimizer.step,
    }


def adagrad_before_the_move():
    module = nn.Linear(2, 1)
    optimizer = torch.optim.Adagrad(module.parameters())
    module.cuda()(g(1, 2)).sum().backward()
    return {"state": optimizer.state[module.weight]["sum"], "step": optimizer.step}


def sgd_momentum_before_the_move():
    module = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1, momentum=0.9)
    module(c(1, 2)).sum().backward()
    optimizer.step()
    module.cuda()(g(1, 2)).sum().backward()
    return optimizer.step


def optimizer_options():
    def step(kind, device, **how):
        p = nn.Parameter(torch.zeros(2, device=device))
        p.grad = torch.zeros_like(p)
        kind([p], **how).step()
        return "stepped"

    adam = torch.optim.Adam
    return {
        "capturable on the CPU": lambda: step(adam, "cpu", capturable=True),
        "fused on the CPU": lambda: step(adam, "cpu", fused=True),
        "fused, rate a tensor of the CPU": lambda: step(
            adam, "cuda", fused=True, lr=torch.tensor(1e-3)
        ),
        "rate a tensor": lambda: step(adam, "cuda", lr=torch.tensor(1e-3)),
        "rate a tensor, foreach": lambda: step(adam, "cuda", lr=torch.tensor(1e-3), foreach=True),
        "fused and foreach": lambda: step(adam, "cuda", fused=True, foreach=True),
        "fused sgd": lambda: step(torch.optim.SGD, "cuda", fused=True, lr=0.1),
        "not a leaf": lambda: adam([leaf(2) * 2]),
        "LBFGS": lambda: str(torch.optim.LBFGS([leaf(2)]).step(lambda: torch.tensor(0.0))),
    }


def two_devices_in_one_optimizer():
    p, q = nn.Parameter(g(2)), nn.Parameter(g1(2))
    p.grad, q.grad = g(2), g1(2)
    optimizer = torch.optim.Adam([p, q])
    return {"step": optimizer.step, "state": lambda: optimizer.state[q]["exp_avg"]}


def optimizer_state_dict():
    module = nn.Linear(2, 1).cuda()
    optimizer = torch.optim.Adam(module.parameters())
    module(g(1, 2)).sum().backward()
    optimizer.step()
    saved = optimizer.state_dict()
    other = torch.optim.Adam(nn.Linear(2, 1).parameters())
    other.load_state_dict(saved)
    state = next(iter(other.state.values()))
    return {"saved": saved["state"][0], "loaded on the CPU": state}


def clipping():
    p, q = nn.Parameter(g(2)), nn.Parameter(g1(2))
    p.grad, q.grad = g(2), g1(2)
    return {
        "norm": nn.utils.clip_grad_norm_([p], 1.0),
        "two devices": nn.utils.clip_grad_norm_([p, q], 1.0),
        "value": nn.utils.clip_grad_value_([p, q], 1.0),
        "get_total_norm": nn.utils.get_total_norm([g(2), g1(2)]),
        "vector": nn.utils.parameters_to_vector([p]),
        "vector of two devices": lambda: nn.utils.parameters_to_vector([p, q]),
    }


def averaged_model():
    model = torch.optim.swa_utils.AveragedModel(nn.Linear(2, 2).cuda())
    model.update_parameters(nn.Linear(2, 2))
    return {"places": places(model), "count": model.n_averaged}


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


def a_whole_step():
    module = net().cuda()
    optimizer = torch.optim.AdamW(module.parameters())
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    loss = nn.CrossEntropyLoss()(module(g(4, 3)), torch.zeros(4, dtype=torch.long).cuda())
    loss.backward()
    optimizer.step()
    scheduler.step()
    return {"loss": loss, "gradient": module[0].weight.grad, "rate": scheduler.get_last_lr()}


def deterministic_algorithms():
    torch.use_deterministic_algorithms(True)
    x = leaf(1, 1, 4, 4)
    return {
        "adaptive_avg_pool2d": lambda: nn.functional.adaptive_avg_pool2d(x, 2).sum().backward(),
        "interpolate": lambda: nn.functional.interpolate(x, 8, mode="bilinear").sum().backward(),
        "put": lambda: g(2).put_(torch.tensor([0]).cuda(), g(1)),
        "cumsum": lambda: g(2).cumsum(0),
    }
