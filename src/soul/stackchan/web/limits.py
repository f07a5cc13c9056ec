"""What a stranger on a port of ours can use up."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class WebLimits:
    """Limits of one port; a body, an owner's browser and a scanner fit into them many times.

    Attributes
    ----------
    connections, per_host
        Most connections at once, in all and from one address.
    head_bytes, head_seconds
        The head of a request: how large, and by when it must have come, s.
    request_seconds
        A request must have come and been answered within, s.
    message_bytes
        Largest message of a WebSocket.
    silent_seconds
        A connection whose other end takes nothing for so long is gone, s.
    """

    connections: int = 32
    per_host: int = 12
    head_bytes: int = 16_384
    head_seconds: float = 5.0
    request_seconds: float = 20.0
    message_bytes: int = 65_536
    silent_seconds: float = 40.0
