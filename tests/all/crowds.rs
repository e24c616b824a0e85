//! Objects that no cell can divide, beside a list: in a world far too large, equal, long, thin or nested. All are whole
//! numbers, so that distances are exact.

use std::collections::{BTreeMap, BTreeSet};

use quadrille::{Handle, LayerSettings, Ray, Rect, Segment};

use quadrille_support::oracle::Span;
use quadrille_support::{AnyLayer, Dice, Index, Real, assert_sound, in_spaces};

in_spaces!(
    beside_a_list,
    few_buckets_are_read,
    what_is_left_is_packed,
    long_ones_join_short_ones,
    the_first_handle_of_many_around,
    one_spot_takes_no_nodes,
    growths_overflow,
);

/// The side of the field in which objects lie.
const FIELD: usize = 256;

/// How objects may lie that crowd.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Points,
    Spots,
    Boxes,
    Giants,
    Thin,
    Nested,
}

const KINDS: [Kind; 6] = [Kind::Points, Kind::Spots, Kind::Boxes, Kind::Giants, Kind::Thin, Kind::Nested];

#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn number<S: Real>(number: usize) -> S {
    S::of(number as f64)
}

impl Kind {
    fn draw<S: Real, const D: usize>(self, dice: &mut Dice) -> Span<S, D> {
        let long = dice.below(D);
        let sizes: [usize; D] = match self {
            Self::Points | Self::Spots => [0; D],
            Self::Boxes => core::array::from_fn(|_| dice.below(4)),
            Self::Giants if dice.below(10) == 0 => core::array::from_fn(|_| FIELD - dice.below(9)),
            Self::Giants => [1; D],
            Self::Thin => core::array::from_fn(|axis| if axis == long { 100 } else { 0 }),
            Self::Nested => [2 * dice.below(FIELD / 2); D],
        };
        let min = sizes.map(|size| match self {
            Self::Spots => dice.below(3) * 50,
            Self::Nested => (FIELD - size) / 2,
            _ => dice.below(FIELD + 1 - size),
        });
        let max = core::array::from_fn(|axis| number(min[axis] + sizes[axis]));
        Span { min: min.map(number), max }
    }
}

/// An index with one layer, in a world so many times as long as the field, and a list of its objects.
struct Crowd<S: Real, const D: usize> {
    index: Index<S, D>,
    layer: AnyLayer,
    list: Vec<(Handle, Span<S, D>)>,
    dice: Dice,
    kind: Kind,
}

impl<S: Real, const D: usize> Crowd<S, D> {
    fn new(kind: Kind, times: f64) -> Self {
        let side = S::of(256.0 * times);
        let mut index = Index::new(Rect::new([S::of(0.0) - side; D], [side; D])).expect("a world");
        let are_boxes = !matches!(kind, Kind::Points | Kind::Spots);
        let layer = AnyLayer::add(&mut index, are_boxes, LayerSettings::new());
        Self { index, layer, list: Vec::new(), dice: Dice::new(3), kind }
    }

    fn insert(&mut self, count: usize) {
        for value in (0..).take(count) {
            let span = self.kind.draw(&mut self.dice);
            self.list.push((self.layer.insert(&mut self.index, span, value).expect("finite"), span));
        }
    }

    fn insert_batch(&mut self, count: usize) {
        let spans: Vec<_> = (0..count).map(|_| self.kind.draw(&mut self.dice)).collect();
        let items: Vec<_> = spans.iter().map(|&span| (span, 1)).collect();
        let handles = self.layer.insert_batch(&mut self.index, &items).expect("finite");
        self.list.extend(handles.into_iter().zip(spans));
    }

    /// Moves some objects by a little or anywhere: one by one, or all by `update`.
    fn change(&mut self, every: usize, by_update: bool) {
        for nth in (0..self.list.len()).step_by(every) {
            let anywhere = self.dice.below(4) == 0;
            let (handle, span) = &mut self.list[nth];
            let by = S::of(if span.max[0].value() < 255.0 { 1.0 } else { -1.0 });
            let step = |at: S| S::of(at.value() + by.value());
            let mut moved = *span;
            (moved.min[0], moved.max[0]) = (step(moved.min[0]), step(moved.max[0]));
            *span = if anywhere { self.kind.draw(&mut self.dice) } else { moved };
            if !by_update {
                self.layer.move_to(&mut self.index, *handle, *span).expect("finite");
            }
        }
        if by_update {
            let spans: BTreeMap<Handle, Span<S, D>> = self.list.iter().copied().collect();
            self.layer.update(&mut self.index, |handle, _, _| spans[&handle]).expect("a layer");
        }
    }

    fn remove(&mut self, count: usize, at_once: bool) {
        let gone: Vec<_> = (0..count).map(|_| self.list.swap_remove(self.dice.below(self.list.len())).0).collect();
        if at_once {
            assert_eq!(self.index.remove_batch(gone).expect("they live").len(), count);
        } else {
            for &handle in &gone {
                assert!(self.index.remove(handle).is_some());
            }
        }
    }

