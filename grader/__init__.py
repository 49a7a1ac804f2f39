"""Where's My Tensor?: what stayed behind when a module moved to CUDA, and why."""
