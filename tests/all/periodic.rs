//! Worlds without edges, beside linear lists of all images: on coarse lattices, where borders coincide and sums are exact.

#![expect(clippy::float_cmp, reason = "sums on the lattice are exact")]

use core::array;
use std::collections::BTreeSet;
use std::fmt::Debug;

use quadrille::{
    AnyOf, Ball, Contacts, Convex, HalfSpace, Handle, IntoRegion, LayerSet, ObjectRef, Periodic, PeriodicIndex,
    Polygon, Quadtree, Ray, Rect, Region, Segment, SpatialIndex, Watch,
};

use quadrille_support::{AnyLayer, Dice, Index, Real, in_spaces};

in_spaces!(
    regions_beside_a_list,
    nearest_beside_a_list,
    motions_beside_a_list,
    pairs_beside_a_list,
    endless_questions_end,
    places_are_wrapped,
    hostile_places_are_wrapped,
    rectangles_keep_their_size,
);

/// As far as the list looks for images, in periods.
const FAR: i32 = 7;

/// A small crowd in a world without edges, and the same as a list.
struct Scene<S, const D: usize> {
    torus: Periodic<S, D>,
    index: Index<S, D>,
    layers: [AnyLayer; 3],
    list: Vec<Known<S, D>>,
}

struct Known<S, const D: usize> {
    handle: Handle,
    layer: usize,
    shape: Rect<S, D>,
}

fn number(dice: &mut Dice, from: i32, to: i32) -> f64 {
    let below = usize::try_from(to - from + 1).expect("in order");
    f64::from(from) + f64::from(u32::try_from(dice.below(below)).expect("small"))
}

fn point<S: Real, const D: usize>(dice: &mut Dice, from: i32, to: i32) -> [S; D] {
    array::from_fn(|_| S::of(number(dice, from, to)))
}

/// A box with corners at most so far apart.
fn block<S: Real, const D: usize>(dice: &mut Dice, from: i32, to: i32, side: i32) -> Rect<S, D> {
    let min = point::<S, D>(dice, from, to);
    let max = array::from_fn::<_, D, _>(|axis| S::of(min[axis].value() + number(dice, 0, side)));
    Rect::new(min, max)
}

impl<S: Real, const D: usize> Scene<S, D> {
    /// Worlds of all kinds: around zero, far from it, not square, with some axes that wrap around.
    fn new(dice: &mut Dice, objects: usize) -> Self {
        let origin = [0.0, -8.0, 96.0][dice.below(3)];
        let sides = array::from_fn::<_, D, _>(|_| [8.0, 16.0][dice.below(2)]);
        let world = Rect::new([S::of(origin); D], sides.map(|side| S::of(origin + side)));
        let axes = array::from_fn(|_| dice.below(4) != 0);
        let torus = Periodic::new(world).expect("a world").on_axes(axes);
        let mut index = SpatialIndex::new(world).expect("a world");
        let settings = quadrille::LayerSettings::new().split_above(2);
        let layers = [false, true, true].map(|rects| AnyLayer::add(&mut index, rects, settings));
        let mut scene = Self { torus, index, layers, list: Vec::new() };
        for number in 0..objects {
            let layer = dice.below(3);
            let side = if layer == 0 { 0 } else { [0, 3, 20][dice.below(3)] };
            // Also from far away: it is brought in.
            let shape = block(dice, -40, 140, side);
            let shape = if layer == 0 { Rect::from_point(torus.wrap(shape.min())) } else { torus.wrap_rect(shape) };
            let value = u32::try_from(number).expect("few");
            let handle = match scene.layers[layer] {
                AnyLayer::Points(points) => scene.index.insert(points, shape.min(), value),
                AnyLayer::Rects(rects) => scene.index.insert(rects, shape, value),
            };
            scene.list.push(Known { handle: handle.expect("finite"), layer, shape });
        }
        scene
    }

