"""What a person can get wrong at a start: one clear line, exit code 2, no traceback."""

import os
import subprocess
import sys

import pytest

from soul.core.interfaces import EXIT_REFUSED
from soul.core.organ import StartRefused
from soul.ros import given

pytestmark = pytest.mark.ros

NODES = {
    '/soul/guard': {'speech', 'soul_home', 'timezone'},
    '/soul/heart': {'base_rate', 'soul_home', 'timezone'},
}
FAMILY = ('guard', 'heart', 'mind', 'stackchan')


def file_of(tmp_path, text):
    path = tmp_path / 'params.yaml'
    path.write_text(text)
    return ['soul', '--ros-args', '--params-file', str(path)]


def doubts(arguments):
    return given.check_names(given.sections(arguments), NODES, FAMILY)


def test_names_that_somebody_knows_are_taken(tmp_path):
    text = """
/**:
  ros__parameters: {timezone: UTC, base_rate: 2.0, use_sim_time: false}
/**/guard:
  ros__parameters: {speech: deny, qos_overrides: {/clock: {subscription: {depth: 5}}}}
/soul/heart:
  ros__parameters: {base_rate: 1.0}
soul:
  guard:
    ros__parameters: {speech: allow}
/other/heart:
  ros__parameters: {anything: 1}
/soul/my_camera:
  ros__parameters: {rate: 1}
/**/stackchan:
  ros__parameters: {what_does_not_run: 1}
"""
    assert doubts(file_of(tmp_path, text)) == []
    assert doubts(['soul', '--ros-args', '-p', 'base_rate:=2.0', '-p', 'guard:speech:=deny']) == []
    assert doubts(['soul', '-p', 'nonsense:=1']) == [], 'not for ROS'


@pytest.mark.parametrize(
    'section', ['/**/guard', '/soul/guard', '/*/guard', 'soul/guard'], ids=str
)
def test_a_name_the_node_does_not_have_is_refused_with_the_nearest(tmp_path, section):
    arguments = file_of(tmp_path, f'{section}:\n  ros__parameters: {{speach: deny}}\n')
    with pytest.raises(StartRefused, match='guard has no parameter speach; did you mean speech'):
        doubts(arguments)


def test_what_is_typed_and_nobody_knows_is_refused():
    with pytest.raises(StartRefused, match='parameter base_rat; did you mean base_rate'):
        doubts(['soul', '--ros-args', '-p', 'base_rat:=2.0'])
    with pytest.raises(StartRefused, match='heart has no parameter speech'):
        doubts(['soul', '--ros-args', '-p', 'heart:speech:=deny'])


@pytest.mark.parametrize(
    ('text', 'said'),
    [
        ('/**:\n  ros__parameters: {timezon: UTC}\n', 'timezon; did you mean timezone?'),
        ('/soul/haert:\n  ros__parameters: {base_rate: 1}\n', 'haert; did you mean heart?'),
        ('guard:\n  ros__parameters: {speech: deny}\n', 'write /**/guard'),
    ],
)
def test_what_may_be_meant_for_others_is_doubted(tmp_path, text, said):
    (doubt,) = doubts(file_of(tmp_path, text))
    assert said in doubt


@pytest.mark.parametrize(
    ('text', 'said'),
    [
        ('a: [\n', 'line 2 is no valid YAML'),
        ('just text\n', 'is no table'),
        ('guard:\n  speech: deny\n', 'speech stands outside of any ros__parameters'),
        ('/**:\n  ros__parameters:\n    timezone:\n', 'timezone has no value'),
        ('/**:\n  ros__parameters: 3\n', 'ros__parameters of /** is no table'),
    ],
)
def test_a_file_that_is_none_says_where(tmp_path, text, said):
    arguments = file_of(tmp_path, text)
    with pytest.raises(StartRefused) as refusal:
        given.initialise(arguments)
    assert said in str(refusal.value)
    assert arguments[-1] in str(refusal.value)


@pytest.mark.parametrize(
    ('arguments', 'said'),
    [
        (['--params-file', '/not/there.yaml'], '/not/there.yaml: there is no such file'),
        (['--log-level', 'loud'], "log level is 'loud', allowed is one of debug, info"),
        (['-r', '__ns:=/1st'], "namespace is '/1st'"),
        (['-r', 'nonsense'], 'nonsense'),
        (['--nonsense', '1'], 'nonsense'),
    ],
)
def test_an_argument_that_cannot_be_used(arguments, said):
    with pytest.raises(StartRefused) as refusal:
        given.initialise(['soul', '--ros-args', *arguments])
    assert said in str(refusal.value)
    assert '.c:' not in str(refusal.value), 'where rcl gave up is of no use to a person'
    assert len(str(refusal.value).splitlines()) == 1


UP = ['-m', 'soul.cli.main', 'up']
GUARD = ['-c', 'import sys; from soul.guard.node import main; sys.exit(main())', '--ros-args']


@pytest.mark.parametrize(
    ('command', 'said'),
    [
        ([*UP, '--home', '{file}'], '{file} cannot be used: it is a file'),
        ([*UP, '--home', '/proc/soul'], '/proc/soul cannot be used'),
        ([*UP, '--log-level', 'loud'], "'loud'"),
        ([*UP, '--namespace', 'a b'], "'/a b'"),
        ([*UP, '--params-file', '{file}'], '{file} is no table'),
        ([*UP, '--home', '{home}', '--backend', 'scripted', '--script', '/x.yaml'], "'/x.yaml'"),
        ([*UP, '--home', '{home}', '--backend', 'openai'], "model is ''"),
        ([*UP, '--home', '{home}', '--base-url', 'ftp://x', '--model', 'm'], "'ftp://x'"),
        ([*GUARD, '-p', 'soul_home:={file}'], '{file} cannot be used: it is a file'),
        ([*GUARD, '-p', 'soul_home:={home}', '-p', 'timezone:=Mars'], "'Mars'"),
        ([*GUARD, '-p', 'speach:=deny'], 'did you mean speech?'),
    ],
)
def test_one_line_and_exit_code_2(domain, tmp_path, home, command, said):
    file = tmp_path / 'file'
    file.write_text('text')
    names = {'file': str(file), 'home': str(home)}
    ended = subprocess.run(
        [sys.executable, *[part.format(**names) for part in command]],
        env={**os.environ, 'ROS_DOMAIN_ID': str(domain)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == EXIT_REFUSED, ended.stderr
    assert said.format(**names) in ended.stderr
    assert 'Traceback' not in ended.stdout + ended.stderr
    assert len(ended.stderr.strip().splitlines()) == 1, ended.stderr
