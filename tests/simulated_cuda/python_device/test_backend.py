"""The private parts of PyTorch that backend.py stands on: what broke, by name, if one changes."""

from pathlib import Path

import pytest
import torch
from torch.utils import _device, backend_registration

NEEDED = {
    "registering a backend from Python": (
        backend_registration,
        "_setup_privateuseone_for_python_backend",
    ),
    "a device guard in Python": (torch._C._acc, "DeviceGuard"),
    "wrapper subclasses": (torch.Tensor, "_make_wrapper_subclass"),
    "swapping what a tensor is": (torch._C, "_swap_tensor_impl"),
    "turning function modes off": (torch._C, "DisableTorchFunction"),
    "asking for function modes": (torch._C, "_is_torch_function_mode_enabled"),
    "backward in the calling thread": (torch._C, "_set_multithreading_enabled"),
    "the accelerator": (torch._C, "_accelerator_getAccelerator"),
    "asking for composite kernels": (torch._C, "_dispatch_has_kernel_for_dispatch_key"),
    "leaving autocast": (torch._C, "_ExcludeDispatchKeyGuard"),
    "resizing a wrapper as on meta": (torch._C, "_set_meta_in_tls_dispatch_include"),
    "the default device": (_device, "CURRENT_DEVICE"),
    "the functions that make tensors": (_device, "_device_constructors"),
    "the way into backward": (torch.autograd, "_engine_run_backward"),
    "writing to a scripted module": (torch._C.ScriptModule, "setattr"),
    "choosing a convolution": (torch._C, "_select_conv_backend"),
}


@pytest.mark.parametrize("part", NEEDED)
def test_pytorch_still_has(part: str) -> None:
    space, name = NEEDED[part]
    assert hasattr(space, name), f"{part}: {space.__name__}.{name} is gone in {torch.__version__}"


@pytest.mark.usefixtures("cuda")
def test_the_wrapper_is_what_cpp_believes_it_is() -> None:
    wrapper = torch.ones(2, 3, device="cuda:1")
    assert torch._C.TensorBase.device.__get__(wrapper) == torch.device("simulated", 1)  # type: ignore[attr-defined]
    assert torch._C._dispatch_keys(wrapper).has(torch._C.DispatchKey.Python)


def test_the_rules_know_the_operators_pytorch_has() -> None:
    """Device checks are data in PyTorch, too; where its table is installed, ours must agree."""
    from grader.simulated_cuda import simulated_cuda

    with simulated_cuda():
        from grader.simulated_cuda.python_device.operators import rules
    named = rules.ELEMENTWISE | rules.ITERATED | rules.STRUCTURED
    schemas = {s.name.removeprefix("aten::") for s in torch._C._jit_get_all_schemas()}
    known = {name if name.startswith("__") else name.rstrip("_") for name in schemas}
    assert named - known == set()
    assert not rules.ELEMENTWISE & rules.STRUCTURED
    torchgen = pytest.importorskip("torchgen", reason="the table comes with PyTorch's generator")
    table = Path(torchgen.__file__).parent / "packaged/ATen/native/native_functions.yaml"
    text = table.read_text()
    for name in rules.ELEMENTWISE - {"addr"}:
        entry = text.split(f"- func: {name}.")[-1] if f"- func: {name}." in text else text
        assert "device_check: NoCheck" in entry, name
