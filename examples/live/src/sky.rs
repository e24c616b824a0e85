//! The index with its four layers, and the names of all that is in it.

use quadrille::{Handle, Layer, LayerId, Points, Polygon, Rect, Rects};
use quadrille_airspace::data::{RegionKind, Tables};
use quadrille_airspace::outlines::Part;
use quadrille_airspace::schedule::{FlightNumber, Schedule};
use serde::{Deserialize, Serialize};

use crate::globe::{Index, Place, project, world};

/// A layer, as browsers name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LayerName {
    /// Points that move.
    Aircraft,
    /// Points that stay.
    Airports,
    /// Boxes around the parts of counties.
    Counties,
    /// Boxes around the parts of states.
    States,
}

impl LayerName {
    /// All four, by their numbers.
    pub const ALL: [Self; 4] = [Self::Aircraft, Self::Airports, Self::Counties, Self::States];

    /// Its number in frames.
    #[must_use]
    pub fn number(self) -> u8 {
        self as u8
    }
}

/// Everything there is. The value of an object is its number in its table: of flights, of airports, of parts of
/// regions.
#[derive(Debug)]
pub struct Sky<'a> {
    /// The index.
    pub index: Index,
    /// The tables that the numbers lead to.
    pub tables: &'a Tables,
    /// Who flies where.
    pub schedule: &'a Schedule<'a>,
    /// Points that move.
    pub aircraft: Layer<Points>,
    airports: Layer<Points>,
    counties: Layer<Rects>,
    states: Layer<Rects>,
    /// Airports, by their place in the table.
    pub airport_handles: Vec<Handle>,
    /// The outlines of the parts of states and counties on the map, by their place in the table.
    outlines: Vec<Polygon>,
}

impl<'a> Sky<'a> {
    /// Stores all that does not move.
    ///
    /// # Errors
    /// The index refuses something, which tables that were read do not contain.
    pub fn new(tables: &'a Tables, schedule: &'a Schedule<'a>) -> anyhow::Result<Self> {
        let mut index = Index::new(world())?;
        let (states, counties) = (index.add_rect_layer()?, index.add_rect_layer()?);
        let (airports, aircraft) = (index.add_point_layer()?, index.add_point_layer()?);
        let outlines: Vec<_> = tables.parts.iter().map(|part| on_the_map(&part.outline)).collect();
        for ((number, part), outline) in (0..).zip(&tables.parts).zip(&outlines) {
            let is_state = tables.regions[part.region].kind == RegionKind::State;
            index.insert(if is_state { states } else { counties }, outline.bounds(), number)?;
        }
        let places = tables.airports.iter().map(|airport| project(airport.position));
        let airport_handles = index.insert_batch(airports, places.zip(0..))?;
        Ok(Self { index, tables, schedule, aircraft, airports, counties, states, airport_handles, outlines })
    }

    /// The layer with this name.
    #[must_use]
    pub fn layer(&self, name: LayerName) -> LayerId {
        match name {
            LayerName::Aircraft => self.aircraft.id(),
            LayerName::Airports => self.airports.id(),
            LayerName::Counties => self.counties.id(),
            LayerName::States => self.states.id(),
        }
    }

    /// The number of an object in its table.
    #[must_use]
    pub fn number(&self, object: Handle) -> u32 {
        self.index.get(object).copied().unwrap_or(u32::MAX)
    }

    /// Where a point is.
    #[must_use]
    pub fn place(&self, object: Handle) -> Option<Place> {
        self.index.shape(object).map(|shape| shape.min())
    }

    /// The county that a place is over: found by the boxes, decided by the outlines. Its name tells the state. On a border it
    /// is the first of the table.
    #[must_use]
    pub fn county(&self, place: Place) -> Option<&'a str> {
        let point = Rect::from_point(place);
        let boxes = self.index.containing(place).in_layers(self.counties).map(|part| *part.value() as usize);
        let part = boxes.filter(|&part| self.outlines[part].intersects(&point)).min()?;
        Some(&self.tables.regions[self.tables.parts[part].region].name)
    }

    /// The airports of a flight, by their numbers: from, to.
    #[must_use]
    pub fn route(&self, flight: FlightNumber) -> [u16; 2] {
        let recorded = self.schedule.recorded(flight);
        // There are a few thousand airports.
        [recorded.origin, recorded.destination].map(|airport| airport as u16)
    }
}

/// The outline of a part of a region on the map.
fn on_the_map(part: &Part) -> Polygon {
    let nothing = Polygon::new([[0.0; 2]; 0]);
    part.rings.iter().fold(nothing, |polygon, ring| polygon.with_ring(ring.iter().map(|&corner| project(corner))))
}

/// The number of an object on the wire: that of its slot, unlike that of all others alive.
#[must_use]
pub fn wire_id(object: Handle) -> u32 {
    object.to_bits() as u32
}
