from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias, final, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

_Rows: TypeAlias = NDArray[np.int64]
_Handles: TypeAlias = NDArray[np.uint64]
_Floats: TypeAlias = NDArray[np.float64] | NDArray[np.float32]

class _Geometry(Protocol):
    @property
    def __geo_interface__(self) -> Mapping[str, Any]: ...

_Region: TypeAlias = Region | _Geometry | Mapping[str, Any] | ArrayLike
_Among: TypeAlias = Layer | Layers | None
_Between: TypeAlias = tuple[Layer | Layers, Layer | Layers] | None
_Some: TypeAlias = int | ArrayLike | None
_Naming: TypeAlias = Literal["rows", "handles"]
_Predicate: TypeAlias = Literal["intersecting", "contained_in", "containing"]

__version__: str

class StaleHandleError(KeyError):
    """A handle names no object of the index: the object was removed, or never was.

    `handles` has all handles of the call that name none."""

    handles: _Handles

class Region:
    """A shape to search: `Ball`, `Segment`, `Polygon`, `Corridor`, `Cap` or `AnyOf`.

    A region is closed, so touching counts. It does not change, can be kept, pickled and used with any index of its
    number of dimensions. Where a region is asked for, a point (D numbers) or a box (2D numbers: the lower corner, then
    the upper one) will do as well, and so will a geometry of shapely, or whatever else has `__geo_interface__`: it is
    converted each time, so keep `AnyOf([geometry])`. For an index of float32 the coordinates of a region are rounded to float32."""

@final
class Ball(Region):
    """All points within `radius` of `center`: a disc in 2D, a ball in 3D.

    Raises ValueError for NaN, or a negative radius."""

    def __new__(cls, center: ArrayLike, radius: float) -> Ball: ...

@final
class Segment(Region):
    """All points of the straight line from one point to another. Raises ValueError for NaN."""

    def __new__(cls, start: ArrayLike, end: ArrayLike) -> Segment: ...

@final
class Polygon(Region):
    """All points within rings of corners, in 2D, of any number of corners and convex or not.

    `rings` are arrays (N, 2). A point is inside if the way out crosses the rings an odd number of times: a ring inside
    another one is a hole, a ring beside it is another part. The last corner may repeat the first. To build a polygon
    takes time in proportion to its corners, so keep it. Raises ValueError for fewer than 3 corners in a ring, and for
    coordinates that are not finite.

    >>> lake = Polygon([(0, 0), (9, 0), (9, 9), (0, 9)], [(4, 4), (5, 4), (5, 5)])  # with an island"""

    def __new__(cls, *rings: ArrayLike) -> Polygon: ...

@final
class Corridor(Region):
    """All points within `distance` of a line through points (N, D): a road and its shoulders.

    A box lies inside if it lies inside one straight part of it. Raises ValueError without points, for coordinates that
    are not finite, or a negative distance."""

    def __new__(cls, points: ArrayLike, distance: float) -> Corridor: ...

@final
class Cap(Region):
    """All places within `meters` of a place over the globe, in an index of degrees: (longitude, latitude).

    Along great circles of a sphere, across the antimeridian and over the poles, with and without `torus`. Its bounds have
    all longitudes. Raises ValueError for a place that is none, or a negative distance.

    >>> near_fiji = Cap((179.9, -17), 50_000)"""

    def __new__(cls, place: ArrayLike, meters: float) -> Cap: ...

@final
class AnyOf(Region):
    """All points that lie in any of several regions. A box lies inside if it lies inside one of them."""

    def __new__(cls, regions: Iterable[_Region]) -> AnyOf: ...

@final
class Layer:
    """A layer of an index, of points or of boxes. `Index.add_points` and `Index.add_boxes` make it.

    Layers combine to sets: `walls | units`, `~walls`. A layer is pickled with its index."""

    @property
    def index(self) -> Index: ...
    @property
    def number(self) -> int:
        """Its number in the index, from 0 to 63."""
    @property
    def holds_points(self) -> bool:
        """Whether it holds points; otherwise it holds boxes."""
    def __or__(self, other: Layer | Layers, /) -> Layers: ...
    def __invert__(self) -> Layers: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Layers:
    """A set of layers of one index. `walls | units` and `~walls` make it."""

    def __or__(self, other: Layer | Layers, /) -> Layers: ...
    def __and__(self, other: Layer | Layers, /) -> Layers: ...
    def __invert__(self) -> Layers: ...
    def __contains__(self, layer: Layer, /) -> bool: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Hit:
    """The object that a ray, or a moving box or ball, hits first."""

    @property
    def row(self) -> int:
        """Raises ValueError if several layers were asked."""
    @property
    def handle(self) -> int: ...
    @property
    def t(self) -> float:
        """The part of the direction, or of the motion, until the hit."""
    @property
    def normal(self) -> tuple[float, ...]:
        """The outward direction of the side that is hit: 1 or -1 on one axis, 0 on the others; for a ball, that to its center."""

