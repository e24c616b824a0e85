"""A spatial index for things that move: points and boxes, in 2D and 3D, with numpy arrays in and out."""

from ._core import (
    AnyOf, Ball, Cap, Contacts, Corridor, Hit, Index, Layer, Layers, Markers, Polygon, Query, Region, Segment,
    StaleHandleError, Watch, Watches, __version__
)

__all__ = [
    "AnyOf", "Ball", "Cap", "Contacts", "Corridor", "Hit", "Index", "Layer", "Layers", "Markers", "Polygon", "Query",
    "Region", "Segment", "StaleHandleError", "Watch", "Watches", "__version__"
]
