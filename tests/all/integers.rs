//! A program on integers: tiles of `i32` go through `f64`, and every answer is that of a model that knows only integers.
#![expect(clippy::cast_precision_loss, clippy::cast_sign_loss, reason = "which integers are exact is the subject")]

use std::collections::BTreeMap;

use quadrille::{Handle, Layer, Points, Quadtree, Rect, Rects};

use quadrille_support::Dice;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Tile {
    x: i32,
    y: i32,
}

impl From<Tile> for [f64; 2] {
    fn from(tile: Tile) -> Self {
        [tile.x.into(), tile.y.into()]
    }
}

/// The tiles from the first to the last.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Area {
    first: Tile,
    last: Tile,
}

impl Area {
    fn of_tile(tile: Tile) -> Self {
        Self { first: tile, last: tile }
    }

    fn between(a: Tile, b: Tile) -> Self {
        Self { first: Tile { x: a.x.min(b.x), y: a.y.min(b.y) }, last: Tile { x: a.x.max(b.x), y: a.y.max(b.y) } }
    }

    fn holds(&self, other: &Self) -> bool {
        let Self { first, last } = *self;
        let (x, y) = (first.x..=last.x, first.y..=last.y);
        x.contains(&other.first.x)
            && x.contains(&other.last.x)
            && y.contains(&other.first.y)
            && y.contains(&other.last.y)
    }

    fn shares_a_tile(&self, other: &Self) -> bool {
        let first = Tile { x: self.first.x.max(other.first.x), y: self.first.y.max(other.first.y) };
        let last = Tile { x: self.last.x.min(other.last.x), y: self.last.y.min(other.last.y) };
        first.x <= last.x && first.y <= last.y
    }

    /// The square of the distance in tiles.
    fn square(&self, from: Tile) -> i64 {
        let gap = |first: i32, last: i32, at: i32| {
            let [first, last, at] = [first, last, at].map(i64::from);
            (first - at).max(at - last).max(0)
        };
        gap(self.first.x, self.last.x, from.x).pow(2) + gap(self.first.y, self.last.y, from.y).pow(2)
    }
}

impl From<Area> for Rect<f64> {
    fn from(area: Area) -> Self {
        Self::new(area.first, area.last)
    }
}

/// Where tiles are, and how far they are apart.
#[derive(Clone, Copy)]
struct Field {
    from: i64,
    side: usize,
    step: i64,
}

impl Field {
    fn tile(&self, dice: &mut Dice) -> Tile {
        let mut at = || {
            let number = i64::try_from(dice.below(self.side)).expect("31 bits");
            i32::try_from(self.from + number * self.step).expect("the field is one of `i32`")
        };
        Tile { x: at(), y: at() }
    }
}

struct Town {
    map: Quadtree<u32, f64>,
    units: Layer<Points>,
    houses: Layer<Rects>,
    model: BTreeMap<Handle, Area>,
    dice: Dice,
    field: Field,
}

impl Town {
    fn new(field: Field) -> Self {
        let end = i32::try_from(field.from + field.step * i64::try_from(field.side).expect("31 bits"));
        let first = i32::try_from(field.from).expect("an `i32`");
        let last = end.unwrap_or(i32::MAX);
        let world = Area::between(Tile { x: first, y: first }, Tile { x: last, y: last });
        let mut map = Quadtree::new(world.into()).expect("a world");
        let (units, houses) = (map.add_point_layer().expect("a layer"), map.add_rect_layer().expect("a layer"));
        Self { map, units, houses, model: BTreeMap::new(), dice: Dice::new(47), field }
    }

    fn area(&mut self) -> Area {
        let first = self.field.tile(&mut self.dice);
        // Mostly small, so that some houses are neighbours and some share tiles.
        let [w, h] = [(); 2].map(|()| i32::try_from(self.dice.below(6)).expect("small"));
        let last = if self.dice.below(10) == 0 {
            self.field.tile(&mut self.dice)
        } else {
            Tile { x: first.x.saturating_add(w), y: first.y.saturating_add(h) }
        };
        Area::between(first, last)
    }

    fn change(&mut self, number: u32) {
        let handles: Vec<Handle> = self.model.keys().copied().collect();
        let some = handles.get(self.dice.below(handles.len() + 1)).copied();
        match (self.dice.below(4), some) {
            (0, Some(gone)) => {
                assert!(self.map.remove(gone).is_some());
                self.model.remove(&gone);
            }
            (1, Some(moved)) if self.map.layer(moved) == Some(self.units.id()) => {
                let tile = self.field.tile(&mut self.dice);
                self.map.move_to(moved, tile).expect("finite");
                self.model.insert(moved, Area::of_tile(tile));
            }
            (1, Some(moved)) => {
                let area = self.area();
                self.map.move_to(moved, Rect::from(area)).expect("finite");
                self.model.insert(moved, area);
            }
            (2, _) => {
                let tile = self.field.tile(&mut self.dice);
                let handle = self.map.insert(self.units, tile, number).expect("finite");
                self.model.insert(handle, Area::of_tile(tile));
            }
            _ => {
                let area = self.area();
                let handle = self.map.insert(self.houses, Rect::from(area), number).expect("finite");
                self.model.insert(handle, area);
            }
        }
    }

