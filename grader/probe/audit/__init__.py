"""What is done with a module that no recipe describes."""
