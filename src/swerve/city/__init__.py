"""A street that a person believes: roads, traffic, people on foot, and what they agree on."""
