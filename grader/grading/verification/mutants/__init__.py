"""Mutants: small changes to a right answer, each of which a grader should notice."""

from grader.grading.verification.mutants.making import mutants_of
from grader.grading.verification.mutants.mutant import Mutant
from grader.grading.verification.mutants.permitted import BY_ITSELF, permitted

__all__ = ["BY_ITSELF", "Mutant", "mutants_of", "permitted"]
