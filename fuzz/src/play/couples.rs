//! Pairs within an index and joins of two, against all pairs of a list.

use std::collections::BTreeSet;

use quadrille::{Handle, ObjectRef};
use quadrille_support::couples::{Couple, Wanted, near, near_in_both, sorted};
use quadrille_support::oracle::Asked;
use quadrille_support::questions::set_of;
use quadrille_support::scene::side_of;

use super::drive::{Way, rest};
use super::side::Side;
use super::{Space, Stage, agree};
use crate::bytes::Bytes;
use crate::field::{Layers, Spot};
use crate::op::Op;

/// Drives a query for pairs: some, then the rest; `count` and `exists` must say the same.
macro_rules! drive_pairs {
    ($query:expr, $filter:expr) => {{
        let filter = $filter;
        let mut query = $query;
        let mut all: Vec<Couple> = query.by_ref().take(filter.taken).map(names).collect();
        let (count, exists) = (query.clone().count(), query.clone().exists());
        let way = if filter.way() == Way::Pause { Way::Next } else { filter.way() };
        let rest = rest(query, way, names);
        agree!(count, rest.len(), "`count` of pairs after {}", all.len());
        agree!(exists, !rest.is_empty(), "`exists` of pairs after {}", all.len());
        all.extend(rest);
        all
    }};
}

fn names<S: Space, const D: usize>((a, b): (ObjectRef<'_, u32, S, D>, ObjectRef<'_, u32, S, D>)) -> Couple {
    (a.handle(), b.handle())
}

/// The pairs of one index that are wanted, the lesser handle first, sorted.
pub(super) fn within<S: Space, const D: usize>(
    side: &Side<S, D>,
    wanted: &Wanted<S>,
    of: Option<&BTreeSet<Handle>>,
) -> Vec<Couple> {
    let layer = |handle: Handle| side.model.find(handle).expect("a known object").layer;
    let mut couples = near(&side.model.objects, wanted);
    couples.retain(|&(a, b)| {
        let is_between = wanted.are_between(layer(a), layer(b)) || wanted.are_between(layer(b), layer(a));
        is_between && of.is_none_or(|of| of.contains(&a) || of.contains(&b))
    });
    couples
}

/// The pairs of two indexes that are wanted, sorted.
pub(super) fn between<S: Space, const D: usize>(sides: [&Side<S, D>; 2], wanted: &Wanted<S>) -> Vec<Couple> {
    let mut couples = near_in_both([&sides[0].model.objects, &sides[1].model.objects], wanted);
    let layer = |side: &Side<S, D>, handle: Handle| side.model.find(handle).expect("a known object").layer;
    couples.retain(|&(a, b)| wanted.are_between(layer(sides[0], a), layer(sides[1], b)));
    couples
}

impl<S: Space, const D: usize> Stage<S, D> {
    /// A distance in a world.
    pub(super) fn distance(&self, on: usize, distance: Option<Spot>) -> Option<S> {
        distance.map(|distance| distance.length(side_of(&self.sides[on].index.world())))
    }

    /// Handles, some of them twice, some of them dead.
    pub(super) fn some_handles(&self, on: usize, count: u8, seed: u16) -> Vec<Handle> {
        let mut bytes = Bytes::of_seed(seed.into());
        (0..count).map(|_| self.handle(on, bytes.word())).collect()
    }