@final
class Query:
    """A question, not yet asked: `Index.intersecting` and others make it. Each method asks it anew."""

    def rows(self) -> _Rows:
        """The rows of all objects of the answer, each once, in no specified order."""
    @overload
    def __array__(self, dtype: None = None, copy: bool | None = None) -> _Rows: ...
    @overload
    def __array__(self, dtype: np.dtype[Any], copy: bool | None = None) -> NDArray[Any]:
        """The rows, so that `places[query]` is `places[query.rows()]`."""
    def handles(self) -> _Handles:
        """The handles of all objects of the answer, in the order of `rows`."""
    def tolist(self) -> list[int]:
        """The rows as a list, which is faster than an array for a few."""
    def count(self) -> int:
        """The number of objects. Of what lies wholly inside the region only counters are read."""
    def exists(self) -> bool:
        """Whether there is an object. Stops at the first one."""
    def first(self) -> int | None:
        """The row of some object of the answer, or None. Stops at the first one."""
    def clusters(self, size: float) -> tuple[NDArray[np.int32], _Rows, _Floats, _Floats, _Rows]:
        """Groups the objects by square cells with sides of `size`, counted from the world's minimum corner.

        Returns for each cell with objects its numbers (K, D), how many they are (K,), the mean of their centers (K, D), their
        bounds (K, 2D), and the lowest of their rows (K,), which does not flicker. A border belongs to the cell above.
        Costs least if the longest side of the world is 1, 2, 4, 8 … sizes long. Raises ValueError for sizes that are not
        positive and finite, or below 2^-30 of the distance of an object."""
    def watch(self) -> Watch:
        """Remembers the answer from poll to poll."""
    def __len__(self) -> int:
        """As `count`."""
    def __bool__(self) -> bool:
        """As `exists`."""
    def __iter__(self) -> Iterator[int]:
        """Rows one by one, found when they are asked for.

        The index may be changed on the way. An object that matches all the time and is left alone comes exactly once;
        one that is moved may come again, or not at all. `set_world`, `fit_world` and `clear` without layers end the
        iteration with RuntimeError."""

@final
class Watch:
    """Tells which objects have entered an answer and which have left it. `Query.watch` makes it. It is pickled with its index."""

    def poll(self, moved: _Some = None) -> tuple[_Handles, _Handles]:
        """Asks the query again.

        Returns the handles of the objects that have entered since the last poll and of those that have left, removed
        ones included, each ascending. At the first poll all have entered. `moved` are the handles of all objects that were
        inserted, moved, removed or put into another layer since the last poll. Then only these are looked at."""
    def inside(self) -> _Handles:
        """The handles of the last answer, ascending."""

@final
class Watches:
    """Tells which objects have entered and which have left each of many regions. `Index.watch_many` makes it. It is pickled
    with its index."""

    def poll(self, moved: _Some = None) -> tuple[tuple[_Rows, _Handles], tuple[_Rows, _Handles]]:
        """Asks about all regions again.

        Returns who has entered since the last poll and who has left, each as the numbers of regions, (P,), ascending, and
        handles, (P,). At the first poll all have entered. `moved` are the handles of all objects that were inserted, moved,
        removed or put into another layer since the last poll. Then only these are looked at."""
    def inside(self) -> tuple[_Rows, _Handles]:
        """The handles of the last answers, in one list, and its offsets, as `windows` returns them."""

