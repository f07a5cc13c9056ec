"""Her home as a whole: backups of it, and parts of it that are to begin anew."""
