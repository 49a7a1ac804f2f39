"""Situations in which a device written in C++ could end the process: crash_situations.py [NAME ...]

Each runs in a forked child of a process in which the device was never on, so that none sees what
another did. Prints one JSON line for each: its name, its exit status and its error.
"""

from __future__ import annotations

import copy
import gc
import io
import json
import os
import pickle
import signal
import sys
import tempfile
import threading
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import multiprocessing as torch_processes
from torch.autograd import forward_ad
from torch.utils.data import DataLoader, TensorDataset

sys.path.insert(0, str(Path(__file__).parents[2]))

from grader.simulated_cuda import adopt_fork, disable, enable, implementation, simulated_cuda

SECONDS = 60
SITUATIONS: dict[str, Callable[[], None]] = {}


def situation(function: Callable[[], None]) -> Callable[[], None]:
    SITUATIONS[function.__name__] = function
    return function


def raises(*kinds: type[BaseException]) -> Any:
    import pytest

    return pytest.raises(kinds)


@situation
def forward_mode() -> None:
    with simulated_cuda(), forward_ad.dual_level():
        x = forward_ad.make_dual(torch.ones(3).cuda(), torch.ones(3).cuda())
        y = forward_ad.unpack_dual((x.sin() * x).sum())
        assert y.tangent.is_cuda
        with raises(RuntimeError):
            forward_ad.make_dual(torch.ones(3).cuda(), torch.ones(4).cuda())


@situation
def function_transforms() -> None:
    with simulated_cuda():
        x, weight = torch.randn(4, 3).cuda(), torch.randn(3, 3).cuda()
        loss = lambda w, row: (row @ w).tanh().sum()  # noqa: E731
        each = torch.func.vmap(torch.func.grad(loss), (None, 0))(weight, x)
        assert each.shape == (4, 3, 3)
        torch.func.jvp(lambda t: t.exp(), (x,), (torch.ones_like(x),))
        torch.func.hessian(lambda t: (t**3).sum())(x[0])
        torch.func.vmap(torch.randn_like, randomness="different")(x)
        with raises(RuntimeError):
            torch.func.vmap(lambda t: t + torch.ones(5))(x)


@situation
def hooks_that_raise() -> None:
    def fail(*_: Any) -> None:
        raise ZeroDivisionError

    with simulated_cuda():
        for make in (lambda t: t.register_hook(fail), lambda t: t.grad_fn.register_hook(fail)):
            x = torch.ones(3, device="cuda", requires_grad=True)
            y = x * 2
            make(y)
            with raises(ZeroDivisionError):
                y.sum().backward()
        x = torch.ones(3, device="cuda", requires_grad=True)
        x.register_post_accumulate_grad_hook(fail)
        with raises(ZeroDivisionError):
            x.sum().backward()


