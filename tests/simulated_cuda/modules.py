"""Run PyTorch's own list of modules on the simulated device and on the CPU, and compare.

    python tests/simulated_cuda/modules.py

prints one JSON line for each module.
"""

import contextlib
import copy
import json
import sys
import warnings
from typing import Any

import operators
import torch
from operators import compare, copy_to, differences, gradients, leaves
from torch.testing._internal.common_modules import module_db

from grader.simulated_cuda import simulated_cuda


class _Sample:
    @staticmethod
    def output_process_fn_grad(result: Any) -> Any:
        return result


def run(module: Any, given: Any, device: str) -> tuple[Any, Any]:
    args, kwargs = given
    moved = copy_to((args, kwargs), device)
    operators.seed()
    try:
        out = module(*moved[0], **moved[1])
    except RuntimeError as error:
        return error, None
    leaves_to_train = [leaves(moved), list(module.parameters())]
    return out, gradients(_Sample, out, leaves_to_train)


def check(info: Any) -> list[str]:
    found: list[str] = []
    samples = info.module_inputs_func(
        info, device="cpu", dtype=torch.float32, requires_grad=True, training=True
    )
    for count, sample in enumerate(samples):
        arguments = sample.constructor_input
        operators.seed()
        here = info.module_cls(*arguments.args, **arguments.kwargs)
        if sample.forward_input is None:
            continue
        there = copy.deepcopy(here).cuda()
        given = (sample.forward_input.args, sample.forward_input.kwargs)
        a, b = run(here, given, "cpu"), run(there, given, "cuda")
        found += [f"#{count} {d}" for x, y in zip(a, b, strict=True) for d in compare(x, y, "")]
        states = (dict(here.state_dict()), dict(there.state_dict()))
        found += [f"#{count} {d}" for d in differences(*states, "state")]
    return found


def main() -> None:
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    with simulated_cuda(devices=2):
        for info in operators.part_of(module_db, sys.argv[1]):
            with contextlib.redirect_stdout(sys.stderr):
                try:
                    found = check(info)
                except Exception as error:  # the table says what went wrong
                    found = [f"{type(error).__name__}: {error!s:.300}"]
            print(json.dumps({"name": info.name, "found": found}), flush=True)


if __name__ == "__main__":
    main()
