"""Contenders that do one thing: a k-d tree for the nearest, a package for particles, a grid that numba compiles."""

from __future__ import annotations

from typing import Any

import numpy as np
from contenders import Array, Columns, Csr


class PyKDTree:
    name = "pykdtree"

    def __init__(self, shapes: Array, side: float) -> None:
        from pykdtree.kdtree import KDTree

        if shapes.shape[1] != 2:
            raise NotImplementedError("points only")
        self.kind = KDTree
        self.move(shapes)

    def build(self, shapes: Array, side: float) -> PyKDTree:
        return self.move(shapes)

    def move(self, places: Array) -> PyKDTree:
        self.tree = self.kind(places)
        return self

    def move_some(self, rows: Array, places: Array) -> PyKDTree:
        return self.move(places)

    def nearest(self, points: Array, k: int) -> Array:
        return self.tree.query(points, k=k)[1]


class Vesin:
    name = "vesin"

    def __init__(self, shapes: Array, side: float) -> None:
        from vesin import NeighborList

        if shapes.shape[1] != 2:
            raise NotImplementedError("points only")
        self.kind = NeighborList

    def tick(self, places: Array, distance: float) -> Columns:
        space = np.pad(places, ((0, 0), (0, 1)))
        of, rows = self.kind(cutoff=distance, full_list=True).compute(space, np.zeros((3, 3)), False, "ij")
        return Columns(of.astype(np.int64), rows)


def _compiled() -> Any:
    import numba

    @numba.njit(cache=False)
    def neighbours(places: Array, distance: float, side: float) -> tuple[Array, Array]:
        count, width = len(places), max(1, int(side / distance))
        cells = np.empty((count, 2), np.int64)
        begins = np.zeros(width * width + 1, np.int64)
        for row in range(count):
            for axis in range(2):
                cells[row, axis] = min(width - 1, int(places[row, axis] / side * width))
            begins[cells[row, 0] * width + cells[row, 1] + 1] += 1
        begins = np.cumsum(begins)
        sorted_rows, free = np.empty(count, np.int64), begins[:-1].copy()
        for row in range(count):
            cell = cells[row, 0] * width + cells[row, 1]
            sorted_rows[free[cell]] = row
            free[cell] += 1
        offsets, found = np.zeros(count + 1, np.int64), np.empty(16 * count, np.int64)
        total = 0
        for row in range(count):
            x, y = places[row]
            for column in range(max(0, cells[row, 0] - 1), min(width, cells[row, 0] + 2)):
                low, high = max(0, cells[row, 1] - 1), min(width, cells[row, 1] + 2)
                for at in range(begins[column * width + low], begins[column * width + high]):
                    other = sorted_rows[at]
                    dx, dy = places[other, 0] - x, places[other, 1] - y
                    if other != row and dx * dx + dy * dy <= distance * distance:
                        if total == len(found):
                            found = np.concatenate((found, np.empty_like(found)))
                        found[total] = other
                        total += 1
            offsets[row + 1] = total
        return offsets, found[:total]

    neighbours(np.zeros((1, 2)), 1.0, 1.0)
    return neighbours


class NumbaGrid:
    """Cells as large as the distance, filled anew by counting."""

    name = "grid in numba"
    neighbours: Any = None

    def __init__(self, shapes: Array, side: float) -> None:
        if shapes.shape[1] != 2:
            raise NotImplementedError("points only")
        NumbaGrid.neighbours = NumbaGrid.neighbours or staticmethod(_compiled())
        self.side = side

    def tick(self, places: Array, distance: float) -> Csr:
        return Csr(*self.neighbours(places, distance, self.side))
