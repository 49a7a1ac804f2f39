"""Looks at a module: what it holds, where it is, and which of the learner's lines made it."""
