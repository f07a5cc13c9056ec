"""One world for each transport."""

import pytest

ROS = [pytest.param(name, marks=pytest.mark.ros) for name in ('neighbours', 'dds')]


@pytest.fixture(params=['bus', *ROS])
def world(request, home, monkeypatch):
    from worlds import OnBus, OnRos

    if request.param == 'bus':
        made = OnBus(home, monkeypatch)
    else:
        pytest.importorskip('rclpy', reason='ROS is not installed: only the bus is tested')
        domain = request.getfixturevalue('domain')
        made = OnRos(home, monkeypatch, domain, request.param == 'neighbours')
    try:
        yield made
    finally:
        made.close()
