"""What a rider can do, stored: tried once in full physics, kept as a mobility map, ridden in its place."""
