"""Pictures, films and the player page: drawing, apart from the mathematics."""
