"""Objects, layers, watches, contacts and iterations: the edges, by name."""

import copy

import numpy as np
import pyquadrille as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from model import SIZE, boxes, every_kind, models, points, quick, unordered


@pytest.fixture
def index():
    return pq.Index([0, 0, 100, 100])


def test_rows_count_from_zero_and_are_used_again(index):
    units = index.add_points()
    handles = index.insert_many(units, [(1, 1), (2, 2), (3, 3)])
    assert handles.dtype == np.uint64 and index.rows(handles).tolist() == [0, 1, 2]
    assert index.capacity() == 3 and index.handles().tolist() == handles.tolist()
    index.remove(int(handles[1]))
    assert index.handles([0, 1]).tolist() == [handles[0], 0]
    new = index.insert(units, (4, 4))
    assert index.rows(new) == 1 and new != handles[1] and index.capacity() == 3
    assert index.handles(1) == new and new in index and int(handles[1]) not in index
    assert index.shapes([1, 0]).tolist() == [[4, 4, 4, 4], [1, 1, 1, 1]]


@pytest.mark.parametrize("world", [None, [0, 0, 100, 100]])
def test_rows_go_by_place_if_points_do(world):
    index = pq.Index(world, dim=2)
    places = np.random.default_rng(3).integers(-40, 140, (500, 2)).astype(float)
    order = index.order_of(places)
    assert order.dtype == np.int64 and sorted(order) == list(range(500))
    index.insert_many(index.add_points(), places[order])
    assert index.intersecting([-1000, -1000, 1000, 1000]).tolist() == list(range(500)), "the order of answers"
    assert index.order_of(np.hstack([places, places])).tolist() == order.tolist(), "as boxes"
    assert index.order_of([]).tolist() == []
    for wrong in ([(1, np.nan)], [(5, np.inf)], [(1, 2, 3)], [1, 2]):
        with pytest.raises(ValueError, match="shapes"):
            index.order_of(wrong)


@every_kind
@quick
@given(st.data())
def test_shapes_and_handles_by_row(kind, data):
    model = data.draw(models(kind))
    index, alive = model.index, model.layers >= 0
    for layer in (model.units, model.zones):
        rows, handles = np.arange(index.capacity(layer)), index.real.handles(layer=layer)
        assert index.real.handles(rows, layer).tolist() == handles.tolist()
        there = handles != 0
        assert sorted(handles[there]) == sorted(model.handles[model.layers == layer.number])
        assert index.rows(handles[there]).tolist() == rows[there].tolist()
        shapes, numbers = index.shapes(rows, layer), index.numbers(handles[there])
        assert shapes.dtype == index.dtype and np.isnan(shapes[~there]).all()
        assert (shapes[there] == model.boxes[numbers]).all()
    assert len(index) == alive.sum() == index.count()
    assert index.count(model.units) == (model.layers == 0).sum()
    for handle, box, layer in zip(model.handles[alive].tolist(), model.boxes[alive], model.layers[alive]):
        assert index.shape(handle).tolist() == box.tolist() and index.layer(handle).number == layer
    bounds = index.bounds(model.zones)
    some = model.boxes[model.layers == 1]
    if len(some):
        dim = model.dim
        assert bounds.tolist() == [*some[:, :dim].min(axis=0), *some[:, dim:].max(axis=0)]
    else:
        assert bounds is None


@every_kind
@quick
@given(st.data())
def test_an_iteration_outlasts_changes(kind, data):
    """The loop removes what it finds, and moves others; what is left alone comes exactly once."""
    model = data.draw(models(kind))
    index, dim = model.index, model.dim
    everything = [-1] * dim + [40] * dim
    zones = np.flatnonzero(model.layers == 1).tolist()
    others = model.handles[model.layers == 0].tolist()
    seen = []
    for row in index.intersecting(everything):
        seen.append(row)
        if len(seen) < 5:
            index.insert(model.units, [5] * dim)
        if others and others[-1] in index:
            index.move(others.pop(), [3] * dim)
        if row not in zones:
            index.remove(index.handles(row))
    assert sorted(row for row in seen if row in zones) == zones


