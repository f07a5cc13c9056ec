"""How the driver listens: for nudges, for photos, and for a device that dials."""
