//! The search for neighbors: for each object of some layers the others near it, a few objects at a time.
//!
//! A source is a group whose entries are the centers. The smallest box around them, stretched by the distance, is their
//! window. All that lies there is gathered once; then each center is compared with that. If the window meets far more
//! than the centers are worth, they are divided into two halves that lie apart, and each half has a window of its own.
//!
//! It knows no values. Keeps Q18 of `docs/invariants.md`.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::ops::Range;

use super::bucket_pair::hits_of;
use super::gathered::{Center, Gathered, bounds_of};
use super::group_walk::{GroupWalk, Window};
use super::sides::{Group, Sides};
use super::sources::{Source, Sources};
use super::wanted::{CenterPart, Wanted};
use crate::geometry::{Images, Level, PeriodicSpace, Proximity, Rect, Scalar, level};
use crate::key::{Handle, Kind, LayerId, LayerSet};
use crate::ordered::radius_of;
use crate::tree::{BUCKET_SLOTS, positions, with_kind};

/// A window of more than one center may meet at most this many objects, and some more for each center. Beyond that it
/// is cheaper to divide the centers.
const TOGETHER: usize = 8 * BUCKET_SLOTS;
const FOR_EACH: usize = BUCKET_SLOTS / 2;

/// The number of points close together that are centers at once.
const POINTS: usize = 32;

/// No number of a shape.
const NONE: usize = usize::MAX;

/// Points that are the centers instead of objects, by number, and which of them are still to come. Those that lie side by
/// side in space do so in the list.
#[derive(Clone)]
struct PointCenters<S, const D: usize> {
    list: Arc<[(usize, [S; D])]>,
    left: Range<usize>,
}

/// The position of a search for neighbors.
#[derive(Clone)]
pub(super) struct AroundSearch<'a, S, const D: usize> {
    pub(super) sides: Sides<'a, 'a, S, D>,
    sources: Sources,
    points: Option<PointCenters<S, D>>,
    pub(super) wanted: Wanted<S>,
    pub(super) world: Option<PeriodicSpace<S, D>>,
    level: Level,
    /// That of the current centers, unless they are points.
    pub(super) source: Source,
    centers: Vec<Center<S, D>>,
    /// The parts of the centers that are still to come. The current one, and the next center of it.
    parts: Vec<CenterPart<S>>,
    part: CenterPart<S>,
    told: usize,
    /// The centers of the current part that need a further reach.
    unsure: Vec<Center<S, D>>,
    /// The groups that the window meets, with the layers of their entries.
    met: Vec<(Group, LayerId)>,
    pub(super) gathered: Gathered<S, D>,
    /// The numbers of the shapes that are the entries of the source themselves.
    own: Box<[usize; BUCKET_SLOTS]>,
}

impl<'a, S: Scalar, const D: usize> AroundSearch<'a, S, D> {
    pub(super) fn new(sides: Sides<'a, 'a, S, D>, sources: Sources) -> Self {
        let mut new = Self {
            sides,
            sources,
            points: None,
            wanted: Wanted::TOUCHING,
            world: None,
            level: level(),
            source: Source::NONE,
            centers: Vec::new(),
            parts: Vec::new(),
            part: CenterPart::default(),
            told: 0,
            unsure: Vec::new(),
            met: Vec::new(),
            gathered: Gathered::of(Kind::Points),
            own: Box::new([NONE; BUCKET_SLOTS]),
        };
        new.begin();
        new
    }

    /// Makes room for the shapes of all kinds that may be gathered.
    fn begin(&mut self) {
        let (mut layers, of) = (self.sides.layers[1], &self.sides.space(0).layers);
        let has_rects = core::iter::from_fn(|| layers.pop()).any(|layer| of.kind_of_number(layer) == Some(Kind::Rects));
        self.gathered = Gathered::of(if has_rects { Kind::Rects } else { Kind::Points });
    }

