"""A stand-in for rtree 1.4: the same classes and calls, over an index in which moving is cheap.

Programs change one import: ``from rtree import index`` becomes ``from pyquadrille.rtree import index``. ``Index.update`` moves
an entry and ``update_many`` many, which rtree lacks. Nothing of rtree needs to be installed.

It differs from rtree as follows:

- 2 and 3 dimensions, R-trees only, no storage of one's own: anything else raises NotImplementedError, and so does ``leaves``.
- There is no ``RtreeContainer``.
- Hits come in the order of their ids; in that of distances from ``nearest``.
- ``result_limit`` and ``result_offset`` do as they are called; rtree has them the wrong way round.
- Entries are finite: infinite ones raise ValueError. Questions may be infinite.
- An index with a filename writes one file, at ``flush``, ``close`` and its end. It does not read rtree's files.
"""

# rtree comes without types, or is not there.
# mypy: disable-error-code="import-not-found,import-untyped"

from __future__ import annotations

import copy
import ctypes
import operator
import os
import pickle
import pprint
import sys
import warnings
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

import pyquadrille

__all__ = ["Index", "Item", "Property", "RTreeError", "Rtree"]

# ``from pyquadrille.rtree import index``, ``rtree.index.Index`` and ``rtree.exceptions.RTreeError`` go on working.
index = exceptions = sys.modules[__name__]

RT_Memory, RT_Disk, RT_Custom = range(3)
RT_Linear, RT_Quadratic, RT_Star = range(3)
RT_RTree, RT_MVRTree, RT_TPRTree = range(3)

Objects: TypeAlias = bool | Literal["raw"]

_FILE_MARK = b"pyquadrille.rtree 1\n"


try:
    from rtree.exceptions import RTreeError
except (ImportError, OSError):

    class RTreeError(Exception):  # type: ignore[no-redef]
        """Raised where rtree raises an error of this name: rtree's own, where that is installed."""


@dataclass(slots=True)
class Item:
    """An entry that was found: ``id``, ``object``, and its box as ``bbox`` (corner by corner) or ``bounds`` (axis by axis)."""

    id: Any
    bbox: list[float]
    object: Any

    @property
    def bounds(self) -> list[float]:
        return Index.deinterleave(self.bbox)

    def get_object(self, loads: object = None) -> Any:
        return self.object

    def __lt__(self, other: Item) -> bool:
        return bool(self.id < other.id)

    def __gt__(self, other: Item) -> bool:
        return bool(self.id > other.id)


def _wrapped(id: int) -> int:
    """Beyond 64 bits ids wrap around, as in rtree."""
    return (id + 2**63) % 2**64 - 2**63


# Default values: of what must be positive, of what is one of three, and of what may be anything.
_POSITIVE = {
    "buffering_capacity": 10, "dimension": 2, "index_capacity": 100, "index_pool_capacity": 100, "leaf_capacity": 100,
    "near_minimum_overlap_factor": 32, "pagesize": 4096, "point_pool_capacity": 500, "region_pool_capacity": 1000
}
_CHOICES = {"storage": RT_Disk, "type": RT_RTree, "variant": RT_Star}
_ANYTHING = {
    "dat_extension": "dat", "filename": "", "fill_factor": 0.7, "idx_extension": "idx", "index_id": None,
    "overwrite": True, "reinsert_factor": 0.3, "split_distribution_factor": 0.4, "tight_mbr": True,
    "tpr_horizon": 20.0, "writethrough": False
}
_DEFAULTS: dict[str, Any] = dict(sorted({**_POSITIVE, **_CHOICES, **_ANYTHING}.items()))


