"""What interprets an organ, once for all transports: see :mod:`soul.core.runtime`."""
