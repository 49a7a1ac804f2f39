"""Runs a learner's module on CUDA and records what happened, as evidence; judges nothing."""
