"""A driving simulator around the city: scenarios, a person at the wheel, a link to an image generator."""
