"""What to try where an exception is no fault of a device, but one that learners meet on the way."""

from __future__ import annotations

import re
from difflib import get_close_matches

from grader.schema import Raised

TAUGHT = (
    "add_module", "buffers", "clone", "cuda", "detach", "device", "dtype", "named_buffers",
    "named_parameters", "new_ones", "new_tensor", "new_zeros", "parameters", "register_buffer",
    "register_module", "register_parameter", "requires_grad", "requires_grad_", "shape",
    "state_dict",
)  # fmt: skip
OF_NN = r"(Buffer|Module\w*|Parameter\w*|Linear|LSTM|Sequential)"
ADVICE = (
    (
        r"AttributeError: '(?!Tensor)\w+' object has no attribute 'device'",
        "A module has no device of its own, only its tensors have: ask the input for its `.device`",
    ),
    (
        r"StopIteration: .*parameters\(\)",
        "There are no Parameters to ask for their device here: ask the input for its `.device`",
    ),
    (
        r"Device index must not be negative",
        "On the CPU `get_device()` gives -1. Its `.device` is right everywhere",
    ),
    (r"'module' object is not callable: .*\bnn\.parameter\(", "The class is `nn.Parameter`"),
    (rf"module 'torch' has no attribute '{OF_NN}'", "It is in `torch.nn`: `nn.{0}`"),
    (rf"name '{OF_NN}' is not defined", "It is in `torch.nn`: `nn.{0}`"),
)
_MISSING = re.compile(r"object has no attribute '(\w+)'")


def advice(raised: Raised) -> str:
    """A sentence to put behind the exception's own words; `""` if there is none to give."""
    text = f"{raised.type}: {raised.message}: {raised.code}"
    for pattern, words in ADVICE:
        if match := re.search(pattern, text):
            return f". {words.format(*match.groups())}"
    missing = _MISSING.search(raised.message)
    if missing is None or missing[1] in TAUGHT:
        return ""
    meant = get_close_matches(missing[1], TAUGHT, n=1, cutoff=0.8)
    return f". Do you mean `{meant[0]}`?" if meant else ""
