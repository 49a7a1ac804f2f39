"""The simulated device in Python alone: it stands in where the native one cannot be built.

How it works. PyTorch lets one backend from outside register itself, even from Python (`backend`).
A tensor "on CUDA" is a wrapper with sizes, strides and autograd of its own; the values are in its
host, a CPU tensor (`tensor`). Every operator that meets a wrapper is handed to us below autograd
(`dispatch`). There are three things to do then, and one table for each:

    where are they?     all on one device, or may these be mixed?        `rules`
    run it              on the hosts; a few operators otherwise          `special`
    wrap the results    on the device of the operands, or `device=`      `hosts`

Above autograd, a function mode sees each call as it was written, turns "cuda" into the name the
backend has in C++, and back again in messages (`calls`). So user code never sees that name, and
C++ never sees "cuda", which it would take for a real GPU.

A move makes a new tensor, except of a Parameter (`Module.cuda`) or with `x.data = ...`: there the
Python object stays and what it holds changes (`tensor.swap`), so that optimizers and ties go on.

The rest is what surrounds tensors: the devices and the current one (`devices`), `torch.cuda`
(`torch_cuda`), random numbers (`randomness`), checkpoints (`saving`), mixed precision
(`autocast`), errors in backward (`backward`), `DataParallel` (`parallel`), TorchScript
(`scripting`). `switch` puts all of it into PyTorch and takes it out again. What is private in
PyTorch is in `backend`; what `switch` replaces by name is put back by name.

Start reading at `tensor.CudaTensor`, then `dispatch.Plan.run`.
"""
