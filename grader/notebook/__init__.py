"""What a notebook uses: the check cell and how a report looks in it."""
