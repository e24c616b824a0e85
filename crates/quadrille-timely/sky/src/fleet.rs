//! The aircraft in the air, of one worker's share.

use quadrille_airspace::clock::{MINUTES_A_DAY, Minute};
use quadrille_airspace::data::Position;
use quadrille_airspace::flight::Leg;
use quadrille_airspace::schedule::FlightNumber;

use crate::day::Day;

/// Who is in the air in a minute.
#[derive(Debug, Default)]
pub(crate) struct Fleet {
    flying: Vec<(FlightNumber, Leg)>,
}

impl Fleet {
    /// Those of a share who are in the air in a minute, from the timetable alone.
    pub(crate) fn at(day: &Day, minute: Minute, is_own: impl Fn(FlightNumber) -> bool) -> Self {
        let flying = Minute::all().flat_map(|departure| {
            let since = i32::from(minute.number()) - i32::from(departure.number());
            let minutes = f64::from(since.rem_euclid(i32::from(MINUTES_A_DAY)));
            let own = day.schedule.departing(departure).iter().filter(|&&flight| is_own(flight));
            own.map(move |&flight| (flight, day.schedule.leg(flight).after(minutes)))
                .filter(|(_, leg)| leg.is_airborne())
        });
        Self { flying: flying.collect() }
    }

    /// Advances to the next minute, and returns who has landed.
    pub(crate) fn advance(
        &mut self,
        day: &Day,
        minute: Minute,
        is_own: impl Fn(FlightNumber) -> bool,
    ) -> Vec<FlightNumber> {
        let mut landed = Vec::new();
        self.flying.retain_mut(|(flight, leg)| {
            leg.advance();
            if !leg.is_airborne() {
                landed.push(*flight);
            }
            leg.is_airborne()
        });
        let own = day.schedule.departing(minute).iter().filter(|&&flight| is_own(flight));
        self.flying.extend(own.map(|&flight| (flight, day.schedule.leg(flight))));
        landed
    }

    /// Who is in the air, and where.
    pub(crate) fn flying(&self) -> impl Iterator<Item = (FlightNumber, Position)> + '_ {
        self.flying.iter().map(|(flight, leg)| (*flight, leg.position()))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::options::DATA;

    #[test]
    fn a_fleet_that_goes_on_is_that_of_the_timetable() {
        let day = Day::load(Path::new(DATA), 1, 1440).unwrap();
        let is_own = |flight: FlightNumber| flight % 3 == 1;
        // Over midnight, when flights of the day before are in the air.
        let mut fleet = Fleet::at(&day, Minute::wrapping(-60), is_own);
        let mut landed = 0;
        for minute in -59..=120 {
            landed += fleet.advance(&day, Minute::wrapping(minute), is_own).len();
        }
        let sorted = |fleet: &Fleet| {
            let mut flying: Vec<_> = fleet.flying().map(|(flight, at)| (flight, at.map(f64::to_bits))).collect();
            flying.sort_unstable();
            flying
        };
        let other = Fleet::at(&day, Minute::wrapping(120), is_own);
        assert!(landed > 100 && other.flying().count() > 10);
        assert_eq!(sorted(&fleet), sorted(&other));
    }
}
