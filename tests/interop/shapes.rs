//! Points and boxes of other crates: in as they are, and out again. The manual promises all that compiles here.

use std::fmt::Debug;

use quadrille::{
    AnyOf, Ball, Corridor, Handle, Octree, Polygon, Quadtree, Ray, Rect, Region, Scalar, Segment, SpatialIndex,
};

/// Every way in which a point goes in, and the way out, by an array.
fn goes_in<P, S, const D: usize>(at: P, opposite: P)
where
    P: Copy + PartialEq + Debug + Into<[S; D]> + From<[S; D]>,
    S: Scalar,
{
    let world = Rect::new([S::from(0); D], [S::from(100); D]);
    let mut index: SpatialIndex<&str, S, D> = SpatialIndex::new(world).expect("a world");
    let (points, rects) = (index.add_point_layer().expect("a layer"), index.add_rect_layer().expect("a layer"));
    let point = index.insert(points, opposite, "point").expect("finite");
    index.move_to(point, at).expect("finite");
    assert_eq!(P::from(index.shape(point).expect("a living object").min()), at);
    index.move_by(point, opposite).expect("finite");
    assert!(index.move_batch([(point, at)]).refused.is_empty());
    let rect = index.insert(rects, Rect::new(at, opposite), "rect").expect("finite");
    assert_eq!(Rect::from((opposite, at)), Rect::new(at, opposite));
    assert_eq!(Rect::from_center_half(at, P::from([S::from(0); D])), Rect::from_point(at));
    let handles = |found: Vec<Handle>| assert_eq!(found, [point, rect]);
    handles(index.intersecting(at).map(|object| object.handle()).collect());
    handles(index.containing(at).in_layers(points | rects).map(|object| object.handle()).collect());
    handles(index.within_distance(at, S::from(0)).map(|object| object.handle()).collect());
    handles(index.nearest(at).map(|found| found.object.handle()).collect());
    handles(index.raycast(Ray::new(at, opposite)).map(|hit| hit.object.handle()).collect());
    handles(index.intersecting(Segment::new(at, at)).map(|object| object.handle()).collect());
    handles(index.intersecting(AnyOf::new([Ball::new(at, S::from(0))])).map(|object| object.handle()).collect());
}