    fn world(&self) -> PeriodicIndex<'_, u32, S, D> {
        self.torus.over(&self.index)
    }

    /// All offsets by whole periods to images around the world.
    fn offsets(&self, far: i32) -> Vec<[f64; D]> {
        let size = self.torus.world().size();
        let mut offsets = vec![[0.0; D]];
        for axis in (0..D).filter(|&axis| self.torus.axes()[axis]) {
            let with = |times: i32, offset: &[f64; D]| {
                let mut offset = *offset;
                offset[axis] = f64::from(times) * size[axis].value();
                offset
            };
            offsets = (-far..=far)
                .flat_map(|times| offsets.iter().map(move |offset| with(times, offset)).collect::<Vec<_>>())
                .collect();
        }
        offsets
    }

    /// Some layers, and an object to leave out.
    fn filters(&self, dice: &mut Dice) -> (Vec<usize>, Handle) {
        let asked = (0..3).filter(|_| dice.below(3) != 0).collect();
        (asked, self.list[dice.below(self.list.len())].handle)
    }

    fn set(&self, asked: &[usize]) -> LayerSet {
        asked.iter().fold(LayerSet::NONE, |set, &layer| set | self.layers[layer].id())
    }

    /// A place in or around the world.
    fn place(&self, dice: &mut Dice) -> [S; D] {
        let min = self.torus.world().min();
        let around = point::<S, D>(dice, -9, 18);
        array::from_fn(|axis| S::of(min[axis].value() + around[axis].value()))
    }
}

fn moved<S: Real, const D: usize>(shape: &Rect<S, D>, by: &[f64; D]) -> Rect<S, D> {
    shape.translated(by.map(S::of))
}

/// The square of a distance, exact on the lattice.
fn square<S: Real, const D: usize>(a: &Rect<S, D>, b: &Rect<S, D>) -> f64 {
    let gap = |axis: usize| {
        let after = b.min()[axis].value() - a.max()[axis].value();
        let before = a.min()[axis].value() - b.max()[axis].value();
        after.max(before).max(0.0)
    };
    (0..D).map(|axis| gap(axis) * gap(axis)).sum()
}

fn handles<'a, S: Real, const D: usize>(query: impl Iterator<Item = ObjectRef<'a, u32, S, D>>) -> Vec<Handle> {
    query.map(|object| object.handle()).collect()
}

fn sorted(mut handles: Vec<Handle>) -> Vec<Handle> {
    handles.sort_unstable();
    handles
}

