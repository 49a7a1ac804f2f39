"""Rewrites: other forms of a right answer, each of which a grader must accept in full."""

from verify.rewrites.making import Rewrite, rewrites_of

__all__ = ["Rewrite", "rewrites_of"]
