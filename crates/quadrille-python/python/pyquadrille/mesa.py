"""A continuous space for mesa (3.3, 3.5 and 4.0) that asks an index instead of comparing with every agent.

Models change one import: ``from mesa.experimental.continuous_space import ContinuousSpace`` becomes ``from pyquadrille.mesa
import ContinuousSpace``. Agents stay mesa's own.
"""

# mesa and scipy come without types, or are not there.
# mypy: disable-error-code="import-not-found,import-untyped,misc,no-any-return"

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
from mesa.experimental import continuous_space
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist

import pyquadrille
from pyquadrille.kdtree import _padded

__all__ = ["ContinuousSpace"]

# numpy compares a point with fewer agents sooner than it can be called for a few of them.
FEW = 300


class ContinuousSpace(continuous_space.ContinuousSpace):
    """mesa's ContinuousSpace in 2 or 3 dimensions, with the same answers in the same order.

    ``get_agents_in_radius`` costs as much as there are agents near by. Before each question all positions are compared with
    those of the last one, so every way to write them counts: ``agent.position = p``, ``agent.position[0] += 1``,
    ``space.agent_positions += v``. That costs 0.5 ns an agent. Agents whose position is NaN are nowhere.

    ``get_k_nearest_agents`` yields the nearest first, of equally near ones the first in ``active_agents``, and all agents if
    there are no more than ``k``. (mesa's own order is arbitrary, and it raises ValueError without more than ``k``.)
    """

    def __init__(
        self, dimensions: ArrayLike, torus: bool = False, random: Random | None = None, n_agents: int = 100
    ) -> None:
        super().__init__(dimensions, torus=torus, random=random, n_agents=n_agents)
        if self.ndims not in (2, 3):
            raise ValueError(f"a space of 2 or 3 dimensions, not {self.ndims}")
        # More than rounding moves a distance by.
        self._slack = 1e-12 * float(np.abs(self.dimensions).max() + self.size.max())
        self._index = pyquadrille.Index(self.dimensions.T.astype(float).ravel(), torus=torus)
        self._layer = self._index.add_points()
        # The state that the index has: the number of agents, and for each row of `_agent_positions` the position, NaN for
        # none, and the handle, 0 for none.
        self._count = 0
        self._known = np.full((0, self.ndims), np.nan)
        self._handles = np.zeros(0, np.uint64)
        # For each row of the index, that of `_agent_positions`.
        self._agent_rows = np.zeros(0, np.int64)

    def get_agents_in_radius(self, point: ArrayLike, radius: float = 1) -> tuple[list[Any], NDArray[np.float64]]:
        """The agents at most ``radius`` from a point, and their distances."""
        if self._n_agents < FEW:
            return super().get_agents_in_radius(point, radius)
        rows, distances = self._near(np.asanyarray(point), radius)
        return self._agents(rows), distances

    def get_k_nearest_agents(self, point: ArrayLike, k: int = 1) -> tuple[list[Any], NDArray[np.float64]]:
        """The ``k`` nearest agents, and their distances."""
        point = np.asanyarray(point)
        self._sync()
        _, distances = self._index.nearest(point, k)
        if len(distances) == 0:
            return [], np.zeros(0)
        rows, distances = self._near(point, distances[-1] + self._slack)
        order = np.argsort(distances, kind="stable")[:k]
        return self._agents(rows[order]), distances[order]

    def _agents(self, rows: NDArray[np.int64]) -> list[Any]:
        agents = self.active_agents
        return [agents[row] for row in rows.tolist()]

    def _near(self, point: NDArray[Any], radius: float) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The rows of all agents at most ``radius`` away, ascending, and their distances."""
        self._sync()
        if not radius >= 0:
            return np.zeros(0, np.int64), np.zeros(0)
        found = self._index.within_distance(point, radius + self._slack).rows()
        rows = np.sort(self._agent_rows[found])
        distances = self._distances(point, rows)
        # The index has been asked for a little more than mesa's own formula lets pass.
        inside = distances <= radius
        return (rows, distances) if inside.all() else (rows[inside], distances[inside])

    def _distances(self, point: NDArray[Any], rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """As mesa rounds them."""
        positions = self._agent_positions[rows]
        if not self.torus:
            return cdist(point[np.newaxis], positions)[0]
        delta = np.abs(point - positions)
        squares = np.minimum(delta, self.size - delta) ** 2
        return np.sqrt(sum(squares.T[1:], start=squares[:, 0]))

    def _sync(self) -> None:
        """Brings the index up to date with whatever has been written to the positions."""
        before, count = self._count, self._n_agents
        self._count = count
        self._known = _padded(self._known, count, np.nan)
        self._handles = _padded(self._handles, count, 0)
        if count < before:
            self._remove(np.arange(count, before))
        # As bits, so that NaN equals itself.
        now, known = self._agent_positions[:count].view(np.int64), self._known[:count].view(np.int64)
        (differs,) = (now != known).ravel().nonzero()
        if len(differs):
            # A row comes once for each coordinate that differs.
            self._update(differs // self.ndims)

    def _update(self, rows: NDArray[np.int64]) -> None:
        """Takes over the positions of some rows."""
        places = self._agent_positions[rows]
        self._known[rows] = places
        refused = self._index.move_many(self._handles[rows], places, strict=False)
        if len(refused):
            rows = np.unique(rows)
            is_placed = np.isfinite(self._agent_positions[rows]).all(axis=1)
            is_known = self._handles[rows] != 0
            self._remove(rows[is_known & ~is_placed])
            self._insert(rows[~is_known & is_placed])

    def _insert(self, rows: NDArray[np.int64]) -> None:
        handles = self._index.insert_many(self._layer, self._agent_positions[rows])
        self._handles[rows] = handles
        self._agent_rows = _padded(self._agent_rows, self._index.capacity(), 0)
        self._agent_rows[self._index.rows(handles)] = rows

    def _remove(self, rows: NDArray[np.int64]) -> None:
        handles = self._handles[rows]
        self._index.remove_many(handles[handles != 0])
        self._handles[rows] = 0
        self._known[rows] = np.nan