#[test]
fn vectors() {
    goes_in::<_, f32, 2>([1.0_f32, 2.0], [3.0, 4.0]);
    goes_in::<_, f64, 3>((1.0_f64, 2.0, 5.0), (3.0, 4.0, 6.0));
    goes_in::<_, f32, 2>(glam::Vec2::new(1.0, 2.0), glam::Vec2::new(3.0, 4.0));
    goes_in::<_, f64, 2>(glam::DVec2::new(1.0, 2.0), glam::DVec2::new(3.0, 4.0));
    goes_in::<_, f32, 3>(glam::Vec3::new(1.0, 2.0, 5.0), glam::Vec3::new(3.0, 4.0, 6.0));
    goes_in::<_, f32, 3>(glam::Vec3A::new(1.0, 2.0, 5.0), glam::Vec3A::new(3.0, 4.0, 6.0));
    goes_in::<_, f64, 3>(glam::DVec3::new(1.0, 2.0, 5.0), glam::DVec3::new(3.0, 4.0, 6.0));
    goes_in::<_, f32, 2>(mint::Point2 { x: 1.0_f32, y: 2.0 }, mint::Point2 { x: 3.0, y: 4.0 });
    goes_in::<_, f64, 2>(mint::Vector2 { x: 1.0_f64, y: 2.0 }, mint::Vector2 { x: 3.0, y: 4.0 });
    goes_in::<_, f32, 3>(mint::Point3 { x: 1.0_f32, y: 2.0, z: 5.0 }, mint::Point3 { x: 3.0, y: 4.0, z: 6.0 });
    goes_in::<_, f64, 3>(mint::Vector3 { x: 1.0_f64, y: 2.0, z: 5.0 }, mint::Vector3 { x: 3.0, y: 4.0, z: 6.0 });
    goes_in::<_, f32, 2>(nalgebra::Point2::new(1.0_f32, 2.0), nalgebra::Point2::new(3.0, 4.0));
    goes_in::<_, f64, 2>(nalgebra::Vector2::new(1.0_f64, 2.0), nalgebra::Vector2::new(3.0, 4.0));
    goes_in::<_, f32, 3>(nalgebra::Point3::new(1.0_f32, 2.0, 5.0), nalgebra::Point3::new(3.0, 4.0, 6.0));
    goes_in::<_, f64, 3>(nalgebra::Vector3::new(1.0_f64, 2.0, 5.0), nalgebra::Vector3::new(3.0, 4.0, 6.0));
    goes_in::<_, f32, 2>(euclid::default::Point2D::new(1.0_f32, 2.0), euclid::default::Point2D::new(3.0, 4.0));
    goes_in::<_, f64, 2>(euclid::default::Vector2D::new(1.0_f64, 2.0), euclid::default::Vector2D::new(3.0, 4.0));
    goes_in::<_, f32, 3>(
        euclid::default::Point3D::new(1.0_f32, 2.0, 5.0),
        euclid::default::Point3D::new(3.0, 4.0, 6.0),
    );
    goes_in::<_, f64, 3>(
        euclid::default::Vector3D::new(1.0_f64, 2.0, 5.0),
        euclid::default::Vector3D::new(3.0, 4.0, 6.0),
    );
    goes_in::<_, f64, 2>(geo_types::Coord { x: 1.0_f64, y: 2.0 }, geo_types::Coord { x: 3.0, y: 4.0 });
    goes_in::<_, f32, 2>(geo_types::Point::new(1.0_f32, 2.0), geo_types::Point::new(3.0, 4.0));
}

/// Boxes of other crates, by their corners.
#[test]
fn boxes() {
    let expected: Rect = Rect::new([1.0, 2.0], [3.0, 4.0]);
    let pair = (glam::Vec2::new(3.0, 4.0), glam::Vec2::new(1.0, 2.0));
    assert_eq!(Rect::from(pair), expected);

    let euclid = euclid::default::Box2D::new((1.0, 2.0).into(), (3.0, 4.0).into());
    assert_eq!(Rect::new(euclid.min, euclid.max), expected);
    let back = euclid::default::Box2D::new(expected.min().into(), expected.max().into());
    assert_eq!(back, euclid);

    let geo = geo_types::Rect::new((1.0_f32, 2.0), (3.0, 4.0));
    assert_eq!(Rect::from(geo), expected);
    assert_eq!(geo_types::Rect::from(expected), geo);

    let parry = parry2d::bounding_volume::Aabb::new([1.0, 2.0].into(), [3.0, 4.0].into());
    assert_eq!(Rect::new(parry.mins, parry.maxs), expected);
    let back = parry2d::bounding_volume::Aabb::new(expected.min().into(), expected.max().into());
    assert_eq!(back, parry);

    let parry = parry3d::bounding_volume::Aabb::new([1.0, 2.0, 5.0].into(), [3.0, 4.0, 6.0].into());
    assert_eq!(Rect::new(parry.mins, parry.maxs), Rect::new([1.0, 2.0, 5.0], [3.0, 4.0, 6.0]));
}

