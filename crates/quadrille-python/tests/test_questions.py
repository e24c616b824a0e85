"""Every question of every kind of index, compared with brute force."""


import numpy as np
import pyquadrille as pq
from hypothesis import given
from hypothesis import strategies as st
from model import SIZE, boxes, every_kind, models, points, quick, unordered

PREDICATES = ["intersecting", "contained_in", "containing"]


def root(squares, dtype):
    """Distances as they are told: rounded up, so that they are limits that include the object."""
    roots = np.sqrt(squares.astype(float)).astype(dtype)
    return np.where(roots.astype(float) ** 2 < squares, np.nextafter(roots, np.array(np.inf, dtype)), roots)


def lists(answers, count):
    """A list of lists from CSR."""
    offsets, items = answers
    assert offsets.dtype == np.int64 and len(offsets) == count + 1 and offsets[-1] == len(items)
    return [sorted(items[a:b].tolist()) for a, b in zip(offsets, offsets[1:])]


@every_kind
@quick
@given(st.data())
def test_windows(kind, data):
    model = data.draw(models(kind))
    index, questions = model.index, data.draw(boxes(model.dim, 1, 6))
    for predicate in PREDICATES:
        for layers, which in [(None, None), (model.units, [model.units]), (~model.units, [model.zones])]:
            expected = [getattr(model, predicate)(box, which) for box in questions]
            assert lists(index.windows(questions, layers, predicate=predicate), len(questions)) == expected
            counts = index.count_windows(questions, layers, predicate=predicate)
            assert counts.tolist() == [len(rows) for rows in expected]
            for box, rows in zip(questions, expected):
                query = getattr(index, predicate)(box, layers)
                assert sorted(query.tolist()) == sorted(query.rows().tolist()) == sorted(query) == rows
                if layers is model.units:
                    real = index.real.intersecting(box, layers)
                    assert index.rows(real.handles()).tolist() == real.tolist()
                assert len(query) == len(rows)
                assert query.count() == len(rows)
                assert query.exists() == bool(query) == bool(rows)
                assert (query.first() in rows) if rows else query.first() is None
                assert (model.boxes[query] == model.boxes[query.rows()]).all()


@every_kind
@quick
@given(st.data())
def test_regions(kind, data):
    """Regions that are boxes in other words, and such whose answer is a distance."""
    model = data.draw(models(kind))
    index, dim = model.index, model.dim
    for box in data.draw(boxes(dim, 1, 3)):
        lower, upper = box[:dim], box[dim:]
        expected = model.intersecting(box)
        assert sorted(index.intersecting(pq.AnyOf([box])).tolist()) == expected
        assert sorted(index.intersecting(pq.AnyOf([pq.AnyOf([box]), tuple(lower)])).tolist()) == expected
        assert sorted(index.contained_in(pq.AnyOf([box]))) == model.contained_in(box)
        if dim == 2:
            corners = [lower, (upper[0], lower[1]), upper, (lower[0], upper[1])]
            assert sorted(index.intersecting(pq.Polygon(corners))) == expected
        assert sorted(index.containing(pq.Corridor([lower, upper], 0.0))) == model.containing(box)
        radius = int(upper[0] - lower[0])
        point = np.tile(lower, 2)
        expected = model.within(point, radius)
        for query in [index.intersecting(pq.Ball(lower, radius)), index.within_distance(lower, radius)]:
            assert sorted(query.rows().tolist()) == sorted(query) == expected
            assert query.count() == len(expected)
        along = np.concatenate([lower, [upper[0]], lower[1:]])
        assert sorted(index.intersecting(pq.Segment(along[:dim], along[dim:]))) == model.intersecting(along)


@every_kind
@quick
@given(st.data())
def test_distances(kind, data):
    model = data.draw(models(kind))
    index, questions = model.index, data.draw(points(model.dim, 1, 6))
    radii = np.arange(len(questions)) * 2
    expected = [model.within(np.tile(at, 2), radius) for at, radius in zip(questions, radii)]
    assert lists(index.within_many(questions, radii), len(questions)) == expected
    assert index.count_within_many(questions, radii).tolist() == [len(rows) for rows in expected]
    expected = [model.within(np.tile(at, 2), 3, [model.units]) for at in questions]
    assert lists(index.within_many(questions, 3, model.units), len(questions)) == expected


