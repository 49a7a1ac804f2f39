"""Tensors and other objects that outlive the device, and changing counts of devices."""

import gc
import threading

import torch

from grader.simulated_cuda import disable, enable, simulated_cuda

from ._make import ignoring, raises, situation


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
        ignoring(use)
    for use in (
        lambda: repr(stream),
        lambda: torch.randn(2, generator=generator),
        scaler.get_scale,
    ):
        ignoring(use)
    for use in (lambda: storage.resize_(100), lambda: storage.clone(), optimizer.step):
        ignoring(use)
    for use in (pinned.is_pinned, lambda: storage[0], lambda: stream.wait_stream(stream)):
        ignoring(use)
    assert pinned.sum() == 4


@situation
def counts_of_devices() -> None:
    enable(16)
    torch.cuda.set_device(15)
    x = torch.ones(2, device="cuda")
    assert x.device.index == 15
    with simulated_cuda(devices=2):
        assert torch.cuda.current_device() == 0
        ignoring(lambda: x + 1)
        ignoring(lambda: repr(x))
        ignoring(lambda: torch.empty_like(x))
        with raises(RuntimeError):
            torch.ones(2, device="cuda:5")
        torch.cuda.memory_allocated()
    with simulated_cuda(devices=0):
        assert not torch.cuda.is_available()
        for use in (lambda: torch.ones(2, device="cuda"), lambda: torch.ones(2).cuda()):
            with raises(RuntimeError):
                use()
        ignoring(lambda: x + 1)
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
