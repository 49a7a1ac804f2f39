"""The exercises of which variants can be drawn: one file for each, with one `draw` function."""
