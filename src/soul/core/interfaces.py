"""The names on the graph and how each topic behaves; relative to the namespace.

The one table behind the quality-of-service profiles in ROS and the documentation. What is not
listed is an event: reliable, volatile, remembered by nobody.
"""

from __future__ import annotations

#: State: a late joiner gets the newest one (transient local, depth 1).
LATCHED = frozenset(
    {
        'connection',
        'body/state',
        'heart/state',
        'door/tasks',
        'field/view',
        'mind/state',
        'guard/energy',
        'guard/state',
    }
)

#: Latched states whose publisher's death is noticed by a liveliness lease.
LEASED = frozenset({'body/state', 'heart/state', 'field/view', 'mind/state', 'guard/state'})

#: Streams of readings: the newest counts, a lost one is no harm.
SENSOR = frozenset(
    {
        'battery_state',
        'temperature',
        'illuminance',
        'imu/data_raw',
        'joint_states',
        'camera/image_raw/compressed',
        'screen',
        'audio',
        'touch',
        'body/extra',
    }
)

#: How many latched messages a reader keeps where several sources share a topic.
READER_DEPTH = {'door/tasks': 32}

#: Seconds without a sign of life after which a publisher of a leased topic counts as gone.
LEASE_SECONDS = 3.0

#: No rest is longer, minutes: a day. How long hers may be is a parameter of the heart.
LONGEST_REST_MINUTES = 1440.0

#: Exit code of a node that refuses to start (a wrong parameter, its home or name taken); trying
#: again is useless.
EXIT_REFUSED = 2

#: Topics that anybody on the graph may publish, several at once; the others have one writer each.
MANY_WRITERS = SENSOR | {'connection', 'door/message', 'door/tasks', 'field/percept'}
