"""Audits many module classes at once: those of a package, or those that a test suite calls."""
