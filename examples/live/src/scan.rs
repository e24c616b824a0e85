//! The same answers by linear scans over the fleet and the tables, which know nothing of the index: for tests.

use quadrille_airspace::data::RegionKind;
use quadrille_airspace::outlines::{Part, Ring};
use serde::Serialize;

use crate::fleet::Fleet;
use crate::globe::{OverGlobe, Place, project};
use crate::message::Shape;
use crate::select::NEIGHBORS;
use crate::sky::{Sky, wire_id};

/// An object that was found: its number on the wire, its number in its table, its place.
pub type Found = (u32, u32, Place);

/// All answers about a shape at one tick.
#[derive(Clone, Debug, Serialize)]
pub struct Scan {
    /// The tick.
    pub tick: u32,
    /// Aircraft in the shape, by their numbers on the wire.
    pub aircraft: Vec<Found>,
    /// Airports in the shape.
    pub airports: Vec<Found>,
    /// The numbers of parts of states and counties in their table, whose boxes meet the shape, a box.
    pub regions: Vec<u32>,
}

impl Scan {
    /// Looks at everything.
    #[must_use]
    pub fn of(sky: &Sky<'_>, fleet: &Fleet, shape: &Shape) -> Self {
        let aircraft = fleet.everyone().map(|(handle, flight, place)| (wire_id(handle), flight, place));
        let airports = sky.airport_handles.iter().zip(0..).zip(&sky.tables.airports);
        let airports =
            airports.map(|((&handle, number), airport)| (wire_id(handle), number, project(airport.position)));
        let parts = sky.tables.parts.iter().zip(0..);
        let regions = parts.filter(|(part, _)| {
            let [min, max] = part.outline.bounds();
            meets(shape, project(min), project(max))
        });
        Self {
            tick: fleet.tick(),
            aircraft: inside(shape, aircraft),
            airports: inside(shape, airports),
            regions: regions.map(|(_, number)| number).collect(),
        }
    }
}

fn inside(shape: &Shape, all: impl Iterator<Item = Found>) -> Vec<Found> {
    let mut found: Vec<_> = all.filter(|&(_, _, place)| contains(shape, place)).collect();
    found.sort_unstable_by_key(|&(id, ..)| id);
    found
}

/// Whether a place is in a shape.
#[must_use]
pub fn contains(shape: &Shape, [x, y]: Place) -> bool {
    match shape {
        Shape::Rect(rect) => {
            let ([left, bottom], [right, top]) = (rect.min(), rect.max());
            left <= x && x <= right && bottom <= y && y <= top
        }
        Shape::Circle(ball) => {
            let ([center_x, center_y], radius) = (ball.center().map(f64::from), f64::from(ball.radius()));
            (f64::from(x) - center_x).hypot(f64::from(y) - center_y) <= radius
        }
        Shape::Polygon(polygon) => {
            let [x, y] = [x, y].map(f64::from);
            let crossed = |edge: &[Place; 2]| {
                let [[ax, ay], [bx, by]] = edge.map(|corner| corner.map(f64::from));
                (y < ay) != (y < by) && x < ax + (y - ay) / (by - ay) * (bx - ax)
            };
            polygon.edges().filter(crossed).count() % 2 == 1
        }
    }
}

fn meets(shape: &Shape, [min_x, min_y]: Place, [max_x, max_y]: Place) -> bool {
    let Shape::Rect(rect) = shape else { return false };
    let ([left, bottom], [right, top]) = (rect.min(), rect.max());
    left <= max_x && min_x <= right && bottom <= max_y && min_y <= top
}

/// Who is nearest to an aircraft.
#[derive(Clone, Debug, Serialize)]
pub struct Nearest {
    /// The tick.
    pub tick: u32,
    /// The nearest airport: its number in the table, and kilometers.
    pub airport: Option<(u32, f64)>,
    /// The nearest aircraft: numbers on the wire, and kilometers.
    pub neighbors: Vec<(u32, f64)>,
    /// The county that it is over.
    pub over: Option<String>,
}

impl Nearest {
    /// Measures all distances from an aircraft, by its number on the wire.
    #[must_use]
    pub fn of(sky: &Sky<'_>, fleet: &Fleet, id: u32) -> Option<Self> {
        let (.., place) = fleet.everyone().find(|&(handle, ..)| wire_id(handle) == id)?;
        let metric = OverGlobe::from(place);
        let km = |place: Place| metric.to(place) / 1000.0;
        let airports = sky.tables.airports.iter().zip(0..);
        let airports = airports.map(|(airport, number)| (number, km(project(airport.position))));
        let others = fleet.everyone().map(|(handle, _, place)| (wire_id(handle), place));
        let mut neighbors: Vec<_> =
            others.filter(|&(other, _)| other != id).map(|(other, place)| (other, km(place))).collect();
        neighbors.sort_unstable_by(|a, b| a.1.total_cmp(&b.1));
        neighbors.truncate(NEIGHBORS);
        let airport = airports.min_by(|a, b| a.1.total_cmp(&b.1));
        Some(Self { tick: fleet.tick(), airport, neighbors, over: county(sky, place) })
    }
}

/// The first county of the table whose outline on the map holds a place.
fn county(sky: &Sky<'_>, place: Place) -> Option<String> {
    let drawn = |ring: &Ring| -> Ring { ring.iter().map(|&corner| project(corner).map(f64::from)).collect() };
    let holds = |part: &Part| Part { rings: part.rings.iter().map(drawn).collect() }.holds(place.map(f64::from));
    let regions = sky.tables.parts.iter().map(|part| (&sky.tables.regions[part.region], &part.outline));
    let mut counties = regions.filter(|(region, _)| region.kind == RegionKind::County);
    counties.find(|(_, outline)| holds(outline)).map(|(region, _)| region.name.clone())
}
