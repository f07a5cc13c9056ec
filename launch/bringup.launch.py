"""Bring her up: every organ, and a simulated body unless told otherwise."""

from pathlib import Path

from launch.actions import DeclareLaunchArgument, OpaqueFunction, RegisterEventHandler
from launch.event_handlers import OnProcessExit
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from launch import LaunchDescription
from soul import bringup, graph
from soul.core.interfaces import EXIT_REFUSED
from soul.ros import dds

ARGUMENTS = (
    ('namespace', 'soul', 'Namespace of all nodes; two suites need two.'),
    ('use_mock', 'true', 'Run the simulated body and talk to it: true or false.'),
    ('driver', 'stackchan', 'Driver of the body: stackchan, or none: no body of ours, no mock.'),
    ('use_sim_time', 'false', 'Live by /clock instead of the system clock: true or false.'),
    ('params_file', '', 'YAML file of parameters; empty: the defaults of config/soul.yaml.'),
    ('autostart', 'true', 'Mind and driver configure and activate themselves: true or false.'),
    ('composed', 'false', 'All organs in one process, a thread each: true or false.'),
    ('log_level', 'info', 'debug, info, warn, error or fatal.'),
    ('soul_home', '', 'Her home directory; empty: SOUL_HOME or ~/.soul.'),
    ('backend', '', 'What thinks: echo, scripted or openai; empty: as the parameters say.'),
)
#: A node that failed is started again after this, s.
RESPAWN_SECONDS = 1.0


def _truth(name: str, value: str) -> bool:
    if value.lower() in ('true', '1', 'yes'):
        return True
    if value.lower() in ('false', '0', 'no'):
        return False
    raise RuntimeError(f'{name} is {value!r}, allowed is true or false')


def _readable(path):
    """Return the path of a file of parameters; launch_ros would only warn and go on without."""
    full = Path(path).expanduser()
    try:
        with full.open('rb') as file:
            file.read(1)
    except OSError as error:
        raise RuntimeError(f'params_file is {path!r}: {error.strerror}') from None
    return str(full)


def _nodes(context, *args, **kwargs):
    given = {name: LaunchConfiguration(name).perform(context) for name, _, _ in ARGUMENTS}
    # of no use without a driver
    use_mock = _truth('use_mock', given['use_mock']) and given['driver'] != graph.NO_DRIVER
    own = {
        'soul_home': ParameterValue(given['soul_home'], value_type=str),
        'autostart': _truth('autostart', given['autostart']),
        'use_sim_time': _truth('use_sim_time', given['use_sim_time']),
    }
    files = [_readable(given['params_file'])] if given['params_file'] else []
    common = {
        'package': 'soul',
        'namespace': given['namespace'],
        'output': 'screen',
        'ros_arguments': ['--log-level', given['log_level']],
    }

    def backend(executable):
        chosen = given['backend'] if executable == 'mind' else ''
        return {'backend': chosen} if chosen else {}

    chosen = graph.entries(use_mock, given['driver'])
    if _truth('composed', given['composed']):
        arguments = [] if use_mock else ['--no-mock']
        arguments += ['--driver', given['driver']]
        nodes = [
            Node(
                executable='composition',
                arguments=arguments,
                parameters=[*files, {**own, **backend('mind')}],
                respawn=True,
                respawn_delay=RESPAWN_SECONDS,
                **common,
            )
        ]
    else:
        nodes = [
            Node(
                executable=entry.name,
                name=entry.name,
                parameters=[
                    *files,
                    {
                        **own,
                        **backend(entry.name),
                        **graph.parameters(entry, use_mock),
                    },
                ],
                respawn=True,
                respawn_delay=RESPAWN_SECONDS,
                **common,
            )
            for entry in chosen
        ]
    handlers = [
        # A refused start (wrong parameter, home or name taken) is not tried again for ever.
        RegisterEventHandler(OnProcessExit(target_action=node, on_exit=_on_exit))
        for node in nodes
    ]
    return [*handlers, *nodes, *_state_publisher(given, own, use_mock)]


def _on_exit(event, context):
    if event.returncode == EXIT_REFUSED and not context.is_shutdown:
        # launch ends everything then, and itself with a code that is not zero
        raise RuntimeError(f'{event.process_name} refused to start; its own line says why')
    return []


def _stay_here(context, *args, **kwargs):
    """Be seen on this machine only, unless somebody has said otherwise; also what is not ours."""
    dds.stay_on_this_machine()
    return []


def _state_publisher(given, own, use_mock):
    """Show the head in rviz, where robot_state_publisher is installed and a body is there."""
    if given['driver'] == graph.NO_DRIVER:
        return []
    if not bringup.has_package('robot_state_publisher'):
        return []
    return [
        Node(
            package='robot_state_publisher',
            executable='robot_state_publisher',
            namespace=given['namespace'],
            parameters=[
                {
                    'robot_description': ParameterValue(bringup.description(), value_type=str),
                    'use_sim_time': own['use_sim_time'],
                }
            ],
            output='screen',
        )
    ]


def generate_launch_description():
    """Describe the graph."""
    arguments = [
        DeclareLaunchArgument(name, default_value=default, description=described)
        for name, default, described in ARGUMENTS
    ]
    return LaunchDescription(
        [*arguments, OpaqueFunction(function=_stay_here), OpaqueFunction(function=_nodes)]
    )
