"""Wrong and hostile input: an error of Python's own kind, and the index as it was."""

import importlib.util
import pickle

import numpy as np
import pyquadrille as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st


class Lies:
    """Claims to be an array."""

    def __init__(self, answer):
        self.answer = answer

    def __array__(self, dtype=None, copy=None):
        return self.answer


class Raises:
    def __array__(self, dtype=None, copy=None):
        raise ZeroDivisionError

    __index__ = __float__ = __len__ = __iter__ = __array__


class Shrinks(np.ndarray):
    """Gives back something else when it is converted."""

    def astype(self, *args, **options):
        return np.zeros((1, 3))


class Reenters:
    """Uses the index while its numbers are read."""

    def __init__(self, index):
        self.index = index

    def __float__(self):
        self.index.clear()
        self.index.optimize()
        return 1.0


def shrinks(shape):
    return np.zeros(shape, np.float16).view(Shrinks)


huge = np.broadcast_to(np.zeros((1, 2)), (2**40, 2))
huge_ids = np.broadcast_to(np.uint64(1), (2**40,))

SHAPES = {
    "one number": 5.0,
    "a word": "abcd",
    "None": None,
    "rank 1": [1.0, 2.0],
    "rank 3": np.zeros((1, 1, 2)),
    "three columns": [(1, 2, 3)],
    "ragged": [(1, 2), (3,)],
    "NaN": [(1, 2), (np.nan, 1)],
    "infinite": [(1, 2), (np.inf, 1)],
    "words": [("a", "b")],
    "complex": np.zeros((1, 2), complex),
    "objects": np.zeros((1, 2), object),
    "booleans": np.zeros((1, 2), bool),
    "dates": np.zeros((1, 2), "M8[s]"),
    "a record": np.zeros(2, [("x", "f8"), ("y", "f8")]),
    "2^40 rows": huge,
    "lies with a word": Lies("abcd"),
    "lies with rank 0": Lies(np.float64(1)),
    "lies with three columns": Lies(np.zeros((2, 3))),
    "raises": Raises(),
    "shrinks": shrinks((4, 2)),
    "masked": np.ma.masked_array([[1.0, 1.0]], [[True, False]]),
    "too large for float64": [(10**400, 1)],
}

IDS = {
    "floats": [1.0, 2.0],
    "an array of floats": np.array([1.0]),
    "negative": [-1],
    "an array of negative ones": np.array([-1]),
    "too large": [2**64],
    "rank 0": np.array(1.5),
    "rank 2": np.zeros((1, 1), np.uint64),
    "words": ["a"],
    "None": None,
    "2^40": huge_ids,
    "booleans": np.zeros(1, bool),
    "raises": Raises(),
    "a word": "abc",
}

FAILURES = (TypeError, ValueError, KeyError, IndexError, OverflowError, MemoryError, ZeroDivisionError)


@pytest.fixture(params=["float64", "float32"])
def index(request):
    index = pq.Index([0, 0, 100, 100], dtype=request.param)
    index.insert_many(index.add_points(), [(1, 1), (2, 2)])
    index.insert_many(index.add_boxes(), [(1, 1, 4, 4)])
    return index


def unchanged(index):
    points, boxes = index.layers()
    assert index.handles([0, 1], points).tolist() == [2**32 + 1, 2**32 + 2] and index.handles(0, boxes) == 2**32 + 3
    assert index.shapes([0, 1], points).tolist() == [[1, 1, 1, 1], [2, 2, 2, 2]] and len(index) == 3
    assert index.shapes([0], boxes).tolist() == [[1, 1, 4, 4]]


@pytest.mark.parametrize("shapes", SHAPES.values(), ids=SHAPES)
def test_shapes(index, shapes):
    points, boxes = index.layers()
    handles = index.handles([0, 1], points)
    calls = [
        lambda: index.insert_many(points, shapes),
        lambda: index.insert_many(boxes, shapes),
        lambda: index.insert(boxes, shapes),
        lambda: index.move_many(handles, shapes),
    ]
    if shapes is not SHAPES["rank 1"]:  # a point
        calls += [lambda: index.insert(points, shapes), lambda: index.move(int(handles[0]), shapes)]
    for call in calls:
        with pytest.raises(FAILURES):
            call()
    unchanged(index)


