"""Random numbers: generators, seeds, states."""

import torch

from ._make import c, g


def generators():
    return {
        "cuda": lambda: torch.Generator("cuda").device,
        "cuda:1": lambda: torch.Generator("cuda:1").device,
        "right": lambda: torch.randn(2, device="cuda", generator=torch.Generator("cuda")),
        "cpu generator": lambda: torch.randn(2, device="cuda", generator=torch.Generator()),
        "cuda generator": lambda: torch.randn(2, generator=torch.Generator("cuda")),
        "cuda:1 generator": lambda: g(2).normal_(generator=torch.Generator("cuda:1")),
        "randperm": lambda: torch.randperm(3, device="cuda", generator=torch.Generator()),
        "in place": lambda: c(2).uniform_(generator=torch.Generator("cuda")),
        "bernoulli": lambda: torch.bernoulli(g(2), generator=torch.Generator()),
        "dropout": lambda: torch.nn.functional.dropout(g(2)),
    }


def seeds():
    torch.manual_seed(5)
    first = torch.cuda.initial_seed()
    torch.cuda.manual_seed(6)
    second = torch.cuda.initial_seed()
    torch.cuda.manual_seed_all(7)
    generator = torch.Generator("cuda").manual_seed(8)
    return {
        "manual_seed": first,
        "cuda.manual_seed": second,
        "all": lambda: torch.cuda.initial_seed(),
        "generator": lambda: generator.initial_seed(),
        "default generators": lambda: len(torch.cuda.default_generators),
        "cpu": lambda: torch.initial_seed(),
    }


def states_of_generators():
    state = torch.cuda.get_rng_state()
    return {
        "state": state,
        "all": lambda: len(torch.cuda.get_rng_state_all()),
        "set": lambda: torch.cuda.set_rng_state(state),
        "set, on cuda": lambda: torch.cuda.set_rng_state(state.cuda()),
        "set, wrong size": lambda: torch.cuda.set_rng_state(state[:3]),
        "get_state": lambda: torch.Generator("cuda").get_state(),
        "clone": lambda: str(torch.Generator("cuda").clone_state().device),
        "fork_rng": lambda: torch.random.fork_rng(devices=[0]).__enter__(),
    }
