"""Modules whose input, weights or states were left on another device."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

from ._make import c, g, g1, index, net


def _each(module, given, make=None):
    """The module on cuda with the input on the CPU, the reverse, and on two GPUs."""
    return {
        "module on cuda": lambda: module.cuda()(given),
        "input on cuda": lambda: module.cpu()(given.cuda()),
        "two GPUs": lambda: module.cuda(1)(given.cuda()),
        "both on cuda": lambda: module.cuda()(given.cuda()),
    }


def linear():
    return _each(nn.Linear(3, 2), c(1, 3))


def linear_of_a_vector():
    return _each(nn.Linear(3, 2), c(3))


def linear_of_three_dimensions():
    return _each(nn.Linear(3, 2), c(2, 2, 3))


def linear_without_bias():
    return _each(nn.Linear(3, 2, bias=False), c(1, 3))


def linear_of_another_dtype():
    return lambda: nn.Linear(3, 2).cuda()(g(1, 3).half())


def linear_of_a_wrong_shape():
    return lambda: nn.Linear(3, 2).cuda()(g(1, 4))


def bilinear():
    module = nn.Bilinear(2, 2, 2)
    return {
        "module on cuda": lambda: module.cuda()(c(1, 2), c(1, 2)),
        "one input": lambda: module.cuda()(g(1, 2), c(1, 2)),
        "input on cuda": lambda: module.cpu()(g(1, 2), g(1, 2)),
    }


def embedding():
    return _each(nn.Embedding(3, 2), torch.tensor([1]))


def embedding_bag():
    return _each(nn.EmbeddingBag(3, 2), torch.tensor([[1, 2]]))


def conv1d():
    return _each(nn.Conv1d(1, 1, 1), c(1, 1, 3))


def conv2d_one_image():
    return _each(nn.Conv2d(3, 4, 3), c(1, 3, 8, 8))


def conv2d_batch():
    return _each(nn.Conv2d(3, 4, 3), c(8, 3, 32, 32))


def conv2d_large_kernel():
    return _each(nn.Conv2d(3, 4, 5), c(2, 3, 16, 16))


def conv2d_without_bias():
    return _each(nn.Conv2d(3, 4, 3, bias=False), c(8, 3, 16, 16))


def conv2d_of_another_dtype():
    return lambda: nn.Conv2d(1, 1, 1).cuda()(g(1, 1, 2, 2).half())


def conv2d_bias():
    return {
        "bias on the CPU": lambda: F.conv2d(g(8, 3, 8, 8), g(4, 3, 3, 3), c(4)),
        "bias on cuda:1": lambda: F.conv2d(g(8, 3, 8, 8), g(4, 3, 3, 3), g1(4)),
        "weight on cuda:1": lambda: F.conv2d(g(8, 3, 8, 8), g1(4, 3, 3, 3)),
        "all but the bias on the CPU": lambda: F.conv2d(c(8, 3, 8, 8), c(4, 3, 3, 3), g(4)),
    }


def conv3d():
    return _each(nn.Conv3d(1, 1, 1), c(1, 1, 2, 2, 2))


def conv_transpose2d():
    return _each(nn.ConvTranspose2d(3, 4, 3), c(1, 3, 8, 8))


def conv_transpose2d_batch():
    return _each(nn.ConvTranspose2d(3, 4, 3), c(8, 3, 16, 16))


def conv_transpose3d():
    return _each(nn.ConvTranspose3d(1, 1, 1), c(1, 1, 2, 2, 2))


def batch_norm_of_features():
    return _each(nn.BatchNorm1d(3), c(2, 3))


def batch_norm_of_sequences():
    return _each(nn.BatchNorm1d(3), c(2, 3, 4))


def batch_norm2d():
    return _each(nn.BatchNorm2d(3), c(2, 3, 4, 4))


def batch_norm2d_eval():
    return _each(nn.BatchNorm2d(3).eval(), c(2, 3, 4, 4))


def batch_norm2d_without_affine():
    return _each(nn.BatchNorm2d(3, affine=False), c(2, 3, 4, 4))


def batch_norm_without_cudnn():
    torch.backends.cudnn.enabled = False
    return _each(nn.BatchNorm2d(3), c(2, 3, 4, 4))


def batch_norm_buffer_left():
    module = nn.BatchNorm2d(3).cuda()
    module.running_mean = module.running_mean.cpu()
    return {"training": lambda: module(g(2, 3, 4, 4)), "eval": lambda: module.eval()(g(2, 3, 4, 4))}


def batch_norm_of_one_row():
    return lambda: nn.BatchNorm1d(3).cuda()(g(1, 3))


def instance_norm():
    return _each(nn.InstanceNorm1d(3, track_running_stats=True), c(2, 3, 4))


def layer_norm():
    return _each(nn.LayerNorm(3), c(1, 3))


def group_norm():
    return _each(nn.GroupNorm(1, 3), c(1, 3))


def rms_norm():
    return _each(nn.RMSNorm(3), c(1, 3))


def prelu():
    return _each(nn.PReLU(), c(1, 3))


def without_state():
    return {
        "relu": lambda: nn.ReLU().cuda()(c(2)),
        "dropout": lambda: nn.Dropout().cuda()(g(2)),
        "softmax": lambda: nn.Softmax(0)(g(2)),
        "flatten": lambda: nn.Flatten()(g1(2, 3)),
        "max pool": lambda: nn.MaxPool2d(2)(g(1, 1, 4, 4)),
        "adaptive pool": lambda: nn.AdaptiveAvgPool2d(1)(g(1, 1, 4, 4)),
    }


def sequential():
    module = net()
    module[0].cuda()
    return {
        "half moved": lambda: module(g(2, 3)),
        "all moved": lambda: module.cuda()(g(2, 3)),
        "back": lambda: module.cpu()(c(2, 3)),
    }


def a_layer_in_a_list():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = [nn.Linear(2, 2)]

        def forward(self, x):
            return self.layers[0](x)

    return lambda: Net().cuda()(g(1, 2))


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


def one_hot_and_positions():
    class Net(nn.Module):
        def forward(self, x):
            return x + torch.arange(x.shape[0])

    return {"arange without device": lambda: Net()(g(3)), "index": g(3)[index(0)]}
