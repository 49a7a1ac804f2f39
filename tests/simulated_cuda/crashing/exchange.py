"""Tensors that are copied, pickled, exported, scripted and handed to other libraries."""

import copy
import gc
import io
import pickle
import warnings

import torch
from torch import multiprocessing as torch_processes

from grader.simulated_cuda import simulated_cuda

from ._make import ignoring, raises, situation


@situation
def copies_pickles_and_queues() -> None:
    with simulated_cuda():
        x = torch.nn.Parameter(torch.ones(3, device="cuda"))
        assert copy.deepcopy(x).is_cuda
        assert pickle.loads(pickle.dumps(x.detach())).is_cuda
        assert copy.deepcopy(torch.nn.Linear(2, 2).cuda()).weight.is_cuda
        ignoring(lambda: pickle.loads(pickle.dumps(x.untyped_storage())))  # nor on the CPU
        ignoring(lambda: pickle.dumps(torch.cuda.Stream()))
        ignoring(lambda: pickle.dumps(torch.Generator("cuda")))
        ignoring(lambda: torch_processes.reductions.reduce_tensor(x.detach()))
        ignoring(lambda: torch_processes.reductions.reduce_storage(x.untyped_storage()))
        ignoring(lambda: x.detach().share_memory_())
        context = torch_processes.get_context("fork")
        queue = context.SimpleQueue()
        ignoring(lambda: queue.put(x.detach()))
        saved = io.BytesIO()
    torch.save(torch.ones(2), saved)


@situation
def exported_and_scripted() -> None:
    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(3, 3)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.layer(x).relu()

    with simulated_cuda():
        net, x = Net().cuda().eval(), torch.ones(2, 3, device="cuda")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for make in (lambda: torch.jit.trace(net, x), lambda: torch.jit.script(net)):
                made = make()
                for _ in range(4):
                    assert made(x).is_cuda
                made(x.requires_grad_()).sum().backward()
                ignoring(lambda made=made: made(torch.ones(2, 3)))
                buffer = io.BytesIO()
                torch.jit.save(made, buffer)
                assert torch.jit.load(io.BytesIO(buffer.getvalue()))(x).is_cuda
                assert not torch.jit.load(io.BytesIO(buffer.getvalue()), "cpu")(x.cpu()).is_cuda
                torch.jit.freeze(torch.jit.script(net))(x)
            ignoring(lambda: torch.export.export(net, (x.detach(),)).module()(x))
            torch.fx.symbolic_trace(net)(x)
            ignoring(lambda: torch.fx.experimental.proxy_tensor.make_fx(net)(x))
        from torch._subclasses import FakeTensorMode

        with FakeTensorMode(allow_non_fake_inputs=True):
            fake = torch.empty(3, device="cuda")
            ignoring(lambda: fake + x.sum())
            ignoring(lambda: net(torch.empty(2, 3, device="cuda")))


@situation
def exchanged_by_dlpack() -> None:
    with simulated_cuda():
        for x in (
            torch.arange(6.0, device="cuda:1"),
            torch.ones(0, device="cuda"),
            torch.ones(2, 3).cuda().t(),
        ):
            torch.cuda.set_device(x.device)
            back = torch.from_dlpack(x)
            assert back.device == x.device
            assert torch.equal(back, x)
            again = torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(x))
            again.add_(1)
            assert torch.equal(again, x)
            ignoring(lambda again=again: again.resize_(100).fill_(1))
            del x
            ignoring(lambda again=again: again + again)
        ignoring(lambda: torch.from_dlpack(torch.ones(3, device="cuda", requires_grad=True)))
        capsule = torch.utils.dlpack.to_dlpack(torch.ones(3, device="cuda"))
    with raises(Exception):
        torch.utils.dlpack.from_dlpack(capsule) + 1
    del capsule
    gc.collect()
