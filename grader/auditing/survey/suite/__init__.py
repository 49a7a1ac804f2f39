"""`pytest --audit-modules`: audits the modules that a project's tests call."""
