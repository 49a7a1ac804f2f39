"""Storages, empty tensors and requests for more memory than there is."""

import copy
import gc
import tempfile

import torch

from grader.simulated_cuda import simulated_cuda

from ._make import ignoring, raises, situation


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
            ignoring(use)
        storage.resize_(16)
        x.zero_()
        storage.copy_(torch.ones(4).untyped_storage())
        assert x.tolist() == [1, 1, 1, 1]
        torch.zeros(4).untyped_storage().copy_(storage)
        ignoring(lambda: storage.share_memory_())
        ignoring(lambda: storage.fill_(0))
        ignoring(lambda: storage.pin_memory())
        ignoring(lambda: storage.byteswap(torch.float32))
        ignoring(lambda: storage[0])
        ignoring(lambda: storage.__setitem__(0, 1))
        ignoring(lambda: storage.data_ptr())
        ignoring(lambda: storage.resize_(2**50))
        ignoring(lambda: storage.resize_(-1))
        ignoring(lambda: torch.UntypedStorage(10, device="cuda:1").cpu())
        ignoring(lambda: torch.UntypedStorage(10).cuda(1))
        ignoring(lambda: copy.deepcopy(storage))
        ignoring(lambda: storage.is_pinned())
        ignoring(lambda: storage.new())
        ignoring(lambda: torch.empty(0).set_(storage))
        ignoring(lambda: torch.empty(0, device="cuda:1").set_(storage))
        ignoring(lambda: torch.empty(0, device="cuda").set_(storage, 0, (100,)).sum())
        ignoring(lambda: torch.empty(0, device="cuda").set_(storage, 0, (2,), (1000,)).sum())
        ignoring(lambda: torch.empty(0, device="cuda").set_(storage, 10, (2,)).sum())
        ignoring(lambda: torch.as_strided(x, (100,), (1,), 50).sum())
        x.data = torch.ones(3)
        ignoring(lambda: x.add_(1))
        y = torch.ones(2, device="cuda")
        ignoring(lambda: setattr(y, "data", torch.ones(2)))
        torch.utils.swap_tensors(torch.ones(2, device="cuda"), torch.ones(3))
        with tempfile.NamedTemporaryFile() as file:
            torch.save(storage, file.name)
            torch.load(file.name, weights_only=False)


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
        ignoring(x.sum)  # its size is what was asked for, its memory is not, as on CUDA
        del x
        gc.collect()
        assert torch.cuda.memory_allocated() == before
