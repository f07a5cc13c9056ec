"""The simulated device: a StackChan that speaks soul-serial behind a real pty."""
