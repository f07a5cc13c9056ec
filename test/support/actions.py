"""An action client that may be used beside the thread that spins its node."""

import contextlib

from rclpy.action import ActionClient as Rclpys


class ActionClient(Rclpys):
    """rclpy's; an answer that comes before it has been noted as expected is no error."""

    def remove_future(self, future):
        """Let go of a future; it may not have been added yet."""
        with contextlib.suppress(ValueError):
            super().remove_future(future)
