//! The index in which a caller's code panics, a linear list of what is in it, and all that watches it meanwhile.

use std::collections::BTreeMap;
use std::rc::Rc;

use quadrille::{Contacts, Cursor, Handle, Intersecting, Layer, LayerId, LayerSettings, Points, Rect, Rects, Watch};

use quadrille_support::Real;
use quadrille_support::oracle::{Relation, Span};
use quadrille_support::scene::roomy_scenes;

use super::fuse::{Counted, Fused, Index};

/// How many points, and how many boxes.
pub(super) const EACH: u32 = 20;

/// An object, as a linear list holds it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Known<S, const D: usize> {
    pub(super) layer: LayerId,
    pub(super) span: Span<S, D>,
    pub(super) number: u32,
}

pub(super) type List<S, const D: usize> = BTreeMap<Handle, Known<S, D>>;

/// An index of points and boxes. A cursor and watches were made, and then it was changed.
pub(super) struct Stage<S, const D: usize> {
    pub(super) index: Index<S, D>,
    pub(super) points: Layer<Points>,
    pub(super) rects: Layer<Rects>,
    /// A layer of points that is empty.
    pub(super) spare: Layer<Points>,
    /// The handles of points, then of boxes; that of an object that was removed is among them.
    pub(super) handles: Vec<Handle>,
    pub(super) view: Rect<S, D>,
    pub(super) watch: Watch,
    /// A watch of a region that may panic.
    pub(super) zone: Watch,
    pub(super) contacts: Contacts,
    pub(super) cursor: Cursor<Intersecting, S, D>,
    /// The objects that the cursor has yielded before.
    pub(super) seen: Vec<Handle>,
    /// The list when cursor and watches were made.
    pub(super) begun: List<S, D>,
    /// The pairs that touched then.
    contacts_begun: Rc<[[Handle; 2]]>,
}

impl<S: Real, const D: usize> Clone for Stage<S, D> {
    fn clone(&self) -> Self {
        Self {
            index: self.index.clone(),
            handles: self.handles.clone(),
            watch: self.watch.clone(),
            zone: self.zone.clone(),
            contacts: self.contacts.clone(),
            cursor: self.cursor.clone(),
            seen: self.seen.clone(),
            begun: self.begun.clone(),
            contacts_begun: Rc::clone(&self.contacts_begun),
            ..*self
        }
    }
}

/// The place of an object: a whole number on each axis.
pub(super) fn place<S: Real, const D: usize>(number: u32) -> [S; D] {
    let mut axes = [37, 23, 11].into_iter();
    [(); D].map(|()| S::of(f64::from(number * axes.next().expect("three axes") % 61)))
}

/// The box of an object, from small to a third of the world.
pub(super) fn span<S: Real, const D: usize>(number: u32) -> Rect<S, D> {
    let side = f64::from(1 + number * 5 % 20);
    let min = place::<S, D>(number);
    Rect::new(min, min.map(|at| S::of(at.value() + side)))
}

impl<S: Real, const D: usize> Stage<S, D> {
    pub(super) fn new() -> Self {
        let mut index = Index::new(roomy_scenes::<S>()[0].world()).expect("a world");
        let settings = LayerSettings::new().split_above(4);
        let points = index.add_point_layer_with(settings).expect("a layer");
        let rects = index.add_rect_layer_with(settings).expect("a layer");
        let spare = index.add_point_layer().expect("a layer");
        let of_points = (0..EACH).map(|n| index.insert(points, place(n), Counted::new(n)).expect("finite"));
        let mut handles: Vec<_> = of_points.collect();
        handles.extend((EACH..2 * EACH).map(|n| index.insert(rects, span(n), Counted::new(n)).expect("finite")));
        let view = Rect::new([S::of(3.0); D], [S::of(52.0); D]);
        let (mut watch, mut zone, mut contacts) = (Watch::new(), Watch::new(), Contacts::new());
        watch.poll(index.intersecting(view)).expect("the first index");
        zone.poll(index.intersecting(Fused(view))).expect("the first index");
        contacts.poll(index.pairs()).expect("the first index");
        let mut query = index.intersecting(view);
        let seen = query.by_ref().take(7).map(|object| object.handle()).collect();
        let cursor = query.pause();
        let begun = list(&index);
        let contacts_begun = touching(&begun).into();
        let mut stage = Self {
            index,
            points,
            rects,
            spare,
            handles,
            view,
            watch,
            zone,
            contacts,
            cursor,
            seen,
            begun,
            contacts_begun,
        };
        stage.disturb();
        stage
    }

    fn disturb(&mut self) {
        let each = EACH as usize;
        for (number, to) in [(2, 50), (5, 51), (9, 3)] {
            self.index.move_to(self.handles[number], place(to)).expect("a point");
            self.index.move_to(self.handles[each + number], span(to)).expect("a box");
        }
        for number in [7, each + 7] {
            self.index.remove(self.handles[number]).expect("an object");
        }
        self.index.insert(self.points, place(60), Counted::new(60)).expect("finite");
    }

