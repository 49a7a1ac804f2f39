"""Levels of one minute: a class of a few lines with one fault, a rule, and forms of its fix."""