    /// Restricts the layers of the centers, and the layers of their neighbors.
    pub(super) fn restrict(&mut self, [first, second]: [LayerSet; 2]) {
        let layers = &mut self.sides.layers;
        *layers = [layers[0] & first, layers[1] & second];
        self.begin();
    }

    /// The same search around points, which lie side by side in the list if they do in space.
    pub(super) fn at(self, points: Vec<(usize, [S; D])>) -> Self {
        let left = 0..points.len();
        Self { points: Some(PointCenters { list: points.into(), left }), ..self }
    }

    /// Lists the sources, and returns their numbers. Of points, those that are centers together count as one.
    #[cfg(feature = "rayon")]
    pub(super) fn list_sources(&mut self) -> Range<usize> {
        if let Some(points) = &self.points {
            return 0..points.list.len().div_ceil(POINTS);
        }
        self.sources.list(&self.sides);
        self.sources.rest.clone()
    }

    /// Turns to some of the sources that a search has listed, once it is done with others.
    #[cfg(feature = "rayon")]
    pub(super) fn turn_to(&mut self, sources: Range<usize>, all: &Self) {
        self.parts.clear();
        self.unsure.clear();
        (self.told, self.part) = (0, CenterPart::default());
        if let Some(PointCenters { list, left }) = &mut self.points {
            *left = sources.start * POINTS..list.len().min(sources.end * POINTS);
        } else {
            self.sources = all.sources.part(sources);
        }
    }

    /// Whether others must be gathered first.
    #[inline]
    pub(super) fn is_told(&self) -> bool {
        self.told == self.part.centers.end
    }

    /// The next center, and what is near it among all that has been gathered, whose handles are given: a bit for each, in
    /// words, or the numbers of the nearest in order. `None` if others must be gathered first.
    #[inline]
    pub(super) fn next_center(&mut self, handle: impl Fn(usize) -> Handle) -> Option<(&Center<S, D>, &[u64], &[u32])> {
        if let Some(count) = self.wanted.nearest {
            self.find_nearest(count, handle)?;
        }
        let nth = self.told;
        let center = self.centers[..self.part.centers.end].get(nth)?;
        self.told += 1;
        Some(match self.wanted.nearest {
            None => (center, self.gathered.hits(nth - self.part.centers.start), &[]),
            Some(_) => (center, &[], &self.gathered.nearest),
        })
    }

    /// Finds the nearest of the next center around which enough is known.
    #[inline(never)]
    fn find_nearest(&mut self, count: usize, handle: impl Fn(usize) -> Handle) -> Option<()> {
        while !self.is_told() {
            let (center, nth) = (&self.centers[self.told], self.told - self.part.centers.start);
            let found: usize = self.gathered.hits(nth).iter().map(|hits| hits.count_ones() as usize).sum();
            if count <= found || self.part.reach.is_none() || center.shape.is_empty() {
                let own = Some(self.own[center.number % BUCKET_SLOTS]).filter(|&own| own != NONE);
                self.gathered.find_nearest((self.level, nth, &center.shape), own, count, handle);
                return Some(());
            }
            self.unsure.push(*center);
            self.told += 1;
        }
        None
    }

    /// Goes on to further centers, and gathers what is near them: passes on the number, the layer, the handle and the
    /// shape of each object. Numbers rise. Of some entries of a group, only those that are kept are gathered. `false` if there
    /// are no centers left.
    pub(super) fn advance(
        &mut self,
        keep: impl Fn(&Sides<'a, 'a, S, D>, Group, u64) -> u64,
        mut found: impl FnMut(usize, LayerId, Handle, Rect<S, D>),
    ) -> bool {
        if !self.unsure.is_empty() {
            let again = self.part.raised(self.unsure.len(), &self.wanted);
            self.centers[again.centers.clone()].copy_from_slice(&self.unsure);
            self.unsure.clear();
            self.parts.push(again);
        }
        loop {
            let Some(part) = self.parts.pop() else {
                if !self.next_source() {
                    return false;
                }
                continue;
            };
            self.gathered.clear();
            self.own.fill(NONE);
            let Err(apart) = self.gather(&part, &keep, &mut found) else {
                (self.told, self.part) = (part.centers.start, part);
                self.compare();
                return true;
            };
            if apart { self.divide(&part) } else { self.parts.push(part.lowered()) }
        }
    }

