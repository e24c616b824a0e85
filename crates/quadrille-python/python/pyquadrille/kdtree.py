"""scipy's KDTree in 2 and 3 dimensions, with points that are inserted, moved and removed.

Programs change one import: ``from scipy.spatial import KDTree`` becomes ``from pyquadrille.kdtree import KDTree``.
"""

# scipy comes without types, or is not there.
# mypy: disable-error-code="import-not-found,import-untyped,no-any-return"

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import pyquadrille

__all__ = ["KDTree"]


class KDTree:
    """``scipy.spatial.KDTree`` for points (n, m) of 2 or 3 dimensions m and Euclidean distances: another ``p`` than 2 raises
    ValueError.

    Rows are those of ``data``, a copy. Answers are exact whatever ``eps`` is. ``leafsize``, ``compact_nodes``, ``copy_data``,
    ``balanced_tree`` and ``workers`` change nothing, and there are no nodes to look at.

    >>> tree = KDTree([[0, 0], [3, 4], [9, 9]])
    >>> tree.move([2], [[0, 1]])
    >>> distance, row = tree.query([0, 2])
    >>> (float(distance), int(row))
    (1.0, 2)
    """

    def __init__(
        self, data: ArrayLike, leafsize: int = 10, compact_nodes: bool = True, copy_data: bool = False,
        balanced_tree: bool = True, boxsize: ArrayLike | None = None
    ) -> None:
        points = _numbers("data", data)
        if points.ndim != 2 or points.shape[1] not in (2, 3):
            raise ValueError(f"data: points (n, 2) or (n, 3) expected, not {points.shape}")
        if leafsize < 1:
            raise ValueError(f"leafsize: at least 1 expected, not {leafsize}")
        self.m: int = points.shape[1]
        self.leafsize = int(leafsize)
        self.boxsize = None if boxsize is None else np.broadcast_to(_numbers("boxsize", boxsize), self.m).copy()
        self._index = pyquadrille.Index(dim=self.m) if self.boxsize is None else _periodic(points, self.boxsize)
        self._index.add_points()
        self._places = np.empty((0, self.m))
        self.insert(points)

    @property
    def n(self) -> int:
        """The number of rows of ``data``, those of removed points too. It stands for no neighbour."""
        return self._index.capacity()

    @property
    def data(self) -> NDArray[np.float64]:
        """The points (n, m), read-only; NaN in rows whose points were removed."""
        places = self._places[: self.n]
        places.flags.writeable = False
        return places

    @property
    def mins(self) -> NDArray[np.float64]:
        """The least coordinates (m,); inf without points."""
        return np.nanmin(self.data, axis=0, initial=np.inf)

    @property
    def maxes(self) -> NDArray[np.float64]:
        """The largest coordinates (m,); -inf without points."""
        return np.nanmax(self.data, axis=0, initial=-np.inf)

    def insert(self, points: ArrayLike) -> NDArray[np.int64]:
        """Adds points (..., m). Returns their rows, (...): those of removed points first, then new ones from ``n`` on."""
        places = self._index.wrap(self._vectors("points", points).reshape(-1, self.m))
        rows = self._index.rows(self._index.insert_many(self._index.layers()[0], places))
        self._places = _padded(self._places, self.n, np.nan)
        self._places[rows] = places
        return rows.reshape(np.shape(points)[:-1])[()]

    def move(self, rows: ArrayLike, points: ArrayLike) -> None:
        """Gives the points in some rows (N,) other places (N, m), all or none. In a periodic box they are taken modulo its size.

        Raises IndexError for rows beyond ``data``, and ValueError for those of removed points.
        """
        rows, places = np.atleast_1d(rows), np.atleast_2d(self._vectors("points", points))
        self._index.move_many(self._handles(rows), places)
        self._places[rows] = self._index.wrap(places)

    def remove(self, rows: ArrayLike) -> None:
        """Removes the points in some rows, all or none. Other points keep their rows. Raises the errors of ``move``."""
        rows = np.atleast_1d(rows)
        self._index.remove_many(self._handles(rows))
        self._places[rows] = np.nan

    def query(
        self, x: ArrayLike, k: int | Sequence[int] = 1, eps: float = 0.0, p: float = 2.0,
        distance_upper_bound: float = np.inf, workers: int = 1
    ) -> tuple[Any, Any]:
        """Distances and rows of the ``k`` nearest, nearer than the bound: each (..., k), or (...) for the number 1. Where
        there are fewer, inf and ``n``. A list has which are wanted, from 1."""
        ranks = np.asarray(k)
        if ranks.dtype.kind not in "iu" or ranks.size == 0 or ranks.min() < 1:
            raise ValueError(f"k must be an integer or a sequence of integers from 1, not {k}")
        _euclidean(p)
        x, most = self._vectors("x", x), int(ranks.max())
        rows, distances = self._index.nearest_many(x.reshape(-1, self.m), most, within=distance_upper_bound)
        none = (rows < 0) | (distances >= distance_upper_bound)
        rows[none], distances[none] = self.n, np.inf
        shape = (*x.shape[:-1], most)
        wanted: Any = ranks - 1 if ranks.ndim else 0 if most == 1 else slice(None)
        return distances.reshape(shape)[..., wanted][()], rows.reshape(shape)[..., wanted][()]

    def query_ball_point(
        self, x: ArrayLike, r: ArrayLike, p: float = 2.0, eps: float = 0.0, workers: int = 1,
        return_sorted: bool | None = None, return_length: bool = False
    ) -> Any:
        """The rows of all points at most ``r`` from each of ``x``, as an array (...) of lists; for one point (m,), a list. Or
        only how many."""
        _euclidean(p)
        x = self._vectors("x", x)
        if x.ndim == 1 and not return_length:
            found = self._index.within_distance(x, float(np.asarray(r))).tolist()
            return sorted(found) if return_sorted else found
        shape, questions = x.shape[:-1], x.reshape(-1, self.m)
        radii = np.broadcast_to(np.asarray(r, float), shape).ravel()
        if return_length:
            return self._index.count_within_many(questions, radii).reshape(shape)[()]
        offsets, rows = self._index.within_many(questions, radii)
        counts = np.diff(offsets)
        if return_sorted is not False:
            rows = _sorted(np.repeat(np.arange(len(counts)), counts), rows, self.n)
        lists: Any = _lists(counts, rows)
        return np.fromiter(lists, np.dtype(object), len(counts)).reshape(shape)

    def query_ball_tree(self, other: KDTree, r: float, p: float = 2.0, eps: float = 0.0) -> list[list[int]]:
        """For each row the rows of ``other`` at most ``r`` away."""
        _euclidean(p)
        rows, others = self._index.join(other._index, r).T
        return _lists(np.bincount(rows, minlength=self.n), _sorted(rows, others, other.n))

    def query_pairs(self, r: float, p: float = 2.0, eps: float = 0.0, output_type: str = "set") -> Any:
        """The pairs of rows at most ``r`` apart, the lower first: a ``set`` of tuples, or as ``ndarray`` (P, 2)."""
        _euclidean(p)
        kind, pairs = _one_of(output_type, "set", "ndarray"), np.sort(self._index.pairs(r), axis=1)
        return pairs if kind == "ndarray" else set(zip(*pairs.T.tolist(), strict=True))

    def count_neighbors(
        self, other: KDTree, r: ArrayLike, p: float = 2.0,
        weights: ArrayLike | tuple[ArrayLike | None, ArrayLike | None] | None = None, cumulative: bool = True
    ) -> Any:
        """How many pairs of points, here and in ``other``, are at most each ``r`` apart; or the sum of the products of their
        weights, all at once. If not ``cumulative``, only those beyond the ``r`` before, which must not descend.

        Pairs are counted anew for each ``r``, many at once where points are dense; with weights each pair is looked at."""
        _euclidean(p)
        radii = np.atleast_1d(np.asarray(r, float))
        if not (radii >= 0).all():
            raise ValueError(f"r: {radii[~(radii >= 0)][0]} is no distance")
        if not cumulative and (np.diff(radii) < 0).any():
            raise ValueError("r: must not descend unless cumulative")
        if weights is None:
            farthest = 1.001 * np.linalg.norm(np.maximum(self.maxes, other.maxes) - np.minimum(self.mins, other.mins))
            product = len(self._index) * len(other._index)
            sums = np.array([self._index.count_join(other._index, r) if r < farthest else product for r in radii.tolist()])
        else:
            mine, theirs = map(_weights, (self, other), weights if isinstance(weights, tuple) else (weights, weights))
            rows, others = self._index.join(other._index, radii.max(initial=0)).T
            squares, products = self._squares(other, rows, others), mine[rows] * theirs[others]
            sums = np.array([products[squares <= radius**2].sum() for radius in radii.tolist()])
        return (sums if cumulative else np.diff(sums, prepend=sums.dtype.type(0))).reshape(np.shape(r))[()]

    def sparse_distance_matrix(
        self, other: KDTree, max_distance: float, p: float = 2.0, output_type: str = "dok_matrix"
    ) -> Any:
        """The distances of points here and in ``other`` that are at most so far apart: a ``dok_matrix`` or ``coo_matrix`` of
        scipy, a ``dict``, or an ``ndarray`` of records i, j and v."""
        _euclidean(p)
        kind = _one_of(output_type, "dok_matrix", "coo_matrix", "dict", "ndarray")
        rows, others = self._index.join(other._index, max_distance).T
        distances = np.sqrt(self._squares(other, rows, others))
        if kind == "dict":
            return dict(zip(zip(rows.tolist(), others.tolist(), strict=True), distances.tolist(), strict=True))
        if kind == "ndarray":
            records = np.empty(len(rows), np.dtype([("i", np.intp), ("j", np.intp), ("v", np.float64)], align=True))
            records["i"], records["j"], records["v"] = rows, others, distances
            return records
        from scipy.sparse import coo_matrix

        matrix = coo_matrix((distances, (rows, others)), shape=(self.n, other.n))
        return matrix if kind == "coo_matrix" else matrix.todok()

    def _vectors(self, name: str, points: ArrayLike) -> NDArray[np.float64]:
        vectors = _numbers(name, points)
        if vectors.ndim == 0 or vectors.shape[-1] != self.m:
            raise ValueError(f"{name}: points (..., {self.m}) expected, not {vectors.shape}")
        return vectors

    def _handles(self, rows: NDArray[Any]) -> NDArray[np.uint64]:
        handles = self._index.handles(rows)
        if not handles.all():
            raise ValueError(f"rows: the point of row {rows[handles == 0][0]} was removed")
        return handles

    __copy__ = copy.deepcopy

    def _squares(self, other: KDTree, rows: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.float64]:
        """The squares of the distances of pairs."""
        ways = other._index.displacement(self.data[rows], other.data[others])
        return np.square(ways).sum(axis=1)