/// Asks all three relations about a region, in every way.
#[expect(clippy::needless_pass_by_value, reason = "as queries take it")]
fn ask_region<S: Real, const D: usize, I>(scene: &Scene<S, D>, dice: &mut Dice, region: I)
where
    I: IntoRegion<S, D> + Clone + Debug,
    I::Region: Clone + Debug,
{
    let (asked, excluded) = scene.filters(dice);
    let offsets = scene.offsets(FAR);
    let (shape, bounds) = (region.clone().into_region(), region.clone().into_region().bounds());
    let meets = |object: &Rect<S, D>| {
        bounds.intersection(object).is_some_and(|part| I::Region::IS_BOX || shape.intersects(&part))
    };
    let contains = |object: &Rect<S, D>| bounds.contains(object) && (I::Region::IS_BOX || shape.contains(object));
    let expected = |holds: &dyn Fn(&Rect<S, D>) -> bool| {
        let matching = scene.list.iter().filter(|known| offsets.iter().any(|by| holds(&moved(&known.shape, by))));
        matching.map(|known| (known.handle, known.layer)).collect::<Vec<_>>()
    };
    macro_rules! ask {
        ($method:ident, $expected:expr) => {
            let (all, what) = ($expected, format!("{} {region:?} {:?}", stringify!($method), scene.torus));
            let query = || scene.world().$method(region.clone());
            assert_eq!(sorted(handles(query())), sorted(all.iter().map(|found| found.0).collect()), "{what}");
            assert_eq!(query().count(), all.len(), "{what}");
            assert_eq!(query().exists(), !all.is_empty(), "{what}");
            let mut folded = Vec::new();
            query().for_each(|object| folded.push(object.handle()));
            assert_eq!(folded, handles(query()), "{what}");
            let is_wanted = |found: &&(Handle, usize)| asked.contains(&found.1) && found.0 != excluded;
            let wanted: Vec<Handle> = all.iter().filter(is_wanted).map(|found| found.0).collect();
            let filtered = query().in_layers(scene.set(&asked)).excluding(excluded);
            assert_eq!(sorted(handles(filtered.clone())), sorted(wanted.clone()), "{what}");
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
    ask!(intersecting, expected(&meets));
    ask!(contained_in, expected(&contains));
    ask!(containing, expected(&|object: &Rect<S, D>| object.contains(&bounds)));
}

fn regions_beside_a_list<S: Real, const D: usize>() {
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

fn nearest_beside_a_list<S: Real, const D: usize>() {
    let mut dice = Dice::new(37);
    for round in 0..if D == 2 { 120 } else { 40 } {
        let scene = Scene::<S, D>::new(&mut dice, 1 + round % 40);
        let dice = &mut dice;
        let min = scene.place(dice);
        let side = [0, 0, 3, 30][dice.below(4)];
        let target = Rect::new(min, min.map(|at| S::of(at.value() + number(dice, 0, side))));
        let offsets = scene.offsets(FAR);
        let least = |shape: &Rect<S, D>| {
            offsets.iter().map(|by| square(&target, &moved(shape, by))).reduce(f64::min).expect("an image")
        };
        let mut all: Vec<_> = scene.list.iter().map(|known| (least(&known.shape), known.handle, known.layer)).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let what = format!("{target:?} {:?}", scene.torus);
        let query = || scene.world().nearest(target);
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

/// When a moving box touches another first, as the library computes it.
fn time<S: Real, const D: usize>(from: &Rect<S, D>, step: &[S; D], shape: &Rect<S, D>) -> Option<f64> {
    let (mut enter, mut leave) = (0.0_f64, f64::INFINITY);
    for (axis, step) in step.iter().enumerate() {
        let [low, high] = [from.min()[axis].value(), from.max()[axis].value()];
        let [min, max] = [shape.min()[axis].value(), shape.max()[axis].value()];
        let step = step.value();
        if step == 0.0 {
            if min > high || low > max {
                return None;
            }
        } else {
            let times = [(min - high) / step, (max - low) / step];
            enter = enter.max(times[0].min(times[1]));
            leave = leave.min(times[0].max(times[1]));
        }
    }
    (enter <= leave).then_some(enter)
}

fn motions_beside_a_list<S: Real, const D: usize>() {
    let mut dice = Dice::new(41);
    let mut around = 0;
    for round in 0..if D == 2 { 160 } else { 40 } {
        let scene = Scene::<S, D>::new(&mut dice, 1 + round % 30);
        let dice = &mut dice;
        let (from, step) = (scene.place(dice), point::<S, D>(dice, -16, 16));
        let offsets = scene.offsets(FAR);
        let (asked, excluded) = scene.filters(dice);
        let end = [1.0, 0.5, 0.25][dice.below(3)];
        let body = Rect::new(from, from.map(|at| S::of(at.value() + number(dice, 0, 3))));
        for (from, is_ray) in [(Rect::from_point(from), true), (body, false)] {
            let first = |shape: &Rect<S, D>| {
                offsets.iter().filter_map(|by| time(&from, &step, &moved(shape, by))).reduce(f64::min)
            };
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
            macro_rules! ask {
                ($query:expr) => {
                    let found: Vec<_> = $query.map(|hit| (hit.object.handle(), hit.t)).collect();
                    let expected: Vec<_> = all.iter().map(|known| (known.1, S::of(known.0))).collect();
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
                ask!(scene.world().raycast(ray).until(S::of(until)));
                for hit in scene.world().raycast(ray).until(S::of(until)) {
                    assert!(hit.object.shape().contains_point(hit.point), "{what}");
                }
                if end == 1.0 {
                    let to = array::from_fn::<_, D, _>(|axis| S::of(from.min()[axis].value() + step[axis].value()));
                    ask!(scene.world().raycast(Ray::segment(from.min(), to)));
                }
            } else {
                ask!(scene.world().cast(from, step));
            }
        }
    }
    assert!(15 < around, "some come around: {around}");
}

fn pairs_beside_a_list<S: Real, const D: usize>() {
    let mut dice = Dice::new(43);
    let mut crossing = 0;
    for round in 0..if D == 2 { 80 } else { 16 } {
        let scene = Scene::<S, D>::new(&mut dice, 1 + round % 24);
        let dice = &mut dice;
        let most = [0, 2, 8, 24][dice.below(4)];
        let distance = number(dice, 0, most);
        let offsets = scene.offsets(FAR);
        let mut all = BTreeSet::new();
        for (place, one) in scene.list.iter().enumerate() {
            for other in &scene.list[..place] {
                let near = |by: &[f64; D]| square(&one.shape, &moved(&other.shape, by)) <= distance * distance;
                if offsets.iter().any(near) {
                    crossing += usize::from(!near(&[0.0; D]));
                    let mut pair = [(one.handle, one.layer), (other.handle, other.layer)];
                    pair.sort_unstable();
                    all.insert(pair);
                }
            }
        }
        let what = format!("within {distance} {:?}", scene.torus);
        let query = || scene.world().pairs().within(S::of(distance));
        let layer_of = |handle| scene.list.iter().find(|known| known.handle == handle).expect("it lives").layer;
        let drain = |pairs: &mut dyn Iterator<Item = (ObjectRef<'_, u32, S, D>, ObjectRef<'_, u32, S, D>)>| {
            let mut found = BTreeSet::new();
            for (one, other) in pairs {
                let mut pair = [one.handle(), other.handle()].map(|handle| (handle, layer_of(handle)));
                pair.sort_unstable();
                assert!(found.insert(pair), "twice: {pair:?} {what}");
            }
            found
        };
        assert_eq!(drain(&mut query()), all, "{what}");
        assert_eq!(query().count(), all.len(), "{what}");
        assert_eq!(query().exists(), !all.is_empty(), "{what}");
        if distance == 0.0 {
            assert_eq!(drain(&mut scene.world().pairs()), all, "{what}");
        }

        let (first, second) = (scene.filters(dice).0, scene.filters(dice).0);
        let [of_first, of_second] = [scene.set(&first), scene.set(&second)];
        let is_wanted = |[a, b]: &[(Handle, usize); 2]| {
            first.contains(&a.1) && second.contains(&b.1) || first.contains(&b.1) && second.contains(&a.1)
        };
        let between = query().between(of_first, of_second);
        for (one, other) in between.clone() {
            assert!(of_first.contains(one.layer()) && of_second.contains(other.layer()), "{what}");
        }
        let wanted: BTreeSet<_> = all.iter().filter(|&pair| is_wanted(pair)).copied().collect();
        assert_eq!(drain(&mut between.clone()), wanted, "{what}");
        let mut begun = query();
        let mut found = drain(&mut begun.by_ref().take(all.len() / 2));
        found.retain(is_wanted);
        let rest = drain(&mut begun.between(of_first, of_second));
        assert!(found.is_disjoint(&rest), "{what}");
        found.extend(rest);
        assert_eq!(found, wanted, "{what}");
        let within = |a: usize, b: usize| first.contains(&a) && first.contains(&b);
        let of_set: BTreeSet<_> = all.iter().filter(|[a, b]| within(a.1, b.1)).copied().collect();
        assert_eq!(drain(&mut query().in_layers(of_first)), of_set, "{what}");
    }
    assert!(30 < crossing, "some are close across a border only: {crossing}");
}

/// Regions, rays and distances without an end, and those that are no numbers, end; nothing comes twice.
fn endless_questions_end<S: Real, const D: usize>() {
    let mut dice = Dice::new(47);
    let scene = Scene::<S, D>::new(&mut dice, 20);
    let (world, all) = (scene.world(), scene.list.len());
    let at = scene.torus.world().center();
    let [infinity, nan] = [f64::INFINITY, f64::NAN].map(S::of);
    let count = |found: Vec<Handle>| {
        let distinct: BTreeSet<_> = found.iter().collect();
        assert_eq!(distinct.len(), found.len());
        found.len()
    };
    assert_eq!(count(handles(world.intersecting(Rect::everything()))), all);
    assert_eq!(count(handles(world.contained_in(Rect::everything()))), all);
    assert_eq!(world.containing(Rect::everything()).count(), 0);
    assert_eq!(count(handles(world.within_distance(at, infinity))), all);
    assert_eq!(count(handles(world.within_distance(at, S::LARGEST))), all);
    for axis in 0..D {
        let mut from = [S::of(f64::NEG_INFINITY); D];
        from[axis] = at[axis];
        let half = Rect::new(from, [infinity; D]);
        assert!(count(handles(world.intersecting(half))) <= all);
        let mut normal = [S::of(1.0); D];
        normal[axis] = S::of(-2.0);
        let half_spaces = [HalfSpace::behind(at, normal)];
        assert!(count(handles(world.intersecting(Convex::new(&half_spaces)))) <= all);
        let mut bad = at;
        bad[axis] = nan;
        assert_eq!(
            world.intersecting(bad).count() + world.nearest(bad).count() + world.within_distance(bad, nan).count(),
            0
        );
        assert_eq!(world.raycast(Ray::new(bad, at)).count() + world.raycast(Ray::new(at, bad)).count(), 0);
        assert_eq!(world.cast(bad, at).count() + world.cast(at, bad).count(), 0);
        bad[axis] = infinity;
        assert_eq!(world.within_distance(bad, S::of(1.0)).count(), 0);
        assert!(world.nearest(bad).count() <= all && world.cast(at, bad).count() == 0);
        bad[axis] = S::LARGEST;
        assert!(world.nearest(bad).count() <= all && world.cast(at, bad).count() <= all);
        let ray = Ray::new(at, array::from_fn::<_, D, _>(|other| S::of(if other == axis { 1.0 } else { 0.37 })));
        let hits: Vec<_> = world.raycast(ray).map(|hit| (hit.t.value(), hit.object.handle())).collect();
        assert!(hits.is_sorted_by(|a, b| a.0 < b.0 || a.0 == b.0 && a.1 < b.1), "{hits:?}");
        assert!(count(hits.into_iter().map(|hit| hit.1).collect()) <= all);
        assert!(world.raycast(Ray::segment(at, bad)).count() <= all);
    }
    assert_eq!(count(handles(world.nearest(Rect::everything()).map(|near| near.object))), all);
    assert_eq!(world.pairs().within(infinity).count(), all * (all - 1) / 2);
    assert_eq!(world.pairs().within(nan).count() + world.pairs().within(S::of(-1.0)).count(), 0);
    assert_eq!(world.nearest(at).within(S::of(-1.0)).count() + world.raycast(Ray::new(at, at)).until(nan).count(), 0);
}

/// Numbers in the world, at its borders and next to them, far away and huge, for worlds of all sorts.
fn places_are_wrapped<S: Real, const D: usize>() {
    for (min, max) in [(0.0, 1.0), (-180.0, 180.0), (0.1, 100.3), (-1e-3, 2e-3), (4096.0, 4097.0), (-7.0, -5.0)] {
        let world = Rect::new([S::of(min); D], [S::of(max); D]);
        let [min, max] = [world.min()[0], world.max()[0]];
        let torus = Periodic::new(world).expect("a world");
        let period = max.value() - min.value();
        let mut dice = Dice::new(53);
        for _ in 0..2000 {
            let times = number(&mut dice, -9, 9) * [1.0, 0.37, 1e3, 1e9][dice.below(4)];
            let near = S::of([min, max][dice.below(2)].value() + times * period);
            let at = [near.down(), near, near.up(), near.up().up(), S::of(near.value() + dice.fraction() * period)]
                [dice.below(5)];
            let wrapped = torus.wrap([at; D])[0];
            assert!(min <= wrapped && wrapped < max, "{at} in {world:?} gives {wrapped}");
            if min <= at && at < max {
                assert_eq!(at, wrapped, "it was in the world");
            }
            // Right but for the rounding of the result: exact remainders are compared, as on a circle.
            let off =
                ((wrapped.value() - min.value()) % period - (at.value() % period - min.value() % period)) % period;
            let off = off.abs().min((period - off.abs()).abs());
            let coarse = (max.up().value() - max.value()).max(min.up().value() - min.value());
            assert!(off <= 2.0 * coarse, "{at} in {world:?} gives {wrapped}, off by {off}");
            assert_eq!(torus.wrap([wrapped; D])[0], wrapped);
        }
    }
}

fn hostile_places_are_wrapped<S: Real, const D: usize>() {
    let one = S::of(1.0);
    let torus = Periodic::new(Rect::new([S::of(0.0); D], [one; D])).expect("a world");
    let wrap = |at: S| torus.wrap([at; D])[0];
    for at in [S::LARGEST, S::of(-S::LARGEST.value()), S::SMALLEST, S::of(-S::SMALLEST.value()), S::of(-0.0)] {
        assert!(S::of(0.0) <= wrap(at) && wrap(at) < one, "{at}");
    }
    assert_eq!(wrap(S::of(-S::SMALLEST.value())), S::of(0.0), "what rounds to the upper border is at the lower one");
    assert_eq!(wrap(one), S::of(0.0));
    assert_eq!(wrap(one.down()), one.down());
    assert_eq!(wrap(S::of(-0.25)), S::of(0.75));
    assert!(wrap(S::of(f64::NAN)).value().is_nan() && wrap(S::of(f64::INFINITY)).value().is_infinite());
    let fixed = torus.on_axes([false; D]);
    assert_eq!(fixed.wrap([S::of(9.0); D]), [S::of(9.0); D]);
    // Two corners of a world that differ by one rounding: one number is left.
    let thin = S::of(S::FAR);
    let world = Rect::new([thin; D], [thin.up(); D]);
    if let Ok(torus) = Periodic::new(world) {
        for at in [thin.down(), thin.up(), S::of(0.0), S::LARGEST] {
            assert_eq!(torus.wrap([at; D]), [thin; D], "{at}");
        }
    }
    // Ends of displacements.
    let way = |from: f64, to: f64| torus.displacement([S::of(from); D], [S::of(to); D])[0].value();
    assert_eq!([way(0.75, 0.25), way(0.25, 0.75), way(0.875, 0.125), way(0.125, 0.875)], [-0.5, -0.5, 0.25, -0.25]);
    assert_eq!([way(0.0, 0.0), way(-3.0, 4.25), way(5.0, -4.25)], [0.0, 0.25, -0.25]);
    assert!(way(0.0, f64::NAN).is_nan() && way(f64::INFINITY, 0.0).is_nan());
    for world in [
        Rect::new([S::of(0.0); D], [S::of(0.0); D]),
        Rect::new([S::of(f64::NAN); D], [one; D]),
        Rect::new([S::of(f64::NEG_INFINITY); D], [one; D]),
        Rect::new([S::of(-S::LARGEST.value()); D], [S::LARGEST; D]),
    ] {
        assert_eq!(Periodic::new(world).is_err(), Index::<S, D>::new(world).is_err(), "{world:?}");
        assert!(Periodic::new(world).is_err(), "{world:?}");
    }
}

fn rectangles_keep_their_size<S: Real, const D: usize>() {
    let mut dice = Dice::new(59);
    let torus = Periodic::new(Rect::new([S::of(-8.0); D], [S::of(8.0); D])).expect("a world");
    for _ in 0..500 {
        let rect = block::<S, D>(&mut dice, -100, 100, 40);
        let wrapped = torus.wrap_rect(rect);
        assert_eq!((wrapped.size(), wrapped.min()), (rect.size(), torus.wrap(rect.min())));
        assert_eq!(torus.wrap_rect(wrapped), wrapped);
        // Off the lattice a point stays a point, and corners stay in order.
        let by = S::of(dice.fraction() * 1e6);
        let off = torus.wrap_rect(Rect::from_point([by; D]));
        assert_eq!(off.min(), off.max());
        let off = torus.wrap_rect(rect.translated([by; D]));
        assert!((0..D).all(|axis| off.min()[axis] <= off.max()[axis]), "{off:?}");
    }
    let nan = torus.wrap_rect(Rect::from_point([S::of(f64::NAN); D]));
    assert!(!nan.intersects(&Rect::everything()));
}

/// An object that was inserted outside may be missed, but is never yielded twice, and costs nothing but that.
#[test]
fn objects_outside_come_once_at_most() {
    let torus = Periodic::new(Rect::new([0.0, 0.0], [16.0, 16.0])).unwrap();
    let mut index = Quadtree::<u32>::new(torus.world()).unwrap();
    let (points, rects) = (index.add_point_layer().unwrap(), index.add_rect_layer().unwrap());
    let mut dice = Dice::new(61);
    for value in 0..60 {
        index.insert(points, point::<f32, 2>(&mut dice, -100, 100), value).unwrap();
        index.insert(rects, block::<f32, 2>(&mut dice, -100, 100, 30), value).unwrap();
    }
    let world = torus.over(&index);
    for _ in 0..100 {
        let region = block::<f32, 2>(&mut dice, -30, 30, 40);
        let found = handles(world.intersecting(region));
        assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), found.len());
        let found = handles(world.nearest(region).map(|near| near.object));
        assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), found.len());
    }
    let pairs: Vec<_> = world.pairs().within(3.0).map(|(one, other)| [one.handle(), other.handle()]).collect();
    let ordered = |[a, b]: &[Handle; 2]| if a < b { (*a, *b) } else { (*b, *a) };
    assert_eq!(pairs.iter().map(ordered).collect::<BTreeSet<_>>().len(), pairs.len());
}

/// It was yielded at home, where it is nearer than the border, and nearer still in an image that was asked later.
#[test]
fn an_object_outside_comes_first_at_home_and_never_again() {
    let torus = Periodic::new(Rect::new([0.0, 0.0], [16.0, 16.0])).unwrap();
    let mut index = Quadtree::<u32>::new(torus.world()).unwrap();
    let points = index.add_point_layer().unwrap();
    index.insert(points, [-8.0, 8.0], 0).unwrap();
    assert_eq!(torus.over(&index).nearest([2.0, 8.0]).count(), 1);
    let ray = Ray::new([2.0, 8.0], [-1.0, 0.0]);
    assert_eq!(torus.over(&index).raycast(ray).count(), 1);
}

/// An image that opens late has an object outside nearer than what came before. It is left out, so that distances ascend.
#[test]
fn an_object_outside_does_not_come_late() {
    let torus = Periodic::new(Rect::new([0.0, 0.0], [16.0, 16.0])).unwrap();
    let mut index = Quadtree::<u32>::new(torus.world()).unwrap();
    let points = index.add_point_layer().unwrap();
    index.insert_batch(points, [([15.5, 8.0], 0), ([17.0, 8.0], 1), ([8.0, 0.0], 2)]).unwrap();
    let found: Vec<_> =
        torus.over(&index).nearest([8.0, 8.0]).map(|near| (near.distance(), *near.object.value())).collect();
    assert_eq!(found, [(7.5, 0), (8.0, 2)]);
}

/// An object close to its own image is no pair; two that are close on both sides are one.
#[test]
fn pairs_of_a_narrow_world() {
    let torus = Periodic::new(Rect::new([0.0, 0.0], [2.0, 100.0])).unwrap();
    let mut index = Quadtree::<u32>::new(torus.world()).unwrap();
    let points = index.add_point_layer().unwrap();
    index.insert_batch(points, [([0.5, 50.0], 0), ([1.5, 50.0], 1)]).unwrap();
    for distance in [1.0, 2.0, 3.0, 50.0, 1e9] {
        assert_eq!(torus.over(&index).pairs().within(distance).count(), 1, "{distance}");
    }
    assert_eq!(torus.over(&index).pairs().within(0.9).count(), 0);
}

/// Watches and contacts take the answers as they are.
#[test]
fn answers_are_watched() {
    let torus = Periodic::new(Rect::new([0.0, 0.0], [100.0, 100.0])).unwrap();
    let mut index = Quadtree::<u32>::new(torus.world()).unwrap();
    let points = index.add_point_layer().unwrap();
    let [one, other] = [[99.0, 99.0], [1.0, 1.0]].map(|at| index.insert(points, at, 0).unwrap());
    let (mut watch, mut contacts) = (Watch::new(), Contacts::new());
    let area = Rect::new([-2.0, -2.0], [2.0, 2.0]);
    assert_eq!(watch.poll(torus.over(&index).intersecting(area)).unwrap().entered, [one, other]);
    assert_eq!(contacts.poll(torus.over(&index).pairs().within(3.0)).unwrap().begun.len(), 1);
    index.move_to(other, torus.wrap([103.0, 1.0])).unwrap();
    assert_eq!(watch.poll(torus.over(&index).intersecting(area)).unwrap().left, [other]);
    assert_eq!(contacts.poll(torus.over(&index).pairs().within(3.0)).unwrap().ended.len(), 1);
}
