"""Mutants: small changes to a right answer, each of which a grader should notice."""

from verify.mutants.making import mutants_of
from verify.mutants.mutant import Mutant
from verify.mutants.permitted import BY_ITSELF, permitted

__all__ = ["BY_ITSELF", "Mutant", "mutants_of", "permitted"]
