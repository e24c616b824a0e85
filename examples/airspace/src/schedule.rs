//! Who departs when: the recorded flights folded into one day, each as often as asked.
//!
//! Two million flights take four bytes each: everything else about a flight follows from its number.

use std::collections::HashMap;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::clock::{MINUTES_A_DAY, Minute};
use crate::data::{Position, Recorded, Tables};
use crate::flight::{GreatCircle, Leg, normalised};

/// The number of a flight: the copies of the first recorded one, then those of the second, and so on.
pub type FlightNumber = u32;

const SEED: u64 = 0x0061_6972_7370_6163;
/// How much earlier or later a copy departs.
const JITTER_MINUTES: i32 = 30;
/// How far a copy's two ends lie from the recorded ones, in degrees on either axis.
const JITTER_DEGREES: f64 = 0.5;

/// The timetable of one day.
#[derive(Debug)]
pub struct Schedule<'a> {
    tables: &'a Tables,
    copies: u32,
    /// For each recorded flight, how many before it are between the same two airports.
    before: Vec<u32>,
    /// All flights by their minute of departure.
    flights: Vec<FlightNumber>,
    /// Where the flights of each minute begin, and where the last end.
    begins: Vec<usize>,
}

/// How a copy differs from the flight that was recorded.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Jitter {
    minutes: i32,
    start: Position,
    end: Position,
}

impl<'a> Schedule<'a> {
    /// Folds the recorded flights into one day, with this many copies of each; the first copy is as recorded.
    ///
    /// # Panics
    /// There would be more than 2^32 flights.
    #[must_use]
    pub fn new(tables: &'a Tables, copies: u32) -> Self {
        let count = u32::try_from(tables.flights.len()).ok().and_then(|recorded| recorded.checked_mul(copies));
        let count = count.expect("fewer than 2^32 flights");
        let before = before_on_route(&tables.flights);
        let mut schedule = Self { tables, copies, before, flights: Vec::new(), begins: Vec::new() };
        // Sorted by counting: how many depart each minute, where they begin, then each to its place.
        let mut begins = vec![0; usize::from(MINUTES_A_DAY) + 1];
        for flight in 0..count {
            begins[usize::from(schedule.departure(flight).number()) + 1] += 1;
        }
        for minute in 1..begins.len() {
            begins[minute] += begins[minute - 1];
        }
        let mut next = begins.clone();
        let mut flights = vec![0; count as usize];
        for flight in 0..count {
            let place = &mut next[usize::from(schedule.departure(flight).number())];
            flights[*place] = flight;
            *place += 1;
        }
        (schedule.flights, schedule.begins) = (flights, begins);
        schedule
    }

    /// How many flights depart in the day.
    #[must_use]
    pub fn flights(&self) -> usize {
        self.flights.len()
    }

    /// The flights that depart in this minute.
    #[must_use]
    pub fn departing(&self, minute: Minute) -> &[FlightNumber] {
        let minute = usize::from(minute.number());
        &self.flights[self.begins[minute]..self.begins[minute + 1]]
    }

    /// The flights still in the air in the day's last minute: those the day begins with.
    pub fn airborne_at_the_end(&self) -> impl Iterator<Item = (FlightNumber, Leg)> {
        Minute::all().flat_map(move |minute| {
            let minutes_flown = f64::from(MINUTES_A_DAY - 1 - minute.number());
            let flights = self.departing(minute).iter();
            flights
                .map(move |&flight| (flight, self.leg(flight).after(minutes_flown)))
                .filter(|(_, leg)| leg.is_airborne())
        })
    }

    /// A flight at its start.
    #[must_use]
    pub fn leg(&self, flight: FlightNumber) -> Leg {
        let recorded = self.recorded(flight);
        let jitter = self.jitter(flight);
        let end_of = |airport: usize, jitter: Position| {
            let [longitude, latitude] = self.tables.airports[airport].position;
            normalised([longitude + jitter[0], latitude + jitter[1]])
        };
        let arc = GreatCircle::between(end_of(recorded.origin, jitter.start), end_of(recorded.destination, jitter.end));
        Leg::new(arc, recorded.miles)
    }