@every_kind
@quick
@given(st.data())
def test_an_iteration_across_a_border(kind, data):
    """What is left alone comes exactly once, in however many images, while others come and go."""
    model = data.draw(models(kind))
    index, dim = model.index, model.dim
    for box in data.draw(boxes(dim, 1, 3)):
        expected, newcomers, seen = model.intersecting(box - 5), [], []
        for row in index.intersecting(box - 5):
            if len(seen) < 20:
                newcomers.append(index.insert(model.units, [len(seen) % SIZE] * dim))
            seen.append(row)
        assert sorted(set(seen) - set(index.numbers(newcomers).tolist())) == expected
        assert len(seen) == len(set(seen))
        index.remove_many(newcomers)


def test_an_iteration_outlasts_another_world(index):
    units, others = index.add_points(), index.add_points()
    for change in [lambda: index.set_world([0, 0, 200, 200]), index.fit_world, index.clear]:
        index.clear()
        index.insert_many(units, [(1, 1), (2, 2)])
        rows = iter(index.intersecting([0, 0, 9, 9], units))
        first = next(rows)
        index.optimize()
        index.clear(others)
        change()
        assert sorted([first, *rows]) == [0, 1]


def test_the_world_follows_the_objects():
    index = pq.Index(dim=2)
    units = index.add_points()
    handles = index.insert_many(units, np.random.default_rng(1).uniform(1e6, 2e6, (5000, 2)))
    lower, upper = index.world[:2], index.world[2:]
    assert (lower >= 0).all() and (upper <= 3e6).all() and (upper - lower >= 1e6 - 1e3).all()
    for _ in range(5):
        index.move_many(handles, index.shapes(np.arange(5000))[:, :2] * 2)
    assert (index.world[2:] > 30e6).all()
    only = pq.Index(dim=3)
    only.insert_many(only.add_points(), np.ones((1000, 3)))  # all in one place: no world has that size
    assert only.world.tolist() == [0, 0, 0, 1, 1, 1] and only.intersecting([1, 1, 1]).count() == 1000


def test_the_world_is_that_of_the_first_objects():
    index = pq.Index(dim=2)
    units, gone = index.add_points(), index.add_points()
    index.remove_layer(gone)
    with pytest.raises(ValueError):
        index.insert_many(gone, [(100, 100), (300, 200)])
    assert index.world.tolist() == [0, 0, 1, 1]
    index.insert_many(units, [(100, 100), (300, 200)])
    assert index.world.tolist() == [0, 0, 400, 300]
    index.insert_many(units, [(500, 500)])
    assert index.world.tolist() == [0, 0, 400, 300]  # these few are not worth another one


def test_strict_moves_all_or_none(index):
    units, walls = index.add_points(), index.add_boxes()
    handles = index.insert_many(units, [(1, 1), (2, 2), (3, 3)])
    wall = index.insert(walls, (5, 5, 6, 6))
    index.remove(int(handles[1]))
    before = index.shapes([0, 2], units).tolist()
    with pytest.raises(pq.StaleHandleError) as error:
        index.move_many(handles, [(9, 9)] * 3)
    assert error.value.handles.tolist() == [handles[1]] and isinstance(error.value, KeyError)
    with pytest.raises(ValueError, match="row 1"):
        index.move_many(handles[[0, 2]], [(9, 9), (9, np.nan)])
    with pytest.raises(ValueError, match="row 1"):
        index.move_many([int(handles[0]), wall], [(9, 9), (9, 9)])
    assert index.shapes([0, 2], units).tolist() == before
    refused = index.move_many([*handles.tolist(), wall], [(9, 9), (9, 9), (np.inf, 9), (8, 8)], strict=False)
    assert refused.tolist() == [handles[1], handles[2], wall]
    assert index.shapes([0, 2], units).tolist() == [[9, 9, 9, 9], [3, 3, 3, 3]]
    assert index.move_many([wall], [(7, 7, 6, 6)], strict=False).tolist() == [wall]
    with pytest.raises(ValueError, match="row 0"):
        index.move_many([wall], [(7, 7, 6, 6)])
    assert index.shape(wall).tolist() == [5, 5, 6, 6]


def test_strict_removes_all_or_none(index):
    units = index.add_points()
    handles = index.insert_many(units, [(1, 1), (2, 2), (3, 3)])
    index.remove(int(handles[1]))
    with pytest.raises(pq.StaleHandleError) as error:
        index.remove_many(handles)
    assert error.value.handles.tolist() == [handles[1]] and len(index) == 2
    with pytest.raises(ValueError, match="handles, row 2: the object comes twice"):
        index.remove_many(handles[[0, 2, 0]])
    assert len(index) == 2 and index.remove_many(handles[[0, 1, 2, 0]], strict=False) == 2 and len(index) == 0