    /// The index is sound, and its answers are those of the list; cursor and watches tell the truth about it.
    pub(super) fn assert_truthful(mut self, anew: bool, what: &str) {
        if let Err(broken) = self.index.check_integrity() {
            panic!("{what}: {broken:?}");
        }
        let now = list(&self.index);
        assert_eq!(self.index.len(), now.len(), "{what}");
        for (&handle, known) in &now {
            assert_eq!(self.index.get(handle).map(|value| value.0), Some(known.number), "{what}");
            assert_eq!(self.index.shape(handle).map(|shape| Span::of_rect(&shape)), Some(known.span), "{what}");
            assert_eq!(self.index.layer(handle), Some(known.layer), "{what}");
        }
        self.assert_answers(&now, what);
        self.assert_watches(&now, what);
        self.assert_cursor(&now, anew, what);
    }

    fn assert_answers(&self, now: &List<S, D>, what: &str) {
        let sorted = |mut handles: Vec<Handle>| {
            handles.sort_unstable();
            handles
        };
        let found = sorted(self.index.intersecting(self.view).map(|object| object.handle()).collect());
        assert_eq!(found, that(Relation::Intersecting, now, &self.view), "{what}: intersecting");
        let found = sorted(self.index.contained_in(self.view).map(|object| object.handle()).collect());
        assert_eq!(found, that(Relation::ContainedIn, now, &self.view), "{what}: contained");
        let mut distance = S::of(0.0);
        let nearest = self.index.nearest(self.view.min()).inspect(|found| {
            assert!(distance <= found.distance_squared, "{what}: nearest comes in order");
            distance = found.distance_squared;
        });
        assert_eq!(nearest.count(), now.len(), "{what}: nearest");
        for layer in self.index.layers() {
            let count = now.values().filter(|known| known.layer == layer).count();
            assert_eq!(self.index.len_in(layer), count, "{what}: counted in a layer");
        }
    }

    fn assert_watches(&mut self, now: &List<S, D>, what: &str) {
        let matching = |view: &Rect<S, D>| that(Relation::Intersecting, now, view);
        let inside = self.watch.inside().to_vec();
        assert_eq!(inside, that(Relation::Intersecting, &self.begun, &self.view), "{what}: watch before");
        let changes = self.watch.poll(self.index.intersecting(self.view)).expect("the same index");
        assert_eq!(changes.entered, only_in(&matching(&self.view), &inside), "{what}: entered");
        assert_eq!(changes.left, only_in(&inside, &matching(&self.view)), "{what}: left");
        // It was polled, or will be now: it knows the one list or the other.
        let inside = self.zone.inside().to_vec();
        let is_polled = inside == matching(&self.view);
        assert!(is_polled || inside == that(Relation::Intersecting, &self.begun, &self.view), "{what}: zone before");
        let changes = self.zone.poll(self.index.intersecting(Fused(self.view))).expect("the same index");
        assert_eq!(changes.entered, only_in(&matching(&self.view), &inside), "{what}: entered the zone");
        assert_eq!(changes.left, only_in(&inside, &matching(&self.view)), "{what}: left the zone");
        let (before, after) = (self.contacts.pairs().collect::<Vec<_>>(), touching(now));
        assert!(before == after || before == *self.contacts_begun, "{what}: contacts before");
        let changes = self.contacts.poll(self.index.pairs()).expect("the same index");
        assert_eq!(changes.begun, only_in(&after, &before), "{what}: begun");
        assert_eq!(changes.ended, only_in(&before, &after), "{what}: ended");
    }

    /// An object left alone comes exactly once, and all that comes is there and matches.
    fn assert_cursor(&mut self, now: &List<S, D>, anew: bool, what: &str) {
        let mut seen = std::mem::take(&mut self.seen);
        let before = seen.len();
        loop {
            match self.cursor.step(&self.index) {
                Ok(Some(object)) => seen.push(object.handle()),
                Ok(None) => break,
                Err(_) if anew => return,
                Err(error) => panic!("{what}: {error}"),
            }
        }
        let matching = that(Relation::Intersecting, now, &self.view);
        assert!(seen[before..].iter().all(|handle| matching.contains(handle)), "{what}: a cursor yields what matches");
        for handle in matching.iter().filter(|handle| self.begun.get(handle) == now.get(handle)) {
            let times = seen.iter().filter(|seen| *seen == handle).count();
            assert_eq!(times, 1, "{what}: a cursor yields what is left alone once");
        }
    }
}

pub(super) fn list<S: Real, const D: usize>(index: &Index<S, D>) -> List<S, D> {
    let known = |object: quadrille::ObjectRef<'_, Counted, S, D>| {
        let span = Span::of_rect(&object.shape());
        (object.handle(), Known { layer: object.layer(), span, number: object.value().0 })
    };
    index.iter().map(known).collect()
}

/// The objects of a list to which the relation applies, by rising handle.
pub(super) fn that<S: Real, const D: usize>(relation: Relation, list: &List<S, D>, view: &Rect<S, D>) -> Vec<Handle> {
    let view = Span::of_rect(view);
    list.iter().filter(|(_, known)| relation.holds(&known.span, &view)).map(|(&handle, _)| handle).collect()
}

/// The pairs that touch, in ascending order.
pub(super) fn touching<S: Real, const D: usize>(list: &List<S, D>) -> Vec<[Handle; 2]> {
    let mut pairs = Vec::new();
    for (&one, known) in list {
        let others = list.range(one..).skip(1);
        let touch = others.filter(|(_, other)| Relation::Intersecting.holds(&known.span, &other.span));
        pairs.extend(touch.map(|(&other, _)| [one, other]));
    }
    pairs
}

fn only_in<H: Copy + PartialEq>(these: &[H], others: &[H]) -> Vec<H> {
    these.iter().copied().filter(|this| !others.contains(this)).collect()
}
