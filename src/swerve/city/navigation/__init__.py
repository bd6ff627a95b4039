"""Where characters of the city move: road networks, waypoints, quadtrees, and what stitches them together."""
