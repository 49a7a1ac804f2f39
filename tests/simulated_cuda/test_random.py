"""Every device has random numbers of its own."""

from functools import partial

import pytest
import torch
from in_use import IS_NATIVE
from torch import nn
from torch.nn import functional as F  # noqa: N812

from grader.simulated_cuda import simulated_cuda

pytestmark = pytest.mark.usefixtures("cuda")


def test_drawing_on_cuda_leaves_the_cpus_numbers_alone() -> None:
    torch.manual_seed(1)
    expected = torch.rand(3)
    torch.manual_seed(1)
    torch.rand(5, device="cuda")
    torch.bernoulli(torch.full((3,), 0.5, device="cuda"))
    F.dropout(torch.ones(9, device="cuda"))
    assert torch.equal(torch.rand(3), expected)


def test_seeds_and_states() -> None:
    torch.cuda.manual_seed(5)
    first = torch.rand(3, device="cuda")
    torch.cuda.manual_seed_all(5)
    assert torch.equal(torch.rand(3, device="cuda"), first)
    assert torch.equal(torch.rand(3, device="cuda:1").cpu(), first.cpu())
    state = torch.cuda.get_rng_state()
    first = torch.rand(3, device="cuda")
    torch.cuda.set_rng_state(state)
    assert torch.equal(torch.rand(3, device="cuda"), first)
    with torch.random.fork_rng(devices=[0]):
        torch.rand(3, device="cuda")
    torch.manual_seed(7)
    first = torch.rand(3, device="cuda")
    torch.manual_seed(7)
    assert torch.equal(torch.rand(3, device="cuda"), first)


def test_each_device_that_there_is_has_a_state() -> None:
    with simulated_cuda(devices=4):
        assert len(torch.cuda.get_rng_state_all()) == 4
        with simulated_cuda(devices=1):
            assert len(torch.cuda.get_rng_state_all()) == torch.cuda.device_count() == 1


def test_generators() -> None:
    generator = torch.Generator(device="cuda:1")
    assert generator.device == torch.device("cuda:1")
    assert isinstance(generator, torch.Generator)
    assert isinstance(torch.Generator(), torch.Generator)
    generator.manual_seed(3)
    first = torch.randn(3, generator=generator, device="cuda:1")
    generator.manual_seed(3)
    again = torch.empty(3, device="cuda:1").normal_(generator=generator)
    assert torch.equal(first, again)
    assert torch.randperm(4, device="cuda:1", generator=generator).get_device() == 1


def has_drawn(call) -> bool:
    before = torch.cuda.get_rng_state()
    call()
    return not torch.equal(before, torch.cuda.get_rng_state())


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU, nn.RNN])
def test_a_recurrent_network_draws_for_its_dropout_alone(kind) -> None:
    x = torch.ones(2, 3, 4, device="cuda")
    plain, dropping = (kind(4, 4, num_layers=2, dropout=p).cuda() for p in (0.0, 0.5))

    assert not has_drawn(partial(plain, x))
    assert has_drawn(partial(dropping, x))
    assert not has_drawn(partial(dropping.eval(), x))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_attention_draws_for_its_dropout_alone(dtype) -> None:
    x = torch.ones(1, 2, 4, 8, device="cuda", dtype=dtype)
    attend = partial(F.scaled_dot_product_attention, x, x, x)

    assert not has_drawn(attend)
    assert has_drawn(partial(attend, dropout_p=0.5))


@pytest.mark.skipif(not IS_NATIVE, reason="the Python device has no kernels of cuDNN")
def test_cudnn_has_no_backward_of_a_network_in_eval_mode() -> None:
    network, x = nn.LSTM(4, 4).cuda(), torch.ones(2, 3, 4, device="cuda")

    with pytest.raises(RuntimeError, match="can only be called in training mode"):
        network.eval()(x)[0].sum().backward()
    network.train()(x)[0].sum().backward()