@pytest.mark.parametrize("ids", IDS.values(), ids=IDS)
def test_handles(index, ids):
    for call in [
        lambda: index.move_many(ids, np.ones((1, 2))),
        lambda: index.remove_many(ids),
        lambda: index.set_layer(ids, index.layers()[0]),
        lambda: index.rows(ids),
        lambda: index.pairs(of=ids) if ids is not None else index.remove_many(ids),
        lambda: index.remove(ids),
        lambda: index.shape(ids),
    ]:
        with pytest.raises(FAILURES):
            call()
    unchanged(index)


@pytest.mark.parametrize(
    "rows", [[-1], [3], [2**40], np.array([2**64 - 1], np.uint64), [0.0], "a", [[0]], Raises()], ids=str
)
def test_rows(index, rows):
    points = index.layers()[0]
    for call in [lambda: index.handles(rows, points), lambda: index.shapes(rows, points)]:
        with pytest.raises(FAILURES):
            call()


def test_rows_out_of_range_are_index_errors(index):
    for rows in ([-1], [3], -1, 3, np.array([3], np.uint8)):
        with pytest.raises(IndexError):
            index.handles(rows, index.layers()[0])


def test_types_are_not_changed_silently(index):
    for ids in ([1.5], np.array([2.0**32 + 1]), np.array([1], "f4")):
        with pytest.raises(TypeError):
            index.remove_many(ids)
    for shapes in (np.zeros((1, 2), complex), np.zeros((1, 2), bool), np.zeros((1, 2), "U1")):
        with pytest.raises(TypeError):
            index.insert_many(index.layers()[0], shapes)
    with pytest.raises(ValueError, match="row 1.*NaN"):
        index.insert_many(index.layers()[0], [(1, 2), (np.nan, 1)])
    unchanged(index)


@pytest.mark.parametrize("dtype", ["<f8", ">f8", "<f4", ">f4", "<i8", ">i4", "u1", "f2", "g"])
def test_any_real_array_is_read_as_it_is_written(index, dtype):
    points = index.layers()[0]
    plain = np.arange(12).reshape(6, 2)
    expected = plain.tolist()
    base = np.zeros((12, 4), dtype)
    base[::2, 1:3] = plain
    packed = np.zeros(6, [("pad", "i1"), ("at", dtype, 2)])
    packed["at"] = plain
    readonly = plain.astype(dtype)
    readonly.flags.writeable = False
    for name, array in {
        "C": plain.astype(dtype),
        "Fortran": np.asfortranarray(plain.astype(dtype)),
        "strided": base[::2, 1:3],
        "backwards": plain[::-1].astype(dtype)[::-1],
        "misaligned": packed["at"],
        "read only": readonly,
        "list": plain.astype(dtype).tolist(),
        "matrix": np.asmatrix(plain.astype(dtype)),
    }.items():
        handles = index.insert_many(points, array)
        assert index.shapes(index.rows(handles), points)[:, :2].tolist() == expected, name
        moved = index.move_many(handles, array[::-1])
        assert len(moved) == 0 and index.shapes(index.rows(handles), points)[:, :2].tolist() == expected[::-1], name
        assert index.remove_many(handles) == 6
    unchanged(index)


@pytest.mark.parametrize("dtype", ["<u8", ">u8", "<i8", ">i8", "u4", "i2"])
def test_any_integers_are_handles_and_rows(index, dtype):
    points, rows = index.layers()[0], np.array([1, 0], dtype)
    both = index.handles(layer=points)
    assert index.handles(rows, points).tolist() == both[[1, 0]].tolist()
    assert index.handles(np.array([1, 9, 0], dtype)[::-2], points).tolist() == both.tolist()
    if np.dtype(dtype).itemsize == 8:
        assert index.rows(both.astype(dtype)[::-1]).tolist() == [1, 0]


