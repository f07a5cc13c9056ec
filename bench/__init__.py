"""Performance, each figure beside a reference of the same run: `make bench`."""