@every_kind
@quick
@given(st.data())
def test_clusters(kind, data):
    model = data.draw(models(kind))
    index, dim = model.index, model.dim
    if not any(index.torus):
        index.set_world([0] * dim + [SIZE] * dim)
    for box in data.draw(boxes(dim, 1, 4)):
        layer = data.draw(st.sampled_from([model.units, model.zones]))
        shapes, query = index.shapes(np.arange(index.capacity(layer)), layer), index.real.intersecting(box, layer)
        rows = query.rows()
        centers = (shapes[rows, :dim] + shapes[rows, dim:]) / 2
        for size in (1, 4, 3, SIZE, 100):
            cells, counts, means, bounds, lowest = query.clusters(size)
            assert cells.dtype == np.int32 and counts.dtype == lowest.dtype == np.int64
            assert means.dtype == bounds.dtype == index.dtype and bounds.shape == (len(cells), 2 * dim)
            of = {tuple(cell): rows[(centers // size == cell).all(axis=1)] for cell in cells}
            assert len(of) == len(cells) and sum(map(len, of.values())) == len(rows)
            for cell, count, mean, around, row in zip(cells, counts, means, bounds, lowest):
                members = of[tuple(cell)]
                assert count == len(members) and row in members
                middle = (shapes[members, :dim] + shapes[members, dim:]) / 2
                assert np.allclose(mean, middle.mean(axis=0))
                inside = shapes[members]
                assert (around == np.concatenate([inside[:, :dim].min(axis=0), inside[:, dim:].max(axis=0)])).all()


@every_kind
@quick
@given(st.data())
def test_nearest(kind, data):
    model = data.draw(models(kind))
    index, questions = model.index, data.draw(boxes(model.dim, 1, 5))
    dtype, alive = np.dtype(kind[1]), model.layers >= 0
    for k, within in [(0, np.inf), (1, np.inf), (3, np.inf), (100, 4.0)]:
        rows, distances = index.nearest_many(questions, k, within=within)
        assert rows.shape == distances.shape == (len(questions), k)
        assert rows.dtype == np.int64 and distances.dtype == dtype
        for box, row, distance in zip(questions, rows, distances):
            all_squares = model.squares(box)
            squares = np.sort(all_squares[alive & (all_squares <= within**2)])
            found = row >= 0
            assert found.sum() == min(k, len(squares))
            assert len(set(row[found])) == found.sum() and alive[row[found]].all()
            assert (all_squares[row[found]] == squares[:k]).all()
            assert np.isinf(distance[~found]).all()
            assert (distance[found] == root(squares[:k], dtype)).all()
            alone, far = index.nearest(box, k, within=within)
            assert alone.tolist() == row[found].tolist() and (far == distance[found]).all()
            ties, _ = index.nearest(box, k, within=within, ties=True)
            limit = squares[:k].max(initial=-1)
            assert sorted(ties.tolist()) == np.flatnonzero(alive & (all_squares <= limit)).tolist()


@every_kind
@quick
@given(st.data())
def test_pairs(kind, data):
    model = data.draw(models(kind))
    index = model.index
    for within in [None, 0.0, 2.0, 5.0]:
        expected = model.pairs(within or 0)
        assert unordered(index.pairs(within)) == expected
        assert unordered(index.pairs(within, threads=True)) == expected
        some = model.handles[::2]
        rows = set(range(0, len(model.handles), 2))
        assert unordered(index.pairs(within, of=some)) == {pair for pair in expected if rows & set(pair)}
        across = {pair for pair in expected if set(model.layers[list(pair)]) == {0, 1}}
        pairs = index.pairs(within, between=(model.zones, model.units))
        assert unordered(pairs) == across and (model.layers[pairs[:, 0]] == 1).all()
        assert unordered(index.pairs(within, model.units)) == {p for p in expected if not model.layers[list(p)].any()}
        handles = index.pairs(within, out="handles")
        assert unordered(index.numbers(handles)) == expected
        if within is None:
            continue
        for layer in (model.units, model.zones):
            # By rows of the layer; the numbers of its objects.
            of = index.numbers(index.real.handles(layer=layer)).tolist()
            offsets, rows = index.neighbors(within, layer)
            assert len(offsets) == index.capacity(layer) + 1 == len(of) + 1
            found = {(of[a], of[b]) for a in range(len(of)) for b in rows[offsets[a] : offsets[a + 1]]}
            among = {pair for pair in expected if set(model.layers[list(pair)]) == {layer.number}}
            assert found == among | {(b, a) for a, b in among} and len(rows) == len(found)
            same, others, distances = index.neighbors(within, layer, distances=True)
            assert (same == offsets).all() and distances.dtype == np.dtype(kind[1])
            for a in range(len(of)):
                about = [of[b] for b in others[offsets[a] : offsets[a + 1]]]
                squares = model.squares(model.boxes[of[a]])[about]
                assert (distances[offsets[a] : offsets[a + 1]] == root(squares, kind[1])).all()
            by_threads = index.neighbors(within, layer, distances=True, threads=True)
            for threads in by_threads, index.neighbors(within, layer, threads=True):
                assert all((one == other).all() for one, other in zip(threads, (offsets, others, distances)))


@every_kind
@quick
@given(st.data())
def test_join(kind, data):
    one, other = data.draw(models(kind)), data.draw(models(kind))
    for within in [None, 3.0, 40.0]:
        expected = {
            (int(a), int(b)) for a in np.flatnonzero(one.layers >= 0) for b in other.within(one.boxes[a], within or 0)
        }
        found = [tuple(pair) for pair in one.index.join(other.index, within).tolist()]
        assert set(found) == expected and len(found) == len(expected)
        between = one.index.join(other.index, within, between=(one.units, other.zones)).tolist()
        assert sorted(map(tuple, between)) == sorted(
            (a, b) for a, b in expected if one.layers[a] == 0 and other.layers[b] == 1
        )
        counts = [
            one.index.count_join(other.index, within),
            one.index.count_join(other.index, within, between=(one.units, other.zones)),
        ]
        assert counts == [len(expected), len(between)]
        itself = one.index.join(one.index, within).tolist()
        assert one.index.count_join(one.index, within) == len(itself)
        assert {tuple(sorted(pair)) for pair in itself if pair[0] != pair[1]} == one.pairs(within or 0)


def hit_times(model, box, motion):
    """By row when a box that moves by steps of an axis first touches; infinite if never."""
    dim = model.dim
    lower, upper = np.split(model.images(), 2, axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        enter = np.where(motion > 0, (lower - box[dim:]) / motion, (upper - box[:dim]) / motion)
        leave = np.where(motion > 0, (upper - box[:dim]) / motion, (lower - box[dim:]) / motion)
    still = (lower <= box[dim:]) & (box[:dim] <= upper)
    enter = np.where(motion == 0, np.where(still, -np.inf, np.inf), enter).max(axis=-1)
    leave = np.where(motion == 0, np.where(still, np.inf, -np.inf), leave).min(axis=-1)
    first = np.where((enter <= leave) & (leave >= 0), np.maximum(enter, 0), np.inf).min(axis=0)
    return np.where((first <= 1) & (model.layers >= 0), first, np.inf)


@every_kind
@quick
@given(st.data())
def test_casts(kind, data):
    model = data.draw(models(kind))
    index, dim = model.index, model.dim
    starts = data.draw(boxes(dim, 1, 5))
    motions = np.zeros((len(starts), dim))
    for n, motion in enumerate(motions):
        motion[n % dim] = data.draw(st.sampled_from([-8, -4, 4, 8, 16]))
    expected = [hit_times(model, box, motion) for box, motion in zip(starts, motions)]
    rows, times, normals = index.cast_many(starts, motions)
    assert times.dtype == normals.dtype == np.dtype(kind[1]) and normals.shape == (len(starts), dim)
    for n, (box, motion) in enumerate(zip(starts, motions)):
        first = expected[n].min(initial=np.inf)
        hit = index.cast(box, motion)
        assert times[n] == first
        if np.isinf(first):
            assert hit is None and rows[n] == -1 and not normals[n].any()
        else:
            assert expected[n][rows[n]] == first and np.abs(normals[n]).sum() == 1
            assert (hit.row, hit.t, hit.normal) == (rows[n], times[n], tuple(normals[n]))
            assert hit.handle == model.handles[hit.row]
    rays = index.raycast_many(starts[:, :dim], motions, until=1.0)
    for n, (box, motion) in enumerate(zip(starts, motions)):
        point = np.tile(box[:dim], 2)
        times = hit_times(model, point, motion)
        first = times.min(initial=np.inf)
        hit = index.raycast(box[:dim], motion, until=1.0)
        assert rays[1][n] == first
        assert (hit is None) == np.isinf(first)
        if hit is not None:
            assert times[rays[0][n]] == first
            assert (hit.row, hit.t, hit.normal) == (rays[0][n], first, tuple(rays[2][n]))


def ball_squares(model, at) -> np.ndarray:
    """By row the square of the distance from a point, of the nearest image."""
    lower, upper = np.split(model.images(), 2, axis=-1)
    gaps = np.maximum(0, np.maximum(lower - at, at - upper))
    return np.where(model.layers >= 0, (gaps**2).sum(axis=-1).min(axis=0), np.inf)


@every_kind
@quick
@given(st.data())
def test_balls(kind, data):
    """A point is a ball of radius 0; what a ball hits it touches then, and nothing touched it before."""
    model = data.draw(models(kind))
    index, dim = model.index, model.dim
    starts = data.draw(points(dim, 1, 5))
    motions = data.draw(points(dim, len(starts), len(starts))) - SIZE // 2
    radii = np.arange(len(starts)) * 1.5
    assert np.allclose(index.cast_ball_many(starts, 0, motions)[1], index.cast_many(starts, motions)[1], rtol=1e-6)
    slack = 1e-4 if kind[1] == "float32" else 1e-9
    for skin in [None, 0.25]:
        rows, times, normals = index.cast_ball_many(starts, radii, motions, skin=skin)
        assert times.dtype == normals.dtype == np.dtype(kind[1]) and normals.shape == (len(starts), dim)
        for n, (at, radius, motion) in enumerate(zip(starts, radii, motions)):
            hit = index.cast_ball(at, radius, motion, skin=skin)
            reach = radius + (skin or 0)
            if hit is None:
                assert rows[n] == -1 and np.isinf(times[n]) and not normals[n].any()
            else:
                assert (hit.row, hit.t, hit.normal) == (rows[n], times[n], tuple(normals[n]))
                assert hit.handle == model.handles[hit.row]
                assert np.isclose(np.linalg.norm(normals[n]), 1)
                assert np.sqrt(ball_squares(model, at + motion * hit.t)[hit.row]) <= reach + slack
            if skin is None and motion.any() and (hit is None or hit.t > 0):
                before = np.linspace(0, 1 if hit is None else hit.t, 9)[: 9 if hit is None else -1]
                nearest = [ball_squares(model, at + motion * t).min(initial=np.inf) for t in before]
                assert (np.sqrt(nearest) > radius - slack).all()
    alive = np.flatnonzero(model.layers >= 0)
    if len(alive):
        own = model.handles[alive]
        rows, _, _ = index.cast_ball_many(model.boxes[alive, :dim], 1.0, np.ones((len(alive), dim)), excluding=own)
        assert not (rows == alive).any()


@every_kind
@quick
@given(st.data())
def test_partners(kind, data):
    model = data.draw(models(kind))
    contacts = model.index.contacts(2.0)
    contacts.poll()
    expected = model.pairs(2.0)
    for row, handle in enumerate(model.handles.tolist()):
        partners = contacts.of(handle)
        assert partners.dtype == np.uint64 and (np.diff(partners.astype(np.int64)) > 0).all()
        assert sorted(model.index.numbers(partners).tolist()) == sorted(a + b - row for a, b in expected if row in (a, b))
    index = pq.Index([0, 0, 9, 9])
    one, other = index.insert_many(index.add_points(), [(1, 1), (1, 1)]).tolist()
    contacts = index.contacts()
    assert contacts.of(one).tolist() == []
    contacts.poll()
    index.remove(other)
    assert contacts.of(one).tolist() == [other] and contacts.of(other).tolist() == [one]
    contacts.poll()
    assert contacts.of(one).tolist() == []


@every_kind
@quick
@given(st.data())
def test_a_skin_keeps_its_distance(kind, data):
    model = data.draw(models(kind))
    index, dim = model.index, model.dim
    if not any(index.torus):
        index.set_world([0] * dim + [SIZE] * dim)
    for box in data.draw(boxes(dim, 1, 4)):
        if model.intersecting(box):
            continue
        motion = np.zeros(dim)
        motion[0] = 8.0
        hit = index.cast(box, motion, skin=0.5)
        rows, times, _ = index.cast_many([box], [motion], skin=0.5)
        t = 1.0 if hit is None else hit.t
        assert (rows[0], times[0]) == ((-1, np.inf) if hit is None else (hit.row, hit.t))
        moved = box + np.tile(motion * t, 2)
        lower, upper = np.split(model.images(), 2, axis=-1)
        assert not model.where(((lower < moved[dim:]) & (moved[:dim] < upper)).all(axis=-1))
        if hit is not None and hit.t > 0:
            assert index.intersecting(moved + np.concatenate([-np.ones(dim) / 2, np.ones(dim) / 2])).exists()


@every_kind
@quick
@given(st.data())
def test_many_watches(kind, data):
    """Each of many regions tells what a watch of its own tells."""
    model = data.draw(models(kind))
    dim = model.dim
    regions = [*data.draw(boxes(dim, 0, 4)).tolist(), pq.Ball([SIZE // 2] * dim, 4), [3] * dim]
    for layers in [None, model.units]:
        index = model.index
        watches = index.watch_many(regions, layers)
        alone = [index.intersecting(region, layers).watch() for region in regions]
        for _ in range(3):
            told = [watch.poll() for watch in alone]
            for way, (numbers, changed) in enumerate(watches.poll()):
                assert numbers.dtype == np.int64 and changed.dtype == np.uint64
                expected = [(n, handle) for n, pair in enumerate(told) for handle in pair[way].tolist()]
                assert list(zip(numbers.tolist(), changed.tolist())) == expected
            offsets, inside = watches.inside()
            assert [inside[a:b].tolist() for a, b in zip(offsets, offsets[1:])] == [w.inside().tolist() for w in alone]
            alive = [handle for handle in index.handles().tolist() if handle and index.layer(handle).holds_points]
            index.move_many(alive, data.draw(points(dim, len(alive), len(alive))))
            index.remove_many(alive[::5])
    assert [len(part) for pair in index.watch_many([]).poll() for part in pair] == [0, 0, 0, 0]


@every_kind
@quick
@given(st.data())
def test_excluding(kind, data):
    model = data.draw(models(kind))
    index = model.index
    everything = [-1] * model.dim + [SIZE + 8] * model.dim
    alive = np.flatnonzero(model.layers >= 0)
    for left_out in [[], alive[:1], alive[:3], alive]:
        handles = model.handles[left_out] if len(left_out) else np.empty(0, np.uint64)
        rest = sorted(set(alive.tolist()) - set(np.asarray(left_out, int).tolist()))
        query = index.intersecting(everything, excluding=handles)
        assert sorted(query.tolist()) == sorted(query) == rest
        assert query.count() == len(rest) and query.exists() == bool(rest)
        near = index.nearest(everything, 1000, excluding=handles)[0]
        assert sorted(near.tolist()) == rest
        hit = index.cast(everything, [1.0] + [0.0] * (model.dim - 1), excluding=handles)
        assert (hit is None) == (not rest) and (hit is None or hit.row in rest)
        ray = index.raycast([0] * model.dim, [0.0] * model.dim, excluding=handles)
        assert ray is None or ray.row in rest
    if len(alive):
        # One for each question.
        handles, places = model.handles[alive], model.boxes[alive]
        found = lists(index.windows(places, excluding=handles), len(alive))
        assert found == [[row for row in model.intersecting(box) if row != own] for box, own in zip(places, alive)]
        counts = index.count_windows(places, excluding=handles)
        assert counts.tolist() == [len(rows) for rows in found]
        found = lists(index.within_many(places[:, : model.dim], 2, excluding=handles[0]), len(alive))
        corners = np.tile(places[:, : model.dim], 2)
        assert found == [[row for row in model.within(at, 2) if row != alive[0]] for at in corners]
        rows, _ = index.nearest_many(places, 2, excluding=handles)
        assert not (rows == alive[:, None]).any()
        rows, times, _ = index.cast_many(places, np.zeros((len(alive), model.dim)), excluding=handles)
        assert not (rows == alive).any()


@every_kind
@quick
@given(st.data())
def test_watches_that_are_told_who_moved(kind, data):
    """They tell what others find by themselves; what is not named stays as it was."""
    model = data.draw(models(kind))
    index, dim = model.index.real, model.dim
    regions = [*data.draw(boxes(dim, 0, 4)).tolist(), pq.Ball([SIZE // 2] * dim, 4), [3] * dim]
    regions += [pq.Corridor([[1] * dim, [9] * dim], 2.0), [-np.inf] * dim + [np.inf] * dim]
    if dim == 2:
        regions += [pq.Polygon([(2, 2), (12, 3), (4, 13)]), pq.Cap((5, 5), 400_000)]
    asks = [*(index.intersecting(region) for region in regions), index.contained_in(regions[-1], model.units)]
    asks += [index.containing([3] * dim), index.intersecting([0] * dim + [9] * dim, excluding=model.handles[:2])]
    for layers in (None, model.units):
        every, told = index.watch_many(regions, layers), index.watch_many(regions, layers)
        one_by_one = [(query.watch(), query.watch()) for query in asks]
        for step in range(4):
            moved = None if step == 0 else [*gone, *handles, int(model.handles[0]) if len(model.handles) else 2**40]
            assert [part.tolist() for pair in told.poll(moved) for part in pair] == [
                part.tolist() for pair in every.poll() for part in pair
            ]
            for query, known in one_by_one:
                assert [part.tolist() for part in known.poll(moved)] == [part.tolist() for part in query.poll()]
            before = [part.tolist() for part in told.inside()]
            alive = [handle for handle in index.handles(layer=model.units).tolist() if handle]
            handles = alive[:: step + 1]
            index.move_many(handles, data.draw(points(dim, len(handles), len(handles))))
            gone = alive[-1:]
            index.remove_many(gone)
            assert [part.tolist() for pair in told.poll([]) for part in pair] == [[], [], [], []]
            assert [part.tolist() for part in told.inside()] == before


def test_out_handles():
    index = pq.Index([0, 0, 10, 10])
    handles = index.insert_many(index.add_points(), [(1, 1), (2, 2)])
    index.remove(int(handles[0]))
    again = index.insert(index.layers()[0], (1, 1))
    assert again != handles[0] and index.rows(again) == 0
    offsets, found = index.windows([(0, 0, 1, 1), (5, 5, 6, 6)], out="handles")
    assert found.dtype == np.uint64 and found.tolist() == [again] and offsets.tolist() == [0, 1, 1]
    assert index.within_many([(1, 1)], 0, out="handles")[1].tolist() == [again]
    assert index.nearest_many([(1, 1)], 3, out="handles")[0].tolist() == [[again, handles[1], 0]]
    assert index.raycast_many([(0, 1), (0, 9)], [(1, 0), (1, 0)], out="handles")[0].tolist() == [again, 0]
    assert index.cast_many([(0, 1)], [(2, 0)], out="handles")[0].tolist() == [again]
    assert index.cast_ball_many([(0, 1)], 0.5, [(2, 0)], out="handles")[0].tolist() == [again]


def test_no_questions():
    index = pq.Index([0, 0, 0, 10, 10, 10], dtype="f4")
    for answers in [index.windows([]), index.within_many([], 1.0), index.windows(np.empty((0, 6)))]:
        assert [part.tolist() for part in answers] == [[0], []]
    assert index.count_windows([]).shape == index.count_within_many([], 1).shape == (0,)
    assert [part.shape for part in index.nearest_many([], 4)] == [(0, 4), (0, 4)]
    assert [part.shape for part in index.cast_many([], [])] == [(0,), (0,), (0, 3)]
    assert [part.shape for part in index.cast_ball_many([], 1.0, [])] == [(0,), (0,), (0, 3)]
    assert index.pairs().shape == (0, 2)
    assert [part.tolist() for part in index.neighbors(1.0)] == [[0], []]
    assert index.nearest((0, 0, 0))[0].tolist() == []
