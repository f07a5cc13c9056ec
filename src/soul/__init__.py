"""soul: one continuously living persona for a robot."""

__version__ = '0.1.0'
