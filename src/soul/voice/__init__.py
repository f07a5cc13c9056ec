"""Voice and ears: text becomes sound, sound becomes text, in a process of its own."""