class _Failing(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        raise ZeroDivisionError


@situation
def backward_that_raises() -> None:
    with simulated_cuda():
        x = torch.ones(3, device="cuda", requires_grad=True)
        with raises(ZeroDivisionError):
            (_Failing.apply(x * 2) + x).sum().backward()
        (x * 2).sum().backward()


@situation
def backward_in_threads() -> None:
    errors = []

    def work(index: int) -> None:
        try:
            torch.cuda.set_device(index % 2)
            for _ in range(20):
                layer = torch.nn.Linear(8, 8).cuda()
                layer(torch.randn(4, 8, device="cuda")).sum().backward()
        except Exception as error:
            errors.append(error)

    with simulated_cuda():
        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not errors, errors


@situation
def on_and_off_with_live_tensors() -> None:
    kept = []
    for _ in range(4):
        with simulated_cuda():
            kept.append(torch.randn(3, device="cuda", requires_grad=True))
            kept.append((kept[0] * 2).sum())
    for tensor in kept:
        for use in (repr, torch.Tensor.cpu, lambda t: t + 1, lambda t: t.sum().backward()):
            with raises(RuntimeError, NotImplementedError, AssertionError):
                use(tensor)
        assert tensor.device.type == "cuda"
        tensor.detach().shape, tensor.data_ptr()
    with simulated_cuda():
        (kept[0] + 1).sum().backward()
        assert kept[-1].item() == kept[-1].cpu().item()
    kept.clear()
    gc.collect()


@situation
def other_objects_that_outlive_it() -> None:
    with simulated_cuda():
        stream, event = torch.cuda.Stream(), torch.cuda.Event(enable_timing=True)
        event.record()
        generator = torch.Generator("cuda")
        storage = torch.ones(3, device="cuda").untyped_storage()
        scaler = torch.amp.GradScaler("cuda")
        optimizer = torch.optim.Adam([torch.nn.Parameter(torch.ones(2, device="cuda"))], fused=True)
        pinned = torch.ones(4).pin_memory()
    for use in (stream.synchronize, event.query, generator.get_state, lambda: storage.tolist()):
        _ignoring(use)
    for use in (
        lambda: repr(stream),
        lambda: torch.randn(2, generator=generator),
        scaler.get_scale,
    ):
        _ignoring(use)
    for use in (lambda: storage.resize_(100), lambda: storage.clone(), optimizer.step):
        _ignoring(use)
    for use in (pinned.is_pinned, lambda: storage[0], lambda: stream.wait_stream(stream)):
        _ignoring(use)
    assert pinned.sum() == 4


def _ignoring(use: Callable[[], Any]) -> None:
    try:
        use()
    except Exception as error:
        print(type(error).__name__, str(error)[:80], file=sys.stderr)


@situation
def counts_of_devices() -> None:
    enable(16)
    torch.cuda.set_device(15)
    x = torch.ones(2, device="cuda")
    assert x.device.index == 15
    with simulated_cuda(devices=2):
        assert torch.cuda.current_device() == 0
        _ignoring(lambda: x + 1)
        _ignoring(lambda: repr(x))
        _ignoring(lambda: torch.empty_like(x))
        with raises(RuntimeError):
            torch.ones(2, device="cuda:5")
        torch.cuda.memory_allocated()
    with simulated_cuda(devices=0):
        assert not torch.cuda.is_available()
        for use in (lambda: torch.ones(2, device="cuda"), lambda: torch.ones(2).cuda()):
            with raises(RuntimeError):
                use()
        _ignoring(lambda: x + 1)
    for wrong in (17, -1, 10**6):
        with raises(RuntimeError):
            enable(wrong)
        disable()
    disable()


@situation
def set_device_in_a_thread_and_fewer_devices() -> None:
    ready, go, errors = threading.Event(), threading.Event(), []

    def work() -> None:
        torch.cuda.set_device(3)
        ready.set()
        go.wait()
        try:
            torch.ones(2, device="cuda")
        except RuntimeError:
            pass
        except BaseException as error:
            errors.append(error)

    with simulated_cuda(devices=4):
        thread = threading.Thread(target=work)
        thread.start()
        ready.wait()
        with simulated_cuda(devices=1):
            go.set()
            thread.join()
    assert not errors


def _in_fork(work: Callable[[], None]) -> int:
    child = os.fork()
    if child == 0:
        status = 3
        try:
            work()
            status = 0
        except RuntimeError as error:
            status = 4 if "forked subprocess" in str(error) else 5
            traceback.print_exc()
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _train() -> None:
    layer = torch.nn.Linear(2, 2).cuda()
    layer(torch.ones(1, 2).cuda()).sum().backward()


def _adopt_and_train() -> None:
    adopt_fork()
    _train()


@situation
def forks() -> None:
    enable(2)
    assert _in_fork(_train) == 0  # not used yet
    x = torch.ones(2, device="cuda", requires_grad=True)
    assert _in_fork(_train) == 4
    x.sum().backward()
    assert _in_fork(_adopt_and_train) == 0
    assert _in_fork(lambda: repr(torch.ones(2))) == 0
    disable()
    assert _in_fork(lambda: enable(2)) == 0


@situation
def exit_with_live_tensors() -> None:
    code = (
        "import torch\nfrom grader.simulated_cuda import enable\nenable(2)\n"
        "x = torch.ones(3, device='cuda', requires_grad=True)\ny = (x * 2).sum()\n"
        "y.backward(retain_graph=True)\ntorch.kept = [x, y, torch.ones(2).pin_memory()]\n"
        "s = torch.cuda.Stream(); g = torch.Generator('cuda'); e = torch.cuda.Event(); e.record()\n"
        "cycle = [x]; cycle.append(cycle)\n"
    )
    import subprocess

    for ending in ("", "raise SystemExit(0)", "import sys; sys.exit(0)"):
        run = subprocess.run([sys.executable, "-c", code + ending], capture_output=True, text=True)
        assert run.returncode == 0, (run.returncode, run.stderr)
        assert not run.stderr, run.stderr


class _OnCuda(torch.utils.data.Dataset[Any]):
    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: int) -> Any:
        return torch.ones(2, device="cuda")


