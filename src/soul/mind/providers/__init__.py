"""What thinks: backends with one form."""
