//! Caps of the globe beside a list that is measured by vectors: poles, the antimeridian, windows beyond 180, caps that are
//! larger than half of the globe, while objects come, move and go.

use std::f64::consts::PI;

use quadrille::{
    AnyOf, ContainedIn, Cursor, GreatCircle, Handle, Intersecting, LayerId, LayerSettings, NearestBy, Octree, Periodic,
    Quadtree, Rect, Region, SearchBuffer, Watch,
};

use quadrille_support::{Dice, Real, assert_sound};

const RADIUS: f64 = 6_371_008.8;
/// More meters than are rounded away: at that distance the square of half the chord says so much of it.
fn slack(distance: f64) -> f64 {
    2e-6 * (1.0 + (distance / (2.0 * RADIUS)).min(PI * 0.5 - 1e-6).tan())
}

/// The distance of two places, by vectors.
fn apart(a: [f64; 2], b: [f64; 2]) -> f64 {
    let vector = |[longitude, latitude]: [f64; 2]| {
        let (longitude, latitude) = (longitude.to_radians().sin_cos(), latitude.to_radians().sin_cos());
        [latitude.1 * longitude.1, latitude.1 * longitude.0, latitude.0]
    };
    let (a, b) = (vector(a), vector(b));
    let cross = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let dot: f64 = (0..3).map(|axis| a[axis] * b[axis]).sum();
    cross.iter().map(|part| part * part).sum::<f64>().sqrt().atan2(dot) * RADIUS
}

/// A place on a coarse lattice with the poles and the antimeridian, or right beside one.
fn place(dice: &mut Dice) -> [f64; 2] {
    let beside = [0.0, 0.0, 1e-3, -1e-3, 1e-7, -1e-7];
    let at = |dice: &mut Dice, end: f64| {
        ((dice.fraction() * (2.0 * end + 1.0)).floor() - end) * 15.0 + beside[dice.below(6)]
    };
    [at(dice, 13.0), at(dice, 6.0).clamp(-90.0, 90.0)]
}

struct Globe<S: Real> {
    index: Quadtree<u32, S>,
    list: Vec<(Handle, Rect<S>)>,
}

impl<S: Real> Globe<S> {
    /// Does something at random.
    fn step(
        &mut self,
        dice: &mut Dice,
        layers: &(quadrille::Layer<quadrille::Points>, quadrille::Layer<quadrille::Rects>),
    ) {
        let min = place(dice);
        let size = [[0.0; 2], [15.0, 30.0], [1e-6, 1e-9], [400.0, 5.0]][dice.below(4)];
        let corner = |by: f64| [min[0] + size[0] * by, (min[1] + size[1] * by).min(90.0)].map(S::of);
        let (point, rect) = (min.map(S::of), Rect::new(corner(0.0), corner(1.0)));
        let chosen = if self.list.is_empty() { 0 } else { dice.below(self.list.len()) };
        match dice.below(if self.list.len() < 60 { 2 } else { 5 }) {
            0 => {
                let handle = self.index.insert(layers.0, point, 0).expect("finite");
                self.list.push((handle, Rect::from_point(point)));
            }
            1 => {
                let handle = self.index.insert(layers.1, rect, 0).expect("finite");
                self.list.push((handle, rect));
            }
            2 => {
                let (handle, _) = self.list.swap_remove(chosen);
                self.index.remove(handle).expect("a handle");
            }
            _ => {
                let (handle, shape) = &mut self.list[chosen];
                *shape = if shape.min() == shape.max() { Rect::from_point(point) } else { rect };
                // A box that becomes a point stays one of its layer.
                self.index.move_to(*handle, *shape).expect("a handle of this layer");
            }
        }
        assert_sound(&self.index, "a step");
    }