class Property:
    """The settings of an rtree. ``dimension``, ``filename``, ``overwrite`` and ``idx_extension`` matter; others are kept."""

    pkeys = tuple(_DEFAULTS)

    def __init__(self, **values: Any) -> None:
        self.__dict__.update(_DEFAULTS)
        for name, value in values.items():
            if value is not None:
                setattr(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        if (name in _POSITIVE and not value > 0) or (name in _CHOICES and value not in range(3)):
            raise RTreeError(f"{name} cannot be {value!r}")
        self.__dict__[name] = value

    def __getattr__(self, name: str) -> Any:
        """The methods ``get_dimension``, ``set_dimension`` and so on."""
        verb, _, field = name.partition("_")
        field = "type" if field == "index_type" else field
        if field in _DEFAULTS and verb == "set":
            return lambda value: setattr(self, field, value)
        if field in _DEFAULTS and verb == "get":
            return lambda: self._get(field)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _get(self, name: str) -> Any:
        if name == "index_id" and self.__dict__[name] is None:
            raise RTreeError("no index_id is set")
        return self.__dict__[name]

    @property
    def handle(self) -> Property:
        """Itself: there is no library behind it."""
        return self

    def as_dict(self) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in self.pkeys}

    def __repr__(self) -> str:
        return repr(self.as_dict())

    def __str__(self) -> str:
        return pprint.pformat(self.as_dict())


