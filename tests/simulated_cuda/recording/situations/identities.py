"""What keeps its identity: parameters, buffers, copies, `.data`."""

import copy

import torch
from torch import nn

from ._make import c, g, g1, index, leaf, net, places


def module_identity():
    module = nn.BatchNorm1d(2)
    weight, mean = module.weight, module.running_mean
    returned = module.cuda()
    return {
        "returns itself": returned is module,
        "parameter is the same object": module.weight is weight,
        "buffer is the same object": module.running_mean is mean,
        "parameter is a Parameter": lambda: isinstance(weight, nn.Parameter),
        "type": lambda: type(weight),
        "is a leaf": weight.is_leaf,
        "old buffer": mean,
        "counter": module.num_batches_tracked,
    }


def module_identity_twice():
    module = nn.Linear(2, 2).cuda()
    weight, data = module.weight, module.weight.data_ptr()
    module.cuda()
    return {"same object": module.weight is weight, "same memory": weight.data_ptr() == data}


def tied_parameters():
    module = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    module[1].weight = module[0].weight
    module.cuda()
    return {
        "tied": module[0].weight is module[1].weight,
        "parameters": lambda: len(list(module.parameters())),
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
        "default": lambda: torch.__future__.get_swap_module_params_on_conversion(),
    }


def deepcopy():
    x = g(4)
    a, b = copy.deepcopy([x[:2], x[2:]])
    module = copy.deepcopy(net().cuda())
    return {
        "shares storage": lambda: a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr(),
        "offset": lambda: b.storage_offset(),
        "module": lambda: places(module),
        "sparse": lambda: copy.deepcopy(torch.zeros(2, 2).to_sparse().cuda()),
        "leaf": lambda: copy.deepcopy(leaf(1)),
        "result": lambda: copy.deepcopy(leaf(1) * 2),
        "copy": lambda: copy.copy(x),
        "parameter": lambda: copy.deepcopy(nn.Parameter(g(1))),
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
        "clone": lambda: g1(2).clone(),
        "index with cpu": lambda: g(3)[index(1, device="cpu")],
    }


def questions():
    x = g(2)
    return {
        "is_cuda": x.is_cuda,
        "cpu is_cuda": lambda: c(1).is_cuda,
        "is_cpu": x.is_cpu,
        "is_meta": x.is_meta,
        "is_sparse": x.is_sparse,
        "is_pinned": lambda: x.is_pinned(),
        "is_shared": lambda: x.is_shared(),
        "is_contiguous": lambda: x.is_contiguous(),
        "device == 'cuda'": x.device == "cuda",
        "device == device": lambda: x.device == torch.device("cuda", 0),
        "dim_order": lambda: x.dim_order(),
        "is_same_size": lambda: x.is_same_size(c(2)),
        "element_size": lambda: x.element_size(),
        "_backward_hooks": x._backward_hooks,
        "parse_to": lambda: str(torch._C._nn._parse_to(x)[0]),
        "layout": x.layout,
    }