    fn about(&self, place: [f64; 2], distance: f64) {
        let circle = GreatCircle::new(place);
        let cap = circle.within(distance);
        let found: Vec<Handle> = self.index.intersecting(cap).map(|object| object.handle()).collect();
        let inside: Vec<Handle> = self.index.contained_in(cap).map(|object| object.handle()).collect();
        let counts = [self.index.intersecting(cap).count(), self.index.contained_in(cap).count()];
        assert_eq!([found.len(), inside.len()], counts);
        let opposite = GreatCircle::new([place[0] + 180.0, -place[1]]);
        for (handle, shape) in &self.list {
            let (is_found, is_inside) = (found.contains(handle), inside.contains(handle));
            let to = circle.distance_to(shape);
            let what = || format!("{shape:?}, {to} of {distance} from {place:?}");
            if shape.min() == shape.max() {
                let scanned = apart(place, shape.min().map(Real::value));
                assert!((scanned - to).abs() < slack(to), "{scanned}: {}", what());
                assert_eq!([is_found, is_inside], [to <= distance; 2], "{}", what());
                continue;
            }
            let nearest_of_opposite = opposite.distance_to(shape);
            let farthest = PI * RADIUS - nearest_of_opposite;
            let slack_of_farthest = slack(farthest) + slack(nearest_of_opposite);
            assert!(is_found || distance < to, "misses {}", what());
            assert!(!is_found || to <= distance + slack(to), "finds {}", what());
            assert!(
                !is_inside || farthest <= distance + slack_of_farthest,
                "is not inside, but {farthest}: {}",
                what()
            );
            assert!(is_inside || distance < farthest + slack_of_farthest, "is inside, {farthest}: {}", what());
        }
        let others = self.list.iter().filter(|(handle, _)| !found.contains(handle));
        assert_eq!(found.len() + others.count(), self.list.len());
    }

    /// By distance, then by handle; with filters at the start and on the way.
    fn nearest(&self, dice: &mut Dice, place: [f64; 2], layer: LayerId) {
        let circle = GreatCircle::new(place);
        let mut all: Vec<_> = self.list.iter().map(|(handle, shape)| (circle.distance_to(shape), *handle)).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let query = || self.index.nearest_by(circle);
        let drain = |query: NearestBy<'_, '_, u32, GreatCircle, S>| -> Vec<(f64, Handle)> {
            query.map(|near| (near.distance, near.object.handle())).collect()
        };
        assert_eq!(drain(query()), all, "from {place:?}");
        let taken = dice.below(all.len());
        let (limit, excluded) = (all[taken].0, all[dice.below(all.len())].1);
        let within = all.iter().filter(|near| near.0 <= limit).copied().collect::<Vec<_>>();
        assert_eq!(drain(query().within(limit)), within, "from {place:?}");
        assert_eq!(drain(query().within(limit.next_down())), all[..all.partition_point(|near| near.0 < limit)]);
        let mut begun = query();
        assert_eq!(begun.by_ref().take(taken).count(), taken);
        assert_eq!(drain(begun.clone()), all[taken..], "after {taken} from {place:?}");
        let is_left = |near: &&(f64, Handle)| {
            near.1 != excluded && self.index.object(near.1).is_some_and(|object| object.layer() == layer)
        };
        let left: Vec<_> = all[taken..].iter().filter(is_left).copied().collect();
        assert_eq!(drain(begun.in_layers(layer).excluding(excluded)), left, "after {taken} from {place:?}");
        let mut buffer = SearchBuffer::new();
        for _ in 0..2 {
            let alone: Vec<_> = all.iter().filter(is_left).copied().collect();
            let query = self.index.nearest_by(&circle).in_layers(layer).excluding(excluded).reusing(&mut buffer);
            assert!(query.map(|near| (near.distance, near.object.handle())).eq(alone));
        }
    }
}

/// Random changes and caps; some reach exactly to an object.
fn beside_list_of<S: Real>() {
    let mut dice = Dice::new(46);
    for world in [Rect::new([-180.0, -90.0], [180.0, 90.0]), Rect::new([0.0, -90.0], [360.0, 90.0])] {
        let world = Rect::new(world.min().map(S::of), world.max().map(S::of));
        let mut globe = Globe { index: Quadtree::new(world).expect("a world"), list: Vec::new() };
        let settings = LayerSettings::new().split_above(3);
        let points = globe.index.add_point_layer_with(settings).expect("a layer");
        let rects = globe.index.add_rect_layer_with(settings).expect("a layer");
        for _ in 0..400 {
            globe.step(&mut dice, &(points, rects));
            let from = place(&mut dice);
            let object = globe.list[dice.below(globe.list.len())].1;
            let exactly = GreatCircle::new(from).distance_to(&object);
            let distance = [0.0, 1.0, 112e3, 1.7e6, 9e6, 1.5e7, 2.1e7, exactly, exactly.next_down()][dice.below(9)];
            globe.about(from, distance);
            globe.nearest(&mut dice, from, if distance < 1e6 { points.id() } else { rects.id() });
        }
    }
}

#[test]
fn beside_a_list() {
    beside_list_of::<f32>();
    beside_list_of::<f64>();
}

