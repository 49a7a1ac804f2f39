"""Forward and backward mode, hooks and exceptions inside them."""

import threading
from typing import Any

import torch
from torch.autograd import forward_ad

from grader.simulated_cuda import simulated_cuda

from ._make import raises, situation


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
        per_row = torch.func.vmap(torch.func.grad(loss), (None, 0))(weight, x)
        assert per_row.shape == (4, 3, 3)
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
