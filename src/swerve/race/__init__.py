"""The race wing: a car at the limit of grip, driven by move trees (after Adam 2007)."""
