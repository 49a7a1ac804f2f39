"""What a learner does in the course: get help, predict, review, start over, see the progress.

The command line, the notebook and `grader watch` share it.
"""
