"""The stand-in for rtree: rtree's own tests, and answers compared with rtree's."""

import copy
import ctypes
import pickle
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np
import others
import pytest

from pyquadrille import rtree

# Coordinates on a coarse lattice, so that edges touch and distances tie.
SIDE = 12


def random_box(draw: random.Random, dim: int = 2) -> tuple[float, ...]:
    low = [draw.randrange(SIDE) / 2 for _ in range(dim)]
    return (*low, *(at + draw.randrange(4) / 2 for at in low))


def apart(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    dim = len(one) // 2
    gaps = [max(one[axis] - other[axis + dim], other[axis] - one[axis + dim], 0) for axis in range(dim)]
    return sum(gap * gap for gap in gaps) ** 0.5


def test_tests_of_rtree_itself(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    version = pytest.importorskip("rtree", reason="rtree is not installed").__version__
    if version != "1.4.1":
        pytest.skip(f"these are the tests of rtree 1.4.1, not of {version}")
    cache = others.cache(request, tmp_path)
    counts = others.run(others.sources("rtree", version, cache), "test_index.py", "rtree_plugin", tmp_path)
    # rtree itself fails the one that passes unexpectedly: pickling an index.
    assert [counts[name] for name in ("passed", "xpassed", "xfailed")] == [35, 1, 6], counts


def test_errors_are_of_one_class() -> None:
    assert rtree.exceptions.RTreeError is rtree.RTreeError and issubclass(rtree.RTreeError, Exception)
    theirs = pytest.importorskip("rtree", reason="rtree is not installed").exceptions
    with pytest.raises(theirs.RTreeError):
        rtree.Property(dimension=-1)


@pytest.mark.parametrize("dim", [2, 3])
def test_every_answer_by_a_list(dim: int) -> None:
    draw = random.Random(dim)
    index = rtree.Index(properties=rtree.Property(dimension=dim))
    entries: dict[int, tuple[float, ...]] = {}
    for step in range(1500):
        id, box = draw.randrange(60), random_box(draw, dim)
        if id not in entries:
            index.insert(id, box, obj={"id": id})
            entries[id] = box
        elif draw.random() < 0.5:
            index.update(id, box)
            entries[id] = box
        else:
            index.delete(id, entries.pop(id))
        if step % 10:
            continue
        window, k = random_box(draw, dim), draw.randrange(1, 6)
        meets = sorted(id for id, box in entries.items() if apart(box, window) == 0)
        assert list(index.intersection(window)) == meets
        assert index.count(window) == len(meets)
        assert list(index.intersection(window, objects="raw")) == [{"id": id} for id in meets]
        assert [(item.id, tuple(item.bbox)) for item in index.intersection(window, objects=True)] == [
            (id, entries[id]) for id in meets
        ]
        within = [id for id in meets if all(a <= b for a, b in zip(window[:dim], entries[id][:dim], strict=True))]
        within = [id for id in within if all(a >= b for a, b in zip(window[dim:], entries[id][dim:], strict=True))]
        assert list(index.contains(window)) == within
        ranked = sorted((apart(box, window), id) for id, box in entries.items())
        nearest = [id for far, id in ranked if far <= ranked[min(k, len(ranked)) - 1][0]] if ranked else []
        assert list(index.nearest(window, k)) == nearest
    assert len(index) == len(entries) > 0


def test_answers_of_rtree_itself() -> None:
    theirs = pytest.importorskip("rtree.index", reason="rtree is not installed")
    draw = random.Random(7)
    boxes = np.array([random_box(draw) for _ in range(300)])
    windows = np.array([random_box(draw) for _ in range(100)])
    arrays = np.arange(300), boxes[:, :2], boxes[:, 2:]
    one, two = theirs.Index(arrays), rtree.Index(arrays)
    assert one.bounds == two.bounds
    mins, maxs = windows[:, :2], windows[:, 2:]

    def ordered(ids: np.ndarray, counts: np.ndarray) -> list[list[int]]:
        return [sorted(part.tolist()) for part in np.split(ids, np.cumsum(counts.astype(int))[:-1])]

    assert ordered(*one.intersection_v(mins, maxs)) == ordered(*two.intersection_v(mins, maxs))
    assert ordered(*one.nearest_v(mins, maxs, num_results=3)) == ordered(*two.nearest_v(mins, maxs, num_results=3))
    limits = np.array([draw.randrange(4) / 2 for _ in windows])
    both = [index.nearest_v(mins, maxs, num_results=3, max_dists=limits, return_max_dists=True) for index in (one, two)]
    assert ordered(*both[0][:2]) == ordered(*both[1][:2])
    is_found = both[0][1] > 0
    np.testing.assert_allclose(both[0][2][is_found], both[1][2][is_found])
    strict = two.nearest_v(mins, maxs, num_results=3, strict=True)
    assert strict[1].tolist() == one.nearest_v(mins, maxs, num_results=3, strict=True)[1].tolist() == [3] * 100
    for window in windows.tolist():
        for method in ("intersection", "contains"):
            assert sorted(getattr(one, method)(window)) == list(getattr(two, method)(window))
        assert sorted(one.nearest(window, 2)) == sorted(two.nearest(window, 2))


def test_update_names_one_entry() -> None:
    index = rtree.Index()
    index.insert(1, (0, 0, 1, 1), obj="a")
    index.update(1, (5, 5))
    assert [(item.object, item.bbox) for item in index.intersection((4, 4, 6, 6), objects=True)] == [
        ("a", [5, 5, 5, 5])
    ]
    with pytest.raises(KeyError, match="2"):
        index.update(2, (5, 5))
    index.insert(1, (0, 0))
    with pytest.raises(ValueError, match="2 entries have the id 1"):
        index.update(1, (9, 9))
    assert index.bounds == [0, 0, 5, 5]


def test_update_many_moves_all_or_none() -> None:
    draw = random.Random(3)
    boxes = np.array([random_box(draw) for _ in range(200)])
    index = rtree.Index((np.arange(200), boxes[:, :2], boxes[:, 2:]))
    moved = draw.sample(range(200), 150)
    boxes[moved] = [random_box(draw) for _ in moved]
    index.update_many(moved, boxes[moved, :2], boxes[moved, 2:])

    def meets(window: tuple[float, ...]) -> list[int]:
        return [id for id, box in enumerate(boxes.tolist()) if apart(tuple(box), window) == 0]

    windows = [random_box(draw) for _ in range(50)]
    assert [list(index.intersection(window)) for window in windows] == [meets(window) for window in windows]

    with pytest.raises(KeyError, match="200"):
        index.update_many([0, 200], [[9, 9], [9, 9]], [[9, 9], [9, 9]])
    with pytest.raises(ValueError, match="counts different: 2 and 1"):
        index.update_many([0, 1], [[9, 9]], [[9, 9]])
    for wrong in ([[9, 9], [float("nan"), 9]], [[9, 9], [9, 10]]):
        with pytest.raises(ValueError, match="row 1"):
            index.update_many([0, 1], wrong, [[9, 9], [9, 9]])
    index.insert(1, (0, 0))
    with pytest.raises(ValueError, match="2 entries have the id 1"):
        index.update_many([0, 1], [[9, 9], [9, 9]], [[9, 9], [9, 9]])
    index.delete(1, (0, 0))
    assert [list(index.intersection(window)) for window in windows] == [meets(window) for window in windows]


def test_a_stream_may_use_one_list_for_all_boxes_and_mix_them_with_points() -> None:
    def stream() -> Iterator[tuple[int, Any, None]]:
        box = [0.0, 0.0, 1.0, 1.0]
        for id in range(3):
            yield id, box, None
            box[2] = box[3] = box[2] + 1
        yield 3, (5, 5), None
        yield 4, (at for at in (6, 6, 7, 7)), None

    index = rtree.Index(stream())
    assert [list(index.intersection((at, at))) for at in (1, 2, 3, 5, 6)] == [[0, 1, 2], [1, 2], [2], [3], [4]]
    with pytest.raises(rtree.RTreeError, match=r"minimums more than maximums: \(3, 0, 1, 1\)"):
        rtree.Index([(0, (0, 0, 1, 1), None), (1, (3, 0, 1, 1), None)])


def test_delete_needs_the_coordinates() -> None:
    index = rtree.Index(interleaved=False)
    index.insert(1, (0, 1, 0, 1))
    index.insert(1, (0, 2, 0, 2))
    for id, box in ((1, (0, 1, 0, 3)), (2, (0, 1, 0, 1))):
        index.delete(id, box)
        assert len(index) == 2
    index.delete(1, (0, 1, 0, 1))
    assert [item.bounds for item in index.intersection((0, 9, 0, 9), objects=True)] == [[0, 2, 0, 2]]
    index.update(1, (7, 8, 7, 8))
    assert index.bounds == [7, 8, 7, 8]


def test_bad_input_changes_nothing() -> None:
    index = rtree.Index()
    index.insert(1, (0, 0, 1, 1))
    nan = float("nan")
    for box in ((2, 0, 1, 1), (0, 2, 1, 1), (nan, 0, 1, 1), (0, 0, 1, nan)):
        for call in (index.insert, index.update, index.delete):
            with pytest.raises(rtree.RTreeError, match="minimums more than maximums"):
                call(1, box)
        with pytest.raises(rtree.RTreeError):
            index.intersection(box)
    for box in ((), (1,), (1, 2, 3), (1, 2, 3, 4, 5)):
        with pytest.raises(ValueError, match="2 or 4 coordinates"):
            index.insert(1, box)
    for id in (1.0, "1", None):
        with pytest.raises(ctypes.ArgumentError, match="an id is an integer"):
            index.insert(id, (0, 0))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="counts different: 2 and 1"):
        rtree.Index(([1, 2], [[0, 0]], [[1, 1]]))
    assert len(index) == 1 and index.bounds == [0, 0, 1, 1]


@pytest.mark.parametrize(
    "make",
    [
        lambda: rtree.Index(properties=rtree.Property(dimension=4)),
        lambda: rtree.Index(properties=rtree.Property(type=rtree.RT_TPRTree)),
        lambda: rtree.Index().leaves(),
    ],
)
def test_refused(make: object) -> None:
    with pytest.raises(NotImplementedError):
        make()  # type: ignore[operator]


def test_limit_and_offset_page_through_answers() -> None:
    index = rtree.Index((n, (n, 0, n, 0), None) for n in range(10))
    index.result_limit, index.result_offset = 4, 3
    assert list(index.intersection((0, 0, 9, 9))) == [3, 4, 5, 6]
    index.result_limit = 0
    assert list(index.nearest((0, 0), 5)) == [3, 4]
    assert index.count((0, 0, 9, 9)) == 10


@pytest.mark.parametrize(("objects", "expected"), [(False, [0, 1, 2]), ("raw", ["0", "1", "2"])])
def test_a_loop_over_an_answer_changes_the_index(objects: Literal[False, "raw"], expected: list[Any]) -> None:
    index = rtree.Index((n, (n, 0), str(n)) for n in range(3))
    found = index.intersection((0, 0, 9, 0), objects)
    for n in range(3):
        index.delete(n, (n, 0))
        index.insert(n + 7, (50, 50), obj="another")
    assert list(found) == expected


def test_objects_are_pickled_by_ones_own_methods() -> None:
    class Upper(rtree.Index):
        def dumps(self, obj: object) -> bytes:
            return str(obj).upper().encode()

        def loads(self, string: bytes) -> str:
            return string.decode()

    index = Upper()
    index.insert(1, (0, 0), "loud")
    assert list(index.intersection((0, 0), objects="raw")) == ["LOUD"]


def test_copies_and_files(tmp_path: Path) -> None:
    path = str(tmp_path / "index")
    index = rtree.Index(path)
    index.insert(1, (0, 0, 1, 1), obj=[1])
    for other in (copy.copy(index), copy.deepcopy(index), pickle.loads(pickle.dumps(index))):
        assert list(other.intersection((0, 0), objects="raw")) == [[1]]
    index.flush()
    assert len(rtree.Index(path)) == 1
    index.insert(2, (0, 0))
    index.close()
    with pytest.raises(OSError, match="Unclosable"):
        index.close()
    with pytest.raises(rtree.RTreeError, match="closed"):
        index.insert(3, (0, 0))
    assert list(rtree.Index(path).intersection((0, 0))) == [1, 2]
    assert len(rtree.Index(path, overwrite=True)) == 0

    (tmp_path / "other.idx").write_bytes(b"pages of libspatialindex")
    with pytest.raises(rtree.RTreeError, match="not written by"):
        rtree.Index(str(tmp_path / "other"))
    with pytest.raises(OSError, match="Unable to open"):
        rtree.Index(str(tmp_path / "no folder" / "index"))


def test_ids_beyond_63_bits() -> None:
    index = rtree.Index()
    for id in (2**63, 2**64 - 1, 2**64 + 5, -(2**63) - 1):
        index.insert(id, (0, 0, 1, 1))
        index.update(id, (5, 5, 6, 6))
        index.update_many([id], [(7, 7)], [(8, 8)])
        assert list(index.intersection((7, 7, 8, 8))) == [(id + 2**63) % 2**64 - 2**63]
        index.delete(id, (7, 7, 8, 8))
        assert len(index) == 0
    # A list of small and large ones would be an array of floats.
    ids, stored = [2**63 + 1, 5], [-(2**63) + 1, 5]
    for given in (ids, tuple(ids), np.array(ids, np.uint64), np.array(ids, object)):
        index = rtree.Index((given, [(0, 0), (2, 2)], [(1, 1), (3, 3)]))
        assert list(index.intersection((0, 0, 3, 3))) == stored
        index.update_many(given, [(7, 7), (9, 9)], [(8, 8), (9, 9)])
        assert list(index.intersection((7, 7, 8, 8))) == stored[:1]
        assert list(index.intersection((9, 9, 9, 9))) == stored[1:]
    with pytest.raises(TypeError):
        index.update_many([2.0**63, 5], [(7, 7), (9, 9)], [(8, 8), (9, 9)])


def test_what_is_refused_can_be_shown() -> None:
    class Kept(rtree.Index):
        seen: Any = None

        def __init__(self, **options: Any) -> None:
            Kept.seen = self
            super().__init__(**options)

    for options in ({"type": rtree.RT_TPRTree}, {"dimension": 4}):
        with pytest.raises(NotImplementedError):
            Kept(properties=rtree.Property(**options))
        assert repr(Kept.seen).endswith("(closed)") and len(Kept.seen) == 0
    index = rtree.Index()
    index.close()
    assert repr(index).endswith("(closed)")


def test_infinite_boxes() -> None:
    index = rtree.Index()
    index.insert(1, (0, 0, 1, 1))
    infinity = float("inf")
    with pytest.raises(ValueError, match="infinite"):
        index.insert(2, (0, 0, infinity, 1))
    assert list(index.intersection((-infinity, -infinity, infinity, infinity))) == [1]
