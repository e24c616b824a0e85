"""Longitude and latitude: caps, windows across the antimeridian and points of a sphere, beside scans of a list."""

import pickle

import numpy as np
import pyquadrille as pq
import pytest

EARTH = 6_371_008.8
draw = np.random.default_rng(46)


def apart(a, b):
    """Meters between places, by the haversine."""
    (a_x, a_y), (b_x, b_y) = np.radians(a, dtype=float).T, np.radians(b, dtype=float).T
    square = np.sin((b_y - a_y) / 2) ** 2 + np.cos(a_y) * np.cos(b_y) * np.sin((b_x - a_x) / 2) ** 2
    return 2 * EARTH * np.arcsin(np.minimum(1, np.sqrt(square)))


def on_sphere(degrees):
    longitude, latitude = np.radians(degrees).T
    parts = np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)
    return EARTH * np.stack(parts, axis=-1)


PLACES = np.concatenate([
    np.stack([draw.uniform(-180, 180, 2000), np.degrees(np.arcsin(draw.uniform(-1, 1, 2000)))], axis=1),
    np.stack([draw.integers(-12, 13, 500) * 15, draw.integers(-6, 7, 500) * 15], axis=1),
    np.stack([draw.uniform(179, 180, 200) * draw.choice([-1, 1], 200), draw.uniform(-18, -14, 200)], axis=1),
    [(0, 90), (77, 90), (0, -90), (180, 0), (-180, 0)],
]).astype(np.float32)
ASKED = np.float32([
    (179.9, -17), (-180, -17), (180, 0), (0, 90), (130, -90), (30, 89.5), (10, 50), (370, 50), (-75, 15)
])  # fmt: skip


def test_the_rows_of_a_cap_one_by_one():
    index = pq.Index([-180, -90, 180, 90], dtype="float32", torus=(True, False))
    places = np.stack([0.1 + np.arange(-60, 60) * 3 / 111_195, np.zeros(120)], axis=1)
    index.insert_many(index.add_points(), places)
    for meters in range(5, 150):
        query = index.intersecting(pq.Cap((0.1, 0), meters))
        assert sorted(query) == sorted(query.rows())


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("torus", [False, (True, False)])
def test_caps(dtype, torus):
    index = pq.Index([-180, -90, 180, 90], dtype=dtype, torus=torus)
    index.insert_many(index.add_points(), PLACES)
    caps = []
    for place in ASKED:
        distances = apart(place, PLACES)
        for meters in [0, 50_000, 700_000, 5e6, 1.2e7, 1.99e7, 2.1e7, np.inf]:
            cap = pq.Cap(place, meters)
            found = np.zeros(len(PLACES), bool)
            rows = index.intersecting(cap).rows()
            found[rows] = True
            assert found.sum() == len(rows) == index.intersecting(cap).count()
            surely = np.abs(distances - meters) > 0.01  # the haversine is not exact far away
            assert (found == (distances < meters))[surely].all(), (place, meters)
            assert sorted(index.contained_in(cap)) == sorted(rows)
            caps.append((cap, rows))
    both = pq.AnyOf([cap for cap, _ in caps[:16]])
    assert set(index.intersecting(both)) == set(np.concatenate([rows for _, rows in caps[:16]]).tolist())
    watched = index.watch_many([cap for cap, _ in caps])
    (regions, handles), _ = watched.poll()
    assert np.bincount(regions, minlength=len(caps)).tolist() == [len(rows) for _, rows in caps]
    again = pickle.loads(pickle.dumps(caps[1][0]))
    assert type(again) is pq.Cap and sorted(index.intersecting(again)) == sorted(caps[1][1])
    assert not index.containing(again).exists()


def test_what_is_no_cap():
    for place, meters in [
        ((0, 91), 1), ((0, np.nan), 1), ((np.inf, 0), 1), ((0, 0, 0), 1), ((0, 0), -1), ((0, 0), np.nan), ("ab", 1),
    ]:  # fmt: skip
        with pytest.raises((ValueError, TypeError)):
            pq.Cap(place, meters)
    with pytest.raises(ValueError, match="and the index 3"):
        pq.Index(dim=3).intersecting(pq.Cap((0, 0), 1))


def test_points_of_a_sphere():
    globe = pq.Index([-EARTH] * 3 + [EARTH] * 3)
    globe.insert_many(globe.add_points(), on_sphere(PLACES.astype(float)))
    for place in ASKED.astype(float):
        distances = apart(place, PLACES.astype(float))
        for meters in [50_000, 700_000, 5e6, 1.2e7]:
            found = np.zeros(len(PLACES), bool)
            found[globe.within_distance(on_sphere(place), 2 * EARTH * np.sin(meters / (2 * EARTH))).rows()] = True
            surely = np.abs(distances - meters) > 0.01
            assert (found == (distances < meters))[surely].all()
        _, chords = globe.nearest(on_sphere(place), k=20)
        assert np.allclose(2 * EARTH * np.arcsin(chords / (2 * EARTH)), np.sort(distances)[:20], atol=0.01)


def test_windows_across_the_antimeridian():
    index = pq.Index([-180, -90, 180, 90], torus=(True, False))
    index.insert_many(index.add_points(), PLACES)
    x, y = PLACES.astype(float).T
    for west, east in [(170, 190), (-190, -170), (179.5, 180), (-181, -180), (100, 460), (-180, 180)]:
        for south, north in [(-30, 0), (-90, 90), (60, 90)]:
            turns = [(west <= x + turn) & (x + turn <= east) for turn in (-360, 0, 360)]
            expected = np.flatnonzero(np.any(turns, axis=0) & (south <= y) & (y <= north)).tolist()
            assert sorted(index.intersecting([west, south, east, north])) == expected
            ring = [(west, south), (east, south), (east, north), (west, north)]
            assert sorted(index.intersecting(pq.Polygon(ring))) == expected


def test_polygons_as_rfc_7946_cuts_them():
    shapely = pytest.importorskip("shapely")
    plane = pq.Index([-180, -90, 180, 90])
    plane.insert_many(plane.add_points(), PLACES)
    fiji = shapely.union(shapely.box(176, -20, 180, -14), shapely.box(-180, -20, -178, -14))
    x, y = PLACES.astype(float).T
    expected = np.flatnonzero(((176 <= x) | (x <= -178)) & (-20 <= y) & (y <= -14)).tolist()
    assert len(expected) > 100
    assert sorted(plane.intersecting(fiji)) == expected
