"""From evidence to a report: pure functions that run nothing and import no torch."""