    pub(super) fn ask_for_pairs(&mut self, on: usize, op: &Op) {
        match op {
            Op::Pairs { within, first, second, between, taken, mode, .. } => {
                let filter = self.filter(on, *first, None, *taken, *mode);
                let second = if *between { *second } else { *first };
                let side = &self.sides[on];
                let wanted = self.wanted([on, on], within.0, [*first, second]);
                let sets = [0, 1].map(|place| set_of(&wanted.between[place]));
                let pairs = side.index.pairs();
                let pairs = if *between { pairs.between(sets[0], sets[1]) } else { pairs.in_layers(sets[0]) };
                let pairs = if let Some(distance) = wanted.within { pairs.within(distance) } else { pairs };
                let came = drive_pairs!(pairs, &filter);
                let expected = self::within(side, &wanted, None);
                if *between {
                    let layer = |handle: Handle| side.model.find(handle).expect("a known object").layer;
                    let wrong = came.iter().filter(|(a, b)| !wanted.are_between(layer(*a), layer(*b))).count();
                    agree!(wrong, 0, "pairs whose first object is not of the first layers");
                }
                self.compare_pairs(came, &expected, true, &|| format!("{wanted:?}"));
            }
            Op::PairsOf { count, seed, within, layers, taken, mode, .. } => {
                let filter = self.filter(on, *layers, None, *taken, *mode);
                let handles = self.some_handles(on, *count % 32, *seed);
                let wanted = self.wanted([on, on], within.0, [*layers, *layers]);
                let side = &self.sides[on];
                let pairs = side.index.pairs_of(&handles).in_layers(set_of(&wanted.between[0]));
                let pairs = if let Some(distance) = wanted.within { pairs.within(distance) } else { pairs };
                let came = drive_pairs!(pairs, &filter);
                let expected = self::within(side, &wanted, Some(&handles.iter().copied().collect()));
                self.compare_pairs(came, &expected, true, &|| format!("{wanted:?} of {handles:?}"));
            }
            Op::Join { other, within, first, second, taken, mode, .. } => {
                let other = usize::from(*other) % self.sides.len();
                let filter = self.filter(on, *first, None, *taken, *mode);
                let wanted = self.wanted([on, other], within.0, [*first, *second]);
                let sides = [&self.sides[on], &self.sides[other]];
                let sets = [0, 1].map(|place| set_of(&wanted.between[place]));
                let join = sides[0].index.join(&sides[1].index).between(sets[0], sets[1]);
                let join = if let Some(distance) = wanted.within { join.within(distance) } else { join };
                let came = drive_pairs!(join, &filter);
                let expected = between(sides, &wanted);
                self.compare_pairs(came, &expected, false, &|| format!("joined {wanted:?}"));
            }
            Op::JoinOf { other, count, seed, within, first, second, taken, mode, .. } => {
                let other = usize::from(*other) % self.sides.len();
                let filter = self.filter(on, *first, None, *taken, *mode);
                let handles = self.some_handles(on, *count % 32, *seed);
                let wanted = self.wanted([on, other], within.0, [*first, *second]);
                let sides = [&self.sides[on], &self.sides[other]];
                let sets = [0, 1].map(|place| set_of(&wanted.between[place]));
                let join = sides[0].index.join_of(&handles, &sides[1].index).between(sets[0], sets[1]);
                let join = if let Some(distance) = wanted.within { join.within(distance) } else { join };
                let came = drive_pairs!(join, &filter);
                let mut expected = between(sides, &wanted);
                expected.retain(|(one, _)| handles.contains(one));
                self.compare_pairs(came, &expected, false, &|| format!("joined {wanted:?} of {handles:?}"));
            }
            _ => {}
        }
    }

    pub(super) fn wanted(&self, on: [usize; 2], within: Option<Spot>, layers: [Layers; 2]) -> Wanted<S> {
        let asked = |place: usize| -> Asked { self.sides[on[place]].asked(layers[place]) };
        Wanted { between: [asked(0), asked(1)], within: self.distance(on[0], within) }
    }

    fn compare_pairs(
        &mut self,
        mut came: Vec<Couple>,
        expected: &[Couple],
        is_symmetric: bool,
        about: &dyn Fn() -> String,
    ) {
        let order: Vec<_> = came.iter().flat_map(|&(a, b)| [a, b]).collect();
        self.hash_all(&order);
        if is_symmetric {
            came = came.into_iter().map(sorted).collect();
        }
        came.sort_unstable();
        agree!(came, expected, "the pairs that are {}", about());
    }
}