@situation
def loaders_with_workers() -> None:
    with simulated_cuda():
        data = TensorDataset(torch.arange(8.0))
        loader = DataLoader(data, batch_size=2, num_workers=1, pin_memory=True)
        assert sum(batch.cuda().sum().item() for (batch,) in loader) == 28
        with raises(RuntimeError):
            list(DataLoader(_OnCuda(), num_workers=1))


@situation
def copies_pickles_and_queues() -> None:
    with simulated_cuda():
        x = torch.nn.Parameter(torch.ones(3, device="cuda"))
        assert copy.deepcopy(x).is_cuda
        assert pickle.loads(pickle.dumps(x.detach())).is_cuda
        assert copy.deepcopy(torch.nn.Linear(2, 2).cuda()).weight.is_cuda
        _ignoring(lambda: pickle.loads(pickle.dumps(x.untyped_storage())))  # nor on the CPU
        _ignoring(lambda: pickle.dumps(torch.cuda.Stream()))
        _ignoring(lambda: pickle.dumps(torch.Generator("cuda")))
        _ignoring(lambda: torch_processes.reductions.reduce_tensor(x.detach()))
        _ignoring(lambda: torch_processes.reductions.reduce_storage(x.untyped_storage()))
        _ignoring(lambda: x.detach().share_memory_())
        context = torch_processes.get_context("fork")
        queue = context.SimpleQueue()
        _ignoring(lambda: queue.put(x.detach()))
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
                _ignoring(lambda made=made: made(torch.ones(2, 3)))
                buffer = io.BytesIO()
                torch.jit.save(made, buffer)
                assert torch.jit.load(io.BytesIO(buffer.getvalue()))(x).is_cuda
                assert not torch.jit.load(io.BytesIO(buffer.getvalue()), "cpu")(x.cpu()).is_cuda
                torch.jit.freeze(torch.jit.script(net))(x)
            _ignoring(lambda: torch.export.export(net, (x.detach(),)).module()(x))
            torch.fx.symbolic_trace(net)(x)
            _ignoring(lambda: torch.fx.experimental.proxy_tensor.make_fx(net)(x))
        from torch._subclasses import FakeTensorMode

        with FakeTensorMode(allow_non_fake_inputs=True):
            fake = torch.empty(3, device="cuda")
            _ignoring(lambda: fake + x.sum())
            _ignoring(lambda: net(torch.empty(2, 3, device="cuda")))


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
            _ignoring(lambda again=again: again.resize_(100).fill_(1))
            del x
            _ignoring(lambda again=again: again + again)
        _ignoring(lambda: torch.from_dlpack(torch.ones(3, device="cuda", requires_grad=True)))
        capsule = torch.utils.dlpack.to_dlpack(torch.ones(3, device="cuda"))
    with raises(Exception):
        torch.utils.dlpack.from_dlpack(capsule) + 1
    del capsule
    gc.collect()


