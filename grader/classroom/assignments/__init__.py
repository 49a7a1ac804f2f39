"""Assignments with solutions that are not public: variants of exercises, drawn by a seed."""
