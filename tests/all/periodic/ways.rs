//! Ordered queries in every way and with every filter, beside the same query to a plain world that repeats.

use core::array;

use quadrille::{Handle, Hit, Neighbor, Ray, Rect, SearchBuffer};

use quadrille_support::images::{Scene, number, point};
use quadrille_support::{Dice, Index, Real, in_spaces};

use super::unrolled::Unrolled;

in_spaces!(the_nearest_in_every_way, motions_in_every_way);

/// As far as images are looked for: in 3D there are many.
const fn far<const D: usize>() -> i32 {
    if D == 2 { 6 } else { 4 }
}

/// A hit, but for where it is.
type Seen<S, const D: usize> = (Handle, S, [S; D], bool);

fn near<S: Real, const D: usize>(near: &Neighbor<'_, u32, S, D>) -> (Handle, S) {
    (near.object.handle(), near.distance_squared)
}

/// Compares the ways to ask an ordered query, all of which give the beginning or the end of the same answer.
macro_rules! in_every_way {
    ($query:expr, $all:expr, $name:expr, $buffer:expr, $dice:expr, $what:expr) => {{
        let (all, name, what) = ($all, $name, $what);
        let found: Vec<_> = $query.map(|item| name(&item)).collect();
        assert_eq!(found, all, "{what}");
        assert_eq!($query.exists(), !all.is_empty(), "{what}");
        let one = $query.any_first().map(|item| name(&item));
        assert_eq!(one.map(|one| one.1), all.first().map(|first| first.1), "{what}");
        assert!(one.is_none_or(|one| all.contains(&one)), "{what}");
        // A lent buffer remembers how many were wanted.
        for taken in [$dice.below(all.len() + 1), all.len() + 1] {
            let found: Vec<_> = $query.reusing($buffer).take(taken).map(|item| name(&item)).collect();
            assert_eq!(found, all[..taken.min(all.len())], "with a buffer: {what}");
        }
        let taken = $dice.below(all.len() + 1);
        let mut begun = $query;
        assert_eq!(begun.by_ref().take(taken).count(), taken, "{what}");
        assert_eq!(begun.clone().any_first().is_some(), taken < all.len(), "{what}");
        assert!(begun.clone().map(|item| name(&item)).eq(all[taken..].iter().copied()), "a clone: {what}");
        let mut buffer = SearchBuffer::new();
        assert!(begun.reusing(&mut buffer).map(|item| name(&item)).eq(all[taken..].iter().copied()), "{what}");
    }};
}

fn the_nearest_in_every_way<S: Real, const D: usize>() {
    let (mut dice, mut buffer) = (Dice::new(71), SearchBuffer::new());
    for round in 0..if D == 2 { 60 } else { 10 } {
        let scene = Scene::<S, D>::new(&mut dice, 1 + round % if D == 2 { 30 } else { 12 });
        let (dice, torus) = (&mut dice, &scene.torus);
        let plain = Unrolled::new(&scene, far::<D>());
        let min = scene.place(dice);
        let side = [0, 0, 3, 30][dice.below(4)];
        let target = Rect::new(min, min.map(|at| S::of(at.value() + number(dice, 0, side))));
        let what = format!("{target:?} {torus:?}");
        let all = plain.firsts(plain.index.nearest(target), |near| near.object);
        let all: Vec<_> = all.iter().map(|(image, near)| (image.handle, near.distance_squared)).collect();
        in_every_way!(scene.index.nearest(target).periodic(torus), all.clone(), near, &mut buffer, dice, &what);

        let ((asked, _), several) = (scene.filters(dice), scene.several(dice));
        let [within, beyond] = [number(dice, 0, 20), number(dice, -2, 6)].map(S::of);
        let layer = |handle| scene.list.iter().find(|known| known.handle == handle).expect("it lives").layer;
        let is_wanted = |(handle, square): &&(Handle, S)| {
            let is_far_enough = beyond <= S::of(0.0) || beyond.value() * beyond.value() <= square.value();
            asked.contains(&layer(*handle))
                && !several.contains(handle)
                && square.value() <= within.value() * within.value()
                && is_far_enough
        };
        let wanted: Vec<_> = all.iter().filter(is_wanted).copied().collect();
        let query = || scene.index.nearest(target);
        let (set, out) = (scene.set(&asked), || several.clone());
        in_every_way!(
            query().within(within).periodic(torus).in_layers(set).beyond(beyond).excluding(out()),
            wanted.clone(),
            near,
            &mut buffer,
            dice,
            &what
        );
        in_every_way!(
            query().excluding(out()).beyond(beyond).in_layers(set).within(within).periodic(torus),
            wanted.clone(),
            near,
            &mut buffer,
            dice,
            &what
        );
        // So many, and those that tie with the last of them.
        let count = dice.below(wanted.len() + 2);
        let last = wanted.get(count.wrapping_sub(1)).map(|last| last.1);
        let is_tie = |(place, found): &(usize, &(Handle, S))| *place < count || Some(found.1) == last;
        let ties: Vec<_> = wanted.iter().enumerate().filter(is_tie).map(|(_, found)| *found).collect();
        let filtered = || query().in_layers(set).excluding(out()).within(within).beyond(beyond);
        assert!(
            filtered().take_with_ties(count).periodic(torus).map(|item| near(&item)).eq(ties.iter().copied()),
            "{what}"
        );
        let found: Vec<_> = filtered().periodic(torus).take_with_ties(count).map(|item| near(&item)).collect();
        assert_eq!(found, ties, "{count} with ties: {what}");
        // On the way it begins again.
        let mut begun = query();
        begun.by_ref().take(dice.below(4)).for_each(drop);
        assert_eq!(begun.periodic(torus).map(|item| near(&item)).collect::<Vec<_>>(), all, "begun: {what}");
    }
}

