"""Whether the grader itself is right: declared answers, mutants and rewrites of each exercise."""
