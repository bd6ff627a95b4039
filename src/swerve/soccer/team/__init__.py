"""The team: plays, roles, tactics, skills, navigation and looking ahead, over arrays of robots."""