    /// Makes the entries of the next source, or the next points, the centers.
    fn next_source(&mut self) -> bool {
        self.centers.clear();
        if let Some(PointCenters { list, left }) = &mut self.points {
            let end = left.end.min(left.start + POINTS);
            let world = self.world;
            let center = |&(number, at): &(usize, [S; D])| {
                let (point, is_somewhere) = (Rect::from_point(at), at.iter().all(|at| at.is_finite()));
                // Images belong to a place in the world.
                let home = world.and_then(|world| world.way_home(at.map(S::to_f64)));
                let there = home.map_or(point, |by| point.shifted(by));
                let shape = if is_somewhere { there } else { Rect::nowhere() };
                Center { shape, handle: Handle::default(), number }
            };
            self.centers.extend(list[left.start..end].iter().map(center));
            left.start = end;
        } else {
            let Some(source) = self.sources.next(&self.sides) else { return false };
            self.source = source;
            let (bucket, _) = self.sides.entries(source.group);
            let handles = bucket.handles();
            with_kind!(bucket, |bucket| {
                self.centers.reserve(BUCKET_SLOTS);
                for position in positions(source.entries) {
                    let number = usize::from(position) % BUCKET_SLOTS;
                    self.centers.push(Center { shape: bucket.shape(position), handle: handles[number], number });
                }
            });
        }
        self.parts.push(CenterPart::up_to(self.centers.len(), &self.wanted, self.reach()));
        !self.centers.is_empty()
    }

    /// A guess how far the nearest neighbors of the centers are. `None` if all are wanted.
    fn reach(&self) -> Option<f64> {
        let (count, space, layers) = (self.wanted.nearest?, self.sides.space(0), self.sides.layers[1]);
        let bounds = bounds_of(&self.centers);
        if space.len_in(layers) <= count || bounds.is_empty() {
            return None;
        }
        // Enough for nearly all centers to have what they want, if objects lie at random.
        radius_of(space, layers, bounds, (count + 3 * count.isqrt() + 2) * 3 / 4)
    }

    /// Divides some centers into two halves, by where they lie on the axis on which they lie farthest apart.
    fn divide(&mut self, part: &CenterPart<S>) {
        let Range { start, end } = part.centers;
        let bounds = bounds_of(&self.centers[start..end]);
        let length = |axis: usize| bounds.max()[axis].to_f64() * 0.5 - bounds.min()[axis].to_f64() * 0.5;
        let axis = (0..D).max_by(|&a, &b| length(a).total_cmp(&length(b))).unwrap_or(0);
        let middle = (end - start) / 2;
        let at = |center: &Center<S, D>| center.shape.min()[axis];
        self.centers[start..end].select_nth_unstable_by(middle, |a, b| {
            at(a).partial_cmp(&at(b)).unwrap_or(Ordering::Equal).then(a.number.cmp(&b.number))
        });
        let [first, second] = part.split(start + middle);
        self.parts.extend([second, first]);
    }

