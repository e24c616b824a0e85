//! A predicate with its region and the objects that are left out: the test that a walk applies to units and squares, and
//! a query to the objects of a bucket.
//!
//! Keeps invariants Q2 and Q7 of `docs/invariants.md`.

use core::marker::PhantomData;

use crate::geometry::{
    Ball, ImageOf, Images, KnownShape, MovedImage, PeriodicSpace, REACH, Rect, Region, RoughMotion, Scalar, Simd,
    SimdMask, Wrapped, level, splat, with_vectors,
};
use crate::grid::{Grid, UnitRange, cells_within};
use crate::key::{BucketId, Excluded, Place};
use crate::tree::{Arena, Bucket, Node, Probe, rows_of, with_kind};

use super::relation::{Predicate, Relation};

/// From this many entries of a bucket on it pays to look first at what is near all of them.
const MANY: u32 = 8;

/// A predicate, its region, and what is left out.
#[derive(Clone)]
pub(crate) struct Question<P, R, S, const D: usize> {
    predicate: PhantomData<P>,
    pub(crate) region: R,
    bounds: Rect<S, D>,
    /// The units of the bounds.
    units: UnitRange<D>,
    /// The places of the excluded objects.
    pub(crate) excluded: Excluded<Place>,
}

impl<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize> Question<P, R, S, D> {
    #[inline]
    pub(crate) fn new(grid: &Grid<S, D>, region: R) -> Self {
        let bounds = Self::bounds_of(&region);
        Self { predicate: PhantomData, region, bounds, units: grid.range(&bounds), excluded: Excluded::none() }
    }

    #[inline]
    fn bounds_of(region: &R) -> Rect<S, D> {
        region.shape().ball().map_or_else(|| region.bounds(), Ball::surroundings)
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

    /// The same question in a periodic world.
    #[inline]
    pub(super) fn wrapped(self, world: &PeriodicSpace<S, D>) -> Question<P::Wrapped, Wrapped<R, D>, S, D> {
        let images = self.images_in(world);
        let Self { region, bounds, units, excluded, .. } = self;
        Question { predicate: PhantomData, region: Wrapped::new(region, images), bounds, units, excluded }
    }

    /// The images in which the region may meet objects.
    #[inline]
    fn images_in(&self, world: &PeriodicSpace<S, D>) -> Images<D> {
        let bounds = self.bounds.to_f64();
        // The nearest image of a ball is that at home or a neighbour, since the objects begin in the world.
        let is_ball = P::Wrapped::BY_DISTANCE && self.region.shape().ball().is_some();
        let images = Images::new(world, bounds.center(), &bounds, if is_ball { 1 } else { REACH });
        if images.len() == 1 || !P::Wrapped::COVERS {
            return images;
        }
        // Where all objects lie in one image, the others yield nothing new.
        if matches!(self.region.shape(), KnownShape::Box) {
            return images.covering(&bounds, &world.hull);
        }
        let region = Wrapped::new(&self.region, images);
        let covers = |&number: &usize| {
            let moved = MovedImage::of(&region, &self.bounds, number);
            ImageOf::new(&region, &self.bounds, moved.as_ref()).contains(&world.hull)
        };
        (0..images.len()).find(covers).map_or(images, |number| images.only(number))
    }

    /// The number of images in which the question is asked.
    #[inline(always)]
    pub(crate) fn images(&self) -> usize {
        if R::WRAPS { self.region.images().map_or(1, Images::len) } else { 1 }
    }

    /// The question in an image, or as it is if it has none.
    #[inline(always)]
    pub(crate) fn in_image(&self, number: u16) -> Asked<'_, P, R, S, D> {
        let moved = if R::WRAPS { MovedImage::of(&self.region, &self.bounds, number.into()) } else { None };
        let (shape, mut motion) = (self.region.shape(), None);
        if let (KnownShape::Segment(segment), None) = (shape, &moved) {
            motion = Some(RoughMotion::new(&segment.motion()));
        }
        Asked { question: self, number, moved, motion, is_shaped: !matches!(shape, KnownShape::Box) }
    }

    /// The question in an image as a probe for a walk through a tree.
    #[inline]
    pub(crate) fn over<'a>(&'a self, image: u16, grid: &'a Grid<S, D>) -> QuestionProbe<'a, P, R, S, D> {
        let asked = self.in_image(image);
        let is_known = !R::WRAPS || asked.moved.is_none();
        let units = if is_known { self.units.by_number() } else { units_over(grid, asked.region().bounds()) };
        QuestionProbe { asked, grid, units }
    }
}

#[cold]
#[inline(never)]
fn units_over<S: Scalar, const D: usize>(grid: &Grid<S, D>, bounds: &Rect<S, D>) -> UnitRange<D> {
    grid.range(bounds)
}

