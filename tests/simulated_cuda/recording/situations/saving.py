"""Saving, loading, and state dicts."""

import copyreg
import io
import pickle
from collections import OrderedDict

import torch
from torch import nn

from ._make import c, g, g1, leaf, net, places, reload


def tensors():
    return {
        "cuda": lambda: reload(g(2)),
        "cuda:1": lambda: reload(g1(2)),
        "to cpu": lambda: reload(g(2), map_location="cpu"),
        "device": lambda: reload(g(2), map_location=torch.device("cuda", 1)),
        "cpu to cuda": lambda: reload(c(2), map_location="cuda"),
        "mapping": lambda: reload(g(2), map_location={"cuda:0": "cuda:1"}),
        "function": lambda: reload(g(2), map_location=lambda storage, location: storage),
        "function that moves": lambda: reload(g(2), map_location=lambda s, where: s.cuda(1)),
        "leaf": lambda: reload(leaf(2)),
        "half": lambda: reload(g(2).half()),
        "view": lambda: reload(g(4)[1:3]).untyped_storage().nbytes(),
        "meta": lambda: reload(g(2), map_location="meta"),
    }


def parameters():
    return {
        "parameter": lambda: reload(nn.Parameter(g(2))),
        "buffer": lambda: reload(nn.Buffer(g(2))),
        "sparse": lambda: reload(torch.zeros(2, 2).to_sparse().cuda()),
        "device": lambda: str(reload(torch.device("cuda:1"))),
        "size": lambda: list(reload(g(2, 3).shape)),
        "dtype": lambda: reload(torch.half),
    }


def location_is_a_string():
    seen = []
    reload([g(1), g1(1), c(1)], map_location=lambda storage, where: seen.append(where))
    return seen


def far_locations():
    return {
        "cuda:7": lambda: reload(g(1), map_location="cuda:7"),
        "mapping": lambda: reload(g(1), map_location={"cuda:0": "cuda:7"}),
        "unknown": lambda: reload(g(1), map_location="gpu"),
    }


def saved_on_a_third_gpu():
    x = io.BytesIO()
    torch.save(c(1), x)
    tag = torch.serialization.location_tag(g1(1).untyped_storage())
    return {
        "tag": tag,
        "restore": lambda: torch.serialization.default_restore_location(
            c(1).untyped_storage(), "cuda:5"
        ),
    }


def shared_storage():
    x = g(4)
    a, b = reload([x[:2], x[2:]])
    return {
        "shared": lambda: a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr(),
        "offset": lambda: b.storage_offset(),
    }


def weights_only():
    return {
        "module": lambda: places(reload(net().cuda(), weights_only=True)),
        "module, trusted": lambda: places(reload(net().cuda(), weights_only=False)),
        "state dict": lambda: type(reload(net().cuda().state_dict(), weights_only=True)),
        "tensor": lambda: reload(g(1), weights_only=True),
    }


def state_dicts():
    module = net().cuda()
    saved = module.state_dict()
    return {
        "type": lambda: type(saved) is OrderedDict,
        "parameter": saved["0.weight"],
        "shares memory": lambda: saved["0.weight"].data_ptr() == module[0].weight.data_ptr(),
        "keep_vars": lambda: type(module.state_dict(keep_vars=True)["0.weight"]),
        "reloaded": lambda: reload(saved)["1.num_batches_tracked"],
        "names": lambda: list(saved),
    }


def loading_state_dicts():
    gpu, cpu = net().cuda(), net()
    weight = gpu[0].weight
    return {
        "cpu into cuda": lambda: str(gpu.load_state_dict(cpu.state_dict())),
        "stays": lambda: places(gpu),
        "same object": lambda: gpu[0].weight is weight,
        "cuda into cpu": lambda: str(cpu.load_state_dict(gpu.state_dict())),
        "stays on the CPU": lambda: places(cpu),
        "missing": lambda: gpu.load_state_dict({}),
        "wrong shape": lambda: nn.Linear(2, 3).cuda().load_state_dict(nn.Linear(3, 3).state_dict()),
    }


def loading_with_assign():
    module, on_cpu = nn.Linear(2, 2), nn.Linear(2, 2)
    weight, other = module.weight, on_cpu.weight
    module.load_state_dict(nn.Linear(2, 2).cuda().state_dict(), assign=True)
    on_cpu.load_state_dict(nn.Linear(2, 2).state_dict(), assign=True)
    return {
        "places": lambda: places(module),
        "same object": module.weight is weight,
        "on the CPU": on_cpu.weight is other,
        "is a Parameter": lambda: isinstance(module.weight, nn.Parameter),
    }


def loading_into_meta():
    module = nn.Linear(2, 2, device="meta")
    module.load_state_dict(nn.Linear(2, 2).cuda().state_dict(), assign=True)
    return places(module)


def loading_into_a_default_device():
    with torch.device("cuda"):
        return {"tensor": reload(c(2)), "module": lambda: places(nn.Linear(1, 1))}


def pickled():
    x = pickle.loads(pickle.dumps(g1(2)))
    return {
        "tensor": x,
        "parameter": lambda: pickle.loads(pickle.dumps(nn.Parameter(g(2)))),
        "module": lambda: places(pickle.loads(pickle.dumps(net().cuda()))),
        "reduce": lambda: g(1).__reduce_ex__(2)[0].__name__,
        "registered": torch.Tensor in copyreg.dispatch_table,
        "result": lambda: type(pickle.dumps(leaf(1) * 2)),
    }


def legacy_format():
    file = io.BytesIO()
    torch.save(g(2), file, _use_new_zipfile_serialization=False)
    file.seek(0)
    here = torch.load(file)
    file.seek(0)
    return {"tensor": here, "mapped": torch.load(file, map_location="cpu")}


def optimizers():
    module = nn.Linear(2, 1).cuda()
    optimizer = torch.optim.Adam(module.parameters())
    module(g(1, 2)).sum().backward()
    optimizer.step()
    saved = reload(optimizer.state_dict(), map_location="cpu")
    optimizer.load_state_dict(saved)
    return {"saved": saved["state"][0], "loaded": optimizer.state[module.weight]}


def skipped_data():
    with torch.serialization.skip_data():
        file = io.BytesIO()
        torch.save(g(2), file)
    return "saved"


def fake_default():
    torch.set_default_device("cuda")
    x = io.BytesIO()
    torch.save(torch.zeros(1), x)
    x.seek(0)
    return {"made": torch.zeros(1), "loaded": torch.load(x), "cpu": torch.zeros(1, device="cpu")}
