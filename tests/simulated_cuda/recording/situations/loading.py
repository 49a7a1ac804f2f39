"""DataLoader, pinned memory, DataParallel, collectives within one process."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from ._make import c, g, g1, leaf, net, places


def pinning():
    x = c(4).pin_memory()
    return {
        "is_pinned": lambda: x.is_pinned(),
        "device": x,
        "slice": lambda: x[1:].is_pinned(),
        "view": lambda: x.view(2, 2).is_pinned(),
        "clone": lambda: x.clone().is_pinned(),
        "pinned again is itself": lambda: x.pin_memory() is x,
        "moved": lambda: x.cuda(non_blocking=True),
        "cuda": lambda: g(1).pin_memory(),
        "cuda is_pinned": lambda: g(1).is_pinned(),
        "pin_memory('cuda')": lambda: c(1).pin_memory("cuda").is_pinned(),
        "is_pinned('cuda')": lambda: x.is_pinned("cuda"),
        "empty": lambda: torch.empty(1, pin_memory=True).is_pinned(),
        "tensor": lambda: torch.tensor([1.0], pin_memory=True).is_pinned(),
        "empty on cuda": lambda: torch.empty(1, device="cuda", pin_memory=True),
        "zeros_like": lambda: torch.zeros_like(x, pin_memory=True).is_pinned(),
        "storage": lambda: x.untyped_storage().is_pinned(),
        "sparse": lambda: torch.zeros(2, 2).to_sparse().pin_memory().is_pinned(),
        "parameter": lambda: nn.Parameter(c(1)).pin_memory().is_pinned(),
        "to cpu": lambda: g(2).to("cpu", non_blocking=True).is_pinned(),
    }


def data_loader():
    data = TensorDataset(c(4, 2), torch.zeros(4, dtype=torch.long))
    (x, y) = next(iter(DataLoader(data, batch_size=2)))
    (p, _) = next(iter(DataLoader(data, batch_size=2, pin_memory=True)))
    return {
        "batch": x,
        "pinned": lambda: p.is_pinned(),
        "model on cuda": lambda: nn.Linear(2, 2).cuda()(x),
        "target left": lambda: nn.functional.cross_entropy(g(2, 2), y),
        "moved": [x.cuda(), y.cuda()],
    }


def data_on_the_gpu():
    data = TensorDataset(g(4, 2))
    return {
        "batch": lambda: next(iter(DataLoader(data, batch_size=2)))[0],
        "pinned": lambda: next(iter(DataLoader(data, batch_size=2, pin_memory=True)))[0],
    }


def data_loader_generators():
    data = TensorDataset(c(4, 2))
    cuda = torch.Generator("cuda")
    return {
        "cuda generator": lambda: next(iter(DataLoader(data, shuffle=True, generator=cuda)))[0],
        "random_split": lambda: len(torch.utils.data.random_split(data, [2, 2], generator=cuda)),
    }


def data_loader_with_a_default_device():
    torch.set_default_device("cuda")
    data = TensorDataset(torch.zeros(4, 2))
    return {
        "batch": lambda: next(iter(DataLoader(data)))[0],
        "shuffled": lambda: next(iter(DataLoader(data, shuffle=True)))[0],
    }


def collate_of_mixed():
    return {
        "mixed": lambda: torch.utils.data.default_collate([g(1), c(1)]),
        "cuda": lambda: torch.utils.data.default_collate([g(1), g(1)]),
    }


def data_parallel():
    module = nn.Linear(3, 2)
    return {
        "cpu batch": lambda: nn.DataParallel(module.cuda())(c(4, 3)),
        "cuda batch": lambda: nn.DataParallel(module.cuda())(g(4, 3)),
        "one device": lambda: nn.DataParallel(module.cuda(), device_ids=[0])(c(4, 3)),
        "second device": lambda: nn.DataParallel(module.cuda(1), device_ids=[1])(c(4, 3)),
        "batch on cuda:1": lambda: nn.DataParallel(module.cuda(0))(g1(4, 3)),
        "module on the CPU": lambda: nn.DataParallel(module.cpu())(c(4, 3)),
        "module on cuda:1": lambda: nn.DataParallel(module.cuda(1))(c(4, 3)),
        "far": lambda: nn.DataParallel(module.cuda(0), device_ids=[0, 7]),
        "output device": lambda: nn.DataParallel(module.cuda(0), output_device=1)(c(4, 3)),
        "one row": lambda: nn.DataParallel(module.cuda(0))(c(1, 3)),
        "no rows": lambda: nn.DataParallel(module.cuda(0))(c(0, 3)),
    }


def data_parallel_attributes():
    module = nn.DataParallel(net().cuda())
    return {
        "device_ids": module.device_ids,
        "src_device_obj": module.src_device_obj,
        "names": lambda: list(module.state_dict())[:2],
        "places": lambda: places(module),
        "no attribute": lambda: module.weight,
    }


def data_parallel_training():
    module = nn.DataParallel(nn.Linear(3, 2).cuda())
    module(c(4, 3)).sum().backward()
    return {"gradient": module.module.weight.grad, "grad_fn": module(c(4, 3)).grad_fn.name()}


def data_parallel_attribute_left():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.mask = torch.zeros(3).cuda()
            self.linear = nn.Linear(3, 3)

        def forward(self, x):
            return self.linear(x) + self.mask

    return lambda: nn.DataParallel(Net().cuda())(g(4, 3))


def replicas():
    parts = nn.parallel.scatter(c(4, 2), [0, 1])
    replicas = nn.parallel.replicate(nn.Linear(2, 2).cuda(), [0, 1])
    return {
        "scatter": parts,
        "scatter of a mapping": lambda: nn.parallel.scatter({"x": g(2, 1), "n": 1}, [0, 1]),
        "gather": lambda: nn.parallel.gather(parts, 0),
        "gather to the CPU": lambda: nn.parallel.gather(parts, "cpu"),
        "replicas": [replica.weight for replica in replicas],
        "parallel_apply": lambda: nn.parallel.parallel_apply(replicas, parts, devices=[0, 1]),
    }


def collectives():
    from torch.cuda import comm

    return {
        "broadcast": lambda: comm.broadcast(g(2), [0, 1]),
        "broadcast of cpu": lambda: comm.broadcast(c(2), [0, 1]),
        "coalesced": lambda: comm.broadcast_coalesced([g(2)], [0, 1]),
        "scatter": lambda: comm.scatter(g(4), [0, 1]),
        "gather": lambda: comm.gather([g(2), g1(2)], destination=1),
        "reduce_add": lambda: comm.reduce_add([g(2), g1(2)]),
        "gather of cpu": lambda: comm.gather([c(2), g1(2)]),
    }


def model_parallel():
    first, second = nn.Linear(2, 2).cuda(0), nn.Linear(2, 2).cuda(1)
    x = leaf(1, 2)
    y = second(first(x).to("cuda:1"))
    y.sum().backward()
    return {
        "out": y,
        "first": first.weight.grad,
        "second": second.weight.grad,
        "forgotten": lambda: second(first(x)),
    }


def shared_between_processes():
    x, module = g(2), nn.Linear(1, 1).cuda()
    return {
        "share_memory_": lambda: x.share_memory_() is x,
        "is_shared": lambda: x.is_shared(),
        "module": lambda: module.share_memory() is module,
    }


def initialisation():
    module = nn.Linear(2, 2, device="cuda")
    return {
        "device=": module.weight,
        "kaiming": lambda: nn.init.kaiming_uniform_(module.weight),
        "constant": lambda: nn.init.constant_(module.bias, 0.0),
        "orthogonal": lambda: nn.init.orthogonal_(module.weight),
        "conv": lambda: nn.Conv2d(1, 1, 1, device="cuda:1").weight,
        "dtype": lambda: nn.Linear(1, 1, device="cuda", dtype=torch.half).weight,
        "far": lambda: nn.Linear(1, 1, device="cuda:7").weight,
        "skip_init": lambda: nn.utils.skip_init(nn.Linear, 1, 1, device="cuda").weight,
    }
