"""`grader doctor`: what is installed, which device, what is missing, and what mends it."""