/// From strange places and over strange spheres each object comes once, or none does.
#[test]
fn the_nearest_by_strange_numbers() {
    let index = crowd(600);
    for place in [[f64::NAN, 0.0], [0.0, f64::NAN], [f64::INFINITY, 0.0]] {
        assert_eq!(index.nearest_by(GreatCircle::new(place)).count(), 0);
    }
    for place in [[1e9, 0.0], [0.0, 1e9], [-540.0, -90.0], [179.9, 0.0]] {
        assert_eq!(index.nearest_by(GreatCircle::new(place)).count(), 600);
    }
    for radius in [0.0, -1.0, 1e-300, 1e300, f64::MAX] {
        let on_sphere = GreatCircle::new([10.0, 20.0]).with_radius(radius);
        assert_eq!(index.nearest_by(on_sphere).count(), 600, "{radius}");
    }
    assert_eq!(index.nearest_by(GreatCircle::new([0.0, 0.0]).with_radius(f64::NAN)).count(), 0);
    // A thousand in one point, and none near.
    let mut town = Quadtree::<u32, f64>::new(index.world()).expect("a world");
    let layer = town.add_point_layer().expect("a layer");
    town.insert_batch(layer, (0..1000).map(|number| ([100.0, 60.0], number))).expect("finite");
    for place in [[100.0, 60.0], [100.0, 59.9], [-80.0, -60.0]] {
        let nearest = town.nearest_by(GreatCircle::new(place)).map(|near| *near.object.value());
        assert!(nearest.eq(0..1000), "{place:?}");
    }
}

fn crowd(len: u32) -> Quadtree<u32, f64> {
    let mut dice = Dice::new(7);
    let mut index = Quadtree::new(Rect::new([-180.0, -90.0], [180.0, 90.0])).expect("a world");
    let layer = index.add_point_layer().expect("a layer");
    for number in 0..len {
        let place = [dice.fraction() * 360.0 - 180.0, (dice.fraction() * 2.0 - 1.0).asin().to_degrees()];
        index.insert(layer, place, number).expect("finite");
    }
    index
}

/// As nearest objects within a distance, to the last object.
#[test]
fn as_nearest_within() {
    let index = crowd(20_000);
    let mut dice = Dice::new(9);
    for round in 0..300 {
        let from = GreatCircle::new(place(&mut dice));
        let meters = [1e4, 5e5, 3e6, 1.9e7, f64::INFINITY][round % 5];
        let mut last = f64::NEG_INFINITY;
        let in_order = index.nearest_by(from).within(meters).inspect(|near| {
            assert!(
                last <= near.distance && near.distance.to_bits() == from.distance_to(&near.object.shape()).to_bits()
            );
            last = near.distance;
        });
        let mut nearest: Vec<u32> = in_order.map(|near| *near.object.value()).collect();
        let mut found: Vec<u32> = index.intersecting(from.within(meters)).map(|object| *object.value()).collect();
        nearest.sort_unstable();
        found.sort_unstable();
        assert_eq!(nearest, found);
        assert_eq!(index.intersecting(from.within(meters)).count(), found.len());
    }
}

/// Whatever takes a region takes a cap.
#[test]
fn as_any_region() {
    let index = crowd(5_000);
    let [fiji, pole] = [[179.0, -17.0], [0.0, 90.0]].map(|place| GreatCircle::new(place).within(2e6));
    let globe = Periodic::new(index.world()).expect("a world").on_axes([true, false]);
    let count = index.intersecting(fiji).count();
    assert!(80 < count, "{count}");
    assert_eq!(index.intersecting(fiji).periodic(&globe).count(), count);
    let both = AnyOf::new([fiji, pole]);
    assert_eq!(index.intersecting(&both).count(), count + index.intersecting(pole).count());
    let groups = index.intersecting(fiji).clusters(45.0).expect("a size");
    assert_eq!(groups.map(|group| group.count).sum::<usize>(), count);
    let mut query = index.intersecting(fiji);
    let first: Vec<_> = query.by_ref().take(9).map(|object| object.handle()).collect();
    let cursor: Cursor<Intersecting, f64, 2, quadrille::Cap> = query.pause();
    let rest = index.resume(cursor).expect("of this index").map(|object| object.handle());
    assert_eq!(first.into_iter().chain(rest).count(), count);
    let mut watch = Watch::new();
    assert_eq!(watch.poll(index.intersecting(fiji)).expect("of this index").entered.len(), count);
    assert_eq!(watch.poll(index.intersecting(pole)).expect("of this index").left.len(), count);
    let nothing: usize = index.containing(fiji).count();
    assert_eq!(nothing, 0);
    let _: Cursor<ContainedIn, f64, 2, quadrille::Cap> = index.contained_in(pole).pause();
}