@final
class Markers:
    """Clusters by radius that keep their places and numbers from poll to poll: circles on a map. `Index.markers` makes it.

    A marker takes the objects within the radius of its center, by cells of a third of the radius. The markers of the last
    poll take first, each until the mean of what it takes is 0.6 of the radius away from that when it was new; then one
    around the fullest cell that is left, and so on. Means are more than 0.6 of the radius apart, and each object is in one
    marker. No other marker gets the number of one. The border of a periodic world parts markers."""

    def poll(self, view: ArrayLike) -> tuple[tuple[_Rows, _Rows, _Floats, _Floats, _Rows], _Rows, _Rows]:
        """Groups the objects again. Returns the markers whose means lie in a box `view`, and which markers have come and gone.

        The first are their numbers (K,), ascending, how many objects they have (K,), the means of the objects' centers
        (K, D), the bounds of these objects (K, 2D), and the lowest of their rows (K,). Those that are new are pairs (P, 2)
        with the one that each came from, those that are no more with the one that it has gone into; or with -1.

        Markers outside of the view are remembered, so it may move, or be one tile after another. Raises ValueError where a
        third of the radius is below 2^-30 of the distance of an object; the memory is then as it was."""

@final
class Contacts:
    """Which pairs have begun and which have ended. `Index.contacts` makes it. It is pickled with its index."""

    def poll(self, moved: _Some = None) -> tuple[_Handles, _Handles]:
        """Asks for the pairs again. Returns the handles of those that have begun, (P, 2), and of those that have ended.

        `moved` are the handles of all objects that were inserted, moved, removed or put into another layer since the
        last poll. Then only their pairs are looked at."""
    def pairs(self) -> _Handles:
        """The pairs of the last poll, (P, 2), ascending."""
    def of(self, handle: int) -> _Handles:
        """The handles of all that an object touched at the last poll, ascending: the way through an island."""

