"""Measurements against other ways of doing the same, ratios in one run."""
