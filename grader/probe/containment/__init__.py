"""Contains a process that runs code which may be hostile, broken or slow."""
