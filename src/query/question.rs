//! A predicate with its region and the objects that are left out: the test that a walk applies to units and squares, and
//! a query to the objects of a bucket.
//!
//! Keeps invariants Q2 and Q7 of `docs/invariants.md`.

use core::marker::PhantomData;

use crate::geometry::{Ball, LANES, Rect, Region, Scalar, Simd, SimdMask, splat};
use crate::grid::{Grid, UnitRange};
use crate::key::{BucketId, Excluded, Place};
use crate::tree::{Arena, BUCKET_SLOTS, Bucket, Probe, positions, with_kind};

use super::relation::{Predicate, Shape, Square};

/// A predicate, its region, and what is left out.
#[derive(Clone)]
pub(crate) struct Question<P, R, S, const D: usize> {
    predicate: PhantomData<P>,
    region: R,
    bounds: Rect<S, D>,
    /// The units of the bounds in the main grid.
    units: UnitRange<D>,
    /// The places of the excluded objects.
    pub(crate) excluded: Excluded<Place>,
}

impl<P, R, S, const D: usize> Question<P, R, S, D> {
    pub(crate) fn region(&self) -> &R {
        &self.region
    }
}

impl<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize> Question<P, R, S, D> {
    /// Whether the region's shape must be tested, not just its bounds.
    const SHAPED: bool = !R::IS_BOX;

    #[inline]
    pub(crate) fn new(grid: &Grid<S, D>, region: R) -> Self {
        let bounds = Self::bounds_of(&region);
        Self { predicate: PhantomData, region, bounds, units: grid.range(&bounds), excluded: Excluded::none() }
    }

    #[inline]
    fn bounds_of(region: &R) -> Rect<S, D> {
        region.as_ball().get().map_or_else(|| region.bounds(), Ball::surroundings)
    }

    /// A question without units until it is [located](Self::locate).
    #[cfg(feature = "serde")]
    pub(crate) fn unlocated(region: R) -> Self {
        let (bounds, units) = (Self::bounds_of(&region), UnitRange::nowhere());
        Self { predicate: PhantomData, region, bounds, units, excluded: Excluded::none() }
    }

    /// Finds the units of a question that was made without a grid.
    #[cfg(feature = "serde")]
    pub(crate) fn locate(&mut self, grid: &Grid<S, D>) {
        if self.units.max[0] < self.units.min[0] {
            self.units = grid.range(&self.bounds);
        }
    }

    /// Whether the region has a NaN, and so meets nothing.
    pub(crate) fn is_nowhere(&self) -> bool {
        self.bounds.is_empty()
    }

    /// The question as a probe for a walk through a tree over a grid.
    #[inline]
    pub(crate) fn over<'a>(&'a self, grid: &'a Grid<S, D>) -> QuestionProbe<'a, P, R, S, D> {
        let units = if grid.is_main() { self.units.by_number() } else { self.units_over(grid) };
        QuestionProbe { question: self, grid, units }
    }

    #[cold]
    #[inline(never)]
    fn units_over(&self, grid: &Grid<S, D>) -> UnitRange<D> {
        grid.range(&self.bounds)
    }

