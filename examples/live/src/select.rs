//! The aircraft that a browser has selected: its nearest airport, its neighbors, and what it is over.

use std::time::Instant;

use quadrille::Handle;
use serde::Serialize;

use crate::globe::{OverGlobe, Place, unproject};
use crate::message::Spot;
use crate::sky::{LayerName, Sky, wire_id};
use crate::times::micros;

/// How many neighbors are looked for.
pub const NEIGHBORS: usize = 8;

/// All that is told about an aircraft.
#[derive(Clone, Debug, Serialize)]
pub struct Selected<'a> {
    /// Its number on the wire.
    pub id: u32,
    /// Its flight, as in `JFK-LAX`.
    pub name: String,
    /// Where it is on the map.
    pub place: Place,
    /// Its longitude and latitude.
    pub position: [f64; 2],
    /// The airport that is nearest over the globe.
    pub airport: Option<Near>,
    /// The aircraft that are nearest over the globe, the nearest first.
    pub neighbors: Vec<Near>,
    /// The county that it is over, with its state.
    pub over: Option<&'a str>,
    /// How long the three queries took, in microseconds.
    pub micros: [f32; 3],
}

/// Something near.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Near {
    /// Its number on the wire.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// Where it is on the map.
    pub place: Place,
    /// How far away, in kilometers.
    pub km: f64,
}

/// The aircraft nearest to a place on the map, if one is in reach.
#[must_use]
pub fn nearest(sky: &Sky<'_>, spot: Spot) -> Option<Handle> {
    sky.index.nearest(spot.at).in_layers(sky.aircraft).within(spot.reach).next().map(|found| found.object.handle())
}

impl<'a> Selected<'a> {
    /// Asks about an aircraft, if it is still in the air.
    #[must_use]
    pub fn ask(sky: &Sky<'a>, aircraft: Handle) -> Option<Self> {
        let place = sky.place(aircraft)?;
        let (airport, airport_micros) = timed(|| near(sky, LayerName::Airports, place, None, 1).pop());
        let (neighbors, neighbors_micros) = timed(|| near(sky, LayerName::Aircraft, place, Some(aircraft), NEIGHBORS));
        let (over, over_micros) = timed(|| sky.county(place));
        Some(Self {
            id: wire_id(aircraft),
            name: sky.schedule.name(sky.number(aircraft)),
            place,
            position: unproject(place),
            airport,
            neighbors,
            over,
            micros: [airport_micros, neighbors_micros, over_micros],
        })
    }
}

fn timed<R>(work: impl FnOnce() -> R) -> (R, f32) {
    let begun = Instant::now();
    let result = work();
    (result, micros(begun.elapsed()))
}

fn near(sky: &Sky<'_>, layer: LayerName, place: Place, except: Option<Handle>, count: usize) -> Vec<Near> {
    let metric = OverGlobe::from(place);
    let mut query = sky.index.nearest_by(metric).in_layers(sky.layer(layer));
    if let Some(own) = except {
        query = query.excluding(own);
    }
    let named = |number: u32| match layer {
        LayerName::Airports => airport_name(sky, number),
        _ => sky.schedule.name(number),
    };
    query
        .take(count)
        .map(|found| {
            let (object, number) = (found.object, *found.object.value());
            let (id, place) = (wire_id(object.handle()), object.shape().min());
            Near { id, name: named(number), place, km: found.distance / 1000.0 }
        })
        .collect()
}

fn airport_name(sky: &Sky<'_>, number: u32) -> String {
    let airport = &sky.tables.airports[number as usize];
    format!("{} {}", airport.iata, airport.city)
}
