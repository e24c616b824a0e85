//! The index that is given bad input, and the input, column by column.

use std::rc::Rc;

use quadrille::{Handle, Layer, LayerId, LayerSet, LayerSettings, Points, Rect, Rects};

use quadrille_support::agreement::snapshot;
use quadrille_support::oracle::{Relation, Span};
use quadrille_support::scene::roomy_scenes;
use quadrille_support::{AnyLayer, Index, Real};

use super::outcome::Outcome;

/// An index of a dozen points and a dozen boxes in a world from 0 to 64.
#[derive(Clone)]
pub(super) struct Setting<S, const D: usize> {
    pub(super) index: Index<S, D>,
    pub(super) points: Layer<Points>,
    pub(super) rects: Layer<Rects>,
    pub(super) point: Handle,
    pub(super) rect: Handle,
    /// Another index, of which the same calls made the objects, and then more.
    pub(super) other: Index<S, D>,
    pub(super) foreign: [AnyLayer; 2],
    pub(super) removed: [AnyLayer; 2],
    pub(super) handles: [(&'static str, Handle); 6],
    /// All that the index shows.
    pub(super) shown: Rc<[String]>,
}

fn of<S: Real, const D: usize>(number: f64) -> [S; D] {
    [S::of(number); D]
}

impl<S: Real, const D: usize> Setting<S, D> {
    fn new() -> Self {
        let (mut index, points, rects, list) = Self::filled(12);
        let (other, foreign_points, foreign_rects, others) = Self::filled(30);
        let removed = [false, true].map(|rects| AnyLayer::add(&mut index, rects, LayerSettings::new()));
        for layer in removed {
            index.remove_layer(layer.id()).expect("a layer");
        }
        let reused = list[4];
        index.remove(reused).expect("a point");
        let heir = index.insert(points, of(13.0), 13).expect("finite");
        assert!(heir.to_bits() & 0xffff_ffff == reused.to_bits() & 0xffff_ffff, "the slot was used again");
        let gone = list[6];
        index.remove(gone).expect("a point");
        let (point, rect) = (list[0], list[1]);
        let handles = [
            ("null", Handle::default()),
            ("removed", gone),
            ("removed, its slot used again", reused),
            ("of another index, unknown here", others[others.len() - 1]),
            ("of another index, with the bits of one here", others[1]),
            ("of the other kind", point),
        ];
        assert_eq!(others[1], rect);
        let foreign = [AnyLayer::Points(foreign_points), AnyLayer::Rects(foreign_rects)];
        let shown = Rc::new([]);
        Self { index, points, rects, point, rect, other, foreign, removed, handles, shown }
    }

    /// A clone, which takes as many bytes as other clones, and what it shows.
    pub(super) fn cloned() -> Self {
        let setting = Self::new().clone();
        let shown = snapshot(&setting.index).into();
        Self { shown, ..setting }
    }

    fn filled(each: u32) -> (Index<S, D>, Layer<Points>, Layer<Rects>, Vec<Handle>) {
        let mut index = roomy_scenes::<S>()[0].index();
        let settings = LayerSettings::new().split_above(2);
        let points = index.add_point_layer_with(settings).expect("a layer");
        let rects = index.add_rect_layer_with(settings).expect("a layer");
        let mut handles = Vec::new();
        for number in 0..each {
            let at = 1.5 + f64::from(number * 5 % 60);
            handles.push(index.insert(points, of(at), number).expect("finite"));
            let rect = Rect::new(of::<S, D>(at), of::<S, D>(at + 2.0));
            handles.push(index.insert(rects, rect, number).expect("finite"));
        }
        (index, points, rects, handles)
    }

    pub(super) fn sound_point() -> [S; D] {
        of(20.5)
    }

    pub(super) fn sound_rect() -> Rect<S, D> {
        Rect::new(of::<S, D>(20.5), of::<S, D>(40.5))
    }

    /// How many objects a query found. By a relation, these are the ones of a linear list.
    pub(super) fn found(&self, found: &[Handle], by: Option<(Relation, Rect<S, D>)>) -> Outcome {
        if let Some((relation, region)) = by {
            let region = Span { min: region.min(), max: region.max() };
            let holds = |handle: Handle| {
                relation.holds(&Span::of_rect(&self.index.shape(handle).expect("a live object")), &region)
            };
            let mut expected: Vec<_> =
                self.index.iter().map(|object| object.handle()).filter(|&handle| holds(handle)).collect();
            let mut found = found.to_vec();
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "{relation:?} {region}");
        }
        Outcome::of_count(found.len(), self.index.len())
    }
}

/// Numbers that a coordinate or a distance may be.
pub(super) fn numbers<S: Real>() -> Vec<(&'static str, S)> {
    vec![
        ("NaN", S::of(f64::NAN)),
        ("∞", S::of(f64::INFINITY)),
        ("−∞", S::of(f64::NEG_INFINITY)),
        ("−0.0", S::of(-0.0)),
        ("subnormal", S::SMALLEST),
        ("largest", S::LARGEST),
        ("−largest", S::of(-S::LARGEST.value())),
    ]
}

/// The same, and places on lines where nodes, blocks and cells are split, and outside the world.
pub(super) fn coordinates<S: Real>() -> Vec<(&'static str, S)> {
    let mut list = numbers();
    list.extend((0..=16).map(|line| ("on a split line", S::of(f64::from(line) * 4.0))));
    list.extend([("outside", S::of(-1.0)), ("outside", S::of(64.5)), ("outside", S::of(1e6))]);
    list
}

/// Boxes with a bad coordinate in a corner, on each axis; with swapped corners, without extent, and empty ones.
pub(super) fn rects<S: Real, const D: usize>() -> Vec<(&'static str, Rect<S, D>)> {
    let sound = Setting::<S, D>::sound_rect();
    let mut list = Vec::new();
    for (name, bad) in coordinates() {
        for axis in 0..D {
            let mut min = sound.min();
            min[axis] = bad;
            list.push((name, Rect::new(min, sound.max())));
        }
    }
    list.push(("swapped corners", Rect::new(sound.max(), sound.min())));
    list.push(("no extent", Rect::from_point(sound.min())));
    list.push(("empty", sound.expanded(S::of(-1e3))));
    list
}

/// Points with a bad coordinate, on each axis.
pub(super) fn points<S: Real, const D: usize>() -> Vec<(&'static str, [S; D])> {
    let mut list = Vec::new();
    for (name, bad) in coordinates() {
        for axis in 0..D {
            let mut point = Setting::<S, D>::sound_point();
            point[axis] = bad;
            list.push((name, point));
        }
    }
    list
}

pub(super) fn layers<S: Real, const D: usize>(setting: &Setting<S, D>) -> Vec<(&'static str, AnyLayer)> {
    let mut list: Vec<_> = setting.removed.iter().map(|&layer| ("removed", layer)).collect();
    list.extend(setting.foreign.iter().map(|&layer| ("of another index", layer)));
    list.retain(|(_, layer)| layer.holds_rects());
    list.push(("of the other kind", AnyLayer::Points(setting.points)));
    list
}

pub(super) fn sets<S: Real, const D: usize>(setting: &Setting<S, D>) -> Vec<(&'static str, LayerSet)> {
    let of = |layer: LayerId| LayerSet::from(layer);
    vec![
        ("none", LayerSet::NONE),
        ("removed", of(setting.removed[1].id())),
        ("of another index", of(setting.foreign[1].id())),
        ("all bits", LayerSet::from_bits(u64::MAX)),
    ]
}

/// A list whose size hint is what it says.
pub(super) struct Lying<I>(pub(super) I, pub(super) (usize, Option<usize>));

impl<I: Iterator> Iterator for Lying<I> {
    type Item = I::Item;
    fn next(&mut self) -> Option<I::Item> {
        self.0.next()
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.1
    }
}

pub(super) type Hint = (usize, Option<usize>);

pub(super) fn hints() -> Vec<(&'static str, Hint)> {
    vec![
        ("size hint too low", (0, Some(0))),
        ("size hint too high", (usize::MAX, None)),
        ("size hint upside down", (9, Some(3))),
    ]
}

pub(super) fn counts() -> Vec<(&'static str, usize)> {
    vec![("0", 0), ("largest", usize::MAX)]
}
