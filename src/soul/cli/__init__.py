"""The `soul` command."""