def _padded(array: NDArray[Any], length: int, value: float) -> NDArray[Any]:
    """The array, at least so long: with room for more if it must be longer."""
    if length <= len(array):
        return array
    more = np.full((max(length, 2 * len(array)) - len(array), *array.shape[1:]), value, array.dtype)
    return np.concatenate([array, more])


def _sorted(questions: NDArray[np.int64], rows: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Rows by question, and those of each ascending."""
    return np.sort(questions * n + rows) % max(n, 1)


def _lists(counts: NDArray[np.int64], rows: NDArray[np.int64]) -> list[list[int]]:
    """So many rows after the other."""
    flat, ends = rows.tolist(), np.cumsum(counts)
    return [flat[begin:end] for begin, end in zip((ends - counts).tolist(), ends.tolist(), strict=True)]


def _numbers(name: str, object: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(object)
    if array.dtype.kind == "c":
        raise TypeError(f"{name}: KDTree does not work with complex data")
    numbers = np.asarray(array, np.float64)
    if not np.isfinite(numbers).all():
        raise ValueError(f"{name} must be finite, not {numbers[~np.isfinite(numbers)][0]}")
    return numbers


def _weights(tree: KDTree, weights: ArrayLike | None) -> NDArray[np.float64]:
    numbers = np.ones(tree.n) if weights is None else _numbers("weights", weights)
    if numbers.shape != (tree.n,):
        raise ValueError(f"weights: ({tree.n},) expected, one for each row, not {numbers.shape}")
    return numbers


def _euclidean(p: float) -> None:
    if p != 2:
        raise ValueError(f"p: 2 expected, the Euclidean distance, not {p}")


def _one_of(name: str, *names: str) -> str:
    if name not in names:
        raise ValueError(f"output_type: one of {', '.join(names)} expected, not {name!r}")
    return name


def _periodic(points: NDArray[np.float64], boxsize: NDArray[np.float64]) -> pyquadrille.Index:
    """An index whose world wraps around on the axes of some size."""
    wraps = boxsize > 0
    outside = np.argwhere(wraps & ((points < 0) | (points >= boxsize)))
    if len(outside):
        row, axis = outside[0]
        raise ValueError(f"data, row {row}: {points[row, axis]} is not in the box, from 0 to below {boxsize[axis]}")
    low, high = points.min(axis=0, initial=0), points.max(axis=0, initial=1)
    world = np.concatenate([np.where(wraps, 0, low), np.where(wraps, boxsize, high)])
    return pyquadrille.Index(world, torus=wraps.tolist())
