"""The private names of PyTorch that the simulated device relies on: one ledger for both devices.

`tests/simulated_cuda/test_torch_private.py` makes a test of each line, which names the line when a
release of PyTorch drops it, and fails where this package uses a private name that is not here.
The names that a device *replaces* are in its table of patches (`switch.replaced`) instead; the C++
of the native device is checked by its compiler.
"""

from __future__ import annotations

from typing import NamedTuple


class Private(NamedTuple):
    """A private name that must be there.

    Attributes:
        owner: the path of a module, class or object of PyTorch that has the name.
        name: the attribute, or one that the instances of a class have.
        why: what the device does with it.
    """

    owner: str
    name: str
    why: str


BOTH = (
    Private("torch._C", "_is_multithreading_enabled", "ask which thread runs a backward"),
    Private("torch._C", "_set_multithreading_enabled", "run backward in the calling thread"),
    Private("torch.autograd", "_engine_run_backward", "wrap the way into the C++ engine"),
)
NATIVE = (
    Private("torch.autograd.graph", "_engine_run_backward", "the same, where `.grad` reads it"),
    Private("torch.cuda", "_initialized", "see in a forked child whether the parent used CUDA"),
    Private("torch.cuda", "_cached_device_count", "let torch.cuda count the devices again"),
    Private("torch.cuda", "_lazy_init", "start CUDA where its C++ does"),
    Private("torch.cuda", "_parse_visible_devices", "read CUDA_VISIBLE_DEVICES"),
    Private("torch.cuda", "_transform_uuid_to_ordinals", "read devices' own names there"),
    Private("torch._C", "_ForceDispatchKeyGuard", "call our operators unseen by modes"),
    Private("torch._C", "_DisableTorchDispatch", "make a tensor unseen by modes"),
    Private("torch.cuda", "_LazySeedTracker", "forget the seeds that were set while off"),
    Private("torch._C", "_jit_can_fuse_on_gpu", "remember TorchScript's setting"),
    Private("torch._C", "_jit_override_can_fuse_on_gpu", "keep TorchScript from compiling CUDA"),
    Private("torch._C", "_set_default_tensor_type", "pass on what is not of torch.cuda"),
    Private("torch._C._distributed_c10d", "_SymmetricMemory", "refuse symmetric memory"),
)
PYTHON = (
    # The backend (backend.py)
    Private(
        "torch.utils.backend_registration",
        "_setup_privateuseone_for_python_backend",
        "register a backend with its device guard from Python",
    ),
    Private("torch._C._acc", "DeviceGuard", "the base of that guard"),
    Private("torch._C._autograd", "DeviceType", "the type that the guard names"),
    Private("torch._C", "_accelerator_getAccelerator", "hide the backend while the device is off"),
    Private("torch.utils._device", "CURRENT_DEVICE", "the device of `with torch.device(...)`"),
    Private("torch.utils._device", "_device_constructors", "which functions make tensors there"),
    Private(
        "torch._C", "_is_torch_function_mode_enabled", "skip turning a mode off that is not on"
    ),
    Private("torch._C", "DisableTorchFunction", "run an operator with no function mode"),
    Private("torch._C", "_disabled_torch_function_impl", "wrappers dispatch below autograd only"),
    Private("torch._C", "_dispatch_has_kernel_for_dispatch_key", "which operators are composites"),
    Private("torch._C", "_ExcludeDispatchKeyGuard", "run an operator outside of autocast"),
    Private("torch.library.Library", "_destroy", "take autocast's kernels out again"),
    # Operators
    Private("torch.ops.aten.add.Tensor", "_op", "call an operator without its Python layers"),
    Private("torch.ops.aten.add.Tensor", "_op_dk", "run a composite's own kernel, step by step"),
    Private("torch.ops.aten.add.Tensor", "_schema", "which arguments are written to and returned"),
    Private("torch.ops.aten.add.Tensor", "_overloadname", "the overload that CUDA's errors name"),
    Private("torch._C", "_select_conv_backend", "whether the CPU would run MKL-DNN's convolution"),
    Private("torch._C.Generator", "_cdata", "recognise a generator that C++ hands back"),
    # Tensors
    Private("torch.Tensor", "_make_wrapper_subclass", "make a wrapper without memory"),
    Private("torch.Tensor", "_make_subclass", "make a lazy Parameter"),
    Private("torch.Tensor", "_indices", "pickle a sparse tensor"),
    Private("torch.Tensor", "_values", "pickle a sparse tensor"),
    Private("torch.Tensor", "_backward_hooks", "keep a Parameter's hooks when it moves"),
    Private("torch.Tensor", "_post_accumulate_grad_hooks", "keep a Parameter's hooks"),
    Private("torch.nn.parameter", "_is_param", "make a copy an instance of nn.Parameter"),
    Private("torch.UntypedStorage", "_cdata", "count a storage once"),
    Private("torch._C", "_swap_tensor_impl", "move a Parameter and keep the Python object"),
    Private("torch._C", "_meta_in_tls_dispatch_include", "resize a wrapper as a meta tensor"),
    Private("torch._C", "_set_meta_in_tls_dispatch_include", "resize a wrapper as a meta tensor"),
    Private("torch.utils._mode_utils", "no_dispatch", "resize a wrapper below `dispatch`"),
    Private("torch._tensor_str", "_str", "print a wrapper as PyTorch prints tensors"),
    Private("torch._utils", "_rebuild_tensor_v2", "pickle a tensor for any PyTorch"),
    Private("torch._utils", "_rebuild_parameter", "pickle a Parameter for any PyTorch"),
    Private("torch._utils", "_rebuild_sparse_tensor", "pickle a sparse tensor for any PyTorch"),
    # Around them
    Private("torch.cuda._utils", "_get_device_index", "understand what names a device"),
    Private("torch.utils.hooks.BackwardHook", "_apply_on_tensors", "wrap module hooks"),
    Private("torch.optim.optimizer", "_foreach_supported_types", "let optimizers use lists"),
    Private("torch.jit.ScriptModule", "_apply", "move a scripted module"),
    Private("torch.jit.ScriptModule", "_c", "write moved Parameters to a scripted module"),
    Private("torch._C.ScriptModule", "setattr", "write moved Parameters to a scripted module"),
    Private("torch.nn.Module", "_parameters", "find the Parameters of a scripted module"),
)
