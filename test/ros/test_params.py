"""Parameters are described and ranged, and a wrong value stops the node in plain words."""

import pytest
import rclpy
from rcl_interfaces.msg import ParameterType
from rclpy.context import Context
from rclpy.parameter import Parameter

from soul import graph as table
from soul.core import config_text
from soul.ros import params
from soul.ros.organ import OrganNode

pytestmark = pytest.mark.ros

SPECS = table.specs(table.entries())


@pytest.fixture
def context(domain):
    made = Context()
    rclpy.init(context=made, domain_id=domain, args=[])
    yield made
    rclpy.shutdown(context=made)


@pytest.mark.parametrize('model', [s.config for s in SPECS] + [params.CommonConfig])
def test_every_parameter_is_described_and_every_number_has_a_range(model):
    for name, field in model.model_fields.items():
        assert field.description, f'{model.__name__}.{name} has no description'
        if config_text.field_kind(field) in (int, float):
            low, high = config_text.bounds(field)
            literal = 'one of' in config_text.allowed(field)
            assert literal or None not in (low, high), f'{model.__name__}.{name} has no range'


def declared(context, model, name='heart', **overrides):
    node = rclpy.create_node(
        name,
        context=context,
        parameter_overrides=[Parameter(k, value=v) for k, v in overrides.items()],
        cli_args=[],
    )
    try:
        return params.declare(node, model), node.describe_parameters(list(model.model_fields))
    finally:
        node.destroy_node()


@pytest.mark.parametrize('spec', SPECS, ids=lambda s: s.name)
def test_all_are_declared_with_their_descriptors(context, spec):
    config, descriptors = declared(context, spec.config, spec.name)
    assert config == spec.config()
    for descriptor in descriptors:
        assert descriptor.description
        assert descriptor.read_only
        assert descriptor.type != ParameterType.PARAMETER_NOT_SET
        if descriptor.type == ParameterType.PARAMETER_DOUBLE:
            assert descriptor.floating_point_range
        if descriptor.type == ParameterType.PARAMETER_INTEGER and 'sign' not in descriptor.name:
            assert descriptor.integer_range


def test_a_whole_number_is_a_number(context):
    model = table.node('heart').load_config()
    config, _ = declared(context, model, base_rate=3)
    assert config.base_rate == 3.0


@pytest.mark.parametrize(
    ('value', 'said'), [(61.0, '0 to 60'), (-1.0, '0 to 60'), ('much', 'a number from 0 to 60')]
)
def test_a_wrong_value_names_itself_its_value_and_its_range(context, value, said):
    model = table.node('heart').load_config()
    with pytest.raises(params.ParameterRefused) as caught:
        declared(context, model, base_rate=value)
    text = str(caught.value)
    assert 'heart' in text
    assert 'base_rate' in text
    assert repr(value) in text
    assert said in text


def test_a_wrong_choice_names_the_choices(context, home):
    spec = next(s for s in SPECS if s.name == 'mind')
    overrides = [Parameter('backend', value='oracle'), Parameter('soul_home', value=str(home))]
    with pytest.raises(params.ParameterRefused, match="'oracle', allowed is one of 'auto'"):
        OrganNode(spec, context, '/soul', overrides, arguments=[])
    assert not home.exists(), 'nothing was touched before the refusal'


@pytest.mark.parametrize('given', ['allow: []', 'deny: []', 'allow: [web]'])
def test_a_list_can_be_made_empty(context, tmp_path, given):
    """found 44: `allow: []` could not be set: rcl hands an empty list on as not set."""
    from soul.guard.config import GuardConfig

    file = tmp_path / 'params.yaml'
    file.write_text(f'/**/guard:\n  ros__parameters:\n    {given}\n')
    arguments = ['--ros-args', '--params-file', str(file)]
    node = rclpy.create_node('guard', context=context, cli_args=arguments)
    try:
        config = params.declare(node, GuardConfig)
    finally:
        node.destroy_node()
    name, entries = given.split(': ')
    assert getattr(config, name) == (('web',) if 'web' in entries else ())


@pytest.mark.parametrize('name', ['allow', 'deny'])
@pytest.mark.parametrize(
    ('category', 'said'),
    [
        ('speech', 'speech has a parameter of its own: write speech: deny'),
        ('gaze', 'gaze has a parameter of its own'),
        ('flying', "'flying' is no category; known are expression, web, machine"),
        ('', 'is no category'),
        ('mcp.', 'is no category'),
        ('x' * 5000, 'is no category'),
    ],
)
def test_an_unknown_category_refuses_the_start(context, name, category, said):
    """found 44: `deny: [speech, gaze]` was ignored without a word."""
    from soul.guard.config import GuardConfig

    with pytest.raises(params.ParameterRefused) as refused:
        declared(context, GuardConfig, 'guard', **{name: ['web', category]})
    assert f'guard: parameter {name} is ' in str(refused.value)
    assert said in str(refused.value)


def test_known_categories_are_taken(context):
    from soul.guard.config import GuardConfig

    config, _ = declared(context, GuardConfig, 'guard', deny=['mcp.notes', 'machine', 'tool.arm'])
    assert config.deny == ('mcp.notes', 'machine', 'tool.arm')
