"""The guard: permission, energy, the stop, and the one way to act outward."""
