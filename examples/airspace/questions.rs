//! The questions of one minute, each kind in a loop of its own that is timed as a whole.

use std::hint::black_box;

use crate::clock::Minute;
use crate::data::Position;
use crate::figures::Figures;
use crate::fleet::Fleet;
use crate::schedule::{FlightNumber, Schedule};
use crate::sky::{Sky, VIEWS};

/// How many answers the loops of one minute drew, to be held against a scan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Answers {
    /// States and counties below all aircraft.
    pub(crate) regions: usize,
    /// Airports around all aircraft.
    pub(crate) airports: usize,
    /// Other aircraft around all aircraft: each pair is seen from both sides.
    pub(crate) aircraft: usize,
    /// The same, each pair once.
    pub(crate) pairs: usize,
    /// Objects of all layers in all views.
    pub(crate) in_views: usize,
    /// Views with any aircraft in them.
    pub(crate) views_with_aircraft: usize,
}

/// Two aircraft that may be the closest of the day: a place in the fleet, and the other's flight and position.
struct Candidate {
    place: usize,
    other: FlightNumber,
    other_position: Position,
}

/// Asks everything of one minute.
pub(crate) fn ask(sky: &Sky, fleet: &Fleet, schedule: &Schedule, minute: Minute, figures: &mut Figures) -> Answers {
    let (aircraft, pairs) = ask_for_aircraft(sky, fleet, schedule, minute, figures);
    ask_for_views_near(sky, figures);
    Answers {
        regions: ask_for_regions(sky, fleet, figures),
        airports: ask_for_airports(sky, fleet, figures),
        aircraft,
        pairs,
        in_views: ask_for_view_counts(sky, figures),
        views_with_aircraft: ask_for_view_exists(sky, figures),
    }
}

fn ask_for_regions(sky: &Sky, fleet: &Fleet, figures: &mut Figures) -> usize {
    let minutes = &mut figures.region_minutes;
    figures.regions.time(fleet.len(), || {
        let mut results = 0;
        for &position in fleet.positions() {
            sky.regions_below(position).for_each(|region| {
                minutes[*region.value() as usize] += 1;
                results += 1;
            });
        }
        results
    })
}

fn ask_for_airports(sky: &Sky, fleet: &Fleet, figures: &mut Figures) -> usize {
    figures.airports.time(fleet.len(), || {
        let mut results = 0;
        for &position in fleet.positions() {
            sky.airports_around(position).for_each(|airport| {
                black_box(airport.handle());
                results += 1;
            });
        }
        results
    })
}

fn ask_for_aircraft(
    sky: &Sky,
    fleet: &Fleet,
    schedule: &Schedule,
    minute: Minute,
    figures: &mut Figures,
) -> (usize, usize) {
    let degrees_max = figures.closest.degrees_max();
    let mut pairs = 0;
    let mut candidates = Vec::new();
    let results = figures.aircraft.time(fleet.len(), || {
        let mut results = 0;
        for (place, (&position, &handle)) in fleet.positions().iter().zip(fleet.handles()).enumerate() {
            sky.aircraft_around(position, handle).for_each(|other| {
                results += 1;
                // Either aircraft of a pair sees the other; the one with the smaller handle counts it.
                let first = handle < other.handle();
                pairs += usize::from(first);
                let other_position = other.shape().min();
                if first & ((other_position[1] - position[1]).abs() <= degrees_max) {
                    candidates.push(Candidate { place, other: *other.value(), other_position });
                }
            });
        }
        results
    });
    for Candidate { place, other, other_position } in candidates {
        let flights = [fleet.flights()[place], other];
        figures.closest.offer(schedule, minute, flights, [fleet.positions()[place], other_position]);
    }
    figures.encounter_minutes += pairs;
    (results, pairs)
}

fn ask_for_view_counts(sky: &Sky, figures: &mut Figures) -> usize {
    let layers = sky.layers();
    figures.view_counts.time(VIEWS.len() * layers.len(), || {
        let questions = VIEWS.iter().flat_map(|view| layers.iter().map(move |&(_, layer)| (view, layer)));
        questions.map(|(view, layer)| sky.in_view(view, layer).count()).sum()
    })
}

fn ask_for_view_exists(sky: &Sky, figures: &mut Figures) -> usize {
    figures.view_exists.time(VIEWS.len(), || VIEWS.iter().filter(|view| sky.any_aircraft_in(view)).count())
}

/// Draws everything near the views. A superset, so its number says nothing that a scan could confirm.
fn ask_for_views_near(sky: &Sky, figures: &mut Figures) {
    figures.view_near.time(VIEWS.len(), || {
        let draw = |view| {
            let mut results = 0;
            sky.near_view(view).for_each(|object| {
                black_box(object.handle());
                results += 1;
            });
            results
        };
        VIEWS.iter().map(draw).sum()
    });
}