    /// The recorded departure that a flight is a copy of.
    #[must_use]
    pub fn recorded(&self, flight: FlightNumber) -> &'a Recorded {
        &self.tables.flights[(flight / self.copies) as usize]
    }

    /// A flight by its two airports, as in `JFK-LAX`; the second one between them is `JFK-LAX 2`.
    #[must_use]
    pub fn name(&self, flight: FlightNumber) -> String {
        let recorded = self.recorded(flight);
        let iata = |airport: usize| &self.tables.airports[airport].iata;
        let route = format!("{}-{}", iata(recorded.origin), iata(recorded.destination));
        match self.number_on_route(flight) {
            1 => route,
            number => format!("{route} {number}"),
        }
    }

    /// Which of the flights between its two airports a flight is, from 1. No other flight between them has its number.
    #[must_use]
    pub fn number_on_route(&self, flight: FlightNumber) -> u32 {
        self.before[(flight / self.copies) as usize] * self.copies + flight % self.copies + 1
    }

    fn departure(&self, flight: FlightNumber) -> Minute {
        let recorded = self.recorded(flight).departure;
        Minute::wrapping(i32::from(recorded.number()) + self.jitter(flight).minutes)
    }

    /// The same for the same flight each time: its number is the seed.
    fn jitter(&self, flight: FlightNumber) -> Jitter {
        if flight.is_multiple_of(self.copies) {
            return Jitter { minutes: 0, start: [0.0; 2], end: [0.0; 2] };
        }
        let mut random = Pcg64Mcg::seed_from_u64(SEED ^ u64::from(flight));
        let minutes = random.random_range(-JITTER_MINUTES..=JITTER_MINUTES);
        let mut shift = || std::array::from_fn(|_| random.random_range(-JITTER_DEGREES..=JITTER_DEGREES));
        Jitter { minutes, start: shift(), end: shift() }
    }
}

/// How many flights before each one are between the same two airports.
fn before_on_route(flights: &[Recorded]) -> Vec<u32> {
    let mut counts: HashMap<[usize; 2], u32> = HashMap::new();
    let count = |flight: &Recorded| {
        let count = counts.entry([flight.origin, flight.destination]).or_default();
        *count += 1;
        *count - 1
    };
    flights.iter().map(count).collect()
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "exactly these numbers are meant")]
mod tests {
    use super::*;
    use crate::data::Airport;
    use crate::flight::MILES_A_MINUTE;

    /// Flights of so many minutes from one airport to another, by their minutes of departure.
    fn tables(flights: &[(i32, f64)]) -> Tables {
        let airport = |iata: &str, position| Airport { iata: iata.into(), city: iata.into(), position };
        let flight = |&(departure, minutes): &(i32, f64)| Recorded {
            departure: Minute::wrapping(departure),
            origin: 0,
            destination: 1,
            miles: minutes * MILES_A_MINUTE,
        };
        Tables {
            regions: Vec::new(),
            parts: Vec::new(),
            airports: vec![airport("AAA", [-80.0, 30.0]), airport("BBB", [-90.0, 40.0])],
            flights: flights.iter().map(flight).collect(),
        }
    }

    #[test]
    fn flights_depart_in_their_minute() {
        let tables = tables(&[(600, 60.0), (0, 60.0), (600, 90.0)]);
        let schedule = Schedule::new(&tables, 1);
        assert_eq!(schedule.departing(Minute::wrapping(600)), [0, 2]);
        assert_eq!(schedule.departing(Minute::wrapping(0)), [1]);
        assert_eq!(Minute::all().map(|minute| schedule.departing(minute).len()).sum::<usize>(), 3);
        assert_eq!(schedule.name(0), "AAA-BBB");
    }

    #[test]
    fn every_flight_has_a_name_of_its_own() {
        let tables = tables(&[(600, 60.0), (0, 60.0), (600, 90.0)]);
        let schedule = Schedule::new(&tables, 40);
        let names: std::collections::BTreeSet<_> = (0..120).map(|flight| schedule.name(flight)).collect();
        assert_eq!(names.len(), 120);
        assert!(names.contains("AAA-BBB") && names.contains("AAA-BBB 120"));
    }

    #[test]
    fn the_day_begins_with_the_flights_it_ends_with() {
        // Lands at 23:59, in the first minute of the day, and after an hour of it.
        let tables = tables(&[(1379, 60.0), (1380, 60.0), (1439, 61.0)]);
        let schedule = Schedule::new(&tables, 1);
        let airborne: Vec<_> = schedule.airborne_at_the_end().map(|(flight, leg)| (flight, leg.position())).collect();
        assert_eq!(airborne.iter().map(|&(flight, _)| flight).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(airborne[0].1, schedule.leg(1).after(59.0).position());
        assert_eq!(airborne[1].1, schedule.leg(2).position());
    }

    #[test]
    fn copies_differ_and_are_the_same_each_time() {
        let tables = tables(&[(5, 60.0), (1435, 60.0)]);
        let (schedule, again) = (Schedule::new(&tables, 100), Schedule::new(&tables, 100));
        for flight in 0..200 {
            let jitter = schedule.jitter(flight);
            assert_eq!(jitter, again.jitter(flight));
            assert!(jitter.minutes.abs() <= JITTER_MINUTES);
            assert!(jitter.start.iter().chain(&jitter.end).all(|degrees| degrees.abs() <= JITTER_DEGREES));
            assert_eq!(flight % 100 == 0, jitter.start == [0.0; 2]);
        }
        // Around midnight the copies depart on either side of it.
        let first: usize = (0..12).map(|hour| schedule.departing(Minute::wrapping(hour)).len()).sum();
        assert!(0 < first && first < 200);
        assert_eq!(schedule.flights.len(), 200);
    }
}
