"""Moves between devices, and what keeps its identity."""

import copy

import torch
from torch import nn

from ._make import c, g, g1, index, leaf, net, places


def ways_to_move():
    x = c(2)
    return {
        "cuda()": x.cuda(),
        "cuda(1)": x.cuda(1),
        "cuda(device)": x.cuda(torch.device("cuda", 1)),
        "cuda(None)": x.cuda(None),
        "to(name)": x.to("cuda"),
        "to(number)": x.to(1),
        "to(device)": x.to(torch.device("cuda:1")),
        "to(device, dtype)": x.to("cuda", torch.half),
        "to(tensor)": x.to(g1(1).half()),
        "to(dtype) stays": g(1).to(torch.double),
        "non_blocking": x.cuda(non_blocking=True),
        "cpu()": g(2).cpu(),
        "memory_format": c(1, 2, 3, 3).to("cuda", memory_format=torch.channels_last).stride(),
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
        "cuda() is itself": x.cuda() is x,
        "to(cuda) is itself": x.to("cuda") is x,
        "to(cuda:0) is itself": x.to("cuda:0") is x,
        "to(copy=True)": x.to("cuda", copy=True) is x,
        "cpu() is itself": y.cpu() is y,
        "cpu() of cuda": x.cpu() is x,
        "to(dtype) is itself": x.to(torch.float32) is x,
        "contiguous() is itself": x.contiguous() is x,
        "detach() is another": x.detach() is x,
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
        "after": torch.cuda.current_device(),
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
        "zeros_like": torch.zeros_like(x),
        "new_zeros": x.new_zeros(3),
        "new_tensor": x.new_tensor([1.0]),
        "new_full": x.new_full((1,), 2),
        "randn_like on the CPU": torch.randn_like(x, device="cpu"),
        "arange": torch.arange(3, device="cuda"),
        "eye": torch.eye(2, device="cuda"),
        "full": torch.full((2,), 1, device="cuda"),
        "tensor": torch.tensor([1], device="cuda"),
        "as_tensor": torch.as_tensor([1.0], device="cuda"),
        "empty_strided": torch.empty_strided((2, 2), (1, 2), device="cuda"),
        "randint": torch.randint(3, (2,), device="cuda"),
        "linspace": torch.linspace(0, 1, 3, device="cuda"),
        "range": torch.range(0, 2, device="cuda"),
        "tril_indices": torch.tril_indices(2, 2, device="cuda"),
        "hann_window": torch.hann_window(4, device="cuda"),
        "randperm": torch.randperm(4, device="cuda"),
        "complex": torch.complex(g(1), g(1)),
    }


def autograd_of_moves():
    x = torch.zeros(2, requires_grad=True)
    y = x.cuda()
    y.sum().backward()
    return {
        "moved is a leaf": y.is_leaf,
        "grad_fn": y.grad_fn.name(),
        "gradient": x.grad,
        "moved gradient": y.is_leaf or y.retains_grad,
        "leaf on cuda": leaf(1).is_leaf,
        "detached": y.detach(),
    }


def there_and_back():
    x = leaf(2, device="cpu")
    (x.cuda().to("cuda:1").cpu() * 2).sum().backward()
    return x.grad


def module_identity():
    module = nn.BatchNorm1d(2)
    weight, mean = module.weight, module.running_mean
    returned = module.cuda()
    return {
        "returns itself": returned is module,
        "parameter is the same object": module.weight is weight,
        "buffer is the same object": module.running_mean is mean,
        "parameter is a Parameter": isinstance(weight, nn.Parameter),
        "type": type(weight),
        "is a leaf": weight.is_leaf,
        "old buffer": mean,
        "counter": module.num_batches_tracked,
    }


def module_identity_twice():
    module = nn.Linear(2, 2).cuda()
    weight, data = module.weight, module.weight.data_ptr()
    module.cuda()
    return {"same object": module.weight is weight, "same memory": weight.data_ptr() == data}


