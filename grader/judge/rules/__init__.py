"""The rules of diagnosis, one file per kind of fault. A rule reads evidence and yields findings."""
