//! The journal of an index: what has changed, so that a zone need not ask about all that has not.

use std::sync::atomic::{AtomicBool, Ordering};
use std::{array, iter};

use quadrille::{Handle, LayerId, Rect, Scalar};

/// The changes of objects, in order, as far back as memory allows.
pub(crate) struct Journal<const D: usize, S> {
    /// How many changes are no longer kept.
    dropped: usize,
    changes: Vec<Change<D, S>>,
    /// Around which cells the changes are, block by block.
    blocks: Vec<Block<D>>,
    cells: Cells<D>,
    /// Whether a zone has ever looked. Until then, nothing is written.
    is_read: AtomicBool,
}

/// An object was moved, inserted or removed.
pub(crate) struct Change<const D: usize, S> {
    pub(crate) object: Handle,
    /// Before and after; `None` where there was no such object. One whose shape was refused is where it was, though this
    /// says otherwise.
    pub(crate) shapes: [Option<Rect<S, D>>; 2],
}

/// So many changes are compared with a box at once: a number of 64 bits has a lane of 8 for each.
const LANES: usize = 8;

/// The highest bits of all lanes.
const HIGHEST: u64 = u64::from_ne_bytes([0x80; LANES]);

/// The lowest and the highest cells of changes on each axis, in lanes.
type Block<const D: usize> = [[u64; 2]; D];

/// A state of an index. Its first layer distinguishes it from other indexes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Version {
    index: LayerId,
    /// The number of changes before it.
    changes: usize,
}

/// A journal may be so long, however small the index is.
const CHANGES: usize = 1024;

impl<const D: usize, S: Scalar> Journal<D, S> {
    pub(crate) fn new(world: &Rect<S, D>) -> Self {
        Self {
            dropped: 0,
            changes: Vec::new(),
            blocks: Vec::new(),
            cells: Cells::new(world),
            is_read: AtomicBool::new(false),
        }
    }

    /// How many changes it keeps of so many objects: of more, a query tells sooner what they have done.
    pub(crate) fn room(&mut self, objects: usize) -> usize {
        if *self.is_read.get_mut() { CHANGES.max(objects / 4) } else { 0 }
    }

    pub(crate) fn add(&mut self, object: Handle, shapes: [Option<Rect<S, D>>; 2]) {
        if !*self.is_read.get_mut() {
            return self.clear();
        }
        let lane = self.changes.len() % LANES;
        if lane == 0 {
            self.blocks.push([[0; 2]; D]);
        }
        let around = shapes.iter().flatten().copied().reduce(|before, after| before.union(&after));
        if let (Some(block), Some(around)) = (self.blocks.last_mut(), around) {
            for (ends, cells) in block.iter_mut().zip(self.cells.of(ends(&around))) {
                for (end, cell) in ends.iter_mut().zip(cells) {
                    *end |= u64::from(cell) << (u8::BITS as usize * lane);
                }
            }
        }
        self.changes.push(Change { object, shapes });
    }

    /// Drops the older half of the changes if they are more than there is room for.
    pub(crate) fn trim(&mut self, objects: usize) {
        if self.changes.len() > self.room(objects) {
            let older = self.blocks.len() / 2;
            self.blocks.drain(..older);
            self.changes.drain(..older * LANES);
            self.dropped += older * LANES;
        }
    }

    /// Drops all changes, and one that was never added: nobody knows what has changed.
    pub(crate) fn clear(&mut self) {
        self.dropped += self.changes.len() + 1;
        self.changes.clear();
        self.blocks.clear();
    }

    /// Keeps the changes to come in the cells of another world.
    pub(crate) fn set_world(&mut self, world: &Rect<S, D>) {
        self.clear();
        self.cells = Cells::new(world);
    }

    /// The present version. From now on, changes are kept.
    pub(crate) fn version(&self, index: LayerId) -> Version {
        self.is_read.store(true, Ordering::Relaxed);
        Version { index, changes: self.dropped + self.changes.len() }
    }

    /// How many changes there were since a version; `None` if some of them are no longer kept, or if it is one of another
    /// index.
    pub(crate) fn since(&self, index: LayerId, version: Version) -> Option<usize> {
        let kept = version.changes.checked_sub(self.dropped).filter(|_| version.index == index)?;
        self.changes.len().checked_sub(kept)
    }

    /// The last so many changes, without most of those that a box shares no point with before or after.
    pub(crate) fn last_near(&self, last: usize, bounds: &Rect<S, D>) -> impl Iterator<Item = &Change<D, S>> {
        let first = self.changes.len() - last;
        let around = ends(bounds).map(|[min, max]| {
            let rounding = ROUNDING * S::EPSILON.to_f64() * (min.abs() + max.abs());
            [min - rounding, max + rounding]
        });
        let ends = self.cells.of(around).map(|ends| ends.map(|cell| u64::from_ne_bytes([cell; LANES])));
        let positions = self.blocks.iter().enumerate().skip(first / LANES).flat_map(move |(number, block)| {
            let mut hits = HIGHEST;
            for ([low, high], [from, to]) in block.iter().zip(ends) {
                // The highest bit of a lane stays where nothing larger is subtracted.
                hits &= ((to | HIGHEST) - low) & ((high | HIGHEST) - from);
            }
            iter::from_fn(move || {
                let lane = (hits != 0).then_some(hits.trailing_zeros() / u8::BITS)?;
                hits &= hits - 1;
                Some(number * LANES + lane as usize)
            })
        });
        positions.filter(move |&position| first <= position).filter_map(|position| self.changes.get(position))
    }
}

