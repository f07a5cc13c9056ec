"""Which devices may dial the driver, and how one becomes such a device."""
