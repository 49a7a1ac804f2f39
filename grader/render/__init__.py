"""Turns one report into each output: terminal text, HTML, JSON, JUnit."""
