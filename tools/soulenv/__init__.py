"""What `make setup` is made of: from a clean clone to a built ROS 2 workspace."""
