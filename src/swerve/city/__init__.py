"""The city wing: characters, roads, traffic, people and emergencies."""
