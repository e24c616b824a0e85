"""The nearest of many lines, exactly: of roads, the nearest box is that of another road for two points in three.

pip install pyquadrille shapely
python examples/nearest_lines.py
"""

import numpy as np
import shapely

import pyquadrille


def nearest_lines(index, lines, points, k=4):
    """By point the row of the nearest line, and how far it is. The index holds the bounds of the lines, in their order.

    No line is nearer than its box. So the nearest of `k` is the nearest of all, unless the last box is nearer still: then it
    asks for more.
    """
    rows, boxes = index.nearest_many(points, k)
    away = np.where(rows < 0, np.inf, shapely.distance(shapely.points(points)[:, None], lines[rows]))
    nearest, least = rows[np.arange(len(rows)), away.argmin(axis=1)], away.min(axis=1)
    again = np.flatnonzero(least > boxes[:, -1])
    if len(again):
        nearest[again], least[again] = nearest_lines(index, lines, points[again], 4 * k)
    return nearest, least


if __name__ == "__main__":
    draw = np.random.default_rng(1)
    roads = shapely.linestrings(draw.random((20_000, 1, 2)) * 1000 + draw.normal(0, 8, (20_000, 3, 2)))
    index = pyquadrille.Index()
    index.insert_geometries(index.add_boxes(), roads)
    points = draw.random((10_000, 2)) * 1000
    rows, away = nearest_lines(index, roads, points)
    by_box = index.nearest_many(points)[0][:, 0]
    print(f"{(rows != by_box).mean():.0%} have another road than that of the nearest box, {away.max():.1f} away at most")