    /// Gathers what lies around some centers, in each image of them. If the window meets too much for them, it fails and says
    /// whether they lie apart.
    fn gather(
        &mut self,
        part: &CenterPart<S>,
        keep: &impl Fn(&Sides<'a, 'a, S, D>, Group, u64) -> u64,
        found: &mut impl FnMut(usize, LayerId, Handle, Rect<S, D>),
    ) -> Result<(), bool> {
        let Some(proximity) = part.proximity(&self.wanted) else { return Ok(()) };
        let bounds = bounds_of(&self.centers[part.centers.clone()]);
        if bounds.is_empty() {
            return Ok(());
        }
        // Where the distance fills the window, less of the centers meet nearly as much.
        let radius = proximity.radius();
        let are_close = part.centers.len() == 1 || bounds.size().iter().all(|&side| side <= radius);
        let of_each = FOR_EACH * part.centers.len();
        let allowed = self.wanted.nearest.map_or(0, |count| count.saturating_mul(4)).saturating_add(TOGETHER + of_each);
        let mut left = if are_close && !part.may_be_lowered() { usize::MAX } else { allowed };
        let window = Window::new(proximity.stretched(&bounds), self.sides.space(0).grid());
        if !self.meet(&window, &mut left) {
            return Err(!are_close);
        }
        self.take_in(None, &window, keep, found);
        let Some(world) = self.world else { return Ok(()) };
        let images = Images::neighbours(world.periods);
        for number in (0..images.len()).filter(|&number| number != images.home()) {
            let by = images.offset(number);
            let region = proximity.stretched(&bounds.shifted(by));
            if !region.intersects(&world.hull) {
                continue;
            }
            let window = Window::new(region, self.sides.space(0).grid());
            if self.meet(&window, &mut { usize::MAX }) {
                self.take_in(Some(by), &window, keep, found);
            }
        }
        Ok(())
    }

    /// Lists the groups that a window meets. `false` if they have more entries than allowed.
    fn meet(&mut self, window: &Window<S, D>, left: &mut usize) -> bool {
        self.met.clear();
        let space = self.sides.space(0);
        let (arena, outgrows_cache) = (space.trees.arena(), space.trees.arena().outgrow_cache());
        for number in space.layers_in(self.sides.layers[1]) {
            let layer = space.layers.id(usize::from(number));
            let mut groups = GroupWalk::new(space, 0, number);
            while let Some(group) = groups.next(&self.sides, window) {
                let used = self.sides.entries(group).1.count_ones() as usize;
                let Some(rest) = left.checked_sub(used) else { return false };
                *left = rest;
                if outgrows_cache {
                    arena.prefetch_entries(group.bucket.bucket(), true);
                }
                self.met.push((group, layer));
            }
        }
        true
    }

    /// Gathers the entries of the groups that lie in the window.
    fn take_in(
        &mut self,
        by: Option<[f64; D]>,
        window: &Window<S, D>,
        keep: &impl Fn(&Sides<'a, 'a, S, D>, Group, u64) -> u64,
        found: &mut impl FnMut(usize, LayerId, Handle, Rect<S, D>),
    ) {
        let Self { sides, gathered, met, source, own, .. } = self;
        gathered.begin(by);
        for &(group, layer) in &*met {
            let (bucket, used) = sides.entries(group);
            let hits = hits_of(self.level, bucket, &window.region, false, used, &Proximity::Touching);
            let hits = keep(sides, group, hits);
            if hits == 0 {
                continue;
            }
            let (first, handles) = (gathered.len(), bucket.handles());
            with_kind!(bucket, |bucket| gathered.add(bucket, hits, |number, position, shape| {
                found(number, layer, handles[usize::from(position) % BUCKET_SLOTS], shape);
            }));
            // In its images a center is left out as what is near it at home.
            if by.is_some() {
                continue;
            }
            if group == source.group {
                for (number, position) in (first..).zip(positions(hits).map(usize::from)) {
                    own[position % BUCKET_SLOTS] = number;
                }
            }
        }
    }

    /// Compares all that is gathered with the centers, and leaves out each center itself.
    fn compare(&mut self) {
        let Some(proximity) = &self.part.proximity(&self.wanted) else { return };
        let centers = &self.centers[self.part.centers.clone()];
        let kind = self.sides.space(0).layers.kind_of_number(self.source.layer);
        let are_points = self.points.is_some() || kind == Some(Kind::Points);
        self.gathered.compare(self.level, proximity, centers, are_points);
        for (center, hits) in centers.iter().zip(self.gathered.hits_mut()) {
            let own = self.own[center.number % BUCKET_SLOTS];
            if own != NONE {
                hits[own / BUCKET_SLOTS] &= !(1 << (own % BUCKET_SLOTS));
            }
        }
    }
}
