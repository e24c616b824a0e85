"""Pickles, in this process and in another one."""

import pickle
import subprocess
import sys

import numpy as np
import pyquadrille as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from model import every_kind, models, quick

OTHER = """
import pickle, sys
import numpy as np
index, units, both, region = pickle.load(sys.stdin.buffer)
assert units == index.layers()[0] and index.intersecting(region, units).count() == 2
new = index.insert(units, (3, 3))
assert index.intersecting(region, both).count() == 3
index.remove_many(index.handles()[:1])
sys.stdout.buffer.write(pickle.dumps((index, new)))
"""


def test_to_another_process_and_back():
    index = pq.Index([0, 0, 10, 10])
    units = index.add_points()
    handles = index.insert_many(units, [(1, 1), (2, 2)])
    region = pq.Polygon([(0, 0), (5, 0), (5, 5), (0, 5)])
    saved = pickle.dumps((index, units, units | units, region))
    answer = subprocess.run([sys.executable, "-c", OTHER], input=saved, capture_output=True)
    assert answer.returncode == 0, answer.stderr.decode()
    back, new = pickle.loads(answer.stdout)
    assert len(back) == 2 and len(index) == 2 and new in back and new not in index
    assert handles[0] not in back and handles[1] in back
    back.remove(new)


def test_questions_and_memories_are_not_pickled():
    index = pq.Index([0, 0, 10, 10])
    query = index.intersecting((0, 0, 9, 9))
    for kept in [query, query.watch(), index.watch_many([(0, 0)]), index.contacts(1.5), index.markers(2.0)]:
        with pytest.raises(TypeError, match="pickle"):
            pickle.dumps(kept)


@every_kind
@quick
@given(st.data())
def test_a_loaded_index_does_the_same(kind, data):
    model = data.draw(models(kind))
    index, everything = model.index.real, [-1] * model.dim + [40] * model.dim
    if data.draw(st.booleans()):
        index.set_layer(model.handles[model.layers == 0][:3], index.add_points())
    other, units = pickle.loads(pickle.dumps((index, model.units)))
    assert (other.dim, other.dtype, other.torus) == (index.dim, index.dtype, index.torus)
    for _ in range(2):
        assert other.world.tolist() == index.world.tolist()
        for mine, theirs in zip(index.layers(), other.layers()):
            assert other.handles(layer=theirs).tolist() == index.handles(layer=mine).tolist()
            assert other.intersecting(everything, theirs).tolist() == index.intersecting(everything, mine).tolist()
            assert other.pairs(3.0, theirs).tolist() == index.pairs(3.0, mine).tolist()
        places = np.arange(6 * model.dim).reshape(6, model.dim) % 16
        assert other.insert_many(units, places).tolist() == index.insert_many(model.units, places).tolist()


def test_regions_and_sets():
    index = pq.Index([0, 0, 10, 10])
    units, zones = index.add_points(), index.add_boxes()
    index.insert_many(units, np.random.default_rng(1).uniform(0, 10, (500, 2)))
    regions = [
        pq.Ball((5, 5), 3),
        pq.Segment((0, 0), (9, 9)),
        pq.Polygon([(0, 0), (9, 0), (9, 9)], [(5, 2), (6, 2), (6, 3)]),
        pq.Corridor([(0, 0), (5, 5), (9, 5)], 1),
        pq.Cap((5, 5), 300_000),
        pq.AnyOf([pq.Ball((5, 5), 1), (0, 0, 2, 2), pq.AnyOf([(9, 9)])]),
    ]
    for region in regions:
        again = pickle.loads(pickle.dumps(region))
        assert type(again) is type(region) and isinstance(again, pq.Region)
        rows = index.intersecting(region, units).tolist()
        assert rows == index.intersecting(again, units).tolist()
        back, others = pickle.loads(pickle.dumps((index, ~zones)))
        found = back.intersecting(again, others, excluding=index.handles([3, 4], units))
        assert sorted(found.tolist()) == sorted(set(rows) - {3, 4})
    same, layer, layers = pickle.loads(pickle.dumps((index, units, units | zones)))
    assert layer.index is same and layer in layers
