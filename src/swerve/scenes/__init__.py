"""Worlds that mix wings."""
