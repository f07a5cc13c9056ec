"""Her senses: each channel is one module with a `make(setting)`, and a new one is one file."""

from soul.field.channels.base import Channel, Setting, load

__all__ = ['Channel', 'Setting', 'load']
