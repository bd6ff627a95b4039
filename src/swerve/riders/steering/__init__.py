"""How riders choose: where to turn along a path or in a herd, and the weights of that choice."""
