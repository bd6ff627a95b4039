"""Robot soccer: the match, the team, its eyes and the language of the league (Zickler 2010)."""
