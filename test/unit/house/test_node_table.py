"""The node table is the one place that names the nodes: a new organ is one entry."""

from __future__ import annotations

import asyncio
import random
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
import setuptools
import write_params
from pydantic import Field

from soul import entry as executables
from soul import graph
from soul.core.clock import HostClock
from soul.core.organ import Organ, OrganConfig
from soul.signals import MindState
from soul.sim.graph import Graph
from soul.store import Home

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize('entry', graph.NODES, ids=lambda entry: entry.name)
def test_an_entry_names_what_there_is(entry):
    spec = entry.load()
    assert issubclass(spec.organ, Organ)
    assert issubclass(spec.config, OrganConfig)
    assert spec.config is entry.load_config()
    assert callable(spec.make)
    assert isinstance(spec.steady(spec.config()), bool)
    assert (spec.name, spec.managed, spec.transforms) == (
        entry.name, entry.managed, entry.transforms,
    )  # fmt: skip
    assert graph.node(entry.name) is entry


def test_a_real_wire_is_steady_and_a_simulated_one_is_not():
    spec = graph.node('stackchan').load()
    assert spec.steady(spec.config())
    assert spec.steady(spec.config(port='/dev/ttyACM0'))
    assert not spec.steady(spec.config(port='mock'))
    assert spec.steady(spec.config(port='mock', transport='http'))


def test_the_table_loads_nothing():
    code = 'import sys, soul.graph; print(*(m for m in sys.modules if m.startswith("soul.")))'
    found = subprocess.run(
        [sys.executable, '-c', code], capture_output=True, text=True, check=True
    )
    assert found.stdout.split() == ['soul.graph']


def test_a_graph_has_its_organs_and_the_body_that_was_asked_for():
    organs = [entry.name for entry in graph.NODES if entry.role == 'organ']
    assert [e.name for e in graph.entries(driver='none')] == organs
    assert [e.name for e in graph.entries(use_mock=False)] == [*organs, 'stackchan']
    assert [e.name for e in graph.entries()] == [*organs, 'mock_body', 'stackchan']
    assert graph.parameters(graph.node('stackchan'), use_mock=True) == {'port': 'mock'}
    assert graph.parameters(graph.node('stackchan'), use_mock=False) == {}
    with pytest.raises(ValueError, match='allowed is stackchan or none'):
        graph.entries(driver='hovercraft')


# --- a new organ ----------------------------------------------------------------------------


class Toy(Organ):
    """An organ that this test has added."""

    hears = {'mind/state': MindState}

    def __init__(self, config):
        self.config = config
        self.heard = []

    def on_mind_state(self, state, now):
        self.heard.append(state.phase)
        return ()


class ToyConfig(OrganConfig):
    loudness: float = Field(default=0.5, ge=0.0, le=1.0, description='How loud the toy is')


ENTRY = "NodeEntry('toy', 'toy_package', 'toy:Toy', 'toy:ToyConfig', 'toy:make')"
made: list[Toy] = []


def make(context):
    """Make the toy."""
    made.append(Toy(context.config))
    return made[-1]


@pytest.fixture
def toy(monkeypatch):
    """Add one entry to the table, and the package that it names."""
    package, module, node = (ModuleType(f'toy_package{n}') for n in ('', '.toy', '.node'))
    module.Toy, module.ToyConfig, module.make = Toy, ToyConfig, make
    node.main = lambda: 17
    for found in (package, module, node):
        monkeypatch.setitem(sys.modules, found.__name__, found)
    entry = eval(ENTRY, vars(graph))  # the same text as in the copy of the table below
    monkeypatch.setattr(graph, 'NODES', (*graph.NODES, entry))
    made.clear()
    return entry


def test_a_new_organ_is_one_entry(toy, tmp_path):
    assert toy in graph.entries()
    assert executables.toy() == 17
    assert '/**/toy:\n' in write_params.text()
    assert 'loudness: 0.5' in write_params.text()

    async def life():
        living = Graph(Home(tmp_path), HostClock(), random.Random(1), {'toy': {'loudness': 0.7}})
        living.start()
        while living.bus.latest('mind/state') is None:
            living.bus.drain()
            await asyncio.sleep(0)
        living.bus.drain()
        await living.close()

    asyncio.run(asyncio.wait_for(life(), 30))
    assert made[0].config.loudness == 0.7
    assert made[0].heard


def test_an_executable_of_nobody_is_none():
    with pytest.raises(AttributeError, match='hovercraft'):
        executables.hovercraft  # noqa: B018


def test_a_new_organ_is_an_executable_of_the_package(tmp_path, monkeypatch):
    shutil.copy(ROOT / 'setup.py', tmp_path)
    shutil.copytree(ROOT / 'requirements', tmp_path / 'requirements')
    (tmp_path / 'src' / 'soul' / 'voice').mkdir(parents=True)
    packages = Path('src', 'soul', 'voice', 'packages.py')
    shutil.copy(ROOT / packages, tmp_path / packages)
    text = (ROOT / 'src' / 'soul' / 'graph.py').read_text(encoding='utf-8')
    first = "    NodeEntry('guard',"
    (tmp_path / 'src' / 'soul' / 'graph.py').write_text(
        text.replace(first, f'    {ENTRY},\n{first}'), encoding='utf-8'
    )
    asked = {}
    monkeypatch.setattr(setuptools, 'setup', lambda **given: asked.update(given))
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(tmp_path / 'setup.py'))
    scripts = asked['entry_points']['console_scripts']
    names = ['soul', 'composition', 'toy', *(entry.name for entry in graph.NODES)]
    assert scripts == [f'{name} = soul.entry:{name}' for name in names]
