"""Modules that PyTorch's list lacks, or whose parts are elsewhere; `mixing` has the others."""

import torch
from torch import nn

from ._make import c, g


def embedding_bag():
    module = nn.EmbeddingBag(3, 2)
    return {
        "module on cuda": lambda: module.cuda()(torch.tensor([[1, 2]])),
        "input on cuda": lambda: module.cpu()(torch.tensor([[1, 2]]).cuda()),
    }


def batch_norm_without_cudnn():
    torch.backends.cudnn.enabled = False
    module = nn.BatchNorm2d(3).cuda()
    return {
        "module on cuda": lambda: module(c(2, 3, 4, 4)),
        "both on cuda": lambda: module(g(2, 3, 4, 4)),
    }


def batch_norm_buffer_left():
    module = nn.BatchNorm2d(3).cuda()
    module.running_mean = module.running_mean.cpu()
    return {"training": lambda: module(g(2, 3, 4, 4)), "eval": lambda: module.eval()(g(2, 3, 4, 4))}


def lazy():
    module = nn.LazyLinear(2).cuda()
    other = nn.LazyBatchNorm1d()
    return {
        "before": lambda: str(module.weight.device),
        "forward": lambda: module(g(1, 3)),
        "after": lambda: module.weight,
        "cpu module, cuda input": lambda: nn.LazyLinear(2)(g(1, 3)),
        "cuda module, cpu input": lambda: nn.LazyLinear(2).cuda()(c(1, 3)),
        "buffers": lambda: (other.cuda()(g(2, 3)), other.running_mean)[1],
        "repr": lambda: repr(nn.LazyLinear(2).cuda().weight),
    }


def hooks():
    module, seen = nn.Linear(2, 2).cuda(), []
    module.register_forward_pre_hook(lambda m, args: seen.append(str(args[0].device)))
    module.register_forward_hook(lambda m, args, out: seen.append(str(out.device)))
    module.register_full_backward_hook(lambda m, into, out: seen.append(str(out[0].device)))
    module(g(1, 2).requires_grad_()).sum().backward()
    moving = nn.Linear(2, 2).cuda()
    moving.register_forward_pre_hook(lambda m, args: (args[0].cuda(),))
    return {"devices": seen, "a hook that moves": moving(c(1, 2))}


def weight_norm_and_spectral_norm():
    return {
        "weight norm": lambda: nn.utils.parametrizations.weight_norm(nn.Linear(2, 2)).cuda()(
            c(1, 2)
        ),
        "moved": lambda: nn.utils.parametrizations.weight_norm(nn.Linear(2, 2)).cuda()(g(1, 2)),
        "spectral norm": lambda: nn.utils.parametrizations.spectral_norm(nn.Linear(2, 2)).cuda()(
            g(1, 2)
        ),
    }
