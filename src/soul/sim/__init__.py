"""Her organs wired without ROS: on a virtual clock, or in somebody's own asyncio program."""
