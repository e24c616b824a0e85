//! Cursors in a world without edges, beside a list, while the index changes: C1 to C6 of `docs/invariants.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use quadrille::{Ball, Cursor, Handle, IntoRegion, Periodic, Predicate, Quadtree, Rect, Region, Segment};

use quadrille_support::images::{Known, Scene, encloses, meets, number};
use quadrille_support::{Dice, Real, in_spaces};

in_spaces!(cursors_beside_a_list);

/// The objects that a cursor is to yield.
struct Wanted<'a, S, const D: usize> {
    bounds: Rect<S, D>,
    holds: &'a dyn Fn(&Rect<S, D>) -> bool,
    asked: &'a [usize],
    excluded: &'a [Handle],
}

impl<S: Real, const D: usize> Wanted<'_, S, D> {
    /// Those of the list.
    fn all(&self, scene: &Scene<S, D>) -> BTreeSet<Handle> {
        let passes = |known: &&Known<S, D>| {
            self.asked.contains(&known.layer)
                && !self.excluded.contains(&known.handle)
                && scene.matches(&known.shape, &self.bounds, self.holds)
        };
        scene.list.iter().filter(passes).map(|known| known.handle).collect()
    }
}

/// Follows a cursor to its end, while the index changes. The objects before it have come already.
fn follow<P: Predicate, S: Real, const D: usize, R: Region<S, D> + Clone>(
    dice: &mut Dice,
    scene: &mut Scene<S, D>,
    mut cursor: Cursor<P, S, D, R>,
    before: &[Handle],
    is_distinct: bool,
    wanted: &Wanted<'_, S, D>,
    what: &str,
) {
    let mut left_alone: BTreeSet<_> = wanted.all(scene).into_iter().filter(|one| !before.contains(one)).collect();
    let (mut seen, mut moves) = (BTreeMap::<Handle, usize>::new(), BTreeMap::<Handle, usize>::new());
    let changes = dice.below(3);
    for calls in 0.. {
        assert!(calls < 10_000, "a cursor ends: {what}");
        let mut came = Vec::new();
        let done = match dice.below(5) {
            0 => {
                let next = cursor.step(&scene.index).expect("its index");
                came.extend(next.map(|object| object.handle()));
                came.is_empty()
            }
            way @ 1..4 => {
                let budget = [1, 3, 1000][way - 1];
                let slice = cursor.run(&scene.index, budget, |object| came.push(object.handle())).expect("its index");
                assert_eq!(slice.yielded, came.len(), "{what}");
                slice.done
            }
            _ => {
                let mut rest = scene.index.resume(cursor).expect("its index");
                came.extend(rest.by_ref().take(dice.below(4)).map(|object| object.handle()));
                cursor = rest.pause();
                false
            }
        };
        let matching = if came.is_empty() { BTreeSet::new() } else { wanted.all(scene) };
        for handle in came {
            assert!(matching.contains(&handle), "{handle:?} does not match: {what}");
            *seen.entry(handle).or_default() += 1;
        }
        if done {
            assert!(cursor.step(&scene.index).expect("its index").is_none(), "it stays at its end: {what}");
            break;
        }
        for _ in 0..if calls < 60 { changes } else { 0 } {
            if let Some((handle, has_moved)) = scene.change(dice) {
                left_alone.remove(&handle);
                *moves.entry(handle).or_default() += usize::from(has_moved);
            }
        }
    }
    for handle in &left_alone {
        assert_eq!(seen.get(handle), Some(&1), "{handle:?} was left alone: {what}");
    }
    for (handle, times) in seen {
        let most = if is_distinct { 1 } else { 1 + moves.get(&handle).unwrap_or(&0) };
        assert!(times <= most, "{handle:?} came {times} times: {what}");
    }
    quadrille_support::assert_sound(&scene.index, what);
}

fn ask<S: Real, const D: usize, I>(dice: &mut Dice, scene: &mut Scene<S, D>, region: &I)
where
    I: IntoRegion<S, D> + Clone + Debug,
    I::Region: Clone + Debug,
{
    let shape = region.clone().into_region();
    let bounds = shape.bounds();
    macro_rules! each {
        ($($method:ident: $holds:expr),+) => {$(if !scene.list.is_empty() {
            let (asked, excluded) = (scene.filters(dice).0, scene.several(dice));
            let wanted = Wanted { bounds, holds: &$holds, asked: &asked, excluded: &excluded };
            let what = format!("{} {region:?} {:?}", stringify!($method), scene.torus);
            let query = scene.index.$method(region.clone()).periodic(&scene.torus);
            let mut query = query.in_layers(scene.set(&asked)).excluding(excluded.clone());
            let before: Vec<_> = query.by_ref().take([0, 0, 1, 3][dice.below(4)]).map(|object| object.handle()).collect();
            let is_distinct = dice.below(3) == 0;
            let cursor = if is_distinct { query.pause().distinct() } else { query.pause() };
            // A clone goes on from the same place, and nothing has changed.
            let rest = scene.index.resume(cursor.clone()).expect("its index").map(|object| object.handle());
            let all: Vec<_> = before.iter().copied().chain(rest).collect();
            assert_eq!(all.len(), wanted.all(scene).len(), "{what}");
            assert_eq!(all.iter().copied().collect::<BTreeSet<_>>(), wanted.all(scene), "{what}");
            follow(dice, scene, cursor, &before, is_distinct, &wanted, &what);
        })+};
    }
    each!(intersecting: |object: &Rect<S, D>| meets(&shape, object),
        near: |object: &Rect<S, D>| meets(&shape, object),
        contained_in: |object: &Rect<S, D>| encloses(&shape, object),
        containing: |object: &Rect<S, D>| object.contains(&bounds));
}

fn cursors_beside_a_list<S: Real, const D: usize>() {
    let mut dice = Dice::new(67);
    for round in 0..if D == 2 { 60 } else { 8 } {
        let mut scene = Scene::<S, D>::new(&mut dice, 1 + round % 40);
        let dice = &mut dice;
        for _ in 0..3 {
            if scene.list.is_empty() {
                continue;
            }
            let min = scene.place(dice);
            let side = [0, 2, 7, 17][dice.below(4)];
            let view = Rect::new(min, min.map(|at| S::of(at.value() + number(dice, 0, side))));
            ask(dice, &mut scene, &view);
            let radius = S::of([2.0, 5.0, 9.0, 20.0][dice.below(4)]);
            ask(dice, &mut scene, &Ball::new(min, radius));
            let to = min.map(|at| S::of(at.value() + number(dice, -12, 12)));
            ask(dice, &mut scene, &Segment::new(min, to));
        }
    }
}

/// Objects in the root's own list are pending before they are tested; those that have come in an image before come no more.
#[test]
fn large_objects_come_once() {
    let torus = Periodic::new(Rect::new([0.0, 0.0], [16.0, 16.0])).unwrap();
    let mut index = Quadtree::<u32>::new(torus.world()).unwrap();
    let rects = index.add_rect_layer().unwrap();
    for number in 0..300 {
        index.insert(rects, Rect::new([1.0, 1.0], [40.0, 30.0]), number).unwrap();
    }
    for budget in [1, 2, 3] {
        let mut cursor = index.intersecting(Rect::new([3.0, 3.0], [4.0, 4.0])).periodic(&torus).pause();
        let mut found = Vec::new();
        while !cursor.run(&index, budget, |object| found.push(*object.value())).unwrap().done {}
        found.sort_unstable();
        assert_eq!(found, (0..300).collect::<Vec<_>>(), "slices of {budget}");
    }
}
