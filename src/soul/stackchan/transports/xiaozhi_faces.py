"""The driver's faces as what xiaozhi firmwares draw and light."""

from __future__ import annotations

#: Emotions that every xiaozhi firmware draws (message `llm`).
EMOTIONS = {
    'neutral': 'neutral', 'happy': 'happy', 'sad': 'sad', 'surprised': 'surprised',
    'sleepy': 'sleepy', 'angry': 'angry', 'doubt': 'thinking',
}  # fmt: skip

#: Faces of the tool `set_avatar`; it has neither a sleepy nor an angry one.
AVATARS = {
    'neutral': 'idle', 'happy': 'happy', 'sad': 'sad', 'surprised': 'surprised',
    'sleepy': 'idle', 'angry': 'sad', 'doubt': 'thinking',
}  # fmt: skip

#: Colours of the lights: red, green, blue, each 0..1.
COLOURS = {
    'neutral': (0.0, 0.0, 0.0), 'happy': (0.5, 0.35, 0.0), 'sad': (0.0, 0.05, 0.4),
    'surprised': (0.4, 0.4, 0.4), 'sleepy': (0.05, 0.0, 0.1), 'angry': (0.5, 0.0, 0.0),
    'doubt': (0.25, 0.0, 0.4),
}  # fmt: skip
