"""Moves between devices, and where new tensors are made."""

import torch
from torch import nn

from ._make import c, g, g1, leaf, net, places


def ways_to_move():
    x = c(2)
    return {
        "cuda()": lambda: x.cuda(),
        "cuda(1)": lambda: x.cuda(1),
        "cuda(device)": lambda: x.cuda(torch.device("cuda", 1)),
        "cuda(None)": lambda: x.cuda(None),
        "to(name)": lambda: x.to("cuda"),
        "to(number)": lambda: x.to(1),
        "to(device)": lambda: x.to(torch.device("cuda:1")),
        "to(device, dtype)": lambda: x.to("cuda", torch.half),
        "to(tensor)": lambda: x.to(g1(1).half()),
        "to(dtype) stays": lambda: g(1).to(torch.double),
        "non_blocking": lambda: x.cuda(non_blocking=True),
        "cpu()": lambda: g(2).cpu(),
        "memory_format": lambda: (
            c(1, 2, 3, 3).to("cuda", memory_format=torch.channels_last).stride()
        ),
    }


def cuda_to_the_cpu():
    return {
        "name": lambda: c(2).cuda("cpu"),
        "device": lambda: c(2).cuda(torch.device("cpu")),
        "module": lambda: places(net().cuda("cpu")),
        "from cuda": lambda: g(2).cuda("cpu"),
    }


def where_nothing_is_to_move():
    x, y = g(2), c(2)
    return {
        "cuda() is itself": lambda: x.cuda() is x,
        "to(cuda) is itself": lambda: x.to("cuda") is x,
        "to(cuda:0) is itself": lambda: x.to("cuda:0") is x,
        "to(copy=True)": lambda: x.to("cuda", copy=True) is x,
        "cpu() is itself": lambda: y.cpu() is y,
        "cpu() of cuda": lambda: x.cpu() is x,
        "to(dtype) is itself": lambda: x.to(torch.float32) is x,
        "contiguous() is itself": lambda: x.contiguous() is x,
        "detach() is another": lambda: x.detach() is x,
    }


def current_device():
    with torch.cuda.device(1):
        made, moved, back = g(1), c(1).cuda(), g1(1).to("cuda")
        inside = torch.cuda.current_device()
    return {
        "made": made,
        "moved": moved,
        "to('cuda') of cuda:1": back,
        "inside": inside,
        "after": lambda: torch.cuda.current_device(),
    }


def current_device_and_other_tensor():
    x = g(1)
    with torch.cuda.device(1):
        return {"cuda() moves": x.cuda(), "to('cuda') moves": x.to("cuda"), "like": x.new_zeros(1)}


def device_of():
    with torch.cuda.device_of(g1(1)):
        return {"made": g(1), "cpu does nothing": torch.cuda.device_of(c(1)).idx}


def set_device():
    torch.cuda.set_device(1)
    return {"made": g(1), "current": torch.cuda.current_device()}


def constructors():
    x = g1(2)
    return {
        "zeros_like": lambda: torch.zeros_like(x),
        "new_zeros": lambda: x.new_zeros(3),
        "new_tensor": lambda: x.new_tensor([1.0]),
        "new_full": lambda: x.new_full((1,), 2),
        "randn_like on the CPU": lambda: torch.randn_like(x, device="cpu"),
        "arange": lambda: torch.arange(3, device="cuda"),
        "eye": lambda: torch.eye(2, device="cuda"),
        "full": lambda: torch.full((2,), 1, device="cuda"),
        "tensor": lambda: torch.tensor([1], device="cuda"),
        "as_tensor": lambda: torch.as_tensor([1.0], device="cuda"),
        "empty_strided": lambda: torch.empty_strided((2, 2), (1, 2), device="cuda"),
        "randint": lambda: torch.randint(3, (2,), device="cuda"),
        "linspace": lambda: torch.linspace(0, 1, 3, device="cuda"),
        "range": lambda: torch.range(0, 2, device="cuda"),
        "tril_indices": lambda: torch.tril_indices(2, 2, device="cuda"),
        "hann_window": lambda: torch.hann_window(4, device="cuda"),
        "randperm": lambda: torch.randperm(4, device="cuda"),
        "complex": lambda: torch.complex(g(1), g(1)),
    }


def autograd_of_moves():
    x = torch.zeros(2, requires_grad=True)
    y = x.cuda()
    y.sum().backward()
    return {
        "moved is a leaf": y.is_leaf,
        "grad_fn": lambda: y.grad_fn.name(),
        "gradient": x.grad,
        "moved gradient": y.is_leaf or y.retains_grad,
        "leaf on cuda": lambda: leaf(1).is_leaf,
        "detached": lambda: y.detach(),
    }


def there_and_back():
    x = leaf(2, device="cpu")
    (x.cuda().to("cuda:1").cpu() * 2).sum().backward()
    return x.grad


def modules_to():
    return {
        "to(cuda:1)": lambda: places(net().to("cuda:1")),
        "to(dtype)": lambda: net().to("cuda", torch.half)[0].weight,
        "counter keeps its dtype": lambda: net().half().cuda()[1].num_batches_tracked,
        "to(tensor)": lambda: places(net().to(g1(1))),
        "cpu()": lambda: places(net().cuda().cpu()),
        "half()": lambda: net().cuda().half()[0].weight,
        "to_empty": lambda: places(net().to_empty(device="cuda")),
        "channels_last": nn.Conv2d(2, 2, 3)
        .to("cuda", memory_format=torch.channels_last)
        .weight.stride(),
    }


def modules_to_wrong():
    return {
        "int": lambda: net().to("cuda", torch.long),
        "far": lambda: places(net().cuda(7)),
        "half moved": lambda: places(net().to("cuda:7")),
    }
