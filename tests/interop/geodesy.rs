//! Great circles beside a crate of geodesy: the airports of the large example, from all over the globe.

use std::path::Path;

use geo::{Distance, Geodesic, Haversine, Point};
use quadrille::{GreatCircle, Metric, ObjectRef, Quadtree, Rect};

/// The longitudes and latitudes of all airports.
fn airports() -> Vec<[f64; 2]> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/airspace/data/us-air/airports.csv");
    let mut rows = csv::Reader::from_path(file).expect("the table of airports");
    let number = |row: &csv::StringRecord, column: usize| row[column].parse::<f64>().expect("degrees");
    rows.records().map(|row| row.expect("a row")).map(|row| [number(&row, 4), number(&row, 5)]).collect()
}

/// Places all over the globe: poles, the antimeridian, and right at some airports.
fn places(airports: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let lattice = (-6..=6).flat_map(|y| (-12..=12).map(move |x| [f64::from(x) * 15.0, f64::from(y) * 15.0]));
    let edges = [[180.0, 52.0], [-180.0, 52.0], [179.999, -14.3], [540.0, 13.5], [-170.7, -14.33]];
    lattice.chain(edges).chain(airports.iter().step_by(97).copied()).collect()
}

fn index_of(airports: &[[f64; 2]]) -> Quadtree<usize, f64> {
    let mut index = Quadtree::new(Rect::new([-180.0, -90.0], [180.0, 90.0])).expect("a world");
    let layer = index.add_point_layer().expect("a layer");
    for (number, &place) in airports.iter().enumerate() {
        index.insert(layer, place, number).expect("finite");
    }
    index
}

/// The nearest forty, by an index and by a linear scan. Where two distances differ by less than the crates round, either
/// may come first.
fn assert_same<M: Metric<usize, f64>>(
    index: &Quadtree<usize, f64>,
    airports: &[[f64; 2]],
    metric: M,
    measure: impl Fn([f64; 2]) -> f64,
    slack: f64,
) {
    let found: Vec<_> = index.nearest_by(metric).take(40).map(|near| (*near.object.value(), near.distance)).collect();
    let mut scanned: Vec<_> = airports.iter().map(|&airport| measure(airport)).collect();
    for &(number, distance) in &found {
        assert!((scanned[number] - distance).abs() <= slack, "{distance}, but {} of {number}", scanned[number]);
    }
    scanned.sort_by(f64::total_cmp);
    assert_eq!(found.len(), 40);
    for ((_, distance), scanned) in found.iter().zip(scanned) {
        assert!((scanned - distance).abs() <= slack, "{distance}, but {scanned}");
    }
}

#[test]
fn great_circles_equal_a_linear_scan() {
    let airports = airports();
    assert!(3000 < airports.len());
    let index = index_of(&airports);
    for place in places(&airports) {
        let from = Point::from(place);
        // Opposite the place, the other crate's formula is off by some centimeters.
        let scan = |airport: [f64; 2]| Haversine.distance(from, Point::from(airport));
        assert_same(&index, &airports, GreatCircle::new(place), scan, 0.001);
    }
}

/// Geodesics of the ellipsoid, bounded by great circles.
struct OverEllipsoid(Point);

impl Metric<usize, f64> for OverEllipsoid {
    fn bound(&self, rect: &Rect<f64>) -> f64 {
        GreatCircle::new([self.0.x(), self.0.y()]).distance_to(rect) * 0.994
    }
    fn distance(&self, object: &ObjectRef<'_, usize, f64>) -> f64 {
        Geodesic.distance(self.0, Point::from(object.shape().min()))
    }
}

/// A slow metric, as exact as can be; it is asked about few airports.
#[test]
fn geodesics_equal_a_linear_scan() {
    let airports = airports();
    let index = index_of(&airports);
    for place in places(&airports).into_iter().step_by(5) {
        let from = Point::new((place[0] + 180.0).rem_euclid(360.0) - 180.0, place[1]);
        let scan = |airport: [f64; 2]| Geodesic.distance(from, Point::from(airport));
        assert_same(&index, &airports, OverEllipsoid(from), scan, 1e-6);
    }
}
