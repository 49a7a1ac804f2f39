"""What a project says of findings: by a comment, a baseline, or a choice of codes."""
