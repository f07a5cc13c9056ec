"""One world for each transport."""

import pytest


@pytest.fixture(params=['bus', pytest.param('ros', marks=pytest.mark.ros)])
def world(request, home, monkeypatch):
    from worlds import OnBus, OnRos

    if request.param == 'bus':
        made = OnBus(home, monkeypatch)
    else:
        pytest.importorskip('rclpy', reason='ROS is not installed: only the bus is tested')
        made = OnRos(home, monkeypatch, request.getfixturevalue('domain'))
    try:
        yield made
    finally:
        made.close()
