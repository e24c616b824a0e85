"""The natural mistakes: each is an error that says what to do instead, and nothing has changed."""

import importlib.metadata
import weakref

import numpy as np
import pyquadrille as pq
import pytest


@pytest.fixture
def index():
    index = pq.Index([0, 0, 100, 100])
    index.insert_many(index.add_points(), [*((n, n) for n in range(10)), (20, 20)])
    return index


def calls_with_handles(index):
    """Each call that takes handles, by name."""
    box, contacts = (0, 0, 9, 9), index.contacts(2.0)
    return {
        "intersecting": lambda rows: index.intersecting(box, excluding=rows),
        "within_distance": lambda rows: index.within_distance((1, 1), 3, excluding=rows),
        "windows": lambda rows: index.windows([box] * len(rows), excluding=rows),
        "count_windows": lambda rows: index.count_windows([box] * len(rows), excluding=rows),
        "within_many": lambda rows: index.within_many([(1, 1)] * len(rows), 3, excluding=rows),
        "count_within_many": lambda rows: index.count_within_many([(1, 1)] * len(rows), 3, excluding=rows),
        "nearest": lambda rows: index.nearest((1, 1), excluding=rows),
        "nearest_many": lambda rows: index.nearest_many([(1, 1)] * len(rows), excluding=rows),
        "raycast": lambda rows: index.raycast((1, 1), (1, 1), excluding=rows),
        "cast": lambda rows: index.cast((1, 1), (1, 1), excluding=rows),
        "cast_ball": lambda rows: index.cast_ball((1, 1), 1, (1, 1), excluding=rows),
        "cast_ball_many": lambda rows: index.cast_ball_many([(1, 1)] * len(rows), 1, [(1, 1)] * len(rows), excluding=rows),
        "pairs": lambda rows: index.pairs(5, of=rows),
        "poll": contacts.poll,
        "remove_many": lambda rows: index.remove_many(rows, strict=False),
        "remove_many, strict": index.remove_many,
        "move_many": lambda rows: index.move_many(rows, np.ones((len(rows), 2)), strict=False),
        "move_many, strict": lambda rows: index.move_many(rows, np.ones((len(rows), 2))),
        "set_layer": lambda rows: index.set_layer(rows, index.layers()[0]),
        "rows": index.rows,
    }


def calls_with_one_handle(index):
    box = (0, 0, 9, 9)
    return {
        "intersecting": lambda row: index.intersecting(box, excluding=row),
        "windows": lambda row: index.windows([box], excluding=row),
        "nearest": lambda row: index.nearest((1, 1), excluding=row),
        "move": lambda row: index.move(row, (1, 1)),
        "remove": index.remove,
        "set_layer": lambda row: index.set_layer(row, index.layers()[0]),
        "shape": index.shape,
        "of": index.contacts().of,
        "layer": index.layer,
        "in": lambda row: row in index,
        "rows": index.rows,
    }


NAMES = calls_with_handles(pq.Index())
NAMES_OF_ONE = calls_with_one_handle(pq.Index())


@pytest.mark.parametrize("name", NAMES)
def test_rows_are_no_handles(index, name):
    rows = index.intersecting((0, 0, 4, 4)).rows()
    assert len(rows) == 5
    for given in (rows, rows.tolist(), rows.astype(np.uint64), rows.astype(np.uint8)):
        with pytest.raises(ValueError, match=r"row \d: \d is a row( or no object)?, not a handle: take `index.handles\(rows\)`"):
            calls_with_handles(index)[name](given)
    assert index.count() == 11 and index.shapes(rows)[:, 0].tolist() == rows.tolist()
    # As the message says.
    calls_with_handles(index)[name](index.handles(rows))


@pytest.mark.parametrize("name", NAMES_OF_ONE)
def test_a_row_is_no_handle(index, name):
    with pytest.raises(ValueError, match=r"3 is a row, not a handle: take `index.handles\(rows\)`"):
        calls_with_one_handle(index)[name](3)
    assert index.count() == 11
    calls_with_one_handle(index)[name](index.handles(3))


@pytest.mark.parametrize("name", set(NAMES_OF_ONE) - {"in"})
def test_numbers_that_no_handle_has(index, name):
    for number in (-1, 2**64):
        with pytest.raises(ValueError, match=r"(handles?|excluding): (-1|18446744073709551616) is no handle"):
            calls_with_one_handle(index)[name](number)


