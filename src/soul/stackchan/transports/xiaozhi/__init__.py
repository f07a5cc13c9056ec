"""A body with the xiaozhi firmware: it asks where to dial, dials, and is spoken with there."""
