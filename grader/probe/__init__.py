"""Runs a learner's module on CUDA and writes down what happened. It decides nothing."""
