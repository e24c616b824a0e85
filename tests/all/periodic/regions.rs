//! Regions, beside linear lists of all images.

use core::array;
use std::fmt::Debug;

use quadrille::{AnyOf, Ball, Convex, HalfSpace, Handle, IntoRegion, Polygon, Rect, Region, Segment};

use quadrille_support::images::{Scene, encloses, handles, meets, number, point};
use quadrille_support::oracle::sorted;
use quadrille_support::{Dice, Real, in_spaces};
#[cfg(feature = "rayon")]
use rayon::iter::{IntoParallelIterator, ParallelIterator};

in_spaces!(beside_a_list);

/// Asks all relations about a region, in every way. `near` tests its objects in a world without edges.
#[expect(clippy::needless_pass_by_value, reason = "as queries take it")]
fn ask_region<S: Real, const D: usize, I>(scene: &Scene<S, D>, dice: &mut Dice, region: I)
where
    I: IntoRegion<S, D> + Clone + Debug,
    I::Region: Clone + Debug + Send + Sync,
{
    let (asked, excluded) = scene.filters(dice);
    let several = scene.several(dice);
    let shape = region.clone().into_region();
    let bounds = shape.bounds();
    let expected = |holds: &dyn Fn(&Rect<S, D>) -> bool| {
        let matching = scene.list.iter().filter(|known| scene.matches(&known.shape, &bounds, holds));
        matching.map(|known| (known.handle, known.layer)).collect::<Vec<_>>()
    };
    macro_rules! ask {
        ($method:ident, $expected:expr) => {
            let (all, what) = ($expected, format!("{} {region:?} {:?}", stringify!($method), scene.torus));
            let query = || scene.index.$method(region.clone()).periodic(&scene.torus);
            assert_eq!(sorted(handles(query())), sorted(all.iter().map(|found| found.0)), "{what}");
            assert_eq!(query().count(), all.len(), "{what}");
            assert_eq!(query().exists(), !all.is_empty(), "{what}");
            let mut folded = Vec::new();
            query().for_each(|object| folded.push(object.handle()));
            assert_eq!(folded, handles(query()), "{what}");
            let is_wanted = |found: &&(Handle, usize)| asked.contains(&found.1) && found.0 != excluded;
            let wanted: Vec<Handle> = all.iter().filter(is_wanted).map(|found| found.0).collect();
            let filtered = query().in_layers(scene.set(&asked)).excluding(excluded);
            assert_eq!(sorted(handles(filtered.clone())), sorted(wanted.clone()), "{what}");
            // The filters may come first.
            let plain = scene.index.$method(region.clone()).excluding(excluded).in_layers(scene.set(&asked));
            assert_eq!(handles(plain.periodic(&scene.torus)), handles(filtered), "{what}");
            #[cfg(feature = "rayon")]
            for taken in [0, all.len() / 2] {
                let mut begun = query().excluding(several.clone());
                let taken = begun.by_ref().take(taken).count();
                let rest: Vec<_> = begun.clone().into_par_iter().map(|object| object.handle()).collect();
                assert_eq!(rest, handles(begun), "on several threads, after {taken}: {what}");
            }
            // Several objects are left out.
            let wanted_but: Vec<_> = all.iter().map(|found| found.0).filter(|one| !several.contains(one)).collect();
            let without = query().excluding(several.clone());
            assert_eq!(sorted(handles(without.clone())), sorted(wanted_but.clone()), "{what}");
            assert_eq!(without.clone().count(), wanted_but.len(), "{what}");
            assert_eq!(without.exists(), !wanted_but.is_empty(), "{what}");
            // On the way a world without edges begins again with the layer that the query is in.
            let mut begun = scene.index.$method(region.clone());
            let before = handles(begun.by_ref().take(2));
            let rest = handles(begun.periodic(&scene.torus));
            let again = handles(query());
            assert!(again.ends_with(&rest), "{before:?} and then {rest:?} of {again:?}: {what}");
            // Filters on the way hold for what is still to come.
            let mut begun = query();
            let mut found = handles(begun.by_ref().take(all.len() / 2));
            found.retain(|&handle| wanted.contains(&handle));
            let rest = begun.in_layers(scene.set(&asked)).excluding(excluded);
            found.extend(handles(rest.clone()));
            assert_eq!(sorted(found), sorted(wanted), "{what}");
            assert!(rest.clone().count() == rest.fold(0, |count, _| count + 1), "{what}");
        };
    }
    ask!(intersecting, expected(&|object: &Rect<S, D>| meets(&shape, object)));
    ask!(near, expected(&|object: &Rect<S, D>| meets(&shape, object)));
    ask!(contained_in, expected(&|object: &Rect<S, D>| encloses(&shape, object)));
    ask!(containing, expected(&|object: &Rect<S, D>| object.contains(&bounds)));
}

fn beside_a_list<S: Real, const D: usize>() {
    let mut dice = Dice::new(29);
    for round in 0..if D == 2 { 40 } else { 5 } {
        let scene = Scene::<S, D>::new(&mut dice, 1 + round % 20);
        let dice = &mut dice;
        for _ in 0..2 {
            let min = scene.place(dice);
            let side = [0, 2, 7, 17][dice.below(4)];
            let max = min.map(|at| S::of(at.value() + number(dice, 0, side)));
            ask_region(&scene, dice, Rect::new(min, max));
            ask_region(&scene, dice, min);
            // Radii below and above half of the world, and above the whole.
            let most = [3, 9, 20][dice.below(3)];
            let radius = S::of(number(dice, 0, most));
            ask_region(&scene, dice, Ball::new(min, radius));
            let to = min.map(|at| S::of(at.value() + number(dice, -12, 12)));
            ask_region(&scene, dice, Segment::new(min, to));
            let balls = [min, max].map(|center| Ball::new(center, S::of(2.0)));
            ask_region(&scene, dice, &AnyOf::new(balls));
            let normal = array::from_fn::<_, D, _>(|_| S::of(number(dice, -3, 3)));
            let half_spaces = [HalfSpace::behind(max, normal)];
            ask_region(&scene, dice, Convex::new(&half_spaces).within(Rect::new(min, to)));
        }
    }
}

/// Concave, and as large as the world: the same object matches in several images.
#[test]
fn polygons_beside_a_list() {
    let mut dice = Dice::new(31);
    for round in 0..60 {
        let scene = Scene::<f32, 2>::new(&mut dice, 1 + round % 24);
        let at = scene.place(&mut dice);
        let corners = (0..3 + dice.below(5)).map(|_| {
            let by = point::<f32, 2>(&mut dice, -12, 12);
            [at[0] + by[0], at[1] + by[1]]
        });
        let polygon = Polygon::new(corners.collect::<Vec<_>>());
        ask_region(&scene, &mut dice, &polygon);
        ask_region(&scene, &mut dice, polygon);
    }
}
