//! Buckets: the shapes and handles of up to 64 entries, in one layout for points and boxes. Independent of nodes and
//! chains.
//!
//! Keeps its part of T9 of `docs/invariants.md`: vacant positions.

mod compare;

use core::{array, iter};

use crate::geometry::{LANES, Lanes, Rect, Scalar, Simd, SimdBase, level, with_vectors};
use crate::grid::{Cut, Interior};
use crate::key::{Handle, Kind};
use crate::prefetch::prefetch;

pub(crate) use compare::{rows_of, rows_with};

/// The number of entries that a bucket can hold: one for each bit of a mask of hits.
pub(crate) const BUCKET_SLOTS: usize = 64;

/// The number of rows in a bucket. The `LANES` entries of a row are compared at once.
const ROWS: usize = BUCKET_SLOTS / LANES;

/// The shapes and handles of up to 64 entries.
///
/// A shape has `ENDS` coordinates on each axis: a point one, a box its minimum and its maximum. In a row, the same
/// coordinate of all its entries lies side by side.
///
/// A vacant position has NaN as its first coordinate, so no test of a shape hits it.
#[derive(Clone, Debug)]
#[repr(align(64))] // a cache line
pub(crate) struct Bucket<S, const D: usize, const ENDS: usize> {
    rows: [[[[S; LANES]; ENDS]; D]; ROWS],
    handles: [Handle; BUCKET_SLOTS],
}

pub(crate) type PointBucket<S, const D: usize> = Bucket<S, D, 1>;
pub(crate) type RectBucket<S, const D: usize> = Bucket<S, D, 2>;

/// The data form of an entry: a number that identifies its handle, and its shape.
#[cfg(feature = "serde")]
pub(crate) type SavedEntry<S, const D: usize, const ENDS: usize> = (u32, crate::geometry::ExactRect<S, D, ENDS>);

/// Something of points or of boxes.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum OfKind<P, R> {
    Points(P),
    Rects(R),
}

/// Evaluates an expression for what is in an [`OfKind`]: `with_kind!(bucket, |bucket| …)`. Loops over entries belong inside,
/// so that the kind is chosen once.
macro_rules! with_kind {
    ($of_kind:expr, |$content:pat_param| $body:expr) => {
        match $of_kind {
            $crate::tree::OfKind::Points($content) => $body,
            $crate::tree::OfKind::Rects($content) => $body,
        }
    };
}
pub(crate) use with_kind;

/// As [`with_kind!`], for an expression that is something of the same kind.
macro_rules! map_kind {
    ($of_kind:expr, |$content:pat_param| $body:expr) => {
        match $of_kind {
            $crate::tree::OfKind::Points($content) => $crate::tree::OfKind::Points($body),
            $crate::tree::OfKind::Rects($content) => $crate::tree::OfKind::Rects($body),
        }
    };
}
pub(crate) use map_kind;

/// A bucket of either kind.
pub(crate) type BucketRef<'a, S, const D: usize> = OfKind<&'a PointBucket<S, D>, &'a RectBucket<S, D>>;
pub(crate) type BucketMut<'a, S, const D: usize> = OfKind<&'a mut PointBucket<S, D>, &'a mut RectBucket<S, D>>;

impl<P, R> OfKind<P, R> {
    #[inline]
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::Points(_) => Kind::Points,
            Self::Rects(_) => Kind::Rects,
        }
    }
}

impl<S, const D: usize> BucketMut<'_, S, D> {
    /// The same bucket, lent on.
    #[inline]
    pub(super) fn again(&mut self) -> BucketMut<'_, S, D> {
        map_kind!(self, |bucket| bucket)
    }
}

impl<'a, S: Scalar, const D: usize> BucketRef<'a, S, D> {
    /// The handles by position. Meaningless where there is no entry.
    #[inline]
    pub(crate) fn handles(self) -> &'a [Handle; BUCKET_SLOTS] {
        with_kind!(self, |bucket| &bucket.handles)
    }

    #[inline]
    pub(crate) fn shape(self, position: u8) -> Rect<S, D> {
        with_kind!(self, |bucket| bucket.shape(position))
    }
}

/// The row of a position, and the lane in it. The remainder shows the compiler that they are in range.
#[inline]
fn lane_of(position: u8) -> (usize, usize) {
    (usize::from(position) % BUCKET_SLOTS / LANES, usize::from(position) % LANES)
}

impl<S: Scalar, const D: usize, const ENDS: usize> Bucket<S, D, ENDS> {
    /// Whether the shapes are points.
    pub(crate) const IS_POINTS: bool = ENDS == 1;

    pub(crate) fn vacant() -> Self {
        Self { rows: [[[[S::NAN; LANES]; ENDS]; D]; ROWS], handles: [Handle::default(); BUCKET_SLOTS] }
    }

    #[inline]
    pub(crate) fn handle(&self, position: u8) -> Handle {
        self.handles[usize::from(position) % BUCKET_SLOTS]
    }