REGIONS = [None, "a", (), (1,), (1, 2, 3), (1, 2, 3, 4, 5), (3, 3, 1, 1), (np.nan, 1), [[1, 2]], Raises(), huge, 7,
           pq.Ball((1, 1, 1), 1), pq.Segment((1, 1, 1), (2, 2, 2)), pq.Corridor([(1, 1, 1)], 1), pq.AnyOf([(1,)]),
           pq.AnyOf([pq.Ball((1, 1, 1), 1)]), pq.AnyOf([(3, 3, 1, 1)])]  # fmt: skip


@pytest.mark.parametrize("region", REGIONS, ids=lambda region: repr(region)[:40])
def test_regions(index, region):
    for ask in [index.intersecting, index.contained_in, index.containing]:
        with pytest.raises(FAILURES):
            ask(region)


def test_regions_beyond_float32():
    ring, line = [(0, 0), (1e300, 0), (1, 1)], [(0, 0), (1e300, 1e300)]
    line3 = [(0, 0, 0), (1e300, 1e300, 1)]
    double, single = (pq.Index([0, 0, 9, 9], dtype=dtype) for dtype in ("f8", "f4"))
    for region in [pq.Polygon(ring), pq.Corridor(line, 1), pq.AnyOf([(1, 1), pq.Polygon(ring)])]:
        assert double.intersecting(region).count() == 0
        with pytest.raises(ValueError, match="infinite as float32"):
            single.intersecting(region)
    with pytest.raises(ValueError, match="infinite as float32"):
        pq.Index([0, 0, 0, 9, 9, 9], dtype="f4").intersecting(pq.Corridor(line3, 1))


def test_making_regions():
    for make in [
        lambda: pq.Ball((1,), 1),
        lambda: pq.Ball((1, 1), -1),
        lambda: pq.Ball((1, 1), np.nan),
        lambda: pq.Ball((np.nan, 1), 1),
        lambda: pq.Segment((1, 1), (1, 1, 1)),
        lambda: pq.Polygon([(1, 1), (np.inf, 1)]),
        lambda: pq.Polygon([(1, 1, 1)]),
        lambda: pq.Polygon(1),
        lambda: pq.Corridor([(1, 1), (np.nan, 1)], 1),
        lambda: pq.Corridor([(1, 1)], -1),
        lambda: pq.AnyOf(5),
        lambda: pq.AnyOf(["a"]),
        lambda: pq.Region(),
    ]:
        with pytest.raises(FAILURES):
            make()
    deep = pq.Ball((0, 0), 1)
    for _ in range(20_000):
        deep = pq.AnyOf([deep])  # flat inside: no recursion ends the interpreter
    assert pq.Index([0, 0, 1, 1]).intersecting(deep).count() == 0
    assert pickle.loads(pickle.dumps(deep)) is not None


