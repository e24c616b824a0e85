"""The natural mistakes: each is an error that says what to do instead, and nothing has changed."""

import numpy as np
import pyquadrille as pq
import pytest


@pytest.fixture
def index():
    index = pq.Index([0, 0, 100, 100])
    index.insert_many(index.add_points(), [(n, n) for n in range(10)])
    index.insert_many(index.add_boxes(), [(20, 20, 30, 30)])
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
        "rows": pq.rows,
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
        "rows": pq.rows,
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


@pytest.mark.parametrize("name", set(NAMES) - {"windows", "count_windows", "within_many", "nearest_many", "cast_ball_many"})
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
    points, boxes = index.layers()
    places = np.ma.masked_array([[1.0, 2.0], [3.0, 4.0]], [[False, False], [True, False]])
    handles = np.ma.masked_array(index.handles()[:2], [False, True])
    for call in [
        lambda: index.insert_many(points, places),
        lambda: index.insert(points, places[1]),
        lambda: index.move_many(index.handles()[:2], places),
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
    points, boxes = index.layers()
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
    points, boxes = index.layers()
    many = [[0, 0, 1, 1], [2, 2, 3, 3]]
    for call, name, hint in [
        (lambda boxes: index.intersecting(boxes), "region", "windows"),
        (lambda boxes: index.contained_in(boxes), "region", "windows"),
        (lambda boxes: index.within_distance(boxes, 1), "point", "within_many"),
        (lambda boxes: index.insert(points, boxes), "shape", "insert_many"),
        (lambda boxes: index.move(index.handles(0), boxes), "shape", "move_many"),
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
    points, _ = index.layers()
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


def test_clear_ends_a_loop(index):
    rows = iter(index.intersecting((0, 0, 9, 9)))
    next(rows)
    index.clear()
    with pytest.raises(RuntimeError):
        next(rows)


def test_a_region_of_many_is_named(index):
    with pytest.raises(ValueError) as error:
        index.watch_many([(0, 0, 1, 1), (3, 3, 1, 1)])
    assert error.value.__notes__ == ["regions, number 1"]
