"""`grader audit --package`: finds a package's module classes, builds and audits each."""
