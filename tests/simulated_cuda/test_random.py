"""Every device has random numbers of its own."""

import pytest
import torch
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