    fn check(&mut self, after: &str) {
        assert_sound(&self.index, after);
        for _ in 0..3 {
            let [one, other] = [0; 2].map(|_| core::array::from_fn(|_| number(self.dice.below(FIELD))));
            let region = Span::<S, D>::between(one, other);
            self.check_region(&region, after);
            self.check_region(&Span::at(one), after);
            self.check_nearest(&region, after);
            self.check_nearest(&Span::at(one), after);
            self.check_ray(one, other, after);
        }
        self.check_pairs(after);
    }

    fn those(&self, holds: impl Fn(&Span<S, D>) -> bool) -> BTreeSet<Handle> {
        self.list.iter().filter(|(_, span)| holds(span)).map(|&(handle, _)| handle).collect()
    }

    fn check_region(&self, region: &Span<S, D>, after: &str) {
        let rect = region.rect();
        macro_rules! check {
            ($method:ident, $holds:expr) => {
                let query = self.index.$method(rect);
                let found: Vec<_> = query.clone().map(|object| object.handle()).collect();
                let expected = self.those($holds);
                assert!(
                    found.len() == expected.len() && found.iter().all(|handle| expected.contains(handle)),
                    "{after}"
                );
                assert_eq!(query.clone().count(), found.len(), "{after}");
                let mut slices = Vec::new();
                let mut cursor = query.pause();
                while !cursor.run(&self.index, 3, |object| slices.push(object.handle())).expect("the same index").done {
                }
                assert_eq!(slices.iter().copied().collect::<BTreeSet<_>>(), expected, "in slices, {after}");
                assert_eq!(slices.len(), expected.len(), "in slices, {after}");
            };
        }
        check!(intersecting, |span| rect.intersects(&span.rect()));
        check!(contained_in, |span| rect.contains(&span.rect()));
        check!(containing, |span| span.rect().contains(&rect));
    }

    fn check_nearest(&self, target: &Span<S, D>, after: &str) {
        let square = |span: &Span<S, D>| -> f64 {
            let gap = |axis: usize| {
                let before = target.min[axis].value() - span.max[axis].value();
                before.max(span.min[axis].value() - target.max[axis].value()).max(0.0)
            };
            (0..D).map(|axis| gap(axis) * gap(axis)).sum()
        };
        let mut expected: Vec<_> = self.list.iter().map(|(handle, span)| (square(span), *handle)).collect();
        expected.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for count in [1, 12, 100] {
            let found: Vec<_> =
                self.index.nearest(target.rect()).take(count).map(|near| near.object.handle()).collect();
            let first: Vec<_> = expected.iter().take(count).map(|&(_, handle)| handle).collect();
            assert_eq!(found, first, "{count} nearest {target:?}, {after}, {:?}", self.kind);
        }
        let any =
            self.index.nearest(target.rect()).any_first().map(|near| square(&Span::of_rect(&near.object.shape())));
        assert_eq!(any, expected.first().map(|&(square, _)| square), "{after}");
    }

    fn check_ray(&self, from: [S; D], to: [S; D], after: &str) {
        let segment = Segment::new(from, to);
        let hits: BTreeSet<_> = self.index.raycast(Ray::from(segment)).map(|hit| hit.object.handle()).collect();
        assert_eq!(hits, self.those(|span| segment.intersects(&span.rect())), "{after}");
    }

    fn check_pairs(&self, after: &str) {
        let some: BTreeMap<Handle, Span<S, D>> = self.list.iter().step_by(97).copied().collect();
        let partners = |own: &Handle, span: &Span<S, D>| -> Vec<Handle> {
            let near = self.those(|other| span.rect().intersects(&other.rect()));
            near.into_iter().filter(|other| other != own).collect()
        };
        let all: BTreeMap<_, _> = some.iter().map(|(own, span)| (*own, partners(own, span))).collect();
        let is_first = |own: &Handle, other: &&Handle| own < other || !some.contains_key(other);
        let pairs = all.iter().map(|(own, others)| others.iter().filter(|other| is_first(own, other)).count());
        assert_eq!(self.index.pairs_of(some.keys()).count(), pairs.sum::<usize>(), "pairs, {after}, {:?}", self.kind);
        let told = self.index.neighbors_of(some.keys()).map(|own, others| {
            let others: BTreeSet<_> = others.map(|other| other.handle).collect();
            (own.handle, others.into_iter().collect::<Vec<_>>())
        });
        assert_eq!(told.collect::<BTreeMap<_, _>>(), all, "neighbors, {after}");
    }
}

/// Each change, and each question after it. So many objects that knots are divided.
fn beside_a_list<S: Real, const D: usize>() {
    for (kind, times) in KINDS.into_iter().flat_map(|kind| [(kind, 1e9), (kind, 0.5)]) {
        let mut crowd = Crowd::<S, D>::new(kind, times);
        crowd.insert(2200);
        crowd.check("insertion");
        crowd.insert_batch(2500);
        crowd.check("a batch");
        crowd.insert(300);
        crowd.change(3, false);
        crowd.check("moves");
        crowd.change(2, true);
        crowd.check("an update");
        crowd.remove(1000, false);
        crowd.check("removals");
        crowd.remove(2500, true);
        crowd.check("a batch of removals");
        while !crowd.index.optimize_step(100).done {}
        crowd.remove(1400, false);
        crowd.check("more removals");
        crowd.index.optimize();
        crowd.check("building anew");
    }
}

