"""What speaks and what understands: each engine behind one of two small interfaces."""