def test_stale_handles(index):
    units = index.add_points()
    handle = index.insert(units, (1, 1))
    index.remove(handle)
    for call in [
        lambda: index.remove(handle),
        lambda: index.move(handle, (1, 1)),
        lambda: index.shape(handle),
        lambda: index.layer(handle),
        lambda: index.set_layer(handle, units),
    ]:
        with pytest.raises(pq.StaleHandleError) as error:
            call()
        assert error.value.handles.tolist() == [handle] and str(handle) in str(error.value)
    with pytest.raises(pq.StaleHandleError) as error:
        index.remove(2**33 + 77)
    assert error.value.handles.tolist() == [2**33 + 77]
    # A handle that names nothing is left out, and excludes nothing.
    assert index.pairs(of=[handle, 2**33 + 77]).shape == (0, 2)
    index.insert(units, (1, 1))
    assert index.intersecting((1, 1), excluding=[handle, 2**33 + 77]).count() == 1
    with pytest.raises(ValueError):
        index.rows(77)


def test_layers(index):
    units, walls = index.add_points(), index.add_boxes()
    assert (units.number, units.holds_points, walls.holds_points) == (0, True, False)
    assert units.index is index and index.layers() == [units, walls]
    assert units in (units | walls) and walls not in ~walls and units in ~walls
    assert (units | walls) & ~units == (walls | walls) and hash(units) == hash(index.layers()[0])
    assert "points" in repr(units) and "0, 1" in repr(units | walls)
    a, b = index.insert(units, (1, 1)), index.insert(walls, (0, 0, 2, 2))
    assert index.intersecting((1, 1), units | walls).count() == 2
    assert index.intersecting((1, 1), ~units).handles().tolist() == [b]
    more = index.add_points()
    index.set_layer([a], more)
    assert index.layer(a) == more
    with pytest.raises(ValueError):
        index.set_layer([a, b], units)
    assert index.layer(a) == more
    index.clear(walls)
    assert len(index) == 1 and index.remove_layer(more) == 1 and more not in index.layers()
    for call in [
        lambda: index.insert(more, (1, 1)),
        lambda: index.insert_many(more, [(1, 1)]),
        lambda: index.remove_layer(more),
        lambda: index.set_layer(a, more),
    ]:
        with pytest.raises((ValueError, KeyError)):
            call()
    for _ in range(62):
        index.add_boxes()
    with pytest.raises(ValueError):
        index.add_points()


def test_layers_of_another_index_are_refused(index):
    index.add_points()
    other = pq.Index([0, 0, 1, 1])
    theirs = other.add_points()
    for call in [
        lambda: index.insert(theirs, (1, 1)),
        lambda: index.intersecting((1, 1), theirs),
        lambda: index.intersecting((1, 1), ~theirs),
        lambda: index.pairs(1.0, theirs),
        lambda: index.remove_layer(theirs),
        lambda: index.cells(theirs),
        lambda: index.layers()[0] | theirs,
        lambda: index.join(other, between=(theirs, theirs)),
        lambda: index.count_join(other, between=(theirs, theirs)),
    ]:
        with pytest.raises(ValueError, match="another index"):
            call()


def test_watch(index):
    units = index.add_points()
    a, b, c = index.insert_many(units, [(1, 1), (2, 2), (50, 50)]).tolist()
    watch = index.intersecting([0, 0, 10, 10], excluding=[b]).watch()
    assert [part.tolist() for part in watch.poll()] == [[a], []]
    index.move(c, (3, 3))
    index.remove(a)
    assert [part.tolist() for part in watch.poll()] == [[c], [a]]
    assert [part.tolist() for part in watch.poll()] == [[], []]
    assert watch.inside().tolist() == [c]


