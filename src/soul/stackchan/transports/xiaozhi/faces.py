"""The driver's faces as what xiaozhi firmwares draw and light."""

from __future__ import annotations

#: Emotions (message `llm`) of a device with xiaozhi's own screen.
XIAOZHI = {
    'neutral': 'neutral', 'happy': 'happy', 'sad': 'sad', 'surprised': 'surprised',
    'sleepy': 'sleepy', 'angry': 'angry', 'doubt': 'thinking',
}  # fmt: skip

#: Those of M5Stack's own firmware; any other word is neutral there. It has no surprised face, and
#: its `sleepy` drops the head to level, beyond its safe range: the lights must say it.
OFFICIAL = {
    'neutral': 'neutral', 'happy': 'happy', 'sad': 'sad', 'surprised': 'neutral',
    'sleepy': 'neutral', 'angry': 'angry', 'doubt': 'doubtful',
}  # fmt: skip

#: Faces of the tool `set_avatar`; it has neither a sleepy nor an angry one.
AVATARS = {
    'neutral': 'idle', 'happy': 'happy', 'sad': 'sad', 'surprised': 'surprised',
    'sleepy': 'idle', 'angry': 'sad', 'doubt': 'thinking',
}  # fmt: skip
