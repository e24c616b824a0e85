"""Something stupid to compare with: all objects in arrays, and each question asked of each of them."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np
import pyquadrille as pq
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

SIZE = 16  # of the world on each axis; coordinates are whole numbers, so edges coincide and sums are exact

KINDS = [
    (dim, dtype, torus)
    for dim in (2, 3)
    for dtype in ("float64", "float32")
    for torus in (False, True, (True, False, True)[:dim])
]

every_kind = pytest.mark.parametrize("kind", KINDS, ids=str)
quick = settings(max_examples=25, deadline=None, derandomize=True)


class Whole:
    """An index that names the objects of all layers by one numbering: here, that of `Model`.

    Rows are of one layer, so it asks for handles, or layer by layer.
    """

    def __init__(self, index: pq.Index) -> None:
        self.real = index
        self.known: dict[int, int] = {}

    def __getattr__(self, name: str):
        if name == "real" or name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.real, name)

    def __len__(self) -> int:
        return len(self.real)

    def __contains__(self, handle: int) -> bool:
        return handle in self.real

    def numbers(self, handles) -> np.ndarray:
        handles = np.asarray(handles, np.uint64)
        each = [self.known.setdefault(handle, len(self.known)) if handle else -1 for handle in handles.ravel().tolist()]
        return np.array(each, np.int64).reshape(handles.shape)

    def handles(self, numbers=None):
        by_number = list(self.known)
        one = isinstance(numbers, (int, np.integer))
        asked = range(len(by_number)) if numbers is None else [numbers] if one else numbers
        found = [by_number[number] if by_number[number] in self.real else 0 for number in asked]
        return found[0] if one else np.array(found, np.uint64)

    def _layered(name):
        def method(self, *arguments, **options):
            takes = 2 if name == "within_distance" else 1
            layers = arguments[takes] if len(arguments) > takes else None
            ask = getattr(self.real, name)
            return WholeQuery(self, lambda layers: ask(*arguments[:takes], layers, **options), layers)

        return method

    intersecting, contained_in, containing, within_distance = map(
        _layered, ("intersecting", "contained_in", "containing", "within_distance")
    )

    def _many(name, at):
        def method(self, *arguments, **options):
            answer = list(getattr(self.real, name)(*arguments, **{"out": "handles", **options}))
            answer[at] = answer[at] if "out" in options else self.numbers(answer[at])
            return tuple(answer)

        return method

    windows, within_many = _many("windows", 1), _many("within_many", 1)
    nearest, nearest_many = _many("nearest", 0), _many("nearest_many", 0)
    raycast_many, cast_many, cast_ball_many = map(_many, ("raycast_many", "cast_many", "cast_ball_many"), (0, 0, 0))

    def _one(name):
        def method(self, *arguments, **options):
            hit = getattr(self.real, name)(*arguments, **options)
            if hit is None:
                return None
            return SimpleNamespace(row=self.numbers(hit.handle)[()], handle=hit.handle, t=hit.t, normal=hit.normal)

        return method

    raycast, cast, cast_ball = map(_one, ("raycast", "cast", "cast_ball"))

    def pairs(self, *arguments, **options):
        pairs = self.real.pairs(*arguments, **{"out": "handles", **options})
        return pairs if "out" in options else self.numbers(pairs)

    def join(self, other, *arguments, **options):
        pairs = self.real.join(other.real, *arguments, **{"out": "handles", **options})
        return np.stack([self.numbers(pairs[:, 0]), other.numbers(pairs[:, 1])], axis=1)

    def count_join(self, other, *arguments, **options):
        return self.real.count_join(other.real, *arguments, **options)


class WholeQuery:
    def __init__(self, whole: Whole, ask, layers) -> None:
        self.whole, self.ask, self.query = whole, ask, ask(layers)
        self.layers = [layer for layer in whole.layers() if layers is None or layer in (layers | layers)]

    def __getattr__(self, name: str):
        return getattr(self.query, name)

    def __len__(self) -> int:
        return len(self.query)

    def __bool__(self) -> bool:
        return bool(self.query)

    def rows(self) -> np.ndarray:
        return self.whole.numbers(self.query.handles())

    def tolist(self) -> list[int]:
        return self.rows().tolist()

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        return self.rows()

    def __iter__(self):
        for layer in self.layers:
            for row in self.ask(layer):
                yield int(self.whole.numbers(self.whole.real.handles(row, layer)))

    def first(self) -> int | None:
        for layer in self.layers:
            row = self.ask(layer).first()
            if row is not None:
                return int(self.whole.numbers(self.whole.real.handles(row, layer)))
        return None


@dataclass
class Model:
    """An index and what it must hold: by number the box, and the layer or -1 for none."""

    index: Whole
    units: pq.Layer
    zones: pq.Layer
    boxes: np.ndarray
    layers: np.ndarray
    handles: np.ndarray = field(default_factory=lambda: np.empty(0, np.uint64))

    @property
    def dim(self) -> int:
        return self.index.dim

    def images(self) -> np.ndarray:
        """The boxes moved by whole worlds, (images, rows, 2D)."""
        steps = [(-2, -1, 0, 1, 2) if wraps else (0,) for wraps in self.index.torus]
        offsets = np.array(list(itertools.product(*steps))) * SIZE
        return self.boxes[None] + np.tile(offsets, 2)[:, None]

    def where(self, holds: np.ndarray, layers=None) -> list[int]:
        """The rows for which it holds in some image, of some layers."""
        alive = self.layers >= 0 if layers is None else np.isin(self.layers, [layer.number for layer in layers])
        return np.flatnonzero(holds.any(axis=0) & alive).tolist()

    def intersecting(self, box, layers=None) -> list[int]:
        lower, upper = np.split(self.images(), 2, axis=-1)
        return self.where(((lower <= box[self.dim :]) & (box[: self.dim] <= upper)).all(axis=-1), layers)

    def contained_in(self, box, layers=None) -> list[int]:
        lower, upper = np.split(self.images(), 2, axis=-1)
        return self.where(((box[: self.dim] <= lower) & (upper <= box[self.dim :])).all(axis=-1), layers)

    def containing(self, box, layers=None) -> list[int]:
        lower, upper = np.split(self.images(), 2, axis=-1)
        return self.where(((lower <= box[: self.dim]) & (box[self.dim :] <= upper)).all(axis=-1), layers)

    def squares(self, box) -> np.ndarray:
        """By row the square of the distance from a box."""
        lower, upper = np.split(self.images(), 2, axis=-1)
        gaps = np.maximum(0, np.maximum(lower - box[self.dim :], box[: self.dim] - upper))
        return (gaps**2).sum(axis=-1).min(axis=0)

    def within(self, box, distance, layers=None) -> list[int]:
        return self.where((self.squares(box) <= distance**2)[None], layers)

    def pairs(self, within=0) -> set[tuple[int, int]]:
        rows = np.flatnonzero(self.layers >= 0)
        return {
            (int(a), int(b))
            for a in rows
            for b in np.flatnonzero((self.squares(self.boxes[a]) <= within**2) & (self.layers >= 0))
            if a < b
        }


def unordered(pairs: np.ndarray) -> set[tuple[int, int]]:
    """Pairs as a set, each in ascending order. None comes twice."""
    found = [tuple(sorted(pair)) for pair in pairs.tolist()]
    assert len(found) == len(set(found))
    return set(found)


@st.composite
def points(draw, dim, least=0, most=24):
    return draw(arrays(np.int64, (draw(st.integers(least, most)), dim), elements=st.integers(0, SIZE - 1)))


@st.composite
def boxes(draw, dim, least=0, most=12):
    lower = draw(points(dim, least, most))
    sizes = draw(arrays(np.int64, lower.shape, elements=st.integers(0, 6)))
    return np.hstack([lower, lower + sizes])


@st.composite
def models(draw, kind):
    dim, dtype, torus = kind
    world = [0] * dim + [SIZE] * dim
    given = torus is not False or draw(st.booleans())
    index = pq.Index(world if given else None, dim=dim, dtype=dtype, torus=torus)
    layers = index.add_points(), index.add_boxes()
    at, zones = draw(points(dim)), draw(boxes(dim))
    handles = np.concatenate([index.insert_many(layers[0], at), index.insert_many(layers[1], zones)])
    model = Model(
        Whole(index),
        *layers,
        boxes=np.vstack([np.hstack([at, at]), zones]),
        layers=np.repeat([0, 1], [len(at), len(zones)]),
        handles=handles,
    )
    model.index.numbers(handles)
    # Some are moved, some are removed.
    if len(at):
        moved = draw(points(dim, len(at), len(at)))
        some = draw(arrays(bool, len(at)))
        assert len(index.move_many(handles[: len(at)][some], moved[some])) == 0
        model.boxes[: len(at)][some] = np.tile(moved[some], 2)
    if len(handles):
        gone = draw(arrays(bool, len(handles), elements=st.integers(0, 3).map(lambda n: n == 0)))
        assert index.remove_many(handles[gone]) == gone.sum()
        model.layers[gone] = -1
    return model