def modules_to():
    return {
        "to(cuda:1)": places(net().to("cuda:1")),
        "to(dtype)": net().to("cuda", torch.half)[0].weight,
        "counter keeps its dtype": net().half().cuda()[1].num_batches_tracked,
        "to(tensor)": places(net().to(g1(1))),
        "cpu()": places(net().cuda().cpu()),
        "half()": net().cuda().half()[0].weight,
        "to_empty": places(net().to_empty(device="cuda")),
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


def tied_parameters():
    module = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    module[1].weight = module[0].weight
    module.cuda()
    return {
        "tied": module[0].weight is module[1].weight,
        "parameters": len(list(module.parameters())),
    }


def gradients_move_along():
    module = nn.Linear(2, 1)
    module(c(1, 2)).sum().backward()
    grad = module.weight.grad
    module.cuda()
    return {"gradient": module.weight.grad, "same object": module.weight.grad is grad}


def plain_attributes_stay():
    module = net()
    module.mask = c(2)
    module.others = [nn.Linear(1, 1)]
    module.cuda()
    return {"tensor": module.mask, "module in a list": module.others[0].weight}


def non_persistent_buffers():
    module = nn.Module()
    module.register_buffer("mask", c(2), persistent=False)
    return {"moves": module.cuda().mask, "saved": list(module.state_dict())}


def swapping_parameters():
    torch.__future__.set_swap_module_params_on_conversion(True)
    module = nn.Linear(1, 1)
    weight = module.weight
    module.cuda()
    return {"same object": module.weight is weight, "on": weight}


def overwriting_parameters():
    torch.__future__.set_overwrite_module_params_on_conversion(True)
    module, stays = nn.Linear(1, 1), nn.Linear(1, 1)
    weight, other = module.weight, stays.weight
    module.cuda()
    stays.cpu()
    return {
        "same object": module.weight is weight,
        "old": weight,
        "on the CPU": stays.weight is other,
        "default": torch.__future__.get_swap_module_params_on_conversion(),
    }


def deepcopy():
    x = g(4)
    a, b = copy.deepcopy([x[:2], x[2:]])
    module = copy.deepcopy(net().cuda())
    return {
        "shares storage": a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr(),
        "offset": b.storage_offset(),
        "module": places(module),
        "sparse": copy.deepcopy(torch.zeros(2, 2).to_sparse().cuda()),
        "leaf": copy.deepcopy(leaf(1)),
        "result": lambda: copy.deepcopy(leaf(1) * 2),
        "copy": copy.copy(x),
        "parameter": copy.deepcopy(nn.Parameter(g(1))),
    }


def data():
    p, q = nn.Parameter(c(2)), leaf(2, device="cpu")
    q.sum().backward()
    p.data = p.data.cuda()
    q.data = q.data.cuda()
    x = g(2)
    return {
        "parameter": p,
        "gradient": q.grad,
        "of cuda to cpu": lambda: setattr(x, "data", c(2)),
        "then": x,
        "other dtype": lambda: setattr(g(2), "data", g(2).half()),
        "other type": lambda: setattr(g(2), "data", torch.eye(2).to_sparse()),
        "detach_": lambda: (leaf(1) * 2).detach_(),
        "set_": lambda: g(2).set_(c(2)),
        "set_ to cuda:1": lambda: g(2).set_(g1(2)),
    }


def gradients_assigned():
    def assign(grad):
        p = nn.Parameter(g(2))
        p.grad = grad
        return p.grad

    return {
        "cpu": lambda: assign(c(2)),
        "cuda:1": lambda: assign(g1(2)),
        "shape": lambda: assign(g(3)),
        "dtype": lambda: assign(g(2).half()),
        "right": lambda: assign(g(2)),
        "not a tensor": lambda: assign(1),
    }


def copies():
    return {
        "copy_ from the CPU": lambda: g(2).copy_(c(2)),
        "copy_ to the CPU": lambda: c(2).copy_(g(2)),
        "copy_ between GPUs": lambda: g(2).copy_(g1(2)),
        "copy_ of a wrong shape": lambda: g(2).copy_(c(3)),
        "_foreach_copy_": lambda: torch._foreach_copy_([g(2)], [c(2)]),
        "clone": g1(2).clone(),
        "index with cpu": lambda: g(3)[index(1, device="cpu")],
    }


def questions():
    x = g(2)
    return {
        "is_cuda": x.is_cuda,
        "cpu is_cuda": c(1).is_cuda,
        "is_cpu": x.is_cpu,
        "is_meta": x.is_meta,
        "is_sparse": x.is_sparse,
        "is_pinned": x.is_pinned(),
        "is_shared": x.is_shared(),
        "is_contiguous": x.is_contiguous(),
        "device == 'cuda'": x.device == "cuda",
        "device == device": x.device == torch.device("cuda", 0),
        "dim_order": x.dim_order(),
        "is_same_size": x.is_same_size(c(2)),
        "element_size": x.element_size(),
        "_backward_hooks": x._backward_hooks,
        "parse_to": lambda: str(torch._C._nn._parse_to(x)[0]),
        "layout": x.layout,
    }
