"""The simulated device in C++: tensors are plain tensors whose device type is CUDA.

    source/            the device, from memory.h to library.cpp, which registers everything;
                       docs/simulated_cuda.md walks through the files
    generate_rules.py  what CUDA's wrappers check, from the generator in the PyTorch installed
    build.py           compiles the library, once for each PyTorch
    library.py         finds and loads it
    switch.py          on and off
    torch_cuda.py      the functions of `torch.cuda` that a PyTorch without a driver lacks
    ...                and one file each for its parts: memory.py, streams.py, storages.py,
                       properties.py, legacy_types.py, parallel.py, backward.py, forks.py

How it works. A tensor of the device has a storage whose memory is the CPU's. One boxed kernel is
registered for every operator that CUDA has: it checks the devices as PyTorch's generated CUDA code
does, shows the arguments as CPU tensors over the same memory, runs the CPU's kernel, and shows the
results as tensors of the device. All else is PyTorch's own.
"""