@final
class Index:
    """A spatial index for things that move: layers of points and boxes in 2D or 3D.

    `world` is a box (4 or 6 numbers: the lower corner, then the upper one) in which most objects will be. It sets the
    resolution and is no limit: objects outside are found like all others, but where most are outside, calls take longer.
    With None the world follows the objects as they are inserted and moved. `dim`, 2 or 3, is needed only without a
    world. `dtype` is that of coordinates inside: "float64" or "float32"; what is passed in is converted, what is
    returned has this type.
    `torus` says whether the world wraps around, on all axes or on each: (True, False). Then it needs a world, and takes
    places modulo its size. Distances between degrees of a globe need points in 3D instead: see the guide.

    Objects are named in two ways. A *handle* (an int, or uint64 in arrays) names one object of this index, and no later
    one; another index takes it for one of its own. A *row* (int64) is its place in arrays of yours beside its layer:
    `speed[index.intersecting(box, units).rows()]`. Each layer counts from 0. So rows of several layers at once raise
    ValueError: name one layer, or take handles. See `rows`.

    All intervals are closed: touching counts. An index may be used from several threads; a call waits for one that
    changes the index. Calls for many objects or questions let other Python threads run; do not write their arrays
    meanwhile. Ctrl-C ends batches, polls, pairs, and questions about regions that are neither box nor ball.

    Numbers of the wrong type raise TypeError; NaN, masked arrays, wrong shapes, corners in the wrong order and rows in
    place of handles raise ValueError, with the row; handles without an object raise StaleHandleError, which is a
    KeyError. An index is then as it was.

    >>> index = Index([0, 0, 100, 100])
    >>> units = index.add_points()
    >>> handles = index.insert_many(units, [(1, 2), (50, 50), (3, 4)])
    >>> index.intersecting([0, 0, 10, 10]).tolist()
    [0, 2]"""

    def __new__(
        cls, world: ArrayLike | None = None, *, dim: int | None = None,
        dtype: str | type[np.floating[Any]] | np.dtype[Any] = "float64", torus: bool | Sequence[bool] = False
    ) -> Index: ...

    # The index as a whole.

    @property
    def dim(self) -> int:
        """The number of dimensions D: 2 or 3."""
    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of coordinates: float64 or float32."""
    @property
    def torus(self) -> tuple[bool, ...]:
        """On which axes the world wraps around."""
    @property
    def world(self) -> _Floats:
        """The world: (2D,)."""
    def capacity(self, layer: _Among = None) -> int:
        """The length that arrays by the rows of a layer must have: one more than the largest row so far.

        Raises ValueError without a layer, if there are several."""
    def set_world(self, world: ArrayLike) -> None:
        """Files all objects anew in another world, O(n). Handles and rows stay. A periodic world cannot be changed."""
    def fit_world(self) -> None:
        """Sets the world to the bounds of all objects, O(n). Raises ValueError if they lie in one point."""
    def bounds(self, layers: _Among = None) -> _Floats | None:
        """The smallest box around the objects of some layers, (2D,); None without objects."""
    def optimize(self) -> None:
        """Builds all anew, O(n log n): for use after many single insertions."""
    def clear(self, layers: _Among = None) -> None:
        """Removes all objects, or those of some layers."""
    def count(self, layers: _Among = None) -> int:
        """The number of objects of some layers, O(1)."""
    def __len__(self) -> int: ...
    def __contains__(self, handle: int, /) -> bool:
        """Whether the handle names an object. Raises ValueError for a row."""
    def __copy__(self) -> Index:
        """An index of its own with the same objects, handles and layers, O(n)."""
    def __deepcopy__(self, memo: Any) -> Index: ...

    # Layers.

    def add_points(self) -> Layer:
        """Adds a layer of points. Raises ValueError beyond 64 layers."""
    def add_boxes(self) -> Layer:
        """Adds a layer of boxes, of sizes as mixed as you like. Raises ValueError beyond 64 layers."""
    def layers(self) -> list[Layer]:
        """All layers, by number. Layers of a copied or unpickled index are found here."""
    def remove_layer(self, layer: Layer) -> int:
        """Removes a layer with all of its objects. Returns how many these were."""

    # Objects.

    def insert(self, layer: Layer, shape: ArrayLike) -> int:
        """Adds one object, a point (D,) or a box (2D,), as the layer holds. Returns its handle."""
    def insert_many(self, layer: Layer, shapes: ArrayLike) -> _Handles:
        """Adds points (N, D) or boxes (N, 2D), all or none. Returns their handles, (N,).

        Builds the layer anew if it holds no more than these: faster than one by one, and better laid out."""
    def insert_geometries(self, layer: Layer, geometries: Sequence[Any] | NDArray[Any]) -> _Handles:
        """Adds the bounds of geometries of shapely, such as a column of GeoPandas, or points to a layer of points: all or
        none. Returns their handles, (N,).

        Whether a geometry itself meets a region, ask shapely about the rows that are found. Raises ValueError for a
        geometry that is empty or missing."""
    def order_of(self, shapes: ArrayLike) -> _Rows:
        """The order of points (N, D) or boxes (N, 2D) in space: the numbers of their rows, (N,).

        Of objects that are inserted in this order, neighbours in space have neighbouring rows, so answers read your arrays
        nearly in order. Sort all your arrays by it before you insert many objects."""
    def move(self, handle: int, shape: ArrayLike) -> None:
        """Gives an object another place: a point (D,) or a box (2D,). O(1) for a short way."""
    def move_many(self, handles: ArrayLike, shapes: ArrayLike, *, strict: bool = True) -> _Handles:
        """Gives many objects other places: (N,) and (N, D) or (N, 2D). Fastest in the order of handles.

        If `strict`, moves all or none: raises StaleHandleError, or ValueError for what is not finite or of the wrong
        kind for its layer. Otherwise moves all that it can, and returns the handles of the others, also 0 for no object."""
    def remove(self, handle: int) -> None:
        """Removes one object."""
    def remove_many(self, handles: ArrayLike, *, strict: bool = True) -> int:
        """Removes many objects. Returns how many. If `strict`, removes none if some are gone, which raises StaleHandleError, or
        come twice: ValueError."""
    def set_layer(self, handles: int | ArrayLike, layer: Layer) -> None:
        """Puts objects into another layer of the same kind, all or none. Handles stay, rows are those of the new layer."""
    def shape(self, handle: int) -> _Floats:
        """The place of an object: a box (2D,), for a point with equal corners."""
    def layer(self, handle: int) -> Layer:
        """The layer of an object."""
    def shapes(self, rows: ArrayLike, layer: _Among = None) -> _Floats:
        """The places of the objects in some rows of a layer, as boxes: (N, 2D). NaN in rows without an object.

        Raises IndexError for rows below 0, or not below `capacity`; ValueError without a layer, if there are several."""
    @overload
    def handles(self, rows: int, layer: _Among = None) -> int: ...
    @overload
    def handles(self, rows: ArrayLike | None = None, layer: _Among = None) -> _Handles:
        """The handles of the objects in some rows of a layer, (N,), or in one, or in all from 0 to `capacity`. 0 names no object.

        Raises IndexError for rows below 0, or not below `capacity`; ValueError without a layer, if there are several."""
    @overload
    def rows(self, handles: int) -> int: ...
    @overload
    def rows(self, handles: ArrayLike) -> _Rows:
        """The rows of handles of one layer, or of one handle: numbers from 0 for arrays beside that layer.

        No two objects that live in a layer at the same time have the same row. As long as nothing is removed, the objects of a
        layer get the rows 0, 1, 2 … in the order in which they come into it; later ones take the rows of removed ones first.
        Raises StaleHandleError for objects that are gone, and ValueError for those of several layers."""

    # Lazy queries: nothing happens until an answer is asked for.

    def intersecting(self, region: _Region, layers: _Among = None, *, excluding: _Some = None) -> Query:
        """The objects that share a point with a region, a box (2D,) or a point (D,), but for those with handles in
        `excluding`."""
    def contained_in(self, region: _Region, layers: _Among = None, *, excluding: _Some = None) -> Query:
        """The objects that lie wholly inside a region."""
    def containing(self, region: _Region, layers: _Among = None, *, excluding: _Some = None) -> Query:
        """The objects that contain all of a region, or of its bounds if it is no box."""
    def within_distance(
        self, point: ArrayLike, distance: float, layers: _Among = None, *, excluding: _Some = None
    ) -> Query:
        """The objects at most `distance` from a point (D,): those that intersect a `Ball`."""

    def watch_many(self, regions: Iterable[_Region], layers: _Among = None) -> Watches:
        """Remembers which objects intersect each of many regions, from poll to poll: geofences."""

    def markers(self, radius: float, layers: _Among = None) -> Markers:
        """Remembers clusters of objects by `radius`, for circles on a map: one memory for each zoom. Rows are those of one layer."""

    # First hits.

    def nearest(
        self, target: ArrayLike, k: int = 1, layers: _Among = None, *, within: float | None = None,
        ties: bool = False, excluding: _Some = None, out: _Naming = "rows"
    ) -> tuple[NDArray[Any], _Floats]:
        """The `k` objects nearest to a point (D,) or a box (2D,), and their distances, ascending. Fewer if there are
        not as many.

        Only those at most `within` away. With `ties`, also all that are as far as the last one."""
    def raycast(
        self, origin: ArrayLike, direction: ArrayLike, layers: _Among = None, *, until: float | None = None,
        excluding: _Some = None
    ) -> Hit | None:
        """The first object on the ray of the points `origin + t * direction`, with 0 <= t <= `until`. A hit at the
        start is at 0.

        In a periodic world a ray without an end ends four worlds away. A direction may have any length: an infinite
        coordinate counts as the largest number."""
    def cast(
        self, box: ArrayLike, motion: ArrayLike, layers: _Among = None, *, skin: float | None = None,
        excluding: _Some = None
    ) -> Hit | None:
        """The first object that a box (2D,) or a point (D,) touches on its way by `motion`, with 0 <= t <= 1. An infinite
        coordinate of the motion counts as the largest number.

        With a `skin`, only objects that block the way count: not those that the box touches and moves along or away
        from; and `t` is when it comes that close to the object. So a box that moves by `t * motion` stays out of it."""
    def cast_ball(
        self, center: ArrayLike, radius: float, motion: ArrayLike, layers: _Among = None, *,
        skin: float | None = None, excluding: _Some = None
    ) -> Hit | None:
        """The same for a ball, which passes corners that its box would touch, and rolls around them."""

    # Many questions at once. Other Python threads run meanwhile.

    def windows(
        self, boxes: ArrayLike, layers: _Among = None, *, predicate: _Predicate = "intersecting",
        excluding: _Some = None, out: _Naming = "rows"
    ) -> tuple[_Rows, NDArray[Any]]:
        """For each of M boxes (M, 2D) or points (M, D), the objects that it meets, as `intersecting` does.

        Returns offsets (M + 1,) and rows (K,) in one list (CSR): the answer to question n is
        `rows[offsets[n]:offsets[n+1]]`.
        `excluding` is one handle, or one for each question, (M,), where 0 is no row but excludes nothing."""
    def count_windows(
        self, boxes: ArrayLike, layers: _Among = None, *, predicate: _Predicate = "intersecting",
        excluding: _Some = None
    ) -> _Rows:
        """The number of objects for each of M boxes, (M,)."""
    def within_many(
        self, points: ArrayLike, distance: float | ArrayLike, layers: _Among = None, *, excluding: _Some = None,
        out: _Naming = "rows"
    ) -> tuple[_Rows, NDArray[Any]]:
        """For each of M points (M, D), the objects at most `distance` away: one distance, or (M,). Returns CSR as
        `windows`."""
    def count_within_many(
        self, points: ArrayLike, distance: float | ArrayLike, layers: _Among = None, *, excluding: _Some = None
    ) -> _Rows:
        """The number of objects at most `distance` away, for each of M points: (M,)."""
    def nearest_many(
        self, targets: ArrayLike, k: int = 1, layers: _Among = None, *, within: float | None = None,
        excluding: _Some = None, out: _Naming = "rows"
    ) -> tuple[NDArray[Any], _Floats]:
        """For each of M points (M, D) or boxes (M, 2D), the `k` nearest objects: rows (M, k) and distances (M, k).

        Where there are fewer, rows are -1 (handles 0) and distances infinite."""
    def raycast_many(
        self, origins: ArrayLike, directions: ArrayLike, layers: _Among = None, *, until: float | None = None,
        excluding: _Some = None, out: _Naming = "rows"
    ) -> tuple[NDArray[Any], _Floats, _Floats]:
        """For each of M rays (M, D), (M, D), what `raycast` finds: rows (M,), t (M,), normals (M, D).

        Without a hit the row is -1 (the handle 0), t infinite and the normal 0."""
    def cast_many(
        self, boxes: ArrayLike, motions: ArrayLike, layers: _Among = None, *, skin: float | None = None,
        excluding: _Some = None, out: _Naming = "rows"
    ) -> tuple[NDArray[Any], _Floats, _Floats]:
        """For each of M moving boxes, (M, 2D) or (M, D), and motions (M, D), what `cast` finds, as `raycast_many`
        returns it."""
    def cast_ball_many(
        self, centers: ArrayLike, radius: float | ArrayLike, motions: ArrayLike, layers: _Among = None, *,
        skin: float | None = None, excluding: _Some = None, out: _Naming = "rows"
    ) -> tuple[NDArray[Any], _Floats, _Floats]:
        """For each of M moving balls, (M, D) and one radius or (M,), and motions (M, D), what `cast_ball` finds, as
        `raycast_many` returns it."""

    # Pairs. Other Python threads run meanwhile.

    def pairs(
        self, within: float | None = None, layers: _Among = None, *, between: _Between = None,
        of: ArrayLike | None = None, threads: bool = False, out: _Naming = "rows"
    ) -> NDArray[Any]:
        """All pairs of objects that touch, or are at most `within` apart: (P, 2), each pair once.

        `between` two sets of layers: the first of each pair is in the first one. `of` are handles: then only pairs
        with at least one of these; removed objects have none. With `threads` on all processors."""
    @overload
    def neighbors(
        self, within: float, layers: _Among = None, *, distances: Literal[False] = False, threads: bool = False
    ) -> tuple[_Rows, _Rows]: ...
    @overload
    def neighbors(
        self, within: float, layers: _Among = None, *, distances: Literal[True], threads: bool = False
    ) -> tuple[_Rows, _Rows, _Floats]:
        """For each row the rows of all objects at most `within` apart, itself left out.

        Returns offsets (capacity + 1,) and rows (K,) as `windows` does; with `distances`, also how far these are, (K,).
        Faster than asking for each point."""
    def join(
        self, other: Index, within: float | None = None, *, between: _Between = None, out: _Naming = "rows"
    ) -> NDArray[Any]:
        """All pairs of an object here and one in another index that touch, or are at most `within` apart: (P, 2).

        `between` are layers here and layers there. Both must have the same dimensions and dtype. Both
        wrap around in the same world, or neither does."""
    def contacts(self, within: float | None = None, layers: _Among = None, *, between: _Between = None) -> Contacts:
        """Remembers which objects touch, or are at most `within` apart, from poll to poll."""

    # Of a periodic world.

    def wrap(self, points: ArrayLike) -> _Floats:
        """Points (N, D), or one (D,), taken modulo the size of the world on the axes that wrap around."""
    def displacement(self, start: ArrayLike, end: ArrayLike) -> _Floats:
        """The shortest vectors from points to points, (N, D) or (D,), across the border of the world where that is
        shorter."""

    # Pictures.

    def cells(self, layer: Layer) -> _Floats:
        """The cells of the layer's tree, as boxes (N, 2D), to draw them."""
    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draws objects and cells by matplotlib: see `pyquadrille.plot.plot`. Returns the axes."""
