"""The names that the Python device replaces in PyTorch."""