@every_kind
@quick
@given(st.data())
def test_contacts(kind, data):
    model = data.draw(models(kind))
    index = model.index
    every, told = index.contacts(2.0), index.contacts(2.0)
    assert unordered(index.numbers(every.poll()[0])) == model.pairs(2)
    told.poll()
    before = set(map(tuple, every.pairs().tolist()))
    movable = model.handles[model.layers == 0]
    index.move_many(movable, data.draw(points(model.dim, len(movable), len(movable))))
    begun, ended = every.poll()
    assert [part.tolist() for part in told.poll(moved=movable)] == [begun.tolist(), ended.tolist()]
    now = set(map(tuple, every.pairs().tolist()))
    assert set(map(tuple, begun.tolist())) == now - before and set(map(tuple, ended.tolist())) == before - now
    assert set(map(tuple, told.pairs().tolist())) == now
    only = index.contacts(2.0, between=(model.units, model.zones))
    assert len(only.poll()[0]) == len(index.real.pairs(2.0, between=(model.units, model.zones)))


def test_copies_are_their_own():
    for index in [pq.Index([0, 0, 10, 10]), pq.Index(dim=3, dtype=np.float32), pq.Index([0, 0, 9, 9], torus=True)]:
        units = index.add_points()
        handle = index.insert(units, [1] * index.dim)
        for other in [copy.copy(index), copy.deepcopy(index)]:
            assert (other.dim, other.dtype, other.torus) == (index.dim, index.dtype, index.torus)
            assert handle in other and other.shape(handle).tolist() == index.shape(handle).tolist()
            other.remove(handle)
            assert handle in index and len(other) == 0
            other.insert(other.layers()[0], [2] * index.dim)
            with pytest.raises(ValueError):
                other.insert(units, [2] * index.dim)


def test_worlds():
    index = pq.Index([0, 0, 0, 10, 10, 10], dtype="float32")
    assert (index.dim, index.dtype, index.torus) == (3, np.float32, (False, False, False))
    assert index.world.tolist() == [0, 0, 0, 10, 10, 10] and index.world.dtype == np.float32
    index.set_world([0, 0, 0, 20, 10, 10])
    assert index.world.tolist() == [0, 0, 0, 20, 10, 10]
    index.insert_many(index.add_points(), [(1, 1, 1), (3, 1, 1)])
    index.fit_world()
    assert index.world.tolist() == [1, 0, 0, 3, 2, 2]
    index.optimize()
    index.clear()
    assert len(index) == 0 and index.bounds() is None
    torus = pq.Index([0, 0, 10, 10], torus=(True, False))
    assert torus.torus == (True, False)
    with pytest.raises(ValueError):
        torus.set_world([0, 0, 20, 20])
    with pytest.raises(ValueError):
        torus.fit_world()
    for world, axes in [((0, 0, 10, 10), False), ((0, 0, 10, 10), True), ((0, 0, 9, 9), (True, False))]:
        other = pq.Index(world, torus=axes)
        with pytest.raises(ValueError, match="other: its world"):
            torus.join(other)
        with pytest.raises(ValueError, match="other: its world"):
            other.join(torus)
        with pytest.raises(ValueError, match="other: its world"):
            other.count_join(torus)
    with pytest.raises(ValueError):
        pq.Index([0, 0, 1, 1]).join(pq.Index([0, 0, 1, 1], dtype="f4"))
    assert torus.wrap([(11, 11), (-1, -1)]).tolist() == [[1, 11], [9, -1]]
    assert torus.wrap((11, 11)).tolist() == [1, 11]
    assert torus.wrap([]).shape == torus.wrap(np.empty((0, 2))).shape == (0, 2)
    with pytest.raises(ValueError, match="coordinate 1 is NaN"):
        torus.wrap((1, np.nan))
    assert torus.displacement([(1, 1)], [(9, 9)]).tolist() == [[-2, 8]]
    assert torus.displacement((1, 1), (9, 9)).tolist() == [-2, 8]
    assert pq.Index([0, 0, 10, 10]).displacement((1, 1), (9, 9)).tolist() == [8, 8]
    units = torus.add_points()
    far = torus.insert(units, (25, 25))
    assert torus.shape(far).tolist() == [5, 25, 5, 25]
    torus.move(far, (-1, 3))
    assert torus.shape(far).tolist() == [9, 3, 9, 3]


def test_cells(index):
    units = index.add_points()
    index.insert_many(units, np.random.default_rng(1).uniform(0, 100, (1000, 2)))
    cells = index.cells(units)
    assert cells.shape[1] == 4 and len(cells) > 10 and (cells[:, :2] < cells[:, 2:]).all()
    assert index.cells(index.add_points()).shape[1] == 4
    with pytest.raises(ValueError):
        index.cells(pq.Index([0, 0, 1, 1]).add_points())
