"""Pictures: as many shapes in the axes as objects and cells in the index."""

import sys

import numpy as np
import pytest

import pyquadrille
from pyquadrille.plot import plot

matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
matplotlib.use("agg")


def index_of(dim: int) -> tuple[pyquadrille.Index, pyquadrille.Layer, pyquadrille.Layer]:
    index = pyquadrille.Index([0] * dim + [100] * dim)
    walls, units = index.add_boxes(), index.add_points()
    places = np.random.default_rng(1).integers(0, 90, (300, dim)).astype(float)
    index.insert_many(walls, np.hstack([places[:200], places[:200] + 5]))
    index.insert_many(units, places)
    return index, walls, units


@pytest.mark.parametrize("dim", [2, 3])
def test_objects_and_cells(dim: int) -> None:
    index, walls, units = index_of(dim)
    ax = plot(index)
    cells_of_walls, cells_of_units, boxes, points = ax.collections
    assert len(cells_of_walls.get_paths()) == len(index.cells(walls)) > 1
    assert len(cells_of_units.get_paths()) == len(index.cells(units)) > 1
    assert len(boxes.get_paths()) == 200 and len(points.get_offsets()) == 300
    assert tuple(boxes.get_edgecolor()[0]) != tuple(points.get_facecolor()[0])
    ax.figure.canvas.draw()


def test_some_layers_in_given_axes() -> None:
    index, walls, units = index_of(2)
    ax = matplotlib.figure.Figure().add_subplot()
    assert plot(index, ax, walls, cells=False) is ax
    assert plot(index, ax, [units], cells=False) is ax
    assert [type(drawn).__name__ for drawn in ax.collections] == ["PolyCollection", "PathCollection"]


def test_the_method_of_an_index() -> None:
    index, walls, _ = index_of(2)
    assert len(index.plot(layers=walls).collections) == 2


def test_an_empty_layer() -> None:
    index = pyquadrille.Index([0, 0, 1, 1])
    index.add_points()
    assert plot(index, cells=False).collections[:] == []


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "matplotlib.pyplot", raising=False)
    with pytest.raises(ImportError, match=r"pip install 'pyquadrille\[plot\]'.*'\.\[plot\]'"):
        plot(index_of(2)[0])