/// A small window, or the nearest object, reads a few buckets of a crowd, however large it is.
fn few_buckets_are_read<S: Real, const D: usize>() {
    for kind in [Kind::Points, Kind::Boxes, Kind::Thin] {
        let mut crowd = Crowd::<S, D>::new(kind, 1e9);
        crowd.insert(10_000);
        assert!(150 < crowd.index.stats().chain_max, "a crowd");
        // As they came, moved one by one, and all by an update.
        for round in 0..3 {
            if round != 0 {
                crowd.change(1, round == 2);
            }
            let mut visited = 0;
            for _ in 0..50 {
                let at = core::array::from_fn(|_| number(crowd.dice.below(FIELD)));
                let window = crowd.index.intersecting(Rect::from_point(at));
                visited += window.pause().run(&crowd.index, usize::MAX, |_| {}).expect("the same index").visited;
            }
            assert!(visited < 50 * 60, "{visited} visits among {kind:?} in round {round}");
        }
    }
}

/// After most objects are gone, few buckets are left.
fn what_is_left_is_packed<S: Real, const D: usize>() {
    for kind in KINDS {
        let mut crowd = Crowd::<S, D>::new(kind, 1e9);
        crowd.insert(8000);
        crowd.remove(7800, false);
        assert_sound(&crowd.index, "most are gone");
        assert!(crowd.index.stats().buckets <= 13, "{} buckets of 200 {kind:?}", crowd.index.stats().buckets);
        crowd.remove(200, false);
        assert_eq!(crowd.index.stats().buckets, 0);
    }
}

/// A poor bucket of long boxes joins a bucket of short ones, which then reaches as far.
fn long_ones_join_short_ones<S: Real, const D: usize>() {
    let mut crowd = Crowd::<S, D>::new(Kind::Nested, 1.0);
    let boxes = |size: usize, places: usize| {
        move |nth: usize| {
            let min = [number::<S>(nth % places); D];
            Span { min, max: min.map(|at| S::of(at.value() + number::<S>(size).value())) }
        }
    };
    let short: Vec<_> = (0..300).map(boxes(140, 100)).map(|span| (span, 0)).collect();
    let handles = crowd.layer.insert_batch(&mut crowd.index, &short).expect("finite");
    crowd.list.extend(handles.into_iter().zip(short).map(|(handle, (span, _))| (handle, span)));
    for span in (0..60).map(boxes(250, 5)) {
        crowd.list.push((crowd.layer.insert(&mut crowd.index, span, 0).expect("finite"), span));
    }
    while 40 < crowd.list.len() {
        crowd.remove(1, false);
        assert_sound(&crowd.index, "one is gone");
    }
    crowd.check("most are gone");
}

/// Of many boxes around a point the lowest handle comes first, also when those with lower ones are gone; and few buckets
/// could hold it.
fn the_first_handle_of_many_around<S: Real, const D: usize>() {
    let mut crowd = Crowd::<S, D>::new(Kind::Nested, 1.0);
    crowd.insert(600);
    crowd.list.sort_unstable_by_key(|of| of.0);
    for _ in 0..8 {
        let gone: Vec<_> = crowd.list.drain(..60).map(|of| of.0).collect();
        for handle in gone {
            assert!(crowd.index.remove(handle).is_some());
        }
        crowd.check("the oldest are gone");
    }
}

/// Where most objects of a cell are at one spot, they are a crowd at once, one by one and as a batch.
fn one_spot_takes_no_nodes<S: Real, const D: usize>() {
    for kind in [Kind::Points, Kind::Boxes] {
        for at_once in [false, true] {
            let mut crowd = Crowd::<S, D>::new(kind, 1e9);
            if at_once {
                crowd.insert_batch(1000);
            } else {
                crowd.insert(1000);
            }
            let stats = crowd.index.stats();
            assert_eq!((stats.nodes, stats.chain_max), (1, stats.buckets), "{kind:?}");
        }
    }
}

/// Where no box grows by a finite length, an object is stored all the same.
fn growths_overflow<S: Real, const D: usize>() {
    let mut crowd = Crowd::<S, D>::new(Kind::Points, 1.0);
    let far = -S::LARGEST.value();
    for at in [-300.0; 130].into_iter().chain([far; 3]) {
        let span = Span { min: [S::of(at); D], max: [S::of(at); D] };
        crowd.layer.insert(&mut crowd.index, span, 1).expect("finite");
    }
    assert_sound(&crowd.index, "far away");
    assert_eq!(crowd.index.intersecting(Rect::from_point([S::of(far); D])).count(), 3);
}
