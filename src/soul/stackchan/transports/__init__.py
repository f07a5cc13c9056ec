"""How a body is reached: serial, HTTP and xiaozhi behind one port of commands and events."""