    #[inline]
    fn shape(&self) -> Shape<'_, R, S, D> {
        Shape { region: &self.region, bounds: &self.bounds }
    }

    /// The entries of a bucket that match, excluded or not, as bits.
    #[inline(always)]
    pub(crate) fn matches<V: Simd>(&self, arena: &Arena<S, D>, bucket: BucketId, covered: bool, simd: V) -> u64 {
        if covered || !P::TESTED {
            return arena.head(bucket).used;
        }
        with_kind!(arena.bucket(bucket), |bucket| self.matches_in(bucket, simd))
    }

    /// As `matches`, for a bucket that must be tested.
    #[inline(always)]
    fn matches_in<V: Simd, const ENDS: usize>(&self, bucket: &Bucket<S, D, ENDS>, simd: V) -> u64 {
        if Self::SHAPED
            && P::BY_DISTANCE
            && let Some(ball) = self.region.as_ball().get()
        {
            let [perhaps, surely] = Self::classify(ball, bucket, simd);
            return if perhaps == surely { surely } else { surely | self.matches_of(bucket, perhaps & !surely) };
        }
        let region = splat(simd, &self.bounds);
        let mut hits = 0;
        for number in 0..BUCKET_SLOTS / LANES {
            let row = bucket.row(simd, number);
            let mut on_all_axes = P::holds::<V, S>(region[0], row[0]);
            for axis in 1..D {
                on_all_axes &= P::holds::<V, S>(region[axis], row[axis]);
            }
            hits |= on_all_axes.to_bitmask() << (number * LANES);
        }
        if Self::SHAPED { self.matches_of(bucket, hits) } else { hits }
    }

    /// Whether one object matches, excluded or not.
    #[inline(always)]
    pub(crate) fn matches_one<V: Simd>(&self, object: &Rect<S, D>, simd: V) -> bool {
        let (region, ends) = (splat(simd, &self.bounds), splat(simd, object));
        for axis in 0..D {
            if P::holds::<V, S>(region[axis], ends[axis]).to_bitmask() == 0 {
                return false;
            }
        }
        !Self::SHAPED || P::holds_for_shape(&self.shape(), object)
    }

    /// The entries of a bucket that may be near enough to a ball's center, and the entries that surely are, as bits.
    #[inline(always)]
    fn classify<V: Simd, const ENDS: usize>(ball: &Ball<S, D>, bucket: &Bucket<S, D, ENDS>, simd: V) -> [u64; 2] {
        let Some(within) = ball.within() else { return [0; 2] };
        let (mut perhaps, mut surely) = (0, 0);
        for number in (0..BUCKET_SLOTS / LANES).rev() {
            let row = bucket.row(simd, number);
            let near = within.compare_with_point(simd, ball.center(), &row, Bucket::<S, D, ENDS>::IS_POINTS);
            perhaps = perhaps << LANES | near[0].to_bitmask();
            surely = surely << LANES | near[1].to_bitmask();
        }
        [perhaps, surely]
    }

    /// Reduces the hits of the bounds to the hits of the region itself.
    fn matches_of<const ENDS: usize>(&self, bucket: &Bucket<S, D, ENDS>, hits: u64) -> u64 {
        let shape = self.shape();
        positions(hits)
            .filter(|&position| P::holds_for_shape(&shape, &bucket.shape(position)))
            .fold(0, |matches, position| matches | 1 << position)
    }
}

/// A question as a probe for a walk.
pub(crate) struct QuestionProbe<'a, P, R, S, const D: usize> {
    pub(super) question: &'a Question<P, R, S, D>,
    grid: &'a Grid<S, D>,
    /// The units of the region's bounds.
    units: UnitRange<D>,
}

impl<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize> QuestionProbe<'_, P, R, S, D> {
    #[inline]
    fn on_axes(&self, range: impl Fn([u32; 2]) -> [u32; 2]) -> UnitRange<D> {
        let mut units = self.units;
        for axis in 0..D {
            [units.min[axis], units.max[axis]] = range([units.min[axis], units.max[axis]]);
        }
        units
    }
}

impl<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize> Probe<D> for QuestionProbe<'_, P, R, S, D> {
    const CLASSIFIES: bool = Question::<P, R, S, D>::SHAPED;

    #[inline]
    fn anchors(&self, reach: u32) -> UnitRange<D> {
        self.on_axes(|region| P::anchors(region, reach))
    }

    #[inline]
    fn covered(&self, reach: u32) -> UnitRange<D> {
        self.on_axes(|region| P::covered(region, reach))
    }

    fn classify(&self, units: &UnitRange<D>, reach: u32, may_cover: bool) -> Option<bool> {
        let anchors = self.grid.bounds(units);
        let objects = if reach == 0 { anchors } else { self.grid.bounds(&units.stretched(reach)) };
        let square = Square { anchors, objects };
        let shape = self.question.shape();
        P::may_match(&shape, &square).then(|| may_cover && P::covers(&shape, &square))
    }
}