// Out of line, so that small regions need no registers for it.
#[inline(never)]
fn cells_covered<P: Predicate, const D: usize>(units: UnitRange<D>, node: &Node<D>, reach: u32) -> u64 {
    cells_within(&on_axes(units, |range| P::covered(range, reach)), node.origin, node.shift)
}

#[inline]
fn on_axes<const D: usize>(mut units: UnitRange<D>, range: impl Fn([u32; 2]) -> [u32; 2]) -> UnitRange<D> {
    for axis in 0..D {
        [units.min[axis], units.max[axis]] = range([units.min[axis], units.max[axis]]);
    }
    units
}

/// The cells of a node that may hold the anchors of objects that a motion touches.
#[inline(never)]
fn cells_touched<S: Scalar, const D: usize>(motion: &RoughMotion<S, D>, grid: &Grid<S, D>, node: &Node<D>) -> u64 {
    with_vectors!(level(), |simd| {
        grid.cells_where(
            simd,
            node.origin,
            node.shift,
            node.reach,
            #[inline(always)]
            |boxes| motion.touches(simd, boxes, S::INFINITY).0,
        )
    })
}

/// The entries of a bucket that a motion may touch.
// Out of line, so that other regions need no more of the stack.
#[inline(never)]
fn entries_touched<S: Scalar, const D: usize, const ENDS: usize>(
    motion: &RoughMotion<S, D>,
    bucket: &Bucket<S, D, ENDS>,
) -> u64 {
    with_vectors!(level(), |simd| bucket.touched(simd, motion, S::INFINITY))
}

/// A question in one of the images of its region.
pub(crate) struct Asked<'a, P, R, S, const D: usize> {
    pub(super) question: &'a Question<P, R, S, D>,
    number: u16,
    moved: Option<MovedImage<S, D>>,
    /// If the region is a segment, and is not moved.
    motion: Option<RoughMotion<S, D>>,
    /// Whether the region's shape must be tested, not just its bounds.
    is_shaped: bool,
}

impl<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize> Asked<'_, P, R, S, D> {
    /// Known to be `false` of boxes when the program is compiled.
    #[inline(always)]
    fn is_shaped(&self) -> bool {
        !R::IS_BOX && self.is_shaped
    }

    #[inline(always)]
    fn region(&self) -> ImageOf<'_, R, S, D> {
        ImageOf::new(&self.question.region, &self.question.bounds, self.moved.as_ref())
    }

    /// The entries of a bucket that match, excluded or not, as bits. Those that match in an image before are not among them.
    #[inline(always)]
    pub(crate) fn matches<V: Simd>(&self, arena: &Arena<S, D>, bucket: BucketId, covered: bool, simd: V) -> u64 {
        let hits = if covered || !P::TESTED {
            arena.head(bucket).used
        } else {
            with_kind!(arena.bucket(bucket), |bucket| self.matches_in(bucket, simd))
        };
        if !R::WRAPS || hits == 0 {
            return hits;
        }
        self.images_before().fold(hits, |hits, before| {
            hits & !with_kind!(arena.bucket(bucket), |bucket| before.matches_in(bucket, simd))
        })
    }

    /// A box that meets all objects that match.
    pub(super) fn window(&self) -> Rect<S, D> {
        if P::TESTED { *self.region().bounds() } else { Rect::everything() }
    }

    /// The next bucket of a crowd, after one, that may have objects that match.
    // Out of the loop of the batch, since crowds are rare.
    #[cold]
    #[inline(never)]
    pub(super) fn next_in_crowd(&self, arena: &Arena<S, D>, bucket: BucketId) -> Option<BucketId> {
        arena.next_meeting(bucket, &self.window())
    }

    fn images_before(&self) -> impl Iterator<Item = Self> {
        (0..self.number).map(|number| self.question.in_image(number))
    }

    /// As `matches`, for a bucket that must be tested, in this image alone.
    #[inline(always)]
    fn matches_in<V: Simd, const ENDS: usize>(&self, bucket: &Bucket<S, D, ENDS>, simd: V) -> u64 {
        if !R::IS_BOX
            && P::BY_DISTANCE
            && let Some(ball) = self.region().ball()
        {
            let Some(within) = ball.within() else { return 0 };
            let center = Rect::from_point(ball.center());
            return bucket.within(simd, within, &center, true, u64::MAX, 0..rows_of(u64::MAX));
        }
        let hits = bucket.on_all_axes(simd, self.region().bounds(), u64::MAX, P::holds::<V, S>);
        if !self.is_shaped() || hits == 0 {
            return hits;
        }
        let touched = self.motion.as_ref().map_or(hits, |motion| hits & entries_touched(motion, bucket));
        self.matches_of(bucket, touched)
    }

    /// Whether one object matches, excluded or not, and does not in an image before.
    #[inline(always)]
    pub(crate) fn matches_one<V: Simd>(&self, object: &Rect<S, D>, simd: V) -> bool {
        self.matches_here(object, simd)
            && (!R::WRAPS || !self.images_before().any(|before| before.matches_here(object, simd)))
    }

    #[inline(always)]
    fn matches_here<V: Simd>(&self, object: &Rect<S, D>, simd: V) -> bool {
        let region = self.region();
        let (bounds, ends) = (splat(simd, region.bounds()), splat(simd, object));
        for axis in 0..D {
            if P::holds::<V, S>(bounds[axis], ends[axis]).to_bitmask() == 0 {
                return false;
            }
        }
        !self.is_shaped() || Self::holds_for_shape(&region, object)
    }

    /// Reduces the hits of the bounds to the hits of the region itself.
    fn matches_of<const ENDS: usize>(&self, bucket: &Bucket<S, D, ENDS>, hits: u64) -> u64 {
        let region = self.region();
        let around = || with_vectors!(level(), |simd| bucket.bounds(simd, hits));
        // In other images there is none, since what wraps has none.
        if MANY <= hits.count_ones()
            && let Some(near) = self.question.region.near(around)
        {
            let holds = if P::WHOLLY { Region::contains } else { Region::intersects };
            return bucket.entries_where(hits, |shape| holds(&near, shape));
        }
        bucket.entries_where(hits, |shape| Self::holds_for_shape(&region, shape))
    }

    /// Whether an object that matches a region's bounds also matches the region, which is not a box.
    #[inline]
    fn holds_for_shape(region: &ImageOf<'_, R, S, D>, object: &Rect<S, D>) -> bool {
        if P::WHOLLY { region.contains(object) } else { region.meets(object) }
    }
}

