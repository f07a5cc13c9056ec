"""Terminals at her side: the command line speaks to her over a socket in her home, without ROS.

`place` knows where the socket lies, `codec` and `protocol` what is said on it, `listener` and
`session` are her end, `client` is the command line's. `link` is what a command needs, over the
socket or over ROS (`soul.ros.link`) alike.
"""
