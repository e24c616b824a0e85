"""Geometries of shapely, GeoPandas and GeoJSON: as regions, and their bounds as shapes of objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._core import AnyOf, Corridor, Polygon, Region


def region(geometry: Any) -> Region:
    """The region of a dict of GeoJSON, or anything with `__geo_interface__`. A third axis is left out.

    An `AnyOf` one geometry is such a region, too, and may be kept.
    """
    return _region(geometry if isinstance(geometry, dict) else geometry.__geo_interface__)


def _region(geometry: Mapping[str, Any] | None) -> Region:
    if geometry is None:
        return AnyOf([])
    kind = geometry.get("type")
    if kind == "Feature":
        return _region(geometry["geometry"])
    if kind == "FeatureCollection":
        return AnyOf([_region(feature["geometry"]) for feature in geometry["features"]])
    if kind == "GeometryCollection":
        return AnyOf([_region(part) for part in geometry["geometries"]])
    at = geometry.get("coordinates")
    if at is None:
        raise ValueError(f"region: a geometry has a type and coordinates, not {list(geometry)}")
    if len(at) == 0:
        return AnyOf([])
    if kind == "Polygon":
        return Polygon(*map(_flat, at))
    if kind == "MultiPolygon":
        return Polygon(*[_flat(ring) for rings in at for ring in rings])
    if kind in ("LineString", "LinearRing"):
        return Corridor(_flat(at), 0.0)
    if kind == "MultiLineString":
        return AnyOf([Corridor(_flat(line), 0.0) for line in at])
    if kind in ("Point", "MultiPoint"):
        return AnyOf(list(_flat([at] if kind == "Point" else at)))
    raise ValueError(f"region: there is no geometry of type {kind!r}")


def _flat(points: ArrayLike) -> NDArray[np.float64]:
    return np.asarray(points, np.float64)[:, :2]


def shapes(geometries: Any, as_points: bool) -> NDArray[np.float64]:
    """The bounds of many geometries of shapely, or the places of many points."""
    import shapely

    array = np.asarray(geometries, dtype=object)
    if array.ndim != 1:
        raise ValueError(f"geometries: a list or an array (N,) expected, not {array.shape}")
    bounds: NDArray[np.float64] = shapely.bounds(array).reshape(-1, 4)
    empty = np.flatnonzero(np.isnan(bounds).any(axis=1))
    if len(empty):
        raise ValueError(f"geometries, row {empty[0]}: {array[empty[0]]} has no place")
    if not as_points:
        return bounds
    others = np.flatnonzero(shapely.get_type_id(array) != shapely.GeometryType.POINT)
    if len(others):
        raise ValueError(f"geometries, row {others[0]}: a {array[others[0]].geom_type}, but the layer holds points")
    return bounds[:, :2]
