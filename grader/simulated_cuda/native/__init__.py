"""The simulated device in C++: tensors are plain tensors whose device type is CUDA.

    source/            the device, from memory.h to library.cpp, which registers everything
    generate_rules.py  what CUDA's wrappers check, from the generator in the PyTorch installed
    build.py           compiles the library, once for each PyTorch
    library.py         loads it
    patches/           the names of PyTorch that have another value while the device is on
    forks.py           CUDA in a forked child
    switch.py          on and off

A tensor of the device has a storage whose memory is the CPU's. One boxed kernel is registered for
every operator that CUDA has: it checks the devices as PyTorch's generated CUDA code does, shows the
arguments as CPU tensors over the same memory, runs the CPU's kernel, and shows the results as
tensors of the device. The rest is PyTorch's own code. docs/simulated_cuda.md describes each file.
"""
