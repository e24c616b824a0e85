//! The nearest, rays and casts, beside linear lists of all images.

use core::array;

use quadrille::{Handle, Ray, Rect};

use quadrille_support::images::{Scene, handles, number, point};
use quadrille_support::{Dice, Real, in_spaces};

in_spaces!(nearest_beside_a_list, motions_beside_a_list);

fn nearest_beside_a_list<S: Real, const D: usize>() {
    let mut dice = Dice::new(37);
    for round in 0..if D == 2 { 120 } else { 40 } {
        let scene = Scene::<S, D>::new(&mut dice, 1 + round % 40);
        let dice = &mut dice;
        let min = scene.place(dice);
        let side = [0, 0, 3, 30][dice.below(4)];
        let target = Rect::new(min, min.map(|at| S::of(at.value() + number(dice, 0, side))));
        let mut all: Vec<_> = scene
            .list
            .iter()
            .map(|known| (scene.least_square(&target, &known.shape), known.handle, known.layer))
            .collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let what = format!("{target:?} {:?}", scene.torus);
        let query = || scene.index.nearest(target).periodic(&scene.torus);
        let found = query().map(|near| (near.distance_squared.value(), near.object.handle()));
        assert!(found.eq(all.iter().map(|known| (known.0, known.1))), "{what}");
        assert_eq!(query().exists(), !all.is_empty());

        let (asked, excluded) = scene.filters(dice);
        let [within, beyond] = [number(dice, 0, 20), number(dice, -2, 6)];
        let is_wanted = |known: &&(f64, Handle, usize)| {
            let is_far_enough = beyond <= 0.0 || beyond * beyond <= known.0;
            asked.contains(&known.2) && known.1 != excluded && known.0 <= within * within && is_far_enough
        };
        let taken = dice.below(all.len() + 1);
        for (from, way) in [(0, "at first"), (taken, "on the way")] {
            let mut begun = query();
            assert_eq!(begun.by_ref().take(from).count(), from);
            let rest = begun.in_layers(scene.set(&asked)).within(S::of(within)).excluding(excluded);
            let rest = rest.beyond(S::of(beyond));
            let found = handles(rest.clone().map(|near| near.object));
            let wanted: Vec<_> = all[from..].iter().filter(is_wanted).map(|known| known.1).collect();
            assert_eq!(found, wanted, "filtered {way}: {asked:?} within {within} beyond {beyond} {what}");
            assert_eq!(rest.exists(), !wanted.is_empty(), "{what}");
        }
    }
}

fn motions_beside_a_list<S: Real, const D: usize>() {
    let mut dice = Dice::new(41);
    let mut around = 0;
    for round in 0..if D == 2 { 160 } else { 40 } {
        let scene = Scene::<S, D>::new(&mut dice, 1 + round % 30);
        let dice = &mut dice;
        // Up to so many periods, which is two or four on the shorter axes.
        let (from, most) = (scene.place(dice), [16, 32][round % 2]);
        let step = point::<S, D>(dice, -most, most);
        let (asked, excluded) = scene.filters(dice);
        let end = [1.0, 0.5, 0.25][dice.below(3)];
        let body = Rect::new(from, from.map(|at| S::of(at.value() + number(dice, 0, 3))));
        for (from, is_ray) in [(Rect::from_point(from), true), (body, false)] {
            let first = |shape: &Rect<S, D>| scene.first_time(&from, &step, shape);
            let until = if is_ray { end } else { 1.0 };
            let timed = scene.list.iter().filter_map(|known| Some((first(&known.shape)?, known.handle, known.layer)));
            let mut all: Vec<_> = timed.filter(|known| known.0 <= until).collect();
            all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            around += all.iter().filter(|known| 0.3 < known.0).count();
            let what = format!("{from:?} by {step:?} {:?}", scene.torus);
            let wanted = |from: usize| {
                let rest = all[from..].iter().filter(|known| asked.contains(&known.2) && known.1 != excluded);
                rest.map(|known| known.1).collect::<Vec<_>>()
            };
            let taken = dice.below(all.len() + 1);
            // Times are rounded up.
            let told = |t: f64| if S::of(t).value() < t { S::of(t).up() } else { S::of(t) };
            macro_rules! ask {
                ($query:expr) => {
                    let found: Vec<_> = $query.map(|hit| (hit.object.handle(), hit.t)).collect();
                    let expected: Vec<_> = all.iter().map(|known| (known.1, told(known.0))).collect();
                    assert_eq!(found, expected, "{what}");
                    let mut begun = $query;
                    assert_eq!(begun.by_ref().take(taken).count(), taken, "{what}");
                    let rest = begun.in_layers(scene.set(&asked)).excluding(excluded);
                    assert_eq!(handles(rest.clone().map(|hit| hit.object)), wanted(taken), "{what}");
                    assert_eq!(rest.exists(), !wanted(taken).is_empty(), "{what}");
                };
            }
            if is_ray {
                let ray = Ray::new(from.min(), step);
                ask!(scene.index.raycast(ray).periodic(&scene.torus).until(S::of(until)));
                for hit in scene.index.raycast(ray).periodic(&scene.torus).until(S::of(until)) {
                    assert!(hit.object.shape().contains_point(hit.point()), "{what}");
                }
                if end == 1.0 {
                    let to = array::from_fn::<_, D, _>(|axis| S::of(from.min()[axis].value() + step[axis].value()));
                    ask!(scene.index.raycast(Ray::segment(from.min(), to)).periodic(&scene.torus));
                }
            } else {
                ask!(scene.index.cast(from, step).periodic(&scene.torus));
            }
        }
    }
    assert!(15 < around, "some come around: {around}");
}

/// An object that begins outside of the world may stay away there. It hides no other one of its bucket.
#[test]
fn an_object_outside_hides_no_other() {
    let world = Rect::new([0.0_f32, 0.0], [64.0, 64.0]);
    let (mut index, torus) = (quadrille::Quadtree::new(world).unwrap(), quadrille::Periodic::new(world).unwrap());
    let layer = index.add_rect_layer().unwrap();
    index.insert(layer, Rect::new([28.0, -44.0], [56.0, 20.0]), ()).unwrap();
    let near = index.insert(layer, Rect::new([60.0, 4.0], [80.0, 36.0]), ()).unwrap();
    index.insert(layer, Rect::new([8.0, 0.0], [16.0, 4.0]), ()).unwrap();
    let found: Vec<_> = index.nearest([40.0, 20.0]).periodic(&torus).map(|near| near.object.handle()).collect();
    assert!(found.contains(&near), "{found:?}");
}
