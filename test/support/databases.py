"""The connections that the product opens to its databases, for tests of what SQLite may do."""

import sqlite3


class Databases:
    """Keeps the connections that are opened from now on, oldest first."""

    def __init__(self, monkeypatch):
        self.opened = []
        real = sqlite3.connect

        def connect(*args, **options):
            made = real(*args, **options)
            self.opened.append(made)
            return made

        monkeypatch.setattr(sqlite3, 'connect', connect)

    @property
    def newest(self):
        """The connection that was opened last."""
        return self.opened[-1]