#[test]
fn empty_caps() {
    let index = crowd(100);
    let here = GreatCircle::new([0.0, 0.0]);
    for (from, distance) in [
        (here, -1.0),
        (here, f64::NAN),
        (GreatCircle::new([f64::NAN, 0.0]), 1.0),
        (GreatCircle::new([f64::INFINITY, 0.0]), f64::INFINITY),
        (GreatCircle::new([0.0, f64::NAN]), f64::INFINITY),
        (here.with_radius(0.0), 1.0),
        (here.with_radius(-1.0), 1.0),
        (here.with_radius(f64::INFINITY), 1.0),
        (here.with_radius(f64::NAN), 1.0),
    ] {
        let cap = from.within(distance);
        assert!(Region::<f64, 2>::bounds(&cap).is_empty());
        assert!(!Region::<f64, 2>::intersects(&cap, &Rect::everything()));
        assert!(!Region::<f64, 2>::contains(&cap, &Rect::from_point([0.0, 0.0])));
        assert_eq!(index.intersecting(cap).count(), 0);
    }
    assert_eq!(index.contained_in(here.within(f64::INFINITY)).count(), 100);
    assert_eq!(index.intersecting(here.with_radius(1.0).within(PI)).count(), 100);
}

/// The other two forms: windows of degrees by `Periodic`, and points of a sphere.
#[test]
fn windows_and_points_of_a_sphere() {
    let mut dice = Dice::new(5);
    let places: Vec<[f64; 2]> = (0..600).map(|_| place(&mut dice)).collect();
    let globe = Periodic::new(Rect::new([-180.0, -90.0], [180.0, 90.0])).expect("a world").on_axes([true, false]);
    let mut map: Quadtree<usize, f64> = Quadtree::new(globe.world()).expect("a world");
    let mut space: Octree<usize, f64> = Octree::new(Rect::new([-RADIUS; 3], [RADIUS; 3])).expect("a world");
    let (flat, round) = (map.add_point_layer().expect("a layer"), space.add_point_layer().expect("a layer"));
    let on_sphere = |[longitude, latitude]: [f64; 2]| {
        let (x, y) = (longitude.to_radians(), latitude.to_radians());
        [y.cos() * x.cos(), y.cos() * x.sin(), y.sin()].map(|part| part * RADIUS)
    };
    for (number, &place) in places.iter().enumerate() {
        map.insert(flat, globe.wrap(place), number).expect("finite");
        space.insert(round, on_sphere(place), number).expect("finite");
    }
    let collect = |mut found: Vec<usize>| {
        found.sort_unstable();
        found
    };
    for [west, east] in
        [[165.0, 195.0], [-195.0, -165.0], [180.0, 180.0], [-15.0, 345.0], [-180.0, 180.0], [90.0, 420.0]]
    {
        for [south, north] in [[-30.0, 0.0], [-90.0, 90.0], [75.0, 90.0]] {
            let is_inside = |&number: &usize| {
                let [x, y] = globe.wrap(places[number]);
                south <= y && y <= north && [-360.0, 0.0, 360.0].iter().any(|turn| west <= x + turn && x + turn <= east)
            };
            let window = map.intersecting(Rect::new([west, south], [east, north])).periodic(&globe);
            let found = collect(window.map(|object| *object.value()).collect());
            assert_eq!(found, (0..places.len()).filter(is_inside).collect::<Vec<_>>(), "{west} to {east}");
        }
    }
    for _ in 0..60 {
        let from = place(&mut dice);
        for meters in [0.5, 2e5, 2e6, 1.2e7] {
            let chord = 2.0 * RADIUS * (meters / (2.0 * RADIUS)).sin();
            let found = collect(space.within_distance(on_sphere(from), chord).map(|object| *object.value()).collect());
            let scanned: Vec<usize> =
                (0..places.len()).filter(|&number| apart(from, places[number]) <= meters).collect();
            assert_eq!(found, scanned, "{meters} from {from:?}");
        }
        let nearest = space.nearest(on_sphere(from)).next().expect("there are places");
        let least = places.iter().map(|&place| apart(from, place)).fold(f64::INFINITY, f64::min);
        assert!((apart(from, places[*nearest.object.value()]) - least).abs() < 0.01);
    }
}
