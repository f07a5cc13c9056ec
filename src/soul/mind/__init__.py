"""The mind: one stream of consciousness that lives each waking through a model and tools."""
