//! Drains a query in one of several ways, and compares with the objects that a list gives.

use std::collections::BTreeSet;
use std::iter::FusedIterator;

use quadrille::{Handle, LayerSet, ObjectRef, Predicate, Query, Rect, Region};
use quadrille_support::Index;
use quadrille_support::oracle::Known;
use quadrille_support::questions::set_of;

use super::{Filter, Space, agree};

/// A query yields these before the filter is set, and these with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer<A> {
    pub(super) first: Vec<A>,
    pub(super) rest: Vec<A>,
}

/// How a query is drained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Next,
    Fold,
    /// Through a clone; the query itself must then give the same.
    Clone,
    /// Paused and resumed before the rest.
    Pause,
}

impl Filter {
    /// Whether the filter is set when the query is made, or only after some objects are taken.
    pub(super) fn is_late(&self) -> bool {
        self.mode & 1 == 1
    }

    pub(super) fn way(&self) -> Way {
        [Way::Next, Way::Fold, Way::Clone, Way::Pause][usize::from(self.mode >> 1 & 3)]
    }

    pub(super) fn layers(&self) -> LayerSet {
        set_of(&self.asked)
    }
}

/// Drains the rest of an iterator; a way that it has not stands for another.
pub(super) fn rest<I: FusedIterator + Clone, A: PartialEq + std::fmt::Debug>(
    mut query: I,
    way: Way,
    name: impl Fn(I::Item) -> A,
) -> Vec<A> {
    match way {
        Way::Next | Way::Pause => {
            let mut all = Vec::new();
            for item in query.by_ref() {
                all.push(name(item));
            }
            agree!(query.next().is_none(), true, "a query stays at its end");
            all
        }
        Way::Fold => query.fold(Vec::new(), |mut all, item| {
            all.push(name(item));
            all
        }),
        Way::Clone => {
            let of_clone: Vec<A> = query.clone().map(&name).collect();
            let (least, most) = query.size_hint();
            let is_right = least <= of_clone.len() && most.is_none_or(|most| of_clone.len() <= most);
            agree!(is_right, true, "{} objects and a size hint of {least} to {most:?}", of_clone.len());
            let all: Vec<A> = query.map(&name).collect();
            agree!(of_clone, all, "a clone of a query beside the query");
            all
        }
    }
}

/// Sets the filter of a query. All types of queries have these methods, but share no trait.
macro_rules! narrow {
    ($query:expr, $filter:expr) => {{
        let query = $query.in_layers($filter.layers());
        match $filter.excluded {
            Some(handle) => query.excluding(handle),
            None => query,
        }
    }};
}
pub(super) use narrow;

/// Drains a region query. After the first objects `count` and `exists` must say the same.
pub(super) fn drive<P: Predicate, S: Space, const D: usize, R: Region<S, D> + Clone>(
    index: &Index<S, D>,
    query: Query<'_, u32, P, S, D, R>,
    filter: &Filter,
) -> Answer<Handle> {
    let name = |object: ObjectRef<'_, u32, S, D>| object.handle();
    let mut query = if filter.is_late() { query } else { narrow!(query, filter) };
    let first: Vec<_> = query.by_ref().take(filter.taken).map(name).collect();
    let query = if filter.is_late() { narrow!(query, filter) } else { query };
    let (count, exists) = (query.clone().count(), query.clone().exists());
    agree!(in_blocks(index, query.clone()), query.clone().map(name).collect::<Vec<_>>(), "block by block");
    let rest: Vec<_> = if filter.way() == Way::Pause {
        index.resume(query.pause()).expect("the same index").map(name).collect()
    } else {
        rest(query, filter.way(), name)
    };
    agree!(count, rest.len(), "`count` after {} objects", first.len());
    agree!(exists, !rest.is_empty(), "`exists` after {} objects", first.len());
    Answer { first, rest }
}

/// The objects of a query block by block, each with its shape and its layer; and the same by `handles_into`.
fn in_blocks<P: Predicate, S: Space, const D: usize, R: Region<S, D> + Clone>(
    index: &Index<S, D>,
    query: Query<'_, u32, P, S, D, R>,
) -> Vec<Handle> {
    let mut listed = vec![Handle::default()];
    query.clone().handles_into(&mut listed);
    let mut all = Vec::new();
    for block in query.blocks() {
        let (mut corners, mut at) = (Vec::new(), Vec::new());
        for (row, (lanes, ends)) in block.rows().enumerate() {
            agree!(u64::from(lanes), block.bits() >> (8 * row) & 0xFF, "row {row} of a block");
            for lane in (0..8).filter(|lane| lanes >> lane & 1 == 1) {
                let object = index.object(block.handles()[8 * row + lane]).expect("it matches");
                let corner = |end: usize| std::array::from_fn(|axis| ends[axis][end][lane]);
                agree!([corner(0), corner(1)], [object.shape().min(), object.shape().max()], "a shape in a block");
                agree!(block.layer(), object.layer(), "the layer of a block");
                corners.extend([corner(0), corner(1)]);
                at.push(8 * row + lane);
                all.push(object.handle());
            }
        }
        agree!(Some(block.bounds()), Rect::from_points(corners), "the bounds of a block");
        let is_run = at[at.len() - 1] - at[0] < at.len();
        agree!(block.range(), is_run.then(|| at[0]..at[0] + at.len()), "the range of a block");
    }
    agree!(&listed[1..], &all[..], "the handles into a list, and block by block");
    all
}

impl Filter {
    pub(super) fn passes<S: Space, const D: usize>(&self, known: &Known<S, D>) -> bool {
        self.asked.holds(known.layer) && Some(known.handle) != self.excluded
    }

    /// Compares an answer in whatever order with the objects that match, each with whether it passes the filter.
    pub(super) fn compare(&self, answer: &Answer<Handle>, matching: &[(Handle, bool)], about: &dyn Fn() -> String) {
        let passing = matching.iter().filter(|(_, passes)| *passes).map(|(handle, _)| *handle);
        let mut expected: BTreeSet<Handle> = passing.collect();
        let all = if self.is_late() { matching.len() } else { expected.len() };
        agree!(answer.first.len(), self.taken.min(all), "the first objects of {}", about());
        if self.is_late() {
            let matching: BTreeSet<_> = matching.iter().map(|(handle, _)| *handle).collect();
            let first: BTreeSet<_> = answer.first.iter().copied().collect();
            agree!(first.len(), answer.first.len(), "each object comes once: {:?} of {}", answer.first, about());
            let wrong: Vec<_> = first.difference(&matching).collect();
            agree!(wrong, Vec::<&Handle>::new(), "the wrong ones among the first of {}", about());
            expected.retain(|handle| !first.contains(handle));
        }
        let after_the_first =
            if self.is_late() { &answer.rest[..] } else { &[&answer.first[..], &answer.rest].concat() };
        let mut came = after_the_first.to_vec();
        came.sort_unstable();
        let expected: Vec<_> = expected.into_iter().collect();
        agree!(came, expected, "the objects of {}", about());
    }
}
