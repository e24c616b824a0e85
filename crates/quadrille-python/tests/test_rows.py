"""Rows are counted in each layer, whatever comes and goes."""

import copy
import pickle

import numpy as np
import pyquadrille as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

WALLS = [(1, 1, 2, 2), (3, 3, 4, 4), (5, 5, 9, 9)]


def test_rows_of_a_second_layer_are_its_own():
    """The program that everybody writes: walls, then units, and an array for each."""
    index = pq.Index([0, 0, 100, 100])
    walls, units = index.add_boxes(), index.add_points()
    index.insert_many(walls, WALLS)
    places = np.random.default_rng(1).random((1000, 2)) * 100
    handles = index.insert_many(units, places)
    box = [0, 0, 20, 20]
    inside = np.flatnonzero((places <= 20).all(axis=1))
    assert sorted(index.intersecting(box, units).rows()) == inside.tolist() and len(inside) > 30
    assert (places[index.intersecting(box, units)] <= 20).all()
    assert sorted(index.intersecting(box, walls).tolist()) == [0, 1, 2]
    assert index.rows(handles).tolist() == list(range(1000)) == index.nearest_many(places, 1, units)[0][:, 0].tolist()
    assert index.capacity(units) == 1000 and index.capacity(walls) == 3
    assert index.handles(layer=units).tolist() == handles.tolist()
    hit = index.raycast((2.5, 0), (0, 1), walls | units)
    assert hit is None or hit.handle in index
    assert index.cast((0, 1.5), (9, 0), walls).row == 0
    of, wall = index.pairs(1.0, between=(units, walls)).T
    gaps = np.maximum(0, np.maximum(np.array(WALLS)[wall, :2] - places[of], places[of] - np.array(WALLS)[wall, 2:]))
    assert len(of) > 2 and ((gaps**2).sum(axis=1) <= 1).all()


@pytest.mark.parametrize("leave", ["remove_many", "clear", "remove_layer"])
def test_rows_begin_at_0_though_others_were_there_before(leave):
    index = pq.Index([0, 0, 100, 100])
    walls, units = index.add_boxes(), index.add_points()
    handles = index.insert_many(walls, WALLS)
    getattr(index, leave)({"remove_many": handles, "clear": walls, "remove_layer": walls}[leave])
    places = np.arange(20.0).reshape(10, 2)
    assert index.rows(index.insert_many(units, places)).tolist() == list(range(10))
    assert (places[index.intersecting([4, 4, 9, 9], units)] == [[4, 5], [6, 7], [8, 9]]).all()


def test_another_layer_is_another_row():
    index = pq.Index([0, 0, 10, 10])
    awake, asleep = index.add_points(), index.add_points()
    handles = index.insert_many(awake, [(1, 1), (2, 2), (3, 3)])
    index.set_layer(handles[[1, 1, 0]], asleep)
    assert index.rows(handles[[1, 0]]).tolist() == [0, 1] and index.rows(int(handles[2])) == 2
    assert index.handles(layer=awake).tolist() == [0, 0, handles[2]]
    assert index.rows(index.insert(awake, (4, 4))) == 0, "the lowest that is free"
    index.set_layer(handles[1], awake)
    assert index.rows(handles[1:2]).tolist() == [1] and index.handles(layer=asleep).tolist() == [0, handles[0]]
    with pytest.raises(pq.StaleHandleError):
        index.remove(int(handles[0]))
        index.rows(handles)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.data())
def test_arrays_beside_each_layer(data):
    """Arrays by row say of each object what the index says, after anything."""
    index = pq.Index([0, 0, 16, 16])
    layers = [index.add_points() for _ in range(3)]
    home: dict[int, int] = {}
    draw = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    for _ in range(data.draw(st.integers(1, 12))):
        some = [handle for handle in home if draw.random() < 0.4]
        which = int(draw.integers(3))
        step = data.draw(st.sampled_from(["insert", "one", "remove", "gone", "layer", "clear", "anew", "copy", "pickle"]))
        if step == "insert":
            places = draw.integers(0, 16, (int(draw.integers(6)), 2))
            before = index.handles(layer=layers[which])
            handles = index.insert_many(layers[which], places)
            if not before.all() or home:
                assert len(set(index.rows(handles).tolist())) == len(handles)
            home |= dict.fromkeys(handles.tolist(), which)
        elif step == "one":
            home[index.insert(layers[which], draw.integers(0, 16, 2))] = which
        elif step == "remove":
            index.remove_many(some)
            home = {handle: layer for handle, layer in home.items() if handle not in some}
        elif step == "gone":
            assert index.remove_many(some + some + [2**40], strict=False) == len(some)
            home = {handle: layer for handle, layer in home.items() if handle not in some}
        elif step == "layer":
            index.set_layer(some + some, layers[which])
            home |= dict.fromkeys(some, which)
        elif step == "clear":
            index.clear(layers[which])
            home = {handle: layer for handle, layer in home.items() if layer != which}
        elif step == "anew":
            index.remove_layer(layers[which])
            layers[which] = index.add_points()
            home = {handle: layer for handle, layer in home.items() if layer != which}
        else:
            index = copy.copy(index) if step == "copy" else pickle.loads(pickle.dumps(index))
            by_number = {layer.number: layer for layer in index.layers()}
            layers = [by_number[layer.number] for layer in layers]
        for number, layer in enumerate(layers):
            column = index.handles(layer=layer)
            there = np.flatnonzero(column)
            assert sorted(column[there].tolist()) == sorted(handle for handle in home if home[handle] == number)
            assert index.rows(column[there]).tolist() == there.tolist()
            assert len(column) == index.capacity(layer)
            query = index.intersecting([0, 0, 8, 16], layer)
            places = index.shapes(np.arange(len(column)), layer)
            assert sorted(query.tolist()) == np.flatnonzero(places[:, 0] <= 8).tolist() == sorted(query)
            assert column[query.rows()].tolist() == query.handles().tolist()
            offsets, rows = index.neighbors(3.0, layer)
            for row in there.tolist():
                near = index.within_distance(places[row, :2], 3, layer, excluding=column[row]).tolist()
                assert sorted(rows[offsets[row] : offsets[row + 1]].tolist()) == sorted(near)


def test_saved_rows_of_others_are_refused():
    """Rows are the last part of a pickle: changed, they would be rows of other objects."""
    from pyquadrille import _core

    index = pq.Index([0, 0, 10, 10])
    index.insert_many(index.add_boxes(), WALLS)
    index.insert_many(index.add_points(), [(1, 1), (2, 2)])
    kind, saved = index.__reduce__()[1]
    # Two layers: three slots, and two.
    assert saved[-9:] == bytes([1, 2, 3, 1, 2, 3, 2, 4, 5])
    for ending in ([1, 2, 3, 1, 2, 3, 2, 4, 4], [1, 2, 3, 1, 2, 2, 2, 4, 5], [1, 2, 3, 1, 2, 0, 2, 4, 5],
                   [1, 2, 3, 1, 2, 4, 2, 3, 5], [1, 2, 3, 1, 2, 9, 2, 4, 5], [1, 1, 3, 1, 2, 3], [0]):  # fmt: skip
        try:
            loaded = _core._index(kind, saved[:-9] + bytes(ending))
        except ValueError:
            assert ending != [0]
        else:
            assert ending == [0] and len(loaded) == 5
    again = _core._index(kind, saved)
    assert [len(again.handles(layer=layer)) for layer in again.layers()] == [3, 2]
