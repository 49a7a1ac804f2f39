"""The names that the native device replaces in PyTorch: one file for each part of `torch.cuda`."""
