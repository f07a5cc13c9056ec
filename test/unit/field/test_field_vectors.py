"""The formulas of the field against cases from the running code of SoulScript Loop, to 1e-6."""

import numpy as np
import pytest

from soul.field import features
from soul.field.beliefs import Belief
from soul.field.decay import decay
from soul.field.item import AROUND, CLOSE, EDGE, FOCUS
from soul.field.items import Items
from soul.field.layout import lay_out
from support.worlds.field import cases

RINGS = {'focus': FOCUS, 'close': CLOSE, 'around': AROUND, 'edge': EDGE}
SPECS = features.load()


@pytest.mark.parametrize(
    'case', cases('prediction_gaussian') + cases('prediction_bernoulli'), ids=lambda c: c['name']
)
def test_prediction(case):
    spec = SPECS[case['in']['feature']]
    assert spec.kind == case['in']['kind']
    belief = Belief(spec)
    for raw, out in zip(case['in']['observations'], case['out'], strict=True):
        seen = belief.observe(case['in']['feature'], raw)
        assert seen.surprise == pytest.approx(out['surprise'], abs=1e-6)
        assert seen.direction == out['direction']
        assert seen.alert == out['alert']
        assert belief.n == out['n_after']
        assert belief.mean == pytest.approx(out['mean_after'], abs=1e-6)
        if 'var_after' in out:
            assert belief.variance == pytest.approx(out['var_after'], abs=1e-6)
        if out['expected_raw_before'] is None:
            assert seen.expected is None
        else:
            assert seen.expected == pytest.approx(out['expected_raw_before'], rel=1e-6, abs=1e-6)


@pytest.mark.parametrize('case', cases('salience_decay'))
def test_decay(case):
    given, out = case['in'], case['out']
    items = Items()
    item = items.add(
        given['kind'],
        'src',
        salience=given['salience'],
        valence=given['valence'],
        growth=given['tension_growth_per_h'],
        anchor=given['anchor'],
    )
    item.held, item.resolved = given['held'], given['resolved']
    if item.placed:  # gauges have no ring and count as close
        item.ring = RINGS[given['ring']]
    gone = decay(items.rows, given['dt_s'], item.row if given['is_focus'] else -1)
    assert item.salience == pytest.approx(out['salience'], abs=1e-6)
    assert item.valence == pytest.approx(out['valence'], abs=1e-6)
    assert bool(gone[item.row]) == out['dropped']


@pytest.mark.parametrize('case', cases('ring_placement'), ids=lambda c: c['name'])
def test_rings(case):
    given = case['in']
    items = Items()
    names, products = {}, []
    for plain in given['items']:
        item = items.add('note', 'src', plain['name'], salience=plain['salience'])
        item.held, item.embedded = plain['held'], plain['relatedness'] is not None
        products.append(plain['relatedness'] or 0.0)
        names[plain['name']] = item
    focus, topic = -1, None
    if given['focus'] == 'topic':
        topic = np.array([1.0])
    elif given['focus'] != 'none':
        names['F'] = items.add('note', 'src', 'F')
        focus = names['F'].row
        names['F'].embedded = given['focus'] == 'item'
        products.append(1.0)
    # vectors of one number, so that the products are exactly those of the case
    lay_out(items.rows, np.array(products).reshape(-1, 1), focus, topic, given['floor'])
    assert {name: item.ring for name, item in names.items()} == {
        name: RINGS[ring] for name, ring in case['out'].items()
    }
