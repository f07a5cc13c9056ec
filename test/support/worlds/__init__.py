"""Surroundings in which parts of her live for the tests, one module for each kind."""