def test_questions(index):
    for call in [
        lambda: index.windows([(3, 3, 1, 1)]),
        lambda: index.windows([(1, 1)], predicate="near"),
        lambda: index.windows([(1, 1)], out="values"),
        lambda: index.windows([(1, 1)], excluding=[1, 2]),
        lambda: index.windows(huge),
        lambda: index.within_many([(1, 1)], -1.0),
        lambda: index.within_many([(1, 1)], np.nan),
        lambda: index.within_many([(1, 1)], [1.0, 2.0]),
        lambda: index.within_many([(1, 1), (1, 1)], np.array([1.0])),
        lambda: index.within_many([(1, 1)], ["a"]),
        lambda: index.count_within_many([(1, 1)], -1.0),
        lambda: index.within_many([(1, 1), (1, 1)], [1.0, np.nan]),
        lambda: index.nearest_many([(1, 1)], -1),
        lambda: index.nearest_many([(1, 1)], 2**40),
        lambda: index.nearest_many([(1, 1)] * 1000, 2**62),
        lambda: index.nearest((1, 1), within=-1.0),
        lambda: index.nearest((1, 1), within=np.nan),
        lambda: index.raycast((1, 1), (np.nan, 1)),
        lambda: index.raycast((1, 1), (1, 1), until=-1.0),
        lambda: index.raycast_many([(1, 1)], [(1, 1), (1, 1)]),
        lambda: index.cast((1, 1), (1, 1), skin=-1.0),
        lambda: index.cast_many([(1, 1)], [(1, 1), (1, 1)]),
        lambda: index.cast_ball((1, 1), -1.0, (1, 1)),
        lambda: index.cast_ball((1, 1), np.nan, (1, 1)),
        lambda: index.cast_ball((1, 1, 1, 1), 1.0, (1, 1)),
        lambda: index.cast_ball((1, 1), 1.0, (np.nan, 1)),
        lambda: index.cast_ball((1, 1), 1.0, (1, 1), skin=-1.0),
        lambda: index.cast_ball_many([(1, 1)], 1.0, [(1, 1), (1, 1)]),
        lambda: index.cast_ball_many([(1, 1)], [1.0, 2.0], [(1, 1)]),
        lambda: index.cast_ball_many([(1, 1)], [-1.0], [(1, 1)]),
        lambda: index.contacts().of(1.5),
        lambda: index.pairs(-1.0),
        lambda: index.pairs(np.nan),
        lambda: index.pairs(between=(index.layers()[0],)),
        lambda: index.neighbors(np.nan),
        lambda: index.join(5),
        lambda: index.contacts("a"),
        lambda: index.watch_many(5),
        lambda: index.watch_many([(0, 0, 1, 1), (3, 3, 1, 1)]),
        lambda: index.watch_many([pq.Ball((1, 1, 1), 1)]),
        lambda: index.insert_geometries(index.layers()[0], [5]) if importlib.util.find_spec("shapely") else index.join(5),
        lambda: index.contacts().poll([1.5]),
        lambda: index.set_world((0, 0, 0, 0)),
        lambda: index.set_world((0, 0, np.inf, 1)),
        lambda: 5 in index,
    ]:
        with pytest.raises(FAILURES):
            call()
    unchanged(index)


def test_making_an_index():
    for make in [
        lambda: pq.Index([0, 0, 0, 0]),
        lambda: pq.Index([0, 0, 1, np.nan]),
        lambda: pq.Index([1, 1, 0, 0]),
        lambda: pq.Index([0, 0, 1]),
        lambda: pq.Index("abcd"),
        lambda: pq.Index(dim=4),
        lambda: pq.Index([0, 0, 1, 1], dim=3),
        lambda: pq.Index(dtype="int32"),
        lambda: pq.Index(dtype=">f8"),
        lambda: pq.Index(dtype="nothing"),
        lambda: pq.Index(torus=True),
        lambda: pq.Index([0, 0, 1, 1], torus=(True,)),
        lambda: pq.Index([0, 0, 1, 1], torus="yes"),
    ]:
        with pytest.raises(FAILURES):
            make()


def test_code_that_uses_the_index_while_it_is_read(index):
    index.insert(index.layers()[0], [Reenters(index), 2.0])
    assert index.count() == 1
    query = index.intersecting([Reenters(index), 0.0])
    assert len(index) == 0 and query.handles().tolist() == []


