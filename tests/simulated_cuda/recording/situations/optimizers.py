"""Optimizers: steps, states, options, clipping."""

import torch
from torch import nn

from ._make import c, g, g1, leaf, net, places


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
        "sgd": lambda: state(optim.SGD, lr=0.1),
        "momentum": lambda: state(optim.SGD, lr=0.1, momentum=0.9),
        "adam": lambda: state(optim.Adam),
        "adam, capturable": lambda: state(optim.Adam, capturable=True),
        "adam, fused": lambda: state(optim.Adam, fused=True),
        "adam, foreach": lambda: state(optim.Adam, foreach=True),
        "adamw": lambda: state(optim.AdamW),
        "adam, amsgrad": lambda: state(optim.Adam, amsgrad=True),
        "rmsprop": lambda: state(optim.RMSprop),
        "adagrad": lambda: state(optim.Adagrad),
        "adadelta": lambda: state(optim.Adadelta),
        "nadam": lambda: state(optim.NAdam),
        "radam": lambda: state(optim.RAdam),
        "rprop": lambda: state(optim.Rprop),
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
        "norm": lambda: nn.utils.clip_grad_norm_([p], 1.0),
        "two devices": lambda: nn.utils.clip_grad_norm_([p, q], 1.0),
        "value": lambda: nn.utils.clip_grad_value_([p, q], 1.0),
        "get_total_norm": lambda: nn.utils.get_total_norm([g(2), g1(2)]),
        "vector": lambda: nn.utils.parameters_to_vector([p]),
        "vector of two devices": lambda: nn.utils.parameters_to_vector([p, q]),
    }


def averaged_model():
    model = torch.optim.swa_utils.AveragedModel(nn.Linear(2, 2).cuda())
    model.update_parameters(nn.Linear(2, 2))
    return {"places": places(model), "count": model.n_averaged}


def a_whole_step():
    module = net().cuda()
    optimizer = torch.optim.AdamW(module.parameters())
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    loss = nn.CrossEntropyLoss()(module(g(4, 3)), torch.zeros(4, dtype=torch.long).cuda())
    loss.backward()
    optimizer.step()
    scheduler.step()
    return {"loss": loss, "gradient": module[0].weight.grad, "rate": scheduler.get_last_lr()}
