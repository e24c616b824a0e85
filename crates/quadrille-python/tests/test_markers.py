"""Clusters by radius with a memory: each object in one marker, steady ones, and what comes and goes."""

import numpy as np
import pyquadrille as pq
import pytest
from model import KINDS

SIDE = 64


def index_of(kind, count, seed=1):
    dim, dtype, torus = kind
    index = pq.Index([0] * dim + [SIDE] * dim, dtype=dtype, torus=torus)
    units, places = index.add_points(), np.random.default_rng(seed).integers(0, SIDE, (count, dim)).astype(float)
    return index, index.insert_many(units, places), places


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_each_object_in_one_marker_and_means_apart(kind):
    (index, handles, places), world = index_of(kind, 300), [-9] * kind[0] + [SIDE + 9] * kind[0]
    markers, draw, known = index.markers(8), np.random.default_rng(2), set()
    for step in range(8):
        (numbers, counts, means, bounds, rows), come, gone = markers.poll(world)
        assert means.dtype == bounds.dtype == kind[1] and numbers.dtype == counts.dtype == rows.dtype == np.int64
        assert counts.sum() == 300 and (np.diff(numbers) > 0).all()
        middle = places.mean(axis=0)
        assert np.allclose((counts[:, None] * means).sum(axis=0) / 300, middle, atol=1e-3)
        lower, upper = bounds[:, : kind[0]], bounds[:, kind[0] :]
        assert (lower <= means).all() and (means <= upper).all()
        assert ((lower <= places[rows]) & (places[rows] <= upper)).all()
        apart = np.linalg.norm(means[:, None] - means[None], axis=-1) + np.eye(len(means)) * SIDE
        assert apart.min() > 0.75 * 8 * 0.999
        assert come.shape[1] == gone.shape[1] == 2 and set(come[:, 0]) == set(numbers.tolist()) - known
        assert set(gone[:, 0]) == known - set(numbers.tolist())
        # From one of those before, into one of those now.
        assert set(come[:, 1]) <= known | {-1} and set(gone[:, 1]) <= set(numbers.tolist()) | {-1}
        known = set(numbers.tolist())
        if step % 2:
            places[:] = index.wrap(places + draw.integers(-1, 2, places.shape)) if kind[2] is not False else np.clip(
                places + draw.integers(-1, 2, places.shape), 0, SIDE - 1
            )
            index.move_many(handles, places)


def test_equal_to_all_objects_taken_by_the_fullest_place():
    index = pq.Index([0, 0, 100, 100])
    units, walls = index.add_points(), index.add_boxes()
    # Ten places far apart, of 1 to 10 objects each.
    places = np.repeat(np.arange(5, 100, 10), np.arange(1, 11))[:, None] * [1.0, 0.5]
    handles = index.insert_many(units, places)
    index.insert(walls, [0, 0, 100, 100])
    markers = index.markers(4, units)
    (numbers, counts, means, _, rows), come, gone = markers.poll([0, 0, 100, 100])
    # New ones are numbered from the fullest on.
    assert numbers.tolist() == list(range(10)) and counts.tolist() == list(range(10, 0, -1))
    assert means.tolist() == places[rows].tolist() and rows.tolist() == sorted(rows.tolist(), reverse=True)
    assert come.tolist() == [[number, -1] for number in range(10)] and gone.shape == (0, 2)

    # Half of the fullest go a little away, then the rest of them to their neighbours.
    index.move_many(handles[-5:], places[-5:] - [6, 0])
    (numbers, counts, *_), come, _ = markers.poll([0, 0, 100, 100])
    assert come.tolist() == [[10, -1]] and numbers.tolist() == list(range(11)) and counts[[0, 10]].tolist() == [5, 5]
    index.move_many(handles[-5:], places[-10:-5])
    (numbers, counts, *_), _, gone = markers.poll([0, 0, 100, 100])
    assert gone.tolist() == [[10, -1]] and numbers.tolist() == list(range(10)) and counts[0] == 10

    with pytest.raises(ValueError, match="each layer counts rows of its own"):
        index.markers(4).poll([0, 0, 100, 100])


def test_the_same_while_the_view_moves():
    index, _, _ = index_of((2, "float64", False), 500)
    markers = index.markers(5)
    # Up to the next tile: means are not whole numbers.
    side = np.nextafter(32, 0)
    seen = [markers.poll([x, y, x + side, y + side])[0] for x in (0, 32) for y in (0, 32)]
    assert sum(counts.sum() for _, counts, *_ in seen) == 500
    numbers = np.concatenate([numbers for numbers, *_ in seen])
    assert len(set(numbers.tolist())) == len(numbers) > 20
    (again, *_), come, gone = markers.poll([0, 0, SIDE, SIDE])
    assert again.tolist() == sorted(numbers.tolist()) and len(come) == len(gone) == 0


def test_mistakes():
    index, _, _ = index_of((2, "float64", False), 9)
    for radius in (0, -1, np.nan, np.inf):
        with pytest.raises(ValueError, match="radius: .* positive and finite"):
            index.markers(radius)
    with pytest.raises(TypeError):
        index.markers("a")
    with pytest.raises(ValueError, match="view: 2 or 4 numbers expected, not 3"):
        index.markers(1).poll([0, 0, 1])
    with pytest.raises(ValueError, match="a third of the radius: "):
        index.markers(1e-9).poll([0, 0, SIDE, SIDE])
    assert [len(found) for found in index.markers(1).poll([200, 200, 300, 300])[0]] == [0] * 5
