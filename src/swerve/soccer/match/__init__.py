"""The match: field, robots, ball, referee and what is seen of them; knows nothing of teams' minds."""
