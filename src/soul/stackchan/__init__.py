"""The driver of a StackChan: the host's side of the wire."""