/// A question as a probe for a walk.
pub(crate) struct QuestionProbe<'a, P, R, S, const D: usize> {
    pub(super) asked: Asked<'a, P, R, S, D>,
    pub(super) grid: &'a Grid<S, D>,
    /// The units of the region's bounds.
    units: UnitRange<D>,
}

impl<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize> QuestionProbe<'_, P, R, S, D> {
    /// Whether all objects in some units are tested about as fast as these are classified.
    #[inline(always)]
    fn is_sooner_tested(&self, units: &UnitRange<D>, may_cover: bool) -> bool {
        // The cells have been compared with a motion, which covers nothing.
        if self.asked.motion.is_some() {
            return P::TESTED;
        }
        // A region seldom misses a square half as large that its bounds meet.
        let side = |units: &UnitRange<D>| units.max[0].saturating_sub(units.min[0]);
        P::TESTED && !may_cover && side(&self.units) / 2 <= side(units)
    }
}

impl<P: Predicate, R: Region<S, D>, S: Scalar, const D: usize> Probe<D> for QuestionProbe<'_, P, R, S, D> {
    const CLASSIFIES: bool = !R::IS_BOX;

    #[inline]
    fn anchors(&self, reach: u32) -> UnitRange<D> {
        on_axes(self.units, |region| P::anchors(region, reach))
    }

    #[inline]
    fn cells_covered(&self, node: &Node<D>, reach: u32) -> u64 {
        // Most regions are shorter than the cells of most nodes, and what they cover lies inside.
        let is_shorter = (self.units.max[0] + 1).saturating_sub(self.units.min[0]) >> node.shift == 0;
        if is_shorter || !P::COVERS { 0 } else { cells_covered::<P, D>(self.units, node, reach) }
    }

    #[inline]
    fn refined(&self, cells: u64, node: &Node<D>) -> u64 {
        match &self.asked.motion {
            Some(motion) if cells != 0 => cells & cells_touched(motion, self.grid, node),
            _ => cells,
        }
    }

    fn classify(&self, units: &UnitRange<D>, reach: u32, may_cover: bool) -> Option<bool> {
        if !self.asked.is_shaped() {
            return Some(may_cover);
        }
        if self.is_sooner_tested(units, may_cover) {
            return Some(false);
        }
        let anchors = self.grid.bounds(units);
        let objects = if reach == 0 { anchors } else { self.grid.bounds(&units.stretched(reach)) };
        // The anchor is a point of the object. Inside the region it is a shared one, and all of a contained object lies inside.
        let (met, covered) = if P::WHOLLY { (anchors, objects) } else { (objects, anchors) };
        let region = self.asked.region();
        region.meets(&met).then(|| may_cover && region.contains(&covered))
    }
}