class Index:
    """Boxes with ids, which need not be unique, and objects of yours.

    ``Index()``, ``Index(stream)`` of (id, coordinates, object), ``Index((ids, mins, maxs))`` of arrays (N,), (N, D), (N, D), and
    each of them after a filename. Coordinates are (xmin, ymin, xmax, ymax), or (xmin, xmax, ymin, ymax) if not
    ``interleaved``; or a point.

    Objects are pickled, as rtree does, by ``dumps`` and ``loads``.

    >>> index = Index()
    >>> index.insert(7, (0, 0, 1, 1))
    >>> index.update(7, (5, 5, 6, 6))
    >>> list(index.intersection((4, 4, 9, 9)))
    [7]
    """

    def __init__(
        self, *args: Any, properties: Property | None = None, interleaved: bool = True, overwrite: bool = False,
        pagesize: int | None = None
    ) -> None:
        self.properties = Property() if properties is None else properties
        self.interleaved = bool(interleaved)
        self.result_limit = 0
        self.result_offset = 0
        self._dim = self.properties.dimension
        # Until there is one, and if there will be none, it is closed.
        self.handle: pyquadrille.Index | None = None
        self._refuse_unknown(args)
        if pagesize:
            self.properties.pagesize = int(pagesize)
        # Ids by row, objects by row, handles by id: a list only where entries share one.
        self._ids = array("q")
        self._objects: dict[int, bytes] = {}
        self._handles: dict[int, int | list[int]] = {}
        self.handle = pyquadrille.Index(dim=self._dim)
        self._layer = self.handle.add_boxes()

        self._path: str | None = None
        if args and isinstance(args[0], str | bytes):
            self._open(os.fsdecode(args[0]), overwrite)
            args = args[1:]
        if args and isinstance(args[0], tuple):
            self._insert_arrays(*args[0])
        elif args and args[0] is not None:
            self._insert_stream(args[0])

    def _refuse_unknown(self, args: tuple[Any, ...]) -> None:
        if self._dim not in (2, 3):
            raise NotImplementedError(f"2 or 3 dimensions, not {self._dim}")
        if self.properties.type != RT_RTree:
            raise NotImplementedError("R-trees only")
        if args and hasattr(args[0], "registerCallbacks"):
            raise NotImplementedError("in memory or in a file, not in a storage of your own")

    # Coordinates and objects.

    def _box(self, coordinates: Any) -> list[float]:
        """The lower corner, then the upper one."""
        box = list(coordinates)
        if len(box) == self._dim:
            box += box
        elif len(box) != 2 * self._dim:
            raise ValueError(f"{self._dim} or {2 * self._dim} coordinates, not {len(box)}")
        elif not self.interleaved:
            box = self.interleave(box)
        # False for NaN, too.
        if not all(map(operator.le, box[: self._dim], box[self._dim :])):
            raise RTreeError(f"Coordinates must not have minimums more than maximums: {coordinates}")
        return box

    def _boxes(self, mins: ArrayLike, maxs: ArrayLike) -> NDArray[np.float64]:
        """Arrays of lower and of upper corners as boxes (N, 2D)."""
        mins, maxs = (np.atleast_2d(np.asarray(corners, np.float64)) for corners in (mins, maxs))
        if mins.ndim != 2 or maxs.ndim != 2:
            raise ValueError("mins/maxs must have 2 dimensions: (n, d)")
        if mins.shape != maxs.shape:
            raise ValueError(f"mins and maxs shapes not equal: {mins.shape} and {maxs.shape}")
        return np.hstack([mins, maxs])

    @classmethod
    def interleave(cls, deinterleaved: Sequence[float]) -> list[float]:
        """[xmin, xmax, ymin, ymax] => [xmin, ymin, xmax, ymax]"""
        assert len(deinterleaved) % 2 == 0, "must be a pairwise list"
        return [*deinterleaved[::2], *deinterleaved[1::2]]

    @classmethod
    def deinterleave(cls, interleaved: Sequence[Any]) -> list[Any]:
        """[xmin, ymin, xmax, ymax] => [xmin, xmax, ymin, ymax]"""
        assert len(interleaved) % 2 == 0, "must be a pairwise list"
        half = len(interleaved) // 2
        return [side for pair in zip(interleaved[:half], interleaved[half:], strict=True) for side in pair]

    def dumps(self, obj: object) -> bytes:
        return pickle.dumps(obj)

    def loads(self, string: bytes) -> Any:
        return pickle.loads(string)

    # Changes.

    @property
    def _index(self) -> pyquadrille.Index:
        if self.handle is None:
            raise RTreeError("the index is closed")
        return self.handle

    def insert(self, id: int, coordinates: Any, obj: object = None) -> None:
        """Adds an entry. Entries may share an id."""
        box = self._box(coordinates)
        try:
            number = operator.index(id)
        except TypeError as error:
            raise ctypes.ArgumentError(f"an id is an integer, not {id!r}") from error
        data = None if obj is None else self.dumps(obj)
        handle = self._index.insert(self._layer, box)
        self._record([number], [handle], [self._index.rows(handle)], [data])

    add = insert

    def _record(self, ids: Sequence[int], handles: list[int], rows: list[int], data: Sequence[bytes | None]) -> None:
        """Notes which entries have been inserted."""
        self._ids.extend([0] * (self._index.capacity() - len(self._ids)))
        for id, handle, row, pickled in zip(ids, handles, rows, data, strict=True):
            self._ids[row] = id = _wrapped(id)
            known = self._handles.setdefault(id, handle)
            if isinstance(known, list):
                known.append(handle)
            elif known != handle:
                self._handles[id] = [known, handle]
            if pickled is not None:
                self._objects[row] = pickled

    def _arrays(
        self, ids: ArrayLike, mins: ArrayLike, maxs: ArrayLike
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Ids and boxes, as many of each."""
        boxes = self._boxes(mins, maxs)
        if isinstance(ids, np.ndarray) and ids.dtype.kind in "iu":
            numbers = ids.astype(np.int64)
        else:
            # numpy makes floats of a list of small and large ones.
            numbers = np.array([_wrapped(operator.index(id)) for id in np.asarray(ids, object)], np.int64)
        if len(numbers) != len(boxes):
            raise ValueError(f"index and point counts different: {len(numbers)} and {len(boxes)}")
        return numbers, boxes

    def _insert_arrays(self, ids: ArrayLike, mins: ArrayLike, maxs: ArrayLike) -> None:
        numbers, boxes = self._arrays(ids, mins, maxs)
        handles = self._index.insert_many(self._layer, boxes)
        self._record(numbers.tolist(), handles.tolist(), self._index.rows(handles).tolist(), [None] * len(numbers))

    def _insert_stream(self, stream: Iterable[tuple[int, Any, Any]]) -> None:
        # No object of Python stays for an entry: the collector of garbage would look at all of them again and again.
        ids, coordinates, data = [], array("d"), []
        for id, box, obj in stream:
            ids.append(id)
            coordinates.extend(self._box(box))
            data.append(None if obj is None else self.dumps(obj))
        if ids:
            boxes = np.frombuffer(coordinates).reshape(-1, 2 * self._dim)
            handles = self._index.insert_many(self._layer, boxes)
            self._record(ids, handles.tolist(), self._index.rows(handles).tolist(), data)
        elif isinstance(stream, Iterator):
            raise RTreeError("Empty stream given")

    def update(self, id: int, coordinates: Any) -> None:
        """Moves the entry with an id to other coordinates. Its object stays.

        rtree has no such call: there an entry must be deleted and inserted. Raises KeyError if no entry has this id, and
        ValueError if several have.
        """
        self._index.move(self._handle_of(id), self._box(coordinates))

    def update_many(self, ids: ArrayLike, mins: ArrayLike, maxs: ArrayLike) -> None:
        """Moves the entries with ids (N,) to boxes (N, D) and (N, D), all or none. Raises as ``update``."""
        numbers, boxes = self._arrays(ids, mins, maxs)
        self._index.move_many([self._handle_of(id) for id in numbers.tolist()], boxes)

    def _handle_of(self, id: int) -> int:
        """That of the only entry with an id."""
        handle = self._handles[_wrapped(id)]
        if isinstance(handle, list):
            raise ValueError(f"{len(handle)} entries have the id {id}")
        return handle

    def _handles_of(self, id: int) -> list[int]:
        handles = self._handles.get(_wrapped(id), [])
        return handles if isinstance(handles, list) else [handles]

    def delete(self, id: int, coordinates: Any) -> None:
        """Removes one entry with this id and just these coordinates. Does nothing if there is none."""
        box, id = self._box(coordinates), _wrapped(id)
        handles = self._handles_of(id)
        for handle in handles:
            if self._index.shape(handle).tolist() == box:
                self._objects.pop(self._index.rows(handle), None)
                self._index.remove(handle)
                others = [other for other in handles if other != handle]
                if others:
                    self._handles[id] = others if len(others) > 1 else others[0]
                else:
                    del self._handles[id]
                return

    # Questions.

    def intersection(self, coordinates: Any, objects: Objects = False) -> Iterator[Any]:
        """The ids of entries that share a point with a box; Items with ``objects=True``, bare objects with "raw"."""
        return self._answer(self._index.intersecting(self._box(coordinates)), objects)

    def contains(self, coordinates: Any, objects: Objects = False) -> Iterator[Any]:
        """As ``intersection``, of entries that lie inside the box."""
        return self._answer(self._index.contained_in(self._box(coordinates)), objects)

    def count(self, coordinates: Any) -> int:
        """The number of entries that share a point with a box."""
        return self._index.intersecting(self._box(coordinates)).count()

    def nearest(self, coordinates: Any, num_results: int = 1, objects: Objects = False) -> Iterator[Any]:
        """The nearest entries by distance, and all that are as far as the last of them."""
        rows, distances = self._index.nearest(self._box(coordinates), max(num_results, 1), ties=True)
        found = zip(distances.tolist(), rows.tolist(), strict=True)
        order = sorted((distance, self._ids[row], row) for distance, row in found)
        return self._found([row for _, _, row in order], objects)

    def _answer(self, query: pyquadrille.Query, objects: Objects) -> Iterator[Any]:
        return self._found(sorted(query.tolist(), key=self._ids.__getitem__), objects)

    def _found(self, rows: list[int], objects: Objects) -> Iterator[Any]:
        if self.result_limit or self.result_offset:
            end = self.result_offset + self.result_limit if self.result_limit else None
            rows = rows[self.result_offset : end]
        # All is looked up now: a loop over the answer may change the index.
        if objects == "raw":
            return map(self._loaded, [self._objects.get(row) for row in rows])
        if objects:
            return iter(self._items(rows))
        return iter([self._ids[row] for row in rows])

    def _loaded(self, data: bytes | None) -> Any:
        return None if data is None else self.loads(data)

    def _object(self, row: int) -> Any:
        return self._loaded(self._objects.get(row))

    def _items(self, rows: list[int]) -> list[Item]:
        boxes = self._index.shapes(np.array(rows, np.int64)).tolist()
        return [Item(self._ids[row], box, self._object(row)) for row, box in zip(rows, boxes, strict=True)]

    def _all_items(self) -> list[Item]:
        rows = [self._index.rows(handle) for id in self._handles for handle in self._handles_of(id)]
        return self._items(sorted(rows, key=self._ids.__getitem__))

    def intersection_v(self, mins: ArrayLike, maxs: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
        """For each box of (N, D) and (N, D) the ids that it meets, in one array, and how many these are."""
        offsets, rows = self._index.windows(self._boxes(mins, maxs))
        counts = np.diff(offsets)
        ids = self._ids_of(rows)
        order = np.lexsort((ids, np.repeat(np.arange(len(counts)), counts)))
        return ids[order], counts.astype(np.uint64)

    def nearest_v(
        self, mins: ArrayLike, maxs: ArrayLike, *, num_results: int = 1, max_dists: ArrayLike | None = None,
        strict: bool = False, return_max_dists: bool = False
    ) -> tuple[NDArray[Any], ...]:
        """For each box the ids of the nearest entries, in one array, and how many these are.

        Entries as far as the last one are included unless ``strict``. ``max_dists`` (N,) are the largest distances to look
        at, 0 for any. ``return_max_dists`` adds the distance of the last entry found, 0 without one.
        """
        boxes = self._boxes(mins, maxs)
        limits = self._limits(max_dists, len(boxes))
        num_results = max(num_results, 1)
        # One more than asked for tells where the last one ties with others.
        rows, distances = self._index.nearest_many(boxes, num_results + (not strict))
        if not strict:
            rows, distances = self._with_ties(boxes, rows, distances)
        is_answer = (rows >= 0) & (distances <= limits[:, None])
        questions, _ = np.nonzero(is_answer)
        ids, found = self._ids_of(rows[is_answer]), distances[is_answer]
        order = np.lexsort((ids, found, questions))
        counts = is_answer.sum(axis=1)
        answer = ids[order], counts.astype(np.uint64)
        last = np.where(is_answer, distances, 0).max(axis=1, initial=0)
        return (*answer, last) if return_max_dists else answer

    def _limits(self, max_dists: ArrayLike | None, count: int) -> NDArray[np.float64]:
        if max_dists is None:
            return np.full(count, np.inf)
        limits = np.atleast_1d(np.asarray(max_dists, np.float64))
        if limits.ndim != 1:
            raise ValueError("max_dists must have 1 dimension")
        if len(limits) != count:
            raise ValueError(f"max_dists must have length {count}")
        return np.where(limits == 0, np.inf, limits)

    def _with_ties(self, boxes: Any, rows: Any, distances: Any) -> tuple[Any, Any]:
        """Drops the last column, or where that is as far as the one before adds all others as far."""
        count = rows.shape[1] - 1
        tied = np.flatnonzero((distances[:, -1] == distances[:, -2]) & (rows[:, -1] >= 0))
        more = [self._index.nearest(boxes[question], count, ties=True) for question in tied]
        width = max([count, *(len(found) for found, _ in more)])
        all_rows = np.full((len(boxes), width), -1)
        all_distances = np.full((len(boxes), width), np.inf)
        all_rows[:, :count], all_distances[:, :count] = rows[:, :-1], distances[:, :-1]
        for question, (found, far) in zip(tied, more, strict=True):
            all_rows[question, : len(found)], all_distances[question, : len(found)] = found, far
        return all_rows, all_distances

    def _ids_of(self, rows: Any) -> NDArray[np.int64]:
        ids: NDArray[np.int64] = np.array(self._ids, np.int64)[rows]
        return ids

    # The index as a whole.

    def __len__(self) -> int:
        return 0 if self.handle is None else len(self.handle)

    def get_size(self) -> int:
        warnings.warn("index.get_size() is deprecated, use len(index) instead", DeprecationWarning, stacklevel=2)
        return len(self)

    def get_bounds(self, coordinate_interleaved: bool | None = None) -> list[float]:
        """The box around all entries; without any, one with its corners exchanged."""
        interleaved = self.interleaved if coordinate_interleaved is None else coordinate_interleaved
        bounds = self._index.bounds()
        largest = sys.float_info.max
        box = [largest] * self._dim + [-largest] * self._dim if bounds is None else bounds.tolist()
        return box if interleaved else self.deinterleave(box)

    @property
    def bounds(self) -> list[float]:
        return self.get_bounds()

    def get_result_limit(self) -> int:
        return self.result_limit

    def set_result_limit(self, value: int) -> None:
        self.result_limit = value

    def get_result_offset(self) -> int:
        return self.result_offset

    def set_result_offset(self, value: int) -> None:
        self.result_offset = value

    def valid(self) -> bool:
        return self.handle is not None

    def clearBuffer(self) -> None:
        """Does nothing: there is no buffer."""

    def leaves(self) -> list[tuple[int, list[int], list[float]]]:
        raise NotImplementedError("there are no leaves as of an R-tree; pyquadrille.Index.cells shows what there is")

    def __and__(self, other: Index) -> Index:
        """Where boxes of two indexes overlap, with both objects as a pair."""
        self._assert_alike(other)
        key = (self._ids.__getitem__, other._ids.__getitem__)
        pairs = sorted(self._index.join(other._index).tolist(), key=lambda pair: (key[0](pair[0]), key[1](pair[1])))
        rows = np.array(pairs, np.int64).reshape(-1, 2)
        ours, theirs = self._index.shapes(rows[:, 0]), other._index.shapes(rows[:, 1])
        lower = np.maximum(ours, theirs)[:, : self._dim]
        upper = np.minimum(ours, theirs)[:, self._dim :]
        objects = ((self._object(one), other._object(two)) for one, two in pairs)
        boxes = np.hstack([lower, upper]).tolist()
        return self._like((n, box, obj) for n, (box, obj) in enumerate(zip(boxes, objects, strict=True)))

    def __or__(self, other: Index) -> Index:
        """All entries of two indexes."""
        self._assert_alike(other)
        return self._like((item.id, item.bbox, item.object) for item in [*self._all_items(), *other._all_items()])

    def _assert_alike(self, other: Index) -> None:
        assert self.interleaved == other.interleaved
        assert self.properties.dimension == other.properties.dimension

    def _like(self, entries: Iterable[tuple[int, list[float], Any]]) -> Index:
        """A new index of this kind."""
        new = Index(interleaved=self.interleaved, properties=self.properties)
        for id, box, obj in entries:
            new.insert(id, box if self.interleaved else self.deinterleave(box), obj)
        return new

    def __getstate__(self) -> dict[str, Any]:
        """A copy has no file: two would write it."""
        return self.__dict__ | {"_path": None}

    def __copy__(self) -> Index:
        return copy.deepcopy(self)

    def __repr__(self) -> str:
        state = "closed" if self.handle is None else f"bounds={self.bounds}, size={len(self)}"
        return f"{type(self).__module__}.{type(self).__name__}({state})"

    # Files.

    def _open(self, filename: str, overwrite: bool) -> None:
        self.properties.storage, self.properties.filename = RT_Disk, filename
        path = os.path.abspath(f"{filename}.{self.properties.idx_extension}")
        if not os.access(os.path.dirname(path), os.W_OK):
            raise OSError(f"Unable to open file '{path}' for index storage")
        if os.path.exists(path) and not overwrite:
            with open(path, "rb") as file:
                if file.read(len(_FILE_MARK)) != _FILE_MARK:
                    raise RTreeError(f"{path} was not written by pyquadrille.rtree")
                self.__dict__.update(pickle.load(file))
        self._path = path

    def flush(self) -> None:
        """Writes the file of an index that has one."""
        if self._path is None or self.handle is None:
            return
        names = ("handle", "_layer", "_ids", "_objects", "_handles", "_dim", "interleaved")
        state = {name: self.__dict__[name] for name in names}
        # Whole or not at all.
        with open(f"{self._path}.new", "wb") as file:
            file.write(_FILE_MARK)
            pickle.dump(state, file)
        os.replace(f"{self._path}.new", self._path)

    def close(self) -> None:
        """Writes the file, if it has one, and forgets all entries."""
        if self.handle is None:
            raise OSError("Unclosable index")
        self.flush()
        self.handle = None

    def __del__(self) -> None:
        if self.__dict__.get("_path") is not None:
            self.flush()


Rtree = Index
