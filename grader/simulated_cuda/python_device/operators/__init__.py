"""Operators of the Python device: check the devices, run on the CPU, wrap the results."""
