"""The audit: the steps of a probe for a module that no recipe describes."""