fn hit<S: Real, const D: usize>(hit: &Hit<'_, u32, S, D>) -> Seen<S, D> {
    let close = |axis: usize| hit.point()[axis].value();
    let shape = hit.object.shape();
    assert!((0..D).all(|axis| (shape.min()[axis].value()..=shape.max()[axis].value()).contains(&close(axis))));
    (hit.object.handle(), hit.t, hit.normal(), false)
}

fn touch<S: Real, const D: usize>(hit: &Hit<'_, u32, S, D>) -> Seen<S, D> {
    (hit.object.handle(), hit.t, hit.normal(), hit.touches_at_start())
}

/// A plain query to the world that repeats, with the handles of objects.
macro_rules! plain {
    ($plain:expr, $query:expr, $name:expr) => {
        $plain
            .firsts($query, |hit| hit.object)
            .into_iter()
            .map(|(image, hit)| {
                let (_, t, normal, touches) = $name(&hit);
                (image.handle, t, normal, touches)
            })
            .collect::<Vec<_>>()
    };
}

/// The points of hits lie on the objects where they are stored.
fn assert_points<S: Real, const D: usize>(
    index: &Index<S, D>,
    plain: &Unrolled<S, D>,
    ray: Ray<S, D>,
    scene: &Scene<S, D>,
) {
    let hits = plain.firsts(plain.index.raycast(ray), |hit| hit.object);
    for (here, (image, there)) in index.raycast(ray).periodic(&scene.torus).zip(hits) {
        for axis in 0..D {
            let point = there.point()[axis].value() - image.by[axis];
            assert!((here.point()[axis].value() - point).abs() < 1e-4, "{here:?} {there:?} {:?}", scene.torus);
        }
    }
}

fn motions_in_every_way<S: Real, const D: usize>() {
    let (mut dice, mut buffer) = (Dice::new(73), SearchBuffer::new());
    let mut blocked = 0;
    for round in 0..if D == 2 { 120 } else { 12 } {
        let scene = Scene::<S, D>::new(&mut dice, 1 + round % if D == 2 { 30 } else { 12 });
        let (dice, torus, index) = (&mut dice, &scene.torus, &scene.index);
        let plain = Unrolled::new(&scene, far::<D>());
        let most = if D == 2 { 16 } else { 8 };
        let (from, step) = (scene.place(dice), point::<S, D>(dice, -most, most));
        let what = format!("{from:?} by {step:?} {torus:?}");
        let ((asked, _), several) = (scene.filters(dice), scene.several(dice));
        let (set, out) = (scene.set(&asked), || several.clone());
        let layer = |handle| scene.list.iter().find(|known| known.handle == handle).expect("it lives").layer;
        let passing = |all: &[Seen<S, D>]| -> Vec<Seen<S, D>> {
            all.iter().filter(|seen| asked.contains(&layer(seen.0)) && !several.contains(&seen.0)).copied().collect()
        };
        let ray = Ray::segment(from, array::from_fn::<_, D, _>(|axis| S::of(from[axis].value() + step[axis].value())));
        let all = plain!(plain, plain.index.raycast(ray), hit);
        in_every_way!(index.raycast(ray).periodic(torus), all.clone(), hit, &mut buffer, dice, &what);
        assert_points(index, &plain, ray, &scene);
        let until = S::of([0.0, 0.25, 0.5, 1.0][dice.below(4)]);
        let all = passing(&plain!(plain, plain.index.raycast(ray).until(until), hit));
        in_every_way!(
            index.raycast(ray).until(until).in_layers(set).periodic(torus).excluding(out()),
            all.clone(),
            hit,
            &mut buffer,
            dice,
            &what
        );
        in_every_way!(
            index.raycast(ray).periodic(torus).excluding(out()).in_layers(set).until(until),
            all.clone(),
            hit,
            &mut buffer,
            dice,
            &what
        );

        let body = Rect::new(from, from.map(|at| S::of(at.value() + number(dice, 0, 3))));
        let all = plain!(plain, plain.index.cast(body, step), touch);
        in_every_way!(index.cast(body, step).periodic(torus), all.clone(), touch, &mut buffer, dice, &what);
        for skin in [0.0, 0.5, 1.0, 3.0, 10.0, -1.0, f64::NAN].map(S::of) {
            let what = format!("{body:?} in a skin of {skin} {what}");
            let all = plain!(plain, plain.index.cast(body, step).blocking(skin), touch);
            blocked += all.len();
            in_every_way!(
                index.cast(body, step).blocking(skin).periodic(torus),
                all.clone(),
                touch,
                &mut buffer,
                dice,
                &what
            );
            let mut begun = index.cast(body, step).periodic(torus).in_layers(set);
            begun.next();
            // After the first it begins again.
            in_every_way!(
                begun.clone().blocking(skin).excluding(out()),
                passing(&all),
                touch,
                &mut buffer,
                dice,
                &what
            );
        }
    }
    assert!(1000 < blocked || D == 3, "{blocked} hits in a skin");
}