PARTS = st.sampled_from(
    [*SHAPES.values(), *IDS.values(), *REGIONS, 1, -1, 2**32 + 1, (1.0, 2.0), (0, 0, 9, 9), np.ones((2, 2))]
)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.data())
def test_any_method_with_anything(data):
    """Whatever it says, it says it as an error of Python."""
    index = pq.Index([0, 0, 10, 10])
    layers = [index.add_points(), index.add_boxes()]
    index.insert_many(layers[0], [(1, 1), (2, 2)])
    names = [name for name in dir(index) if not name.startswith("_") and name not in ("plot",)]
    method = getattr(index, data.draw(st.sampled_from(names)))
    part = st.one_of(PARTS, st.sampled_from([*layers, layers[0] | layers[1], index]))
    arguments = data.draw(st.lists(part, max_size=3))
    if callable(method):
        try:
            method(*arguments)
        except FAILURES + (RuntimeError,):
            pass
    for layer in index.layers():
        assert len(index.shapes(np.arange(index.capacity(layer)), layer)) == index.capacity(layer)
    assert index.count() <= 4


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.data())
def test_pickles_of_others(data):
    """Bytes changed at will: an error, or an index that works."""
    index = pq.Index([0, 0, 10, 10], torus=data.draw(st.booleans()))
    units, walls = index.add_points(), index.add_boxes()
    index.insert_many(units, [(1, 1), (2, 2)])
    index.insert(walls, (1, 1, 2, 2))
    function, arguments = data.draw(st.sampled_from([index, units])).__reduce__()
    changed = []
    for argument in arguments:
        if isinstance(argument, bytes):
            # How long it is depends on how many indexes this process has made.
            argument = bytearray(argument)
            for at, byte in data.draw(st.lists(st.tuples(st.integers(0, 2**16), st.integers(0, 255)), max_size=3)):
                argument[at % len(argument)] = byte
            argument = bytes(argument[: len(argument) - data.draw(st.sampled_from([0, 0, 0, 1, 7, 40]))])
        changed.append(argument)
    try:
        loaded = function(*changed)
    except FAILURES:
        return
    if isinstance(loaded, pq.Index):
        for layer in loaded.layers():
            loaded.intersecting((0, 0, 9, 9), layer).tolist(), loaded.pairs(3.0, layer), loaded.nearest((1, 1), 5, layer)
            loaded.handles(layer=layer), loaded.capacity(layer)
        loaded.remove_many(loaded.intersecting((0, 0, 9, 9)).handles())
    else:
        try:
            index.insert(loaded, (1, 1))
        except FAILURES:
            pass


@pytest.mark.parametrize("follows", [0, 1])
def test_a_pickle_of_two_indexes(follows):
    """A world that wraps around, and objects that lie outside of it."""
    from pyquadrille import _core

    plain, torus = pq.Index([0, 0, 10, 10]), pq.Index([0, 0, 10, 10], torus=True)
    plain.insert_many(plain.add_points(), [(1, 1), (500, -70), (1e300, 3)])
    plain.insert_many(plain.add_boxes(), [(-500, -500, 500, 500), (3, 3, 4, 4)])
    # The world and the axes, and whether the world follows; then the objects.
    rules = torus.__reduce__()[1][1][: 2 + 4 * 8 + 3]
    loaded = _core._index("2f8", rules + bytes([follows]) + plain.__reduce__()[1][1][2:])
    assert loaded.torus == (True, True) and len(loaded) == 5
    assert loaded.intersecting((1, 1)).exists() and len(loaded.nearest((1, 1), 9, out="handles")[0]) > 0
    loaded.pairs(2.0, out="handles"), loaded.neighbors(0.5, loaded.layers()[0]), loaded.cast((0, 0), (100, 3)), loaded.raycast((0, 0), (1, 1))
    loaded.insert_many(loaded.layers()[0], np.arange(400.0).reshape(200, 2))
    assert len(loaded) == 205


def test_wrong_arguments_for_unpickling():
    from pyquadrille import _core

    index = pq.Index([0, 0, 1, 1])
    for call in [
        lambda: _core._index("2f8", b""),
        lambda: _core._index("9f9", index.__reduce__()[1][1]),
        lambda: _core._index("3f8", index.__reduce__()[1][1]),
        lambda: _core._index("2f4", index.__reduce__()[1][1]),
        lambda: _core._index("2f8", index.__reduce__()[1][1] + b"x"),
        lambda: _core._layer(index, b""),
        lambda: _core._layer(5, b""),
        lambda: _core._layers(5, 1),
    ]:
        with pytest.raises(FAILURES):
            call()