/// A ball may hold what is outside its rounded bounds, but by less than so many roundings.
const ROUNDING: f64 = 4.0;

/// The ends of a box on each axis.
fn ends<S: Scalar, const D: usize>(shape: &Rect<S, D>) -> [[f64; 2]; D] {
    let (min, max) = (shape.min(), shape.max());
    array::from_fn(|axis| [min[axis], max[axis]].map(S::to_f64))
}

/// So many cells are on an axis. Places outside the world are in those at its edge.
const CELLS: u8 = 128;

/// Coordinates in cells.
struct Cells<const D: usize> {
    origin: [f64; D],
    per_unit: [f64; D],
}

impl<const D: usize> Cells<D> {
    fn new<S: Scalar>(world: &Rect<S, D>) -> Self {
        let per_unit = ends(world).map(|[min, max]| f64::from(CELLS) / (max - min));
        Self { origin: world.min().map(S::to_f64), per_unit }
    }

    /// The cells of the ends of a box on each axis.
    fn of(&self, ends: [[f64; 2]; D]) -> [[u8; 2]; D] {
        array::from_fn(|axis| ends[axis].map(|end| self.cell(axis, end)))
    }

    /// Of two coordinates, the lower one is never in the higher cell.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates; NaN gives 0")]
    fn cell(&self, axis: usize, coordinate: f64) -> u8 {
        (((coordinate - self.origin[axis]) * self.per_unit[axis]) as u8).min(CELLS - 1)
    }
}

#[cfg(test)]
mod tests {
    use quadrille::SpatialIndex;

    use super::*;

    /// Random changes beside a list of all of them. Every change that meets a box is found, and only those asked for.
    fn random_changes<const D: usize, S: Scalar>() {
        let mut seed = 7_u64;
        let mut below = |limit: u16| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            u16::try_from(seed >> 33 & 0xFFFF).expect("16 bits") % limit
        };
        let world = Rect::<S, D>::new([S::from(10); D], [S::from(20); D]);
        let mut index = SpatialIndex::<(), S, D>::new(world).expect("a world");
        let points = index.add_point_layer().expect("room");
        let layer = points.id();
        let mut journal = Journal::<D, S>::new(&world);
        let (mut all, mut versions) = (Vec::new(), vec![journal.version(layer)]);
        let mut kept_from = 0;
        for round in 0..4000 {
            let ends = [0, 1].map(|_| [(); D].map(|()| S::from(below(31))));
            let shapes = match below(5) {
                0 => [None, Some(Rect::from_point(ends[0]))],
                1 => [Some(Rect::new(ends[0], ends[1])), None],
                2 => [Some(Rect::from_point(ends[0])), Some(Rect::new([S::NAN; D], ends[1]))],
                _ => ends.map(|end| Some(Rect::from_point(end))),
            };
            let object = index.insert(points, ends[0], ()).expect("finite");
            journal.add(object, shapes);
            all.push((object, shapes));
            versions.push(journal.version(layer));
            match below(1500) {
                0 => {
                    journal.clear();
                    (kept_from, *versions.last_mut().expect("it was pushed")) = (all.len(), journal.version(layer));
                }
                1 => {
                    journal.set_world(&Rect::new([S::from(below(9)); D], [S::from(9 + below(9)); D]));
                    (kept_from, *versions.last_mut().expect("it was pushed")) = (all.len(), journal.version(layer));
                }
                _ => journal.trim(round),
            }
            let since = all.len().saturating_sub(usize::from(below(99)));
            let Some(last) = journal.since(layer, versions[since]) else {
                continue;
            };
            assert!(kept_from <= since && last == all.len() - since);
            let corner = [(); D].map(|()| S::from(below(31)));
            let bounds = Rect::new(corner, corner.map(|low| low + S::from(below(3))));
            let found: Vec<_> = journal.last_near(last, &bounds).map(|change| (change.object, change.shapes)).collect();
            let meets =
                |shapes: &[Option<Rect<S, D>>; 2]| shapes.iter().flatten().any(|shape| shape.intersects(&bounds));
            let mut found = found.iter();
            for (object, shapes) in all[since..].iter().filter(|(_, shapes)| meets(shapes)) {
                assert!(found.any(|(other, _)| other == object), "{shapes:?} meets {bounds:?}");
            }
        }
        assert!(journal.changes.len() <= 2 * CHANGES, "it is trimmed");
        assert!(kept_from > 0);
    }

    #[test]
    fn no_change_is_passed_over() {
        random_changes::<2, f32>();
        random_changes::<3, f64>();
    }

    #[test]
    fn nothing_is_kept_for_nobody() {
        let world = Rect::<f32, 2>::new([0.0; 2], [1.0; 2]);
        let mut index = SpatialIndex::<(), f32, 2>::new(world).expect("a world");
        let layer = index.add_point_layer().expect("room").id();
        let mut journal = Journal::new(&world);
        journal.add(Handle::default(), [None, Some(world)]);
        assert_eq!((journal.changes.len(), journal.room(9)), (0, 0));
        let version = journal.version(layer);
        journal.add(Handle::default(), [Some(world), None]);
        assert_eq!((journal.since(layer, version), journal.last_near(1, &world).count()), (Some(1), 1));
    }
}
