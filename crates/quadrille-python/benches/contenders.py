"""The packages that are compared, each used as its own manual advises, behind the same methods.

A package lacks the methods for what it cannot do, and is left out there. Where it has several ways to do a thing, they are
methods of the same name with a word more (`move_some`, `move_some_anew`): all are measured, and the fastest counts. The
form in which a package wants questions is made beforehand (`prepared`). Answers stay as the package gives them while time runs; `csr` and
`pairs` bring them into one form afterwards.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

import numpy as np

import pyquadrille

Array = Any


@dataclass
class Csr:
    """Offsets and rows."""

    offsets: Array
    rows: Array

    def csr(self, _: int) -> tuple[Array, Array]:
        offsets, rows = np.asarray(self.offsets, np.int64), np.asarray(self.rows, np.int64)
        question = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        return offsets, rows[np.lexsort((rows, question))]


@dataclass
class Counts:
    """Rows in one array, and how many belong to each question."""

    rows: Array
    counts: Array

    def csr(self, questions: int) -> tuple[Array, Array]:
        return Csr(np.concatenate([[0], np.cumsum(self.counts.astype(np.int64))]), self.rows).csr(questions)


@dataclass
class Lists:
    """A list of rows for each question."""

    lists: Any

    def csr(self, questions: int) -> tuple[Array, Array]:
        counts = np.array([len(rows) for rows in self.lists])
        return Counts(np.concatenate([np.asarray(rows, np.int64) for rows in self.lists]), counts).csr(questions)


@dataclass
class Columns:
    """Two columns: questions, and rows that answer them."""

    questions: Array
    rows: Array

    def csr(self, questions: int) -> tuple[Array, Array]:
        order = np.argsort(self.questions, kind="stable")
        return Counts(self.rows[order], np.bincount(self.questions, minlength=questions)).csr(questions)

    def pairs(self) -> Array:
        """Of a self join, which finds each pair twice and each object itself."""
        is_first = self.questions < self.rows
        return np.stack([self.questions[is_first], self.rows[is_first]], axis=1)


def both_ways(pairs: Array, count: int) -> Csr:
    """The neighbours of each row, from pairs."""
    import scipy.sparse

    ones = np.ones(2 * len(pairs), np.int8)
    matrix = scipy.sparse.coo_array((ones, (pairs.ravel(), pairs[:, ::-1].ravel())), shape=(count, count)).tocsr()
    return Csr(matrix.indptr, matrix.indices)


class Quadrille:
    name = "pyquadrille"

    def __init__(self, shapes: Array, side: float, torus: bool = False) -> None:
        self.index = pyquadrille.Index([0, 0, side, side], torus=torus)
        self.layer = self.index.add_points() if shapes.shape[1] == 2 else self.index.add_boxes()
        self.handles = self.index.insert_many(self.layer, shapes)

    def build(self, shapes: Array, side: float) -> Quadrille:
        self.__init__(shapes, side)
        return self

    def move(self, places: Array) -> Quadrille:
        self.index.move_many(self.handles, places)
        return self

    def move_some(self, rows: Array, places: Array) -> Quadrille:
        self.index.move_many(self.handles[rows], places[rows])
        return self

    def windows(self, boxes: Array) -> Csr:
        return Csr(*self.index.windows(boxes))

    def window_each(self, boxes: list[tuple[float, ...]]) -> Lists:
        return Lists([self.index.intersecting(box).rows() for box in boxes])

    def count(self, boxes: Array) -> Array:
        return self.index.count_windows(boxes)

    def nearest(self, points: Array, k: int) -> Array:
        return self.index.nearest_many(points, k)[0]

    def nearest_each(self, points: list[tuple[float, ...]]) -> Array:
        return np.array([self.index.nearest(point)[0][0] for point in points])

    def pairs(self) -> Array:
        return self.index.pairs()

    def pairs_within(self, distance: float) -> Array:
        return self.index.pairs(distance)

    def tick(self, places: Array, distance: float) -> Csr:
        self.index.move_many(self.handles, places)
        return Csr(*self.index.neighbors(distance))

    def tick_each(self, places: Array, distance: float) -> Csr:
        self.index.move_many(self.handles, places)
        return Csr(*self.index.within_many(places, distance))


class KDTree:
    name = "cKDTree"

    def __init__(self, shapes: Array, side: float, torus: bool = False) -> None:
        from scipy.spatial import cKDTree

        if shapes.shape[1] != 2:
            raise NotImplementedError("points only")
        self.kind = cKDTree
        self.side = side if torus else None
        self.move(shapes)

    def build(self, shapes: Array, side: float) -> KDTree:
        return self.move(shapes)

    def build_unbalanced(self, shapes: Array, side: float) -> KDTree:
        return self.move_unbalanced(shapes)

    def move(self, places: Array) -> KDTree:
        self.tree = self.kind(places, boxsize=self.side)
        return self

    def move_unbalanced(self, places: Array) -> KDTree:
        """As its manual says: built faster, asked more slowly."""
        self.tree = self.kind(places, boxsize=self.side, balanced_tree=False, compact_nodes=False)
        return self

    def move_some(self, rows: Array, places: Array) -> KDTree:
        return self.move(places)

    def move_some_unbalanced(self, rows: Array, places: Array) -> KDTree:
        return self.move_unbalanced(places)

    def _squares(self, boxes: Array) -> tuple[Array, Array]:
        """Squares as balls of the maximum norm, a hair larger than rounding makes them."""
        return (boxes[:, :2] + boxes[:, 2:]) / 2, (boxes[:, 2] - boxes[:, 0]) / 2 * (1 + 1e-12)

    def windows(self, boxes: Array) -> Lists:
        return Lists(self.tree.query_ball_point(*self._squares(boxes), p=np.inf, return_sorted=False))

    def count(self, boxes: Array) -> Array:
        return self.tree.query_ball_point(*self._squares(boxes), p=np.inf, return_length=True)

    def nearest(self, points: Array, k: int) -> Array:
        return self.tree.query(points, k=k)[1]

    def nearest_each(self, points: list[tuple[float, ...]]) -> Array:
        return np.array([self.tree.query(point)[1] for point in points])

    def pairs_within(self, distance: float) -> Array:
        return self.tree.query_pairs(distance, output_type="ndarray")

    def tick(self, places: Array, distance: float) -> Csr:
        return both_ways(self.move(places).pairs_within(distance), len(places))

    def tick_unbalanced(self, places: Array, distance: float) -> Csr:
        return both_ways(self.move_unbalanced(places).pairs_within(distance), len(places))

    def tick_each(self, places: Array, distance: float) -> Lists:
        return Lists(self.move(places).tree.query_ball_point(places, distance, return_sorted=False))

    def tick_each_unbalanced(self, places: Array, distance: float) -> Lists:
        return Lists(self.move_unbalanced(places).tree.query_ball_point(places, distance, return_sorted=False))


class STRtree:
    name = "STRtree"

    def __init__(self, shapes: Array, side: float) -> None:
        import shapely

        self.shapely = shapely
        self.move(shapes)

    def _geometries(self, shapes: Array) -> Array:
        return self.shapely.points(shapes) if shapes.shape[1] == 2 else self.shapely.box(*shapes.T)

    def move(self, places: Array) -> STRtree:
        self.tree = self.shapely.STRtree(self._geometries(places))
        # It is built at the first question.
        self.tree.query(self.shapely.Point(0, 0))
        return self

    def build(self, shapes: Array, side: float) -> STRtree:
        return self.move(shapes)

    def move_some(self, rows: Array, places: Array) -> STRtree:
        return self.move(places)

    def prepared(self, method: str, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """A program that uses it has geometries to ask with. Those of moved things must be made."""
        if method in ("windows", "window_each", "count"):
            geometries = self.shapely.box(*np.asarray(arguments[0]).T)
            return (geometries if method != "window_each" else list(geometries),)
        if method == "nearest":
            return self.shapely.points(arguments[0]), arguments[1]
        return arguments

    def windows(self, boxes: Array) -> Columns:
        return Columns(*self.tree.query(boxes))

    def window_each(self, boxes: list[Any]) -> Lists:
        return Lists([self.tree.query(box) for box in boxes])

    def count(self, boxes: Array) -> Array:
        return np.bincount(self.tree.query(boxes)[0], minlength=len(boxes))

    def nearest(self, points: Array, k: int) -> Array:
        if k > 1:
            raise NotImplementedError("one only")
        return self.tree.query_nearest(points, all_matches=False)[1]

    def pairs(self) -> Columns:
        return Columns(*self.tree.query(self.tree.geometries))

    def pairs_within(self, distance: float) -> Columns:
        return Columns(*self.tree.query(self.tree.geometries, predicate="dwithin", distance=distance))


class Boostree:
    name = "boostree"

    def __init__(self, shapes: Array, side: float) -> None:
        import boostree

        self.boostree, self.shapes, self.rows = boostree, shapes, np.arange(len(shapes))
        if shapes.shape[1] == 2:
            self.tree = boostree.RTree.from_points(shapes, storage="point")
        else:
            self.tree = boostree.RTree.from_boxes(shapes[:, :2], shapes[:, 2:])

    def build(self, shapes: Array, side: float) -> Boostree:
        self.__init__(shapes, side)
        return self

    def move(self, places: Array) -> Boostree:
        self.tree.update(self.rows, places)
        return self

    def move_anew(self, places: Array) -> Boostree:
        self.tree = self.boostree.RTree.from_points(places, storage="point")
        return self

    def move_some(self, rows: Array, places: Array) -> Boostree:
        self.tree.update(rows, places[rows])
        return self

    def move_some_anew(self, rows: Array, places: Array) -> Boostree:
        return self.move_anew(places)

    def windows(self, boxes: Array) -> Counts:
        return Counts(*self.tree.intersect(boxes[:, :2], boxes[:, 2:]))

    def count(self, boxes: Array) -> Array:
        return self.tree.intersect(boxes[:, :2], boxes[:, 2:])[1]

    def nearest(self, points: Array, k: int) -> Array:
        return self.tree.knn(points, k)[0]

    def pairs(self) -> Columns:
        rows, counts = self.tree.intersect(self.shapes[:, :2], self.shapes[:, 2:])
        return Columns(np.repeat(np.arange(len(self.shapes)), counts.astype(np.int64)), np.asarray(rows, np.int64))


class Fastquadtree:
    name = "fastquadtree"

    def __init__(self, shapes: Array, side: float) -> None:
        import fastquadtree

        kind = fastquadtree.QuadTree if shapes.shape[1] == 2 else fastquadtree.RectQuadTree
        self.make = lambda: kind((-1, -1, side + 11, side + 11), 16, dtype="f64")
        self.move_anew(shapes)

    def build(self, shapes: Array, side: float) -> Fastquadtree:
        return self.move_anew(shapes)

    def move(self, places: Array) -> Fastquadtree:
        return self.move_some(range(len(places)), places)

    def move_anew(self, places: Array) -> Fastquadtree:
        self.tree = self.make()
        self.tree.insert_many_np(np.ascontiguousarray(places))
        self.places = places.copy()
        return self

    def move_some(self, rows: Any, places: Array) -> Fastquadtree:
        for row, before, after in zip(rows, self.places[rows].tolist(), places[rows].tolist(), strict=True):
            self.tree.update(int(row), *before, *after)
        self.places[rows] = places[rows]
        return self

    def move_some_anew(self, rows: Array, places: Array) -> Fastquadtree:
        return self.move_anew(places)

    def count(self, boxes: Array) -> Array:
        return np.array([len(self.tree.query_np(box)[0]) for box in map(tuple, boxes.tolist())])

    def windows(self, boxes: Array) -> Lists:
        return self.window_each(list(map(tuple, boxes.tolist())))

    def window_each(self, boxes: list[tuple[float, ...]]) -> Lists:
        return Lists([self.tree.query_np(box)[0] for box in boxes])

    def nearest(self, points: Array, k: int) -> Array:
        return np.concatenate([self.tree.nearest_neighbors_np(point, k)[0] for point in map(tuple, points.tolist())])

    def nearest_each(self, points: list[tuple[float, ...]]) -> Array:
        return np.array([self.tree.nearest_neighbor(point)[0] for point in points])


class Rtree:
    name = "rtree"

    def __init__(self, shapes: Array, side: float) -> None:
        import rtree.index

        self.kind = rtree.index.Index
        self.move(shapes)

    @staticmethod
    def _boxes(shapes: Array) -> Array:
        return np.hstack([shapes, shapes]) if shapes.shape[1] == 2 else shapes

    def build(self, shapes: Array, side: float) -> Rtree:
        return self.move(shapes)

    def move(self, places: Array) -> Rtree:
        """By its loader of arrays."""
        self.boxes = self._boxes(places)
        mins, maxs = np.ascontiguousarray(self.boxes[:, :2]), np.ascontiguousarray(self.boxes[:, 2:])
        self.tree = self.kind((np.arange(len(places)), mins, maxs))
        return self

    def move_some(self, rows: Any, places: Array) -> Rtree:
        after = self._boxes(places)
        for row in rows:
            self.tree.delete(int(row), self.boxes[row].tolist())
            self.tree.insert(int(row), after[row].tolist())
        self.boxes[rows] = after[rows]
        return self

    def move_some_anew(self, rows: Array, places: Array) -> Rtree:
        return self.move(places)

    def windows(self, boxes: Array) -> Counts:
        return Counts(*self.tree.intersection_v(boxes[:, :2], boxes[:, 2:]))

    def window_each(self, boxes: list[tuple[float, ...]]) -> Lists:
        return Lists([list(self.tree.intersection(box)) for box in boxes])

    def count(self, boxes: Array) -> Array:
        return np.array([self.tree.count(box) for box in boxes.tolist()])

    def nearest(self, points: Array, k: int) -> Array:
        return self.tree.nearest_v(points, points, num_results=k, strict=True)[0]

    def nearest_each(self, points: list[tuple[float, ...]]) -> Array:
        return np.array([next(self.tree.nearest(point + point)) for point in points])

    def pairs(self) -> Columns:
        rows, counts = self.tree.intersection_v(self.boxes[:, :2], self.boxes[:, 2:])
        return Columns(np.repeat(np.arange(len(self.boxes)), counts.astype(np.int64)), rows)


def installed() -> list[Any]:
    """Those that can be imported here; ours first."""
    from particles import NumbaGrid, PyKDTree, Vesin

    modules = {KDTree: "scipy", STRtree: "shapely", Boostree: "boostree", Fastquadtree: "fastquadtree", Rtree: "rtree"}
    modules |= {PyKDTree: "pykdtree", Vesin: "vesin", NumbaGrid: "numba"}

    def is_here(module: str) -> bool:
        try:
            importlib.import_module(module)
        except ImportError:
            print(f"{module} is not installed and left out")
            return False
        return True

    return [Quadrille, *(kind for kind, module in modules.items() if is_here(module))]