@pytest.mark.parametrize("name", set(NAMES) - {"windows", "count_windows", "within_many", "count_within_many", "nearest_many", "cast_ball_many"})
def test_row_0_is_no_handle(index, name):
    if name == "move_many":  # it returns what names nothing
        assert calls_with_handles(index)[name]([0]).tolist() == [0]
        return
    with pytest.raises(ValueError, match="row 0: 0 is a row or no object, .*take `index.handles.rows.`"):
        calls_with_handles(index)[name]([0])
    assert index.count() == 11


@pytest.mark.parametrize("name", NAMES_OF_ONE)
def test_one_row_0_is_no_handle(index, name):
    with pytest.raises(ValueError, match="0 is a row or no object, .*take `index.handles.rows.`"):
        calls_with_one_handle(index)[name](0)
    assert index.count() == 11


def test_0_excludes_nothing_from_one_of_many(index):
    boxes, handle = [(0, 0, 4, 4)] * 2, index.handles(1)
    assert index.windows(boxes, excluding=[0, handle])[0].tolist() == [0, 5, 9]
    assert index.windows(boxes[:1], excluding=[0])[0].tolist() == [0, 5]
    assert index.nearest_many([(1, 1)] * 2, excluding=[0, handle])[1].ravel().tolist() == [0, 2**0.5]


def test_stale_handles_are_named(index):
    handles = index.handles()[:6]
    index.remove_many(handles[[2, 4]])
    for call in (index.remove_many, lambda handles: index.move_many(handles, np.ones((6, 2)))):
        with pytest.raises(pq.StaleHandleError, match=f"handles, row 2: there is no object {handles[2]}, nor of 1 more"):
            call(handles)
    assert index.count() == 9


def test_anything_may_be_looked_for_in_an_index(index):
    assert index.handles(1) in index
    for other in ("x", None, 1.5, [1], -1, 2**64, 2**64 - 1):
        assert other not in index


def test_masked_arrays(index):
    handles, [points] = index.handles(), index.layers()
    boxes = index.add_boxes()
    places = np.ma.masked_array([[1.0, 2.0], [3.0, 4.0]], [[False, False], [True, False]])
    handles = np.ma.masked_array(handles[:2], [False, True])
    for call in [
        lambda: index.insert_many(points, places),
        lambda: index.insert(points, places[1]),
        lambda: index.move_many(index.handles(layer=points)[:2], places),
        lambda: index.nearest_many(places),
        lambda: index.remove_many(handles),
        lambda: index.within_many([(1, 1)] * 2, np.ma.masked_array([1.0, 2.0], [True, False])),
        lambda: index.intersecting(places[1]),
        lambda: pq.Polygon(np.ma.masked_array(np.ones((3, 2)), np.eye(3, 2))),
    ]:
        with pytest.raises(ValueError, match="masked"):
            call()
    assert index.count() == 11
    assert len(index.insert_many(points, np.ma.masked_array([[1.0, 2.0]]))) == 1  # nothing is masked


@pytest.mark.parametrize(
    "rings",
    [[], [[]], [[(1, 1)]], [[(0, 0), (9, 9)]], [[(0, 0), (9, 9), (0, 0)]], [[(0, 0), (9, 0), (9, 9)], [(4, 4), (5, 5)]]],
    ids=str,
)
def test_a_polygon_has_three_corners(rings):
    with pytest.raises(ValueError, match="3 corners"):
        pq.Polygon(*rings)


def test_a_corridor_has_a_point():
    with pytest.raises(ValueError, match="points: at least one"):
        pq.Corridor([], 1)


@pytest.mark.parametrize("direction", [(np.inf, 0), (-np.inf, 0), "tiny"], ids=str)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_infinite_and_tiny_directions(dtype, direction):
    if direction == "tiny":
        direction = (float(np.finfo(dtype).tiny) / 1000, 0)
    index = pq.Index([-100, -100, 100, 100], dtype=dtype)
    index.insert_many(index.add_boxes(), [(50, -1, 60, 1), (-60, -1, -50, 1)])
    row = 1 if direction[0] < 0 else 0
    assert index.raycast((0, 0), direction).row == index.raycast_many([(0, 0)], [direction])[0][0] == row
    if np.isinf(direction[0]):
        assert index.cast((0, 0), direction).row == index.cast_many([(0, 0)], [direction])[0][0] == row
    for motion in ((float(np.finfo(dtype).tiny) / 1000, 0), (0, 0)):
        assert index.cast((55, 0), motion).t == 0 and index.cast((0, 0), motion) is None


