"""A program that type checkers must accept, with the types that they find."""

from typing import Any, assert_type

import numpy as np
import pyquadrille as pq
from numpy.typing import NDArray
from pyquadrille.kdtree import KDTree

index = pq.Index([0, 0, 100, 100], dtype=np.float32, torus=(True, False))
units, walls = index.add_points(), index.add_boxes()
handle: int = index.insert(units, (1, 2))
handles = index.insert_many(units, np.ones((3, 2)))
assert_type(handles, NDArray[np.uint64])
assert_type(index.rows(handle), int)
assert_type(index.rows(handles), NDArray[np.int64])
assert_type(index.handles(0), int)
assert_type(index.handles([0, 1]), NDArray[np.uint64])
assert_type(index.move_many(handles, [(1, 2)] * 3, strict=False), NDArray[np.uint64])

query = index.intersecting(pq.AnyOf([pq.Ball((1, 2), 3), (0, 0, 1, 1)]), units | ~walls, excluding=handle)
assert_type(query, pq.Query)
assert_type(query.rows(), NDArray[np.int64])
assert_type([row for row in query], list[int])
assert_type(query.first(), int | None)
assert_type(np.zeros(4)[query], NDArray[np.float64])
assert_type(np.asarray(query), NDArray[np.int64])
(zones, arrived), _ = index.watch_many([pq.Ball((1, 2), 3), (0, 0, 1, 1)], units).poll()
assert_type(zones, NDArray[np.int64])
entered, left = query.watch().poll()
assert_type(entered, NDArray[np.uint64])

offsets, found = index.windows([(0, 0, 9, 9)], predicate="contained_in", out="handles")
assert_type(offsets, NDArray[np.int64])
assert_type(found, NDArray[Any])
assert_type(index.neighbors(1), tuple[NDArray[np.int64], NDArray[np.int64]])
near, others, far = index.neighbors(1, distances=True)
assert_type(far, NDArray[np.float64] | NDArray[np.float32])
hit = index.cast((0, 0), (1, 1), skin=0.1)
hit = index.cast_ball((0, 0), 1, (1, 1), skin=0.1) or hit
assert_type(index.contacts().of(handle), NDArray[np.uint64])
if hit is not None:
    assert_type(hit.normal, tuple[float, ...])
try:
    index.remove_many([1, 2])
except pq.StaleHandleError as error:
    assert_type(error.handles, NDArray[np.uint64])

tree = KDTree([(1, 2), (3, 4)], boxsize=9)
assert_type(tree.insert([(5, 6)]), NDArray[np.int64])
assert_type(tree.query_ball_tree(tree, 2), list[list[int]])
assert_type(index.count_within_many([(1, 2)], 3), NDArray[np.int64])

index.windows([], predicate="near")  # type: ignore[arg-type]
query.row()  # type: ignore[attr-defined]
