//! The few closest encounters of the day.

use crate::clock::Minute;
use crate::data::Position;
use crate::flight::GreatCircle;
use crate::schedule::{FlightNumber, Schedule};

const KEPT: usize = 8;
/// A degree of latitude is at least this long; one of longitude may be anything shorter.
const MILES_A_DEGREE_MIN: f64 = 69.0;

/// Two aircraft near each other in one minute.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Encounter {
    /// The two.
    pub(crate) flights: [FlightNumber; 2],
    /// When.
    pub(crate) minute: Minute,
    /// Where the one of them was.
    pub(crate) position: Position,
    /// How far apart.
    pub(crate) miles: f64,
}

/// The closest encounters so far, each pair of routes once, the closest first.
///
/// In one day, departures of different days start from one spot: flights that share an airport are left out, and flights
/// of one route count as one.
#[derive(Debug, Default)]
pub(crate) struct Closest {
    kept: Vec<Encounter>,
}

impl Closest {
    /// The encounters, the closest first.
    pub(crate) fn encounters(&self) -> &[Encounter] {
        &self.kept
    }

    /// Aircraft whose latitudes differ by more than this cannot be among the closest: a test cheap enough to be
    /// made of every pair.
    pub(crate) fn degrees_max(&self) -> f64 {
        if self.kept.len() < KEPT { f64::INFINITY } else { self.kept[KEPT - 1].miles / MILES_A_DEGREE_MIN }
    }

    /// Keeps an encounter if it is one of the closest.
    pub(crate) fn offer(
        &mut self,
        schedule: &Schedule,
        minute: Minute,
        [a, b]: [FlightNumber; 2],
        [at, other]: [Position; 2],
    ) {
        let miles = GreatCircle::between(at, other).miles();
        let routes = routes(schedule, [a, b]);
        if self.kept.get(KEPT - 1).is_some_and(|last| last.miles <= miles) || share_an_airport(routes) {
            return;
        }
        match self.kept.iter().position(|encounter| self::routes(schedule, encounter.flights) == routes) {
            Some(place) if self.kept[place].miles <= miles => return,
            Some(place) => {
                self.kept.remove(place);
            }
            None => {}
        }
        let place = self.kept.partition_point(|encounter| encounter.miles <= miles);
        self.kept.insert(place, Encounter { flights: [a, b], minute, position: at, miles });
        self.kept.truncate(KEPT);
    }
}

/// The airports of two flights, in an order that does not depend on that of the flights.
fn routes(schedule: &Schedule, flights: [FlightNumber; 2]) -> [[usize; 2]; 2] {
    let mut routes = flights.map(|flight| {
        let recorded = schedule.recorded(flight);
        [recorded.origin, recorded.destination]
    });
    routes.sort_unstable();
    routes
}

fn share_an_airport([a, b]: [[usize; 2]; 2]) -> bool {
    b.contains(&a[0]) || b.contains(&a[1])
}