def test_layers_that_are_none(index):
    [points], boxes = index.layers(), index.add_boxes()
    for other in (1, [points, boxes], {points, boxes}, "units"):
        for call in [
            lambda: index.intersecting((0, 0, 1, 1), other),
            lambda: index.count(other),
            lambda: index.pairs(1, other),
            lambda: index.pairs(1, between=(other, points)),
        ]:
            with pytest.raises(TypeError, match="a layer, or several as `walls | units`, expected, not") as caught:
                call()
            assert "\n" not in str(caught.value) and "enum" not in str(caught.value)


def test_numbers_that_count(index):
    for call, name in [
        (lambda k: index.nearest((1, 1), k), "k"),
        (lambda k: index.nearest_many([(1, 1)], k), "k"),
        (lambda dim: pq.Index(dim=dim), "dim"),
    ]:
        for number in (-1, 2**64):
            with pytest.raises(ValueError, match=f"^{name}: {number}"):
                call(number)
        with pytest.raises(TypeError, match=name):
            call(1.5)


@pytest.mark.parametrize("size", [0, -1, np.nan, np.inf, 1e-30])
def test_cells_that_are_none(index, size):
    with pytest.raises(ValueError, match="size: cells cannot have the size"):
        index.intersecting([0, 0, 9, 9]).clusters(size)


def test_rows_out_of_range(index):
    for rows in (-1, [-1], np.array([0, -1])):
        with pytest.raises(IndexError, match="rows: -1 is below 0"):
            index.handles(rows)
    with pytest.raises(IndexError, match="rows: 11 is not below the capacity of 11"):
        index.shapes([0, 11])


def test_many_where_one_is_wanted(index):
    [points], first = index.layers(), index.handles(0)
    many = [[0, 0, 1, 1], [2, 2, 3, 3]]
    for call, name, hint in [
        (lambda boxes: index.intersecting(boxes), "region", "windows"),
        (lambda boxes: index.contained_in(boxes), "region", "windows"),
        (lambda boxes: index.within_distance(boxes, 1), "point", "within_many"),
        (lambda boxes: index.insert(points, boxes), "shape", "insert_many"),
        (lambda boxes: index.move(first, boxes), "shape", "move_many"),
        (lambda boxes: index.nearest(boxes), "target", "nearest_many"),
        (lambda boxes: index.raycast(boxes, (1, 1)), "origin", "raycast_many"),
        (lambda boxes: index.cast((1, 1), boxes), "motion", "cast_many"),
    ]:
        for boxes in (many, tuple(map(tuple, many)), np.array(many)):
            with pytest.raises((TypeError, ValueError), match=f"{name}: .*one.*{hint}"):
                call(boxes)
    with pytest.raises(TypeError, match="shape: coordinate 1 is a NoneType"):
        index.insert(points, [1, None])


def test_booleans_are_no_coordinates(index):
    [points] = index.layers()
    for booleans in ([True, False], (np.True_, np.False_), np.array([True, False])):
        for call in (lambda: index.insert(points, booleans), lambda: index.insert_many(points, [booleans])):
            with pytest.raises(TypeError, match="shapes?: real numbers expected, not bool"):
                call()
    assert index.count() == 11


def test_a_query_indexes_arrays(index):
    speed = np.arange(11) * 10
    query = index.within_distance((2, 2), 1.5)
    assert sorted(speed[query].tolist()) == [10, 20, 30]
    speed[query] = 0
    assert speed[:5].tolist() == [0, 0, 0, 0, 40]
    assert sorted(np.asarray(query, np.int32).tolist()) == [1, 2, 3]
    assert len(index.handles(query)) == 3
    with pytest.raises(ValueError, match="copy"):
        np.array(query, copy=False)


def test_a_region_of_many_is_named(index):
    with pytest.raises(ValueError) as error:
        index.watch_many([(0, 0, 1, 1), (3, 3, 1, 1)])
    assert error.value.__notes__ == ["regions, number 1"]


