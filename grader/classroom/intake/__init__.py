"""Reads what a class handed in: folders, zips and notebooks, as each platform gives them out."""
