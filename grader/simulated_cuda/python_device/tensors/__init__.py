"""Tensors of the Python device: the wrapper, the CPU tensor inside it, lazy ones, saved ones."""