def test_several_layers_have_no_rows(index):
    """Each counts its own: rows of several at once would be those of others."""
    [points], boxes = index.layers(), index.add_boxes()
    wall, box, steps = index.insert(boxes, (1, 1, 3, 3)), (0, 0, 9, 9), ([(0, 0)], [(5, 5)])
    query, first = index.intersecting(box), index.handles([0], points)
    calls = {
        "rows": query.rows,
        "tolist": query.tolist,
        "array": lambda: np.arange(11)[query],
        "first": query.first,
        "iteration": lambda: list(query),
        "clusters": lambda: query.clusters(4),
        "windows": lambda: index.windows([box], points | boxes),
        "within_many": lambda: index.within_many([(1, 1)], 3),
        "nearest": lambda: index.nearest((1, 1), 3),
        "nearest_many": lambda: index.nearest_many([(1, 1)], 3),
        "raycast_many": lambda: index.raycast_many(*steps),
        "raycast": lambda: index.raycast((0, 0), (5, 5)).row,
        "cast_many": lambda: index.cast_many(*steps),
        "cast": lambda: index.cast((0, 0), (5, 5)).row,
        "cast_ball_many": lambda: index.cast_ball_many(steps[0], 1, steps[1]),
        "cast_ball": lambda: index.cast_ball((0, 0), 1, (5, 5)).row,
        "pairs": lambda: index.pairs(2.0),
        "pairs of some": lambda: index.pairs(2.0, of=first),
        "pairs between": lambda: index.pairs(2.0, between=(points, points | boxes)),
        "neighbors": lambda: index.neighbors(2.0),
        "join": lambda: index.join(index, 2.0),
        "handles": index.handles,
        "handles of rows": lambda: index.handles([0]),
        "shapes": lambda: index.shapes([0]),
        "capacity": index.capacity,
    }
    for name, call in calls.items():
        with pytest.raises(ValueError, match="each layer counts rows of its own: name one layer, or take handles"):
            print(name, call())
    with pytest.raises(ValueError, match="handles, row 1: the object is in another layer than that of row 0"):
        index.rows([first[0], wall])
    # As the message says.
    assert len(index.intersecting(box, points).rows()) == 10 and index.intersecting(box, boxes).tolist() == [0]
    assert wall in query.handles() and query.count() == len(query) == 11 and query.exists()
    assert index.nearest((3, 3), 11, out="handles")[0].tolist().count(wall) == 1
    assert index.pairs(between=(points, boxes)).tolist() in ([[1, 0], [2, 0], [3, 0]], [[1, 0], [3, 0], [2, 0]])


def test_messages_name_the_argument(index):
    [points], space = index.layers(), pq.Index([0, 0, 0, 9, 9, 9])
    for call, error, text in [
        (lambda: index.pairs("5"), TypeError, "within: "),
        (lambda: index.neighbors("5"), TypeError, "within: "),
        (lambda: index.contacts([]), TypeError, "within: "),
        (lambda: index.nearest((1, 1), within="x"), TypeError, "within: "),
        (lambda: index.within_distance((1, 1), "a"), TypeError, "distance: "),
        (lambda: index.raycast((1, 1), (1, 1), until="a"), TypeError, "until: "),
        (lambda: index.cast((1, 1), (1, 1), skin="a"), TypeError, "skin: "),
        (lambda: index.intersecting((1, 1, 2, 2)).clusters("a"), TypeError, "size: "),
        (lambda: pq.Ball((1, 1), "r"), TypeError, "radius: "),
        (lambda: pq.Ball((1, 1), 10**400), ValueError, "radius: 10* is out of range"),
        (lambda: index.insert(points, [10**400, 1]), ValueError, "shape: coordinate 0 is out of range"),
        (lambda: space.intersecting(pq.Cap((1, 1), 5)), ValueError, "region: it has 2 dimensions, and the index 3"),
        (lambda: index.intersecting({"kind": "Point"}), ValueError, "region: a geometry has a type"),
        (lambda: index.intersecting((1, 1), 5), TypeError, "layers: "),
    ]:
        with pytest.raises(error, match=f"^{text}"):
            call()
    assert index.count() == 11


def test_what_is_printed(index):
    [points] = index.layers()
    query = index.within_distance((1, 2), 3, points, excluding=index.handles(3))
    handle = int(index.handles(3))
    assert repr(query) == f"<Query intersecting(Ball((1.0, 2.0), 3.0)) in <layers [0]>, excluding [{handle}]>"
    assert repr(index.contained_in((1, 1, 2, 2))) == "<Query contained_in((1.0, 1.0, 2.0, 2.0)) in all layers, excluding []>"
    about = "<Index of 11 objects in 1 layers, world=[0.0, 0.0, 100.0, 100.0], dtype=float64, torus=(False, False)>"
    assert repr(index) == about
    ways = pq.AnyOf([pq.Segment((1, 1), (2, 2)), (3, 3)])
    assert repr(ways) == "AnyOf([Segment((1.0, 1.0), (2.0, 2.0)), (3.0, 3.0)],)"
    assert pq.__version__ == importlib.metadata.version("pyquadrille")


def test_weak_references(index):
    query = index.intersecting((0, 0, 9, 9))
    things = [index, *index.layers(), ~index.layers()[0], query, query.watch(), index.watch_many([(1, 1)]), index.contacts(), index.markers(1)]
    things += [pq.Ball((1, 1), 1), index.raycast((1, 1), (1, 1))]
    assert all(weakref.ref(thing)() is thing for thing in things)