/// A polygon of `geo-types` as a region.
#[test]
fn polygons() {
    let ring = |from: f64, to: f64| {
        geo_types::LineString::from(vec![(from, from), (to, from), (to, to), (from, to), (from, from)])
    };
    let lake = geo_types::Polygon::new(ring(10.0, 90.0), vec![ring(40.0, 60.0)]);
    let mut index: Quadtree<&str, f64> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0])).expect("a world");
    let ships = index.add_point_layer().expect("a layer");
    for (at, name) in [((20.0, 20.0), "afloat"), ((50.0, 50.0), "ashore"), ((95.0, 20.0), "away")] {
        index.insert(ships, at, name).expect("finite");
    }
    let found = |waters: &Polygon<f64>| -> Vec<_> { index.intersecting(waters).map(|ship| *ship.value()).collect() };
    assert_eq!(found(&Polygon::from(&lake)), ["afloat"]);
    let pond = geo_types::Polygon::new(ring(92.0, 98.0), vec![]);
    assert_eq!(found(&Polygon::from(&pond)), [] as [&str; 0]);
    let strait =
        geo_types::Polygon::new(geo_types::LineString::from(vec![(92.0, 10.0), (98.0, 10.0), (95.0, 30.0)]), vec![]);
    let waters = geo_types::MultiPolygon::new(vec![lake, pond, strait]);
    assert_eq!(found(&Polygon::from(&waters)), ["afloat", "away"]);
}

/// Shapes of `geo-types` are regions as they are, by reference and by value, in every query about a region.
#[test]
fn regions_of_geo_types() {
    let mut index: Quadtree<u32, f64> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0])).expect("a world");
    let (points, rects) = (index.add_point_layer().expect("a layer"), index.add_rect_layer().expect("a layer"));
    for number in 0_u32..10 {
        let at = f64::from(number) * 10.0;
        index.insert(points, [at, at], number).expect("finite");
        index.insert(rects, Rect::new([at, 0.0], [at + 5.0, 5.0]), number).expect("finite");
    }
    macro_rules! same {
        ($shape:expr, $region:expr) => {{
            let (shape, region) = ($shape, $region);
            assert!(
                index
                    .intersecting(&shape)
                    .map(|object| object.handle())
                    .eq(index.intersecting(region.clone()).map(|object| object.handle()))
            );
            assert_eq!(index.near(&shape).count(), index.near(region.clone()).count());
            assert_eq!(index.contained_in(&shape).count(), index.contained_in(region.clone()).count());
            assert_eq!(index.containing(&shape).count(), index.containing(Region::bounds(&region)).count());
            assert_eq!(AnyOf::new([&shape]).bounds(), region.bounds());
            assert!(index.intersecting(&shape).exists());
            assert_eq!(index.intersecting(shape).count(), index.intersecting(region).count());
        }};
    }
    let triangle = geo_types::Polygon::new(vec![(0.0, 0.0), (50.0, 0.0), (50.0, 50.0)].into(), vec![]);
    same!(triangle.clone(), Polygon::new([[0.0, 0.0], [50.0, 0.0], [50.0, 50.0]]));
    same!(geo_types::MultiPolygon::new(vec![triangle.clone()]), Polygon::from(&triangle));
    let line = geo_types::Line::new((0.0, 0.0), (30.0, 30.0));
    same!(line, Segment::new([0.0, 0.0], [30.0, 30.0]));
    let string = geo_types::LineString::from(vec![(0.0, 0.0), (30.0, 30.0), (60.0, 0.0)]);
    same!(string.clone(), Corridor::new(string, 0.0));
    same!(geo_types::Rect::new((0.0, 0.0), (20.0, 20.0)), Rect::new([0.0, 0.0], [20.0, 20.0]));
}

/// A side table by handles, which are keys of a slot map.
#[test]
fn side_tables() {
    let mut index: Octree<()> = Octree::new(Rect::new([0.0; 3], [100.0; 3])).expect("a world");
    let units = index.add_point_layer().expect("a layer");
    let [a, b] = [1.0, 2.0].map(|at| index.insert(units, [at; 3], ()).expect("finite"));
    let mut speeds: slotmap::SecondaryMap<Handle, f32> = [(a, 0.5), (b, 1.5)].into_iter().collect();
    index.remove(a);
    let c = index.insert(units, [3.0; 3], ()).expect("finite");
    assert_eq!(speeds.insert(c, 2.5), None);
    assert_eq!([a, b, c].map(|handle| speeds.get(handle).copied()), [None, Some(1.5), Some(2.5)]);
}
