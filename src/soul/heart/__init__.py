"""The heart: drives, body clock and the process that wakes her. Never has a timetable."""
