"""The border to ROS: the only place, beside each organ's node.py, that imports rclpy."""
