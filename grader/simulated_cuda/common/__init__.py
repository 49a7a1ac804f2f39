"""Used by both implementations: patches, refusals, and parts of `torch.cuda` that are alike."""
