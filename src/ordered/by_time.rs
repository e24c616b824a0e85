//! The ranking by the time of impact of a motion: of a ray, of a moving rectangle, or of a ball.
//!
//! It knows nothing of the search that uses it. Keeps invariants Q8 to Q10 and Q14 of `docs/invariants.md`.

use core::array;

use crate::geometry::{Images, Motion, Mover, PeriodicSpace, REACH, Rank, Rect, RoughMotion, Scalar, Simd, SimdMask};
use crate::grid::{Grid, UNIT_MAX, UnitRange, axis_bits, cell_at, cells_met, shift_at};
use crate::tree::{Bucket, Head, Node};

use super::bounds::{UnitBox, slack, widened};
use super::ranking::{Criterion, Ranking};

/// Ranks objects by the time of impact.
#[derive(Clone, Copy)]
pub(super) struct ByTime<S, const D: usize> {
    mover: Mover<S, D>,
    rough: RoughMotion<S, D>,
    track: Track<D>,
    /// The interval of time in which an impact is of interest.
    times: [f64; 2],
    /// The units around all that the motion touches in that interval, and the end of the interval, rounded upward.
    units: UnitRange<D>,
    rough_end: S,
}

/// A motion in units of the grid, widened by more than the rounding errors of `f64`.
#[derive(Clone, Copy)]
struct Track<const D: usize> {
    /// The interval of the moving box on each axis, at the beginning.
    from: [[f64; 2]; D],
    slack: f64,
    /// The units per unit of time, and the reciprocal of that.
    speed: [f64; D],
    pace: [f64; D],
    /// The axis of the greatest speed.
    major: usize,
    /// The cell of any node that the motion comes to first.
    first_cell: u8,
}

impl<const D: usize> Track<D> {
    fn new<S: Scalar>(grid: &Grid<S, D>, motion: &Motion<S, D>) -> Self {
        let mut speed = array::from_fn(|axis| motion.step[axis] * grid.scale());
        let mut from = UnitBox::new(grid, &motion.from).ends;
        for axis in 0..D {
            let can_compute = from[axis].iter().all(|end| end.abs() < 1e100)
                && (motion.step[axis] == 0.0 || (1e-100..1e100).contains(&speed[axis].abs()));
            if !can_compute {
                // Numbers that are too large or too small bound nothing on this axis.
                (from[axis], speed[axis]) = ([f64::NEG_INFINITY, f64::INFINITY], 0.0);
            }
        }
        let faster = |a: usize, b: usize| if speed[a].abs() < speed[b].abs() { b } else { a };
        let first = speed.map(|speed| if speed < 0.0 { UNIT_MAX } else { 0 });
        Self {
            from,
            slack: slack::<S>(),
            speed,
            pace: speed.map(|speed| 1.0 / speed),
            major: (1..D).fold(0, faster),
            first_cell: cell_at::<D>(first, shift_at::<D>(0)),
        }
    }

    /// Where the moving box begins on an axis, widened for objects that end in this unit at the latest.
    #[inline]
    fn near(&self, axis: usize, last: u32) -> [f64; 2] {
        widened(self.from[axis], self.slack, f64::from(last) + 1.0)
    }

    /// The part of an interval of time in which the moving box, from this interval on, meets a range of units on an axis. A
    /// range that ends at an edge of the grid is infinite there.
    #[inline]
    fn times_in(
        &self,
        axis: usize,
        [from, to]: [f64; 2],
        [min, max]: [u32; 2],
        [mut enter, mut leave]: [f64; 2],
    ) -> [f64; 2] {
        let low = if min == 0 { f64::NEG_INFINITY } else { f64::from(min) };
        let high = if max >= UNIT_MAX { f64::INFINITY } else { f64::from(max + 1) };
        if self.speed[axis] == 0.0 {
            return if low <= to && from <= high { [enter, leave] } else { [f64::INFINITY, f64::NEG_INFINITY] };
        }
        let (low, high) = ((low - to) * self.pace[axis], (high - from) * self.pace[axis]);
        // The order follows from the sign of the pace; the comparison is cheaper.
        let near = if low < high { low } else { high };
        let far = if low < high { high } else { low };
        enter = if enter < near { near } else { enter };
        leave = if far < leave { far } else { leave };
        [enter, leave]
    }

    /// The part of an interval of time in which the moving box meets a box of units that is stretched by a reach.
    #[inline]
    fn times(&self, units: &UnitRange<D>, reach: u32, times: [f64; 2]) -> [f64; 2] {
        (0..D).fold(times, |times, axis| {
            let last = units.max[axis] + reach;
            self.times_in(axis, self.near(axis, last), [units.min[axis], last], times)
        })
    }

    /// The units on an axis that hold the anchors of objects, with such a reach, that the moving box, from this interval on,
    /// touches in an interval of time.
    #[inline]
    fn anchors(&self, axis: usize, [mut from, mut to]: [f64; 2], reach: u32, [enter, leave]: [f64; 2]) -> [u32; 2] {
        if self.speed[axis] != 0.0 {
            let [enter, leave] = [enter, leave].map(|time| time * self.speed[axis]);
            let [less, more] = if enter < leave { [enter, leave] } else { [leave, enter] };
            (from, to) = (from + less, to + more);
        }
        [from.to_u32().min(UNIT_MAX).saturating_sub(reach), to.to_u32().min(UNIT_MAX)]
    }

    /// The units that hold the anchors of all objects without extent that the moving box touches in an interval of time.
    fn units(&self, times: [f64; 2]) -> UnitRange<D> {
        // Wide enough for whatever is stored in the grid.
        let anchors = array::from_fn::<_, D, _>(|axis| self.anchors(axis, self.near(axis, u32::MAX), 0, times));
        UnitRange { min: anchors.map(|[min, _]| min), max: anchors.map(|[_, max]| max) }
    }

