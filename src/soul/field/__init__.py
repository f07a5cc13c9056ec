"""The field: the door, what she perceives, and the view she sees through."""