    /// Of all positions: those without an entry have one that was there, or none.
    #[inline]
    pub(super) fn handles(&self) -> &[Handle] {
        &self.handles
    }

    #[inline]
    pub(crate) fn shape(&self, position: u8) -> Rect<S, D> {
        let (row, lane) = lane_of(position);
        let corner = |end: usize| array::from_fn(|axis| self.rows[row][axis][end][lane]);
        Rect::ordered(corner(0), corner(ENDS - 1))
    }

    #[inline]
    pub(crate) fn set_shape(&mut self, position: u8, shape: &Rect<S, D>) {
        let (row, lane) = lane_of(position);
        for axis in 0..D {
            let ends = &mut self.rows[row][axis];
            ends[0][lane] = shape.min()[axis];
            if !Self::IS_POINTS {
                ends[ENDS - 1][lane] = shape.max()[axis];
            }
        }
    }

    #[inline]
    pub(crate) fn set_handle(&mut self, position: u8, handle: Handle) {
        self.handles[usize::from(position) % BUCKET_SLOTS] = handle;
    }

    /// Stores an entry at a position.
    #[inline]
    pub(crate) fn set(&mut self, position: u8, shape: &Rect<S, D>, handle: Handle) {
        self.set_shape(position, shape);
        self.set_handle(position, handle);
    }

    /// Marks a position as vacant, so that no test hits it.
    pub(super) fn vacate(&mut self, position: u8) {
        let (row, lane) = lane_of(position);
        self.rows[row][0][0][lane] = S::NAN;
    }

    /// Takes a shape out, and marks its position as vacant.
    #[inline]
    pub(super) fn take(&mut self, position: u8) -> Rect<S, D> {
        let shape = self.shape(position);
        self.vacate(position);
        shape
    }

    /// Asks for new shapes of the entries at some positions, and stores those inside. Stops at the first one outside:
    /// returns its position and its new shape. Takes all positions that it has asked for out of `left`.
    #[inline(always)]
    pub(super) fn update(
        &mut self,
        left: &mut u64,
        interior: &Interior<S, D>,
        shape_of: &mut impl FnMut(Handle, Rect<S, D>) -> Rect<S, D>,
    ) -> Option<(u8, Rect<S, D>)> {
        while *left != 0 {
            let position = left.trailing_zeros() as u8;
            *left &= *left - 1;
            let shape = shape_of(self.handle(position), self.shape(position));
            let is_inside = if Self::IS_POINTS { interior.has_point(shape.min()) } else { interior.has(&shape) };
            if !is_inside {
                return Some((position, shape));
            }
            self.set_shape(position, &shape);
        }
        None
    }

    #[inline]
    pub(super) fn prefetch_shape(&self, position: u8) {
        prefetch(self.rows[lane_of(position).0].as_flattened());
    }

    #[inline]
    pub(super) fn prefetch_shapes(&self) {
        prefetch(self.rows.as_flattened().as_flattened());
    }

    #[inline]
    pub(super) fn prefetch_handles(&self) {
        prefetch(&self.handles);
    }

    /// The positions whose anchors come after a cut, as bits. Meaningless where there is no entry.
    #[inline(never)]
    pub(super) fn after(&self, cut: Cut<S>) -> u64 {
        with_vectors!(level(), |simd| {
            let mut after = 0;
            for (number, row) in self.rows.iter().enumerate() {
                after |= cut.after(simd, row[cut.axis][0]) << (number * LANES);
            }
            after
        })
    }

    /// The minima and maxima on each axis of the entries of a row, as they lie there.
    #[inline(always)]
    pub(crate) fn ends(&self, row: usize) -> [[&[S; LANES]; 2]; D] {
        self.rows[row].each_ref().map(|ends| [&ends[0], &ends[ENDS - 1]])
    }

    /// The same, loaded.
    #[inline(always)]
    pub(crate) fn row<V: Simd>(&self, simd: V, row: usize) -> [[Lanes<V, S>; 2]; D] {
        let mut shapes = [[S::Lanes::splat(simd, S::NAN); 2]; D];
        for (shape, ends) in shapes.iter_mut().zip(&self.rows[row]) {
            *shape = [S::Lanes::load_array(simd, ends[0]), S::Lanes::load_array(simd, ends[ENDS - 1])];
        }
        shapes
    }
}

/// Bytes of a bucket.
pub(crate) fn bucket_bytes<S, const D: usize>(kind: Kind) -> usize {
    match kind {
        Kind::Points => size_of::<PointBucket<S, D>>(),
        Kind::Rects => size_of::<RectBucket<S, D>>(),
    }
}

/// The positions whose bits are set, lowest first.
#[inline]
pub(crate) fn positions(mut bits: u64) -> impl Iterator<Item = u8> + Clone {
    iter::from_fn(move || {
        let position = bits.trailing_zeros() as u8;
        (bits != 0).then(|| {
            bits &= bits - 1;
            position
        })
    })
}
