"""The hall: what every wing stands on. Nothing in here knows a wing."""
