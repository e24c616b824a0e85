//! Aircraft in trouble, and how far it is to the nearest airport.

use crate::clock::Minute;
use crate::data::Position;
use crate::fleet::Fleet;
use crate::flight::GreatCircle;
use crate::schedule::FlightNumber;

/// One aircraft in this many is in trouble: each for one minute in this many.
pub(crate) const ONE_IN: u32 = 50;

/// An aircraft in trouble, and the airport nearest to it in degrees.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Diversion {
    /// The aircraft.
    pub(crate) flight: FlightNumber,
    /// When.
    pub(crate) minute: Minute,
    /// The airport, by its place in the table.
    pub(crate) airport: u32,
    /// How far it is.
    pub(crate) miles: f64,
}

/// Whether a flight is in trouble in that minute.
pub(crate) fn is_in_trouble(flight: FlightNumber, minute: Minute) -> bool {
    flight % ONE_IN == u32::from(minute.number()) % ONE_IN
}

/// The places in the fleet of those in trouble.
pub(crate) fn in_trouble(fleet: &Fleet, minute: Minute) -> impl Iterator<Item = usize> {
    (0..fleet.len()).filter(move |&place| is_in_trouble(fleet.flights()[place], minute))
}

impl Diversion {
    /// The way from one place to another.
    pub(crate) fn new(flight: FlightNumber, minute: Minute, airport: u32, [from, to]: [Position; 2]) -> Self {
        Self { flight, minute, airport, miles: GreatCircle::between(from, to).miles() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyone_has_a_share_of_trouble() {
        let minutes = |flight| Minute::all().filter(|&minute| is_in_trouble(flight, minute)).count();
        assert_eq!([0, 49, 50, u32::MAX].map(minutes), [29, 28, 29, 28]);
    }
}
