"""Record what a CUDA device says and does, so that the simulated one can be held to it.

    isolation.py    runs tasks in a forked child that may crash
    outcomes.py     turns results and exceptions into text
    mixing.py       every operator and module of PyTorch's lists, one tensor on another device
    situations/     short functions for what learners and maintainers meet
    files.py        the compact files in tests/simulated_cuda/recordings/
    record.py       makes a recording on whatever CUDA is here
    compare.py      holds one recording to another

Nothing that is recorded depends on a value that a kernel computes, on an address, on time or on
randomness. So a recording can be made with PyTorch's CUDA build on a machine without a GPU.
"""