    /// The cells of a node whose objects the moving box may touch between two times.
    fn cells(&self, node: &Node<D>, times: [f64; 2]) -> u64 {
        let (units, reach, major) = (node.block().units(), node.reach, self.major);
        let from: [_; D] = array::from_fn(|axis| self.near(axis, units.max[axis] + reach));
        let within = |times, axis| self.times_in(axis, from[axis], [units.min[axis], units.max[axis] + reach], times);
        let [enter, leave] = (0..D).fold(times, within);
        if leave < enter {
            return 0;
        }
        let mut range = UnitRange { min: [0; D], max: [0; D] };
        let mut met = 0;
        // One slice of cells at a time along the axis of the greatest speed, since the way on the other axes is short
        // meanwhile.
        let last = (1 << axis_bits::<D>()) - 1;
        let slices = self.anchors(major, from[major], reach, [enter, leave]);
        let slices = slices.map(|unit| last.min(unit.saturating_sub(node.origin[major]) >> node.shift));
        let side = (1_u32 << node.shift) - 1;
        for slice in slices[0]..=slices[1] {
            let first = node.origin[major] + (slice << node.shift);
            let times = self.times_in(major, from[major], [first, first + side + reach], [enter, leave]);
            if times[0] <= times[1] {
                for (axis, &from) in from.iter().enumerate() {
                    [range.min[axis], range.max[axis]] =
                        if axis == major { [first, first + side] } else { self.anchors(axis, from, reach, times) };
                }
                met |= cells_met(&range, node.origin, node.shift);
            }
        }
        met
    }
}

impl<S: Scalar, const D: usize> Criterion<S, D> for Mover<S, D> {
    type Ranking = ByTime<S, D>;

    fn shifted(&self, by: [f64; D]) -> Self {
        self.shifted(by)
    }

    fn rank(&self, shape: &Rect<S, D>) -> Option<Rank> {
        self.rank(shape)
    }

    /// When it touches the box. It may enter what is inside a box that it does not enter.
    fn bound(&self, hull: &Rect<S, D>) -> Option<Rank> {
        self.motion.time_of_impact(hull).map(Rank::of_time)
    }

    fn images(&self, torus: &PeriodicSpace<S, D>, limit: Rank) -> Images<D> {
        // The criterion is at home, but for a rounding: not its start but the world says where that is.
        let (home, bounds) = (torus.hull.min().map(S::to_f64), self.motion.bounds_until(limit.time()));
        // What is touched at the limit may lie beyond the bounds by a rounding.
        let from = self.motion.from.min().map(S::to_f64);
        let far = (0..D).fold(0.0, |sum, axis| sum + from[axis].abs() + 16.0 * torus.periods[axis]);
        Images::new(torus, home, &bounds.expanded(far * (8.0 * f64::EPSILON)), REACH)
    }

    #[inline]
    fn is_nowhere(&self) -> bool {
        self.motion.is_nowhere()
    }

    fn start(&self) -> [S; D] {
        self.body_motion().from.min()
    }
}

impl<S: Scalar, const D: usize> Ranking<S, D> for ByTime<S, D> {
    type Criterion = Mover<S, D>;

    // The test of blocks soon rejects cells off the way.
    const CELLS_ARE_CHEAP: bool = false;

    #[inline]
    fn kept(want: usize) -> usize {
        want + want / 8 + 1
    }

    #[inline]
    fn new(grid: &Grid<S, D>, mover: &Mover<S, D>) -> Self {
        let (rough, track) = (RoughMotion::new(&mover.motion), Track::new(grid, &mover.motion));
        let (times, units) = ([0.0, f64::INFINITY], UnitRange::everywhere());
        Self { mover: *mover, rough, track, times, units, rough_end: S::INFINITY }
    }

    fn criterion(&self) -> &Mover<S, D> {
        &self.mover
    }

    fn set_floor(&mut self, floor: Rank) {
        self.times[0] = floor.time();
    }

    fn set_limit(&mut self, _: &Grid<S, D>, limit: Rank) {
        self.times[1] = limit.time();
        self.units = self.track.units(self.times);
        self.rough_end = S::from_f64(limit.time() * (1.0 + S::EPSILON.to_f64())) + S::MIN_POSITIVE;
    }

    #[inline(always)]
    fn near<V: Simd>(&self, simd: V, boxes: &[[S::Lanes<V>; 2]; D]) -> (u64, S::Lanes<V>) {
        let (touched, times) = self.rough.touches(simd, boxes, self.rough_end);
        (touched.to_bitmask(), times)
    }

    #[inline]
    fn rank(&self, shape: &Rect<S, D>) -> Option<Rank> {
        self.mover.rank(shape)
    }

    #[inline]
    fn cells(&self, node: &Node<D>) -> u64 {
        let around = cells_met(&self.units.reached(node.reach), node.origin, node.shift);
        // Few cells are soon rejected one by one.
        if around.count_ones() <= 10 { around } else { self.track.cells(node, self.times) }
    }

    #[inline]
    fn first_cell(&self, _: &Node<D>) -> u8 {
        self.track.first_cell
    }

    #[inline]
    fn may_hold(&self, head: &Head<D>) -> bool {
        let [enter, leave] = self.track.times(&head.block.units(), head.reach, self.times);
        enter <= leave
    }

    #[inline(always)]
    fn candidates<V: Simd, const ENDS: usize>(&self, simd: V, bucket: &Bucket<S, D, ENDS>, _: Option<u64>) -> u64 {
        bucket.touched(simd, &self.rough, self.rough_end)
    }
}
