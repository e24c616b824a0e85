"""Geometries of shapely and GeoPandas as regions and as input, beside shapely's own predicates."""

import pickle
import runpy
from pathlib import Path

import numpy as np
import pyquadrille as pq
import pytest
from model import Whole

shapely = pytest.importorskip("shapely")
draw = np.random.default_rng(7)


def polygons(count):
    """Polygons with corners on a lattice, some with a hole, some of two parts."""
    found = []
    while len(found) < count:
        shell = shapely.convex_hull(shapely.multipoints(draw.integers(0, 30, (6, 2)) + draw.integers(0, 60, 2)))
        if shell.geom_type != "Polygon":
            continue
        hole = shapely.convex_hull(shapely.multipoints(draw.integers(0, 30, (4, 2)) + draw.integers(0, 60, 2)))
        cut = shapely.difference(shell, hole)
        # Only those whose corners are whole numbers, so that nothing is rounded.
        kept = [one for one in (cut, shapely.union(shell, shapely.box(*hole.bounds))) if is_whole(one)]
        found += [one for one in (shell, *kept) if one.geom_type in ("Polygon", "MultiPolygon") and not one.is_empty]
    return found[:count]


def is_whole(geometry):
    at = shapely.get_coordinates(geometry)
    return (at == np.rint(at)).all()


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_regions(dtype):
    index = Whole(pq.Index([0, 0, 100, 100], dtype=dtype))
    at = draw.integers(0, 90, (300, 2))
    points, boxes = at[:150], np.hstack([at[150:], at[150:] + draw.integers(1, 9, (150, 2))])
    index.numbers(index.insert_many(index.add_points(), points))
    index.numbers(index.insert_many(index.add_boxes(), boxes))
    shapes = np.concatenate([shapely.points(points), shapely.box(*boxes.T)])
    lines = shapely.linestrings(draw.integers(0, 90, (20, 3, 2)))
    regions = [*polygons(60), *lines, shapely.Point(*at[0]), shapely.multipoints(at[3:6]), shapely.box(*boxes[3])]
    regions += [shapely.MultiLineString(list(lines[:3])), shapely.GeometryCollection([lines[4], shapely.Point(*at[9])])]
    regions += [shapely.LinearRing(at[:4]), shapely.force_3d(regions[0], 5.0), shapely.Polygon(), shapely.Point()]
    holed = shapely.Polygon([(0, 0), (80, 0), (80, 80), (0, 80)], [[(20, 20), (60, 20), (60, 60), (20, 60)]])
    for region in [*regions, holed]:
        expected = np.flatnonzero(shapely.intersects(shapes, region)).tolist()
        assert sorted(index.intersecting(region)) == expected, region
        assert sorted(index.intersecting(pq.AnyOf([region]))) == expected
    assert sum(region.geom_type == "MultiPolygon" for region in regions) > 3
    inside = shapely.covers(holed, shapes)
    assert sorted(index.contained_in(holed)) == np.flatnonzero(inside).tolist()
    assert index.containing(shapely.Point(*boxes[3, :2])).exists()
    kept = pickle.loads(pickle.dumps(pq.AnyOf(regions)))
    assert sorted(index.intersecting(kept)) == sorted(index.intersecting(pq.AnyOf(regions)))


def test_what_is_no_region():
    index = pq.Index([0, 0, 9, 9])
    index.insert(index.add_points(), (1, 1))

    class Curve:
        __geo_interface__ = {"type": "Curve", "coordinates": [(0, 0)]}

    class Half:
        __geo_interface__ = {"type": "Polygon"}

    for region in [Curve(), Half(), shapely.LinearRing([(0, 0), (1, 0), (np.inf, 1)])]:
        with pytest.raises((ValueError, KeyError)):
            index.intersecting(region)
    with pytest.raises(ValueError, match="and the index 3"):
        pq.Index(dim=3).intersecting(shapely.box(0, 0, 1, 1))


def test_geometries_of_geopandas():
    geopandas = pytest.importorskip("geopandas")
    some = polygons(40)
    frame = geopandas.GeoDataFrame({"name": [str(n) for n in range(40)]}, geometry=some, index=range(100, 140))
    index = pq.Index()
    index.insert_geometries(index.add_boxes(), frame.geometry)
    lake = some[3]
    rows = index.intersecting(lake).rows()
    # Their bounds meet it; whether they do, shapely tells.
    exact = rows[shapely.intersects(frame.geometry.to_numpy()[rows], lake)]
    assert sorted(exact) == np.flatnonzero(frame.intersects(lake)).tolist() and len(exact) <= len(rows)
    assert frame.iloc[exact].intersects(lake).all()
    assert sorted(index.intersecting(frame.iloc[[3]])) == sorted(rows)
    assert sorted(index.intersecting(frame.geometry.iloc[[3]])) == sorted(rows)


def test_input():
    index = pq.Index([0, 0, 100, 100])
    units, zones = index.add_points(), index.add_boxes()
    some = polygons(20)
    for given in [some, np.array(some, object), tuple(some)]:
        handles = index.insert_geometries(zones, given)
        assert (index.shapes(index.rows(handles), zones) == shapely.bounds(some)).all()
    at = draw.random((9, 2))
    handles = index.insert_geometries(units, shapely.points(at))
    assert (index.shapes(index.rows(handles), units)[:, :2] == at).all()
    assert len(index.insert_geometries(zones, [])) == 0
    count = len(index)
    for layer, given, message in [
        (units, [shapely.Point(1, 1), some[0]], r"row 1: a \w*Polygon, but the layer holds points"),
        (zones, [some[0], shapely.Polygon()], "row 1: POLYGON EMPTY has no place"),
        (zones, [None], "row 0: None has no place"),
        (zones, some[0], r"a list or an array \(N,\) expected"),
        (zones, [shapely.Point(np.inf, 1)], "infinite"),
    ]:
        with pytest.raises(ValueError, match=message):
            index.insert_geometries(layer, given)
    for given in [["a"], [5], 5, "abc"]:
        with pytest.raises((TypeError, ValueError)):
            index.insert_geometries(zones, given)
    space = pq.Index(dim=3)
    with pytest.raises(ValueError, match=r"\(N, 6\) expected"):
        space.insert_geometries(space.add_boxes(), some)
    assert len(index) == count


def test_the_nearest_lines():
    """The example: the nearest box is often that of another line."""
    nearest = runpy.run_path(str(Path(__file__).parent.parent / "examples/nearest_lines.py"))["nearest_lines"]
    lines = shapely.linestrings(draw.random((300, 3, 2)) * 100)
    index = pq.Index()
    index.insert_geometries(index.add_boxes(), lines)
    points = draw.random((200, 2)) * 100
    rows, away = nearest(index, lines, points)
    every = shapely.distance(shapely.points(points)[:, None], lines)
    assert (away == every.min(axis=1)).all() and (rows == every.argmin(axis=1)).all()
    assert (rows != index.nearest_many(points)[0][:, 0]).sum() > 40


def test_geojson():
    index = pq.Index([0, 0, 9, 9])
    index.insert_many(index.add_points(), [(1, 1), (5, 5), (8, 8)])
    ring = {"type": "Polygon", "coordinates": [[(0, 0), (6, 0), (6, 6), (0, 6), (0, 0)]]}
    for region in (ring, {"type": "Feature", "properties": {}, "geometry": ring}, pq.AnyOf([ring])):
        assert sorted(index.intersecting(region)) == [0, 1]
    for region in ({}, {"type": "Polygon"}, {"type": "Curve", "coordinates": [1]}):
        with pytest.raises(ValueError, match="region: "):
            index.intersecting(region)