@situation
def storages() -> None:
    with simulated_cuda():
        x = torch.arange(4.0, device="cuda")
        storage = x.untyped_storage()
        storage.resize_(64)
        assert x.tolist() == [0, 1, 2, 3]
        storage.resize_(0)
        assert x.view(2, 2).is_cuda
        for use in (x.sum, lambda: x.add_(1), lambda: repr(x), x.cpu, lambda: x + x, x.tolist):
            _ignoring(use)
        storage.resize_(16)
        x.zero_()
        storage.copy_(torch.ones(4).untyped_storage())
        assert x.tolist() == [1, 1, 1, 1]
        torch.zeros(4).untyped_storage().copy_(storage)
        _ignoring(lambda: storage.share_memory_())
        _ignoring(lambda: storage.fill_(0))
        _ignoring(lambda: storage.pin_memory())
        _ignoring(lambda: storage.byteswap(torch.float32))
        _ignoring(lambda: storage[0])
        _ignoring(lambda: storage.__setitem__(0, 1))
        _ignoring(lambda: storage.data_ptr())
        _ignoring(lambda: storage.resize_(2**50))
        _ignoring(lambda: storage.resize_(-1))
        _ignoring(lambda: torch.UntypedStorage(10, device="cuda:1").cpu())
        _ignoring(lambda: torch.UntypedStorage(10).cuda(1))
        _ignoring(lambda: copy.deepcopy(storage))
        _ignoring(lambda: storage.is_pinned())
        _ignoring(lambda: storage.new())
        _ignoring(lambda: torch.empty(0).set_(storage))
        _ignoring(lambda: torch.empty(0, device="cuda:1").set_(storage))
        _ignoring(lambda: torch.empty(0, device="cuda").set_(storage, 0, (100,)).sum())
        _ignoring(lambda: torch.empty(0, device="cuda").set_(storage, 0, (2,), (1000,)).sum())
        _ignoring(lambda: torch.empty(0, device="cuda").set_(storage, 10, (2,)).sum())
        _ignoring(lambda: torch.as_strided(x, (100,), (1,), 50).sum())
        x.data = torch.ones(3)
        _ignoring(lambda: x.add_(1))
        y = torch.ones(2, device="cuda")
        _ignoring(lambda: setattr(y, "data", torch.ones(2)))
        torch.utils.swap_tensors(torch.ones(2, device="cuda"), torch.ones(3))
        with tempfile.NamedTemporaryFile() as file:
            torch.save(storage, file.name)
            torch.load(file.name, weights_only=False)


@situation
def streams_and_events() -> None:
    with simulated_cuda():
        x = torch.ones(3, device="cuda")
        stream = torch.cuda.Stream(1)
        x.record_stream(stream)
        with raises(Exception):
            torch.ones(3).record_stream(None)
        with torch.cuda.stream(stream):
            x + 1
        with raises(Exception):
            torch.cuda.Stream(9)
        torch.Stream("cuda:1").synchronize()
        event = torch.Event("cuda", enable_timing=True)
        _ignoring(lambda: event.elapsed_time(torch.Event("cuda", enable_timing=True)))
        event.record()
        _ignoring(lambda: event.elapsed_time(torch.cuda.Event()))
        _ignoring(lambda: torch.cuda.current_stream(9))
        _ignoring(lambda: torch.cuda.default_stream(9))
        _ignoring(lambda: torch.cuda.set_stream(torch.Stream("cpu")))
        _ignoring(lambda: torch.Stream(device_index=9, device_type=1, stream_id=7).query())
        for index in (9, -1, 100):
            for op in (torch.ops.simulated_cuda.figures, torch.ops.simulated_cuda.current_stream):
                _ignoring(lambda op=op, index=index: op(index))
            _ignoring(lambda index=index: torch.ops.simulated_cuda.set_stream(index, 1))
            _ignoring(lambda index=index: torch.ops.simulated_cuda.generator(index))
            _ignoring(lambda index=index: torch.cuda.synchronize(index))
            _ignoring(lambda index=index: torch.cuda.mem_get_info(index))
            _ignoring(lambda index=index: torch.cuda.get_device_properties(index))
            _ignoring(lambda index=index: torch.accelerator.set_device_index(index))
            _ignoring(lambda index=index: torch.accelerator.current_stream(index))
            _ignoring(lambda index=index: torch.accelerator.memory_stats(index))


