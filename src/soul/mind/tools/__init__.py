"""What she can do: one module per family of tools."""
