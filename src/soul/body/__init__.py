"""The body's digital twin: readings become feelings and sense events. Never calls a model."""
