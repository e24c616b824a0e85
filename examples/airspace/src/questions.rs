//! The questions of one minute, each kind in a loop of its own that is timed as a whole.

use std::hint::black_box;

use crate::clock::Minute;
use crate::data::Position;
use crate::figures::Figures;
use crate::fleet::Fleet;
use crate::schedule::{FlightNumber, Schedule};
use crate::sky::{Sky, VIEWS};
use crate::trouble::{Diversion, in_trouble};

/// How many answers the loops of one minute drew, to be held against a scan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Answers {
    /// States and counties below all aircraft.
    pub(crate) regions: usize,
    /// Airports around all aircraft.
    pub(crate) airports: usize,
    /// Other aircraft around all aircraft: each pair is seen from both sides.
    pub(crate) aircraft: usize,
    /// Airports nearest to the aircraft in trouble: one for each, if there is any.
    pub(crate) nearest_airports: usize,
    /// Encounters: each pair once.
    pub(crate) encounters: usize,
    /// Objects of all layers in all views.
    pub(crate) in_views: usize,
    /// Views with any aircraft in them.
    pub(crate) views_with_aircraft: usize,
}

/// Two aircraft that may be the closest of the day.
struct Candidate {
    flights: [FlightNumber; 2],
    positions: [Position; 2],
}

/// Asks everything of one minute.
pub(crate) fn ask(sky: &Sky, fleet: &Fleet, schedule: &Schedule, minute: Minute, figures: &mut Figures) -> Answers {
    ask_for_views_near(sky, figures);
    Answers {
        regions: ask_for_regions(sky, fleet, figures),
        airports: ask_for_airports(sky, fleet, figures),
        aircraft: ask_for_aircraft(sky, fleet, figures),
        nearest_airports: ask_for_nearest_airports(sky, fleet, minute, figures),
        encounters: ask_for_encounters(sky, schedule, minute, figures),
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
                minutes[sky.region(&region)] += 1;
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

fn ask_for_aircraft(sky: &Sky, fleet: &Fleet, figures: &mut Figures) -> usize {
    figures.aircraft.time(fleet.len(), || {
        let mut results = 0;
        for (&position, &handle) in fleet.positions().iter().zip(fleet.handles()) {
            sky.aircraft_around(position, handle).for_each(|other| {
                black_box(other.handle());
                results += 1;
            });
        }
        results
    })
}

fn ask_for_nearest_airports(sky: &Sky, fleet: &Fleet, minute: Minute, figures: &mut Figures) -> usize {
    let in_trouble: Vec<usize> = in_trouble(fleet, minute).collect();
    let mut found = Vec::with_capacity(in_trouble.len());
    let results = figures.nearest_airport.time(in_trouble.len(), || {
        found.extend(in_trouble.iter().filter_map(|&place| {
            let airport = sky.nearest_airport(fleet.positions()[place])?.object;
            Some((place, *airport.value(), airport.shape().min()))
        }));
        found.len()
    });
    for (place, airport, airport_position) in found {
        let way = [fleet.positions()[place], airport_position];
        let diversion = Diversion::new(fleet.flights()[place], minute, airport, way);
        if figures.longest_diversion.is_none_or(|longest| longest.miles < diversion.miles) {
            figures.longest_diversion = Some(diversion);
        }
    }
    results
}

fn ask_for_encounters(sky: &Sky, schedule: &Schedule, minute: Minute, figures: &mut Figures) -> usize {
    let degrees_max = figures.closest.degrees_max();
    let mut candidates = Vec::new();
    let results = figures.encounters.time(1, || {
        let mut results = 0;
        sky.encounters().for_each(|(one, other)| {
            results += 1;
            let positions = [one.shape().min(), other.shape().min()];
            if (positions[0][1] - positions[1][1]).abs() <= degrees_max {
                candidates.push(Candidate { flights: [*one.value(), *other.value()], positions });
            }
        });
        results
    });
    for Candidate { flights, positions } in candidates {
        figures.closest.offer(schedule, minute, flights, positions);
    }
    results
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
