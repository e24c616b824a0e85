"""Pictures of an index, by matplotlib."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection

    from pyquadrille import Index, Layer

__all__ = ["plot"]


def plot(
    index: Index, ax: Axes | None = None, layers: Layer | Iterable[Layer] | None = None, *, cells: bool = True
) -> Axes:
    """Draws the objects of an index, a colour for each layer, and in grey the cells of the trees that hold them.

    ``layers`` are all unless some are given. In 3D the picture is seen from above. Draws into ``ax``, or new axes, and returns
    them. Raises ImportError without matplotlib. Up to some 100 000 objects take seconds.

    >>> ax = plot(index, layers=[walls, units])
    >>> ax.figure.savefig("index.png")
    """
    if ax is None:
        ax = _new_axes()
    chosen = _chosen(index, layers)
    if cells:
        for layer in chosen:
            grid = _rectangles(index.cells(layer), facecolors="none", edgecolors="0.8", linewidths=0.5, zorder=0)
            # The objects set the view: cells of objects outside the world are huge.
            ax.add_collection(grid, autolim=False)
    for layer in chosen:
        _draw_layer(index, layer, ax)
    ax.set_aspect("equal")
    ax.autoscale_view()
    return ax


def _new_axes() -> Axes:
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(
            "pictures need matplotlib: pip install 'pyquadrille[plot]', or in a clone of the repository pip install '.[plot]'"
        ) from error
    return pyplot.figure(layout="constrained").add_subplot()


def _chosen(index: Index, layers: Layer | Iterable[Layer] | None) -> list[Layer]:
    if layers is None:
        return index.layers()
    return list(layers) if isinstance(layers, Iterable) else [layers]


def _draw_layer(index: Index, layer: Layer, ax: Axes) -> None:
    # The same layer has the same colour, whichever are drawn.
    colour = f"C{layer.number % 10}"
    bounds = index.bounds(layer)
    if bounds is None:
        return
    shapes = index.shapes(index.intersecting(bounds, layer).rows(), layer)
    if layer.holds_points:
        # Smaller the more there are, but never too small to see.
        size = np.clip(5e3 / len(shapes), 0.3, 12)
        ax.scatter(shapes[:, 0], shapes[:, 1], s=size, color=colour, linewidths=0)
    else:
        ax.add_collection(_rectangles(shapes, facecolors=(colour, 0.25), edgecolors=colour, linewidths=0.7))


def _rectangles(boxes: NDArray[Any], **style: Any) -> PolyCollection:
    """Boxes (N, 2D), seen from above."""
    from matplotlib.collections import PolyCollection

    dim = boxes.shape[1] // 2
    left, bottom, right, top = (boxes[:, column] for column in (0, 1, dim, dim + 1))
    corners = [(left, bottom), (right, bottom), (right, top), (left, top)]
    rectangles: Any = np.array(corners).transpose(2, 0, 1)
    return PolyCollection(rectangles, **style)