    fn that(&self, holds: impl Fn(&Area) -> bool) -> Vec<Handle> {
        self.model.iter().filter(|(_, area)| holds(area)).map(|(handle, _)| *handle).collect()
    }

    /// Every exact query about an area and a tile.
    fn ask(&mut self) {
        fn sorted(handles: impl Iterator<Item = Handle>) -> Vec<Handle> {
            let mut handles: Vec<_> = handles.collect();
            handles.sort_unstable();
            handles
        }
        let (area, tile) = (self.area(), self.field.tile(&mut self.dice));
        let (map, view) = (&self.map, Rect::from(area));
        let meeting = sorted(map.intersecting(view).map(|found| found.handle()));
        assert_eq!(meeting, self.that(|other| other.shares_a_tile(&area)), "{area:?}");
        let inside = sorted(map.contained_in(view).map(|found| found.handle()));
        assert_eq!(inside, self.that(|other| area.holds(other)), "{area:?}");
        let around = sorted(map.containing(view).map(|found| found.handle()));
        assert_eq!(around, self.that(|other| other.holds(&area)), "{area:?}");
        let at = sorted(map.containing(tile).map(|found| found.handle()));
        assert_eq!(at, self.that(|other| other.holds(&Area::of_tile(tile))), "{tile:?}");
        for (handle, area) in &self.model {
            // Back again, nothing is lost.
            let shape = map.shape(*handle).expect("it lives");
            let back = [shape.min(), shape.max()].map(|[x, y]| Tile { x: x as i32, y: y as i32 });
            assert_eq!(back, [area.first, area.last]);
        }
    }

    fn ask_for_pairs(&self) {
        let mut found: Vec<[Handle; 2]> = self.map.pairs().map(|(a, b)| [a.handle(), b.handle()]).collect();
        for pair in &mut found {
            pair.sort_unstable();
        }
        found.sort_unstable();
        let all: Vec<_> = self.model.iter().collect();
        let mut expected = Vec::new();
        for (place, (one, area)) in all.iter().enumerate() {
            let others = all[place + 1..].iter().filter(|(_, other)| area.shares_a_tile(other));
            expected.extend(others.map(|(other, _)| [**one, **other]));
        }
        assert_eq!(found, expected);
    }

    /// By distance, where squares are exact.
    fn ask_by_distance(&mut self) {
        let tile = self.field.tile(&mut self.dice);
        let mut expected: Vec<_> = self.model.iter().map(|(handle, area)| (area.square(tile), *handle)).collect();
        expected.sort_unstable();
        let found: Vec<_> = self.map.nearest(tile).map(|of| (of.distance_squared as i64, of.object.handle())).collect();
        assert_eq!(found, expected, "{tile:?}");
        let radius = i64::try_from(self.dice.below(self.field.side)).expect("31 bits") * self.field.step / 4;
        let within = self.map.within_distance(tile, radius as f64).count();
        assert_eq!(within, expected.iter().filter(|(square, _)| *square <= radius * radius).count());
    }
}

/// Tiles in a crowd around zero, at both ends of `i32`, and all over it.
#[test]
fn a_town_of_tiles() {
    let fields = [
        (Field { from: -20, side: 40, step: 1 }, true),
        (Field { from: i64::from(i32::MIN), side: 50, step: 1 }, true),
        (Field { from: i64::from(i32::MAX) - 49, side: 50, step: 1 }, true),
        (Field { from: 0, side: 1 << 10, step: (1 << 15) - 1 }, true),
        (Field { from: i64::from(i32::MIN), side: (1 << 31) - 1, step: 2 }, false),
    ];
    for (field, are_squares_exact) in fields {
        let mut town = Town::new(field);
        for number in 0..600 {
            town.change(number);
            if number % 10 == 9 {
                town.ask();
                if are_squares_exact {
                    town.ask_by_distance();
                }
            }
        }
        town.ask_for_pairs();
        town.map.check_integrity().expect("a sound index");
    }
}

/// The table of the guide: which integers the two types hold exactly.
#[test]
fn the_largest_integers() {
    let is_exact_in_f32 = |whole: i64| (whole as f32) as i64 == whole;
    let is_exact_in_f64 = |whole: i64| (whole as f64) as i64 == whole;
    for near in -1000..=1000 {
        for sign in [-1, 1] {
            let [small, large] = [24, 53].map(|bits| sign * ((1_i64 << bits) + near));
            assert!(is_exact_in_f32(small) || sign * small > 1 << 24, "{small}");
            assert!(is_exact_in_f64(large) || sign * large > 1 << 53, "{large}");
        }
    }
    assert!(!is_exact_in_f32((1 << 24) + 1) && !is_exact_in_f64((1 << 53) + 1));
    for whole in [i32::MIN, i32::MIN + 1, -1, 0, 1, i32::MAX - 1, i32::MAX] {
        assert!(is_exact_in_f64(whole.into()) && f64::from(whole) as i32 == whole);
    }
    assert!(is_exact_in_f64(u32::MAX.into()) && f64::from(u32::MAX) as u32 == u32::MAX);
}
