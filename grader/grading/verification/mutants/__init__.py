"""Mutants: small changes to a right answer, each of which a grader should notice."""

from grader.grading.verification.mutants.making import mutants_of
from grader.grading.verification.mutants.mutant import Mutant

__all__ = ["Mutant", "mutants_of"]
