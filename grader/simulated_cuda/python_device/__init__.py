"""The simulated device in Python alone: it stands in where the native one cannot be built.

PyTorch lets one backend from outside register itself, even from Python (`backend`). A tensor "on
CUDA" is a wrapper with sizes, strides and autograd of its own; the values are in its host, a CPU
tensor. One operator runs in these steps:

1. `calls`, a function mode above autograd, sees the call as it was written, and turns "cuda" into
   the backend's name, which C++ knows; C++ would take "cuda" for a real GPU. It also turns the name
   back in messages, so user code never sees it.
2. PyTorch's autograd records the call, and hands the operator to `operators.dispatch`.
3. `operators.checks` raises CUDA's error if the tensors may not be mixed (`operators.rules`).
4. The operator runs on the hosts; for a few, `operators.computed` does.
5. `tensors.hosts` wraps the results on the operands' device, or on that of `device=`.

A move makes a new tensor, except of a Parameter (`Module.cuda`) or by `x.data = ...`: there the
Python object is rebound (`tensors.tensor.swap`), so that optimizers and ties keep working.

    backend.py      the backend: what PyTorch's C++ is told
    devices.py      which devices there are, and which is current
    tensors/        the wrapper, its host, lazy tensors, checkpoints
    operators/      the steps above, random numbers, mixed precision
    calls.py        the function mode
    backward.py     exceptions inside backward, deferred until it returns
    threads.py      the function mode in new threads
    patches/        the names of PyTorch that have another value while the device is on
    switch.py       on and off
    dtensor.py      keeps short-lived processes from a slow import

Start reading at `tensors.tensor.CudaTensor`, then `operators.dispatch.Plan.run`.
"""