@situation
def nothing_and_too_much() -> None:
    with simulated_cuda():
        for shape in ((0,), (0, 3), (3, 0), (2**40, 0)):
            x = torch.empty(shape, device="cuda", requires_grad=True)
            (x * 2).sum().backward()
            x.cpu().cuda(1).clone().contiguous()
            assert x.data_ptr() == 0
        before = torch.cuda.memory_allocated()
        for size in (2**40, 2**45, 2**60, 2**62):
            for use in (torch.empty, torch.zeros, torch.randn):
                with raises(torch.OutOfMemoryError, RuntimeError):
                    use(size, device="cuda")
        x = torch.ones(10, device="cuda")
        for size in (2**40, 2**60):
            with raises(torch.OutOfMemoryError, RuntimeError):
                x.resize_(size)
            with raises(torch.OutOfMemoryError, RuntimeError):
                x.expand(2**38, 10).clone()
            with raises(torch.OutOfMemoryError, RuntimeError):
                x.repeat(size)
        _ignoring(x.sum)  # its size is what was asked for, its memory is not, as on CUDA
        del x
        gc.collect()
        assert torch.cuda.memory_allocated() == before


@situation
def calls_with_wrong_values() -> None:
    with simulated_cuda():
        x = torch.ones(2, 3, device="cuda")
        memory = torch.cuda.caching_allocator_alloc(100)
        torch.cuda.caching_allocator_delete(memory)
        _ignoring(lambda: torch.cuda.caching_allocator_delete(memory))
        _ignoring(lambda: torch.cuda.set_per_process_memory_fraction(-1.0))
        _ignoring(lambda: torch.cuda.set_per_process_memory_fraction(0.5, 9))
        _ignoring(lambda: torch.ops.simulated_cuda.resize_storage(torch.ones(2), 100))
        _ignoring(lambda: torch.ops.simulated_cuda.resize_storage(x.to_sparse(), 100))
        _ignoring(lambda: torch.ops.simulated_cuda.resize_storage(x, -5))
        _ignoring(lambda: torch.ops.simulated_cuda.set_limit(99, 5))
        _ignoring(lambda: torch.ops.simulated_cuda.set_device(300))
        _ignoring(lambda: torch.ops.simulated_cuda.set_count(300))
        _ignoring(lambda: torch.cuda.set_rng_state(torch.zeros(3, dtype=torch.uint8)))
        _ignoring(lambda: torch.cuda.set_rng_state(torch.zeros(16)))
        _ignoring(lambda: torch.cuda.set_rng_state(torch.zeros(16, dtype=torch.uint8).cuda()))
        _ignoring(lambda: torch.randn(3, generator=torch.Generator(), device="cuda"))
        _ignoring(lambda: torch.randn(3, generator=torch.Generator("cuda")))
        _ignoring(lambda: torch.Generator("cuda:9"))
        _ignoring(lambda: torch.Generator("cuda").graphsafe_set_state(torch.Generator()))
        _ignoring(lambda: torch.index_select(x, 0, torch.tensor([9], device="cuda")))
        _ignoring(lambda: x[torch.tensor([9], device="cuda")])
        _ignoring(lambda: torch.nn.functional.embedding(torch.tensor([9]).cuda(), x))
        _ignoring(lambda: torch.nn.functional.nll_loss(x, torch.tensor([9, 9]).cuda()))
        _ignoring(lambda: x.scatter_(0, torch.full((2, 3), 9, device="cuda"), x.clone()))
        _ignoring(lambda: x.gather(0, torch.full((2, 3), -9, device="cuda")))
        _ignoring(lambda: torch.cuda.comm.scatter(x, [0, 9]))
        _ignoring(lambda: torch.cuda.comm.gather([]))
        _ignoring(lambda: torch.cuda.nccl.all_reduce([x]))
        _ignoring(lambda: torch.nn.LSTM(3, 3).cuda()(x[None], (x, x)))
        _ignoring(lambda: torch._C._cuda_setDevice(99))
        _ignoring(lambda: torch._C._cuda_getCurrentStream(99))
    torch.ops.simulated_cuda.stop()
    torch.ops.simulated_cuda.stop()


def main() -> None:
    warnings.simplefilter("ignore")
    names = sys.argv[1:] or list(SITUATIONS)
    torch.set_num_threads(1)
    implementation()  # compiles the library, if need be
    for name in names:
        errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 (the child writes to it)
        child = os.fork()
        if child == 0:
            status = 1
            try:
                os.dup2(errors.fileno(), 2)
                signal.alarm(SECONDS)
                SITUATIONS[name]()
                status = 0
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(status)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        errors.seek(0)
        print(json.dumps({"name": name, "status": status, "error": errors.read()}), flush=True)


if __name__ == "__main__":
    main()
