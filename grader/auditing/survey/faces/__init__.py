"""A survey as text, JSON and an HTML page."""
