"""`grader doctor`: what is installed, which device, what is missing, and what fixes it."""
