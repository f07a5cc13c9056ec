"""Her as a service of the machine: what she tells its supervisor, and the files that name her."""
