"""The steps of a probe for an answer to an exercise, as its recipe describes it."""
