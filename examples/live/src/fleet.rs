//! The aircraft in the air, and the clock of the day that they fly by.

use std::time::{Duration, Instant};

use quadrille::Handle;
use quadrille_airspace::clock::{MINUTES_A_DAY, Minute};
use quadrille_airspace::flight::Leg;
use quadrille_airspace::schedule::{FlightNumber, Schedule};

use crate::globe::{Place, project_vector};
use crate::sky::Sky;

/// Everyone in the air: parallel lists, and whoever lands is replaced by the last.
#[derive(Debug)]
pub struct Fleet {
    start: Minute,
    minutes_a_tick: f64,
    tick: u32,
    indexing: Duration,
    handles: Vec<Handle>,
    flights: Vec<FlightNumber>,
    legs: Vec<Leg>,
    places: Vec<Place>,
}

impl Fleet {
    /// Puts everyone into the air who is there at the start.
    ///
    /// # Errors
    /// The index is full.
    pub fn new(sky: &mut Sky<'_>, start: Minute, minutes_a_tick: f64) -> anyhow::Result<Self> {
        let place = |leg: &Leg| project_vector(leg.unit_vector());
        let mut all: Vec<_> = airborne(sky.schedule, start).collect();
        sky.index.sort_by_place(&mut all, |(_, leg)| place(leg));
        let (flights, legs): (Vec<_>, Vec<_>) = all.into_iter().unzip();
        let places: Vec<_> = legs.iter().map(place).collect();
        let handles = sky.index.insert_batch(sky.aircraft, places.iter().copied().zip(flights.iter().copied()))?;
        Ok(Self { start, minutes_a_tick, tick: 0, indexing: Duration::ZERO, handles, flights, legs, places })
    }

    /// How many are in the air.
    #[must_use]
    pub fn len(&self) -> usize {
        self.handles.len()
    }

    /// Whether nobody is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.handles.is_empty()
    }

    /// How many ticks have passed.
    #[must_use]
    pub fn tick(&self) -> u32 {
        self.tick
    }

    /// How long the index took to learn of the last tick.
    #[must_use]
    pub fn indexing(&self) -> Duration {
        self.indexing
    }

    /// Where everyone is.
    #[must_use]
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// Minutes since midnight.
    #[must_use]
    pub fn minute_of_the_day(&self) -> f64 {
        self.minutes(self.tick).rem_euclid(f64::from(MINUTES_A_DAY))
    }

    /// Everyone: handle, flight, place.
    pub fn everyone(&self) -> impl Iterator<Item = (Handle, FlightNumber, Place)> {
        self.handles
            .iter()
            .zip(&self.flights)
            .zip(&self.places)
            .map(|((&handle, &flight), &place)| (handle, flight, place))
    }

    /// Flies everyone on by a tick: some land, some depart, all others move.
    ///
    /// # Errors
    /// The index is full.
    pub fn advance(&mut self, sky: &mut Sky<'_>) -> anyhow::Result<()> {
        self.fly();
        let begun = Instant::now();
        self.land(sky);
        let moved = sky.index.move_batch(self.handles.iter().copied().zip(self.places.iter().copied()));
        anyhow::ensure!(moved.refused.is_empty(), "{} aircraft cannot be moved", moved.refused.len());
        let (from, to) = (self.minutes(self.tick), self.minutes(self.tick + 1));
        self.tick += 1;
        departing(sky.schedule, from, to).try_for_each(|(flight, moment)| self.depart(sky, flight, to - moment))?;
        self.indexing = begun.elapsed();
        Ok(())
    }

    fn minutes(&self, tick: u32) -> f64 {
        f64::from(self.start.number()) + f64::from(tick) * self.minutes_a_tick
    }

    fn fly(&mut self) {
        for (leg, place) in self.legs.iter_mut().zip(&mut self.places) {
            leg.advance_by(self.minutes_a_tick);
            *place = project_vector(leg.unit_vector());
        }
    }

    fn land(&mut self, sky: &mut Sky<'_>) {
        for number in (0..self.len()).rev().filter(|&number| !self.legs[number].is_airborne()).collect::<Vec<_>>() {
            sky.index.remove(self.handles.swap_remove(number));
            self.flights.swap_remove(number);
            self.legs.swap_remove(number);
            self.places.swap_remove(number);
        }
    }

    fn depart(&mut self, sky: &mut Sky<'_>, flight: FlightNumber, flown: f64) -> anyhow::Result<()> {
        let leg = sky.schedule.leg(flight).after(flown);
        let place = project_vector(leg.unit_vector());
        self.handles.push(sky.index.insert(sky.aircraft, place, flight)?);
        self.flights.push(flight);
        self.legs.push(leg);
        self.places.push(place);
        Ok(())
    }
}

/// Who departed in the day before this minute, and has not landed yet.
fn airborne<'a>(schedule: &'a Schedule<'a>, at: Minute) -> impl Iterator<Item = (FlightNumber, Leg)> + 'a {
    let now = f64::from(at.number());
    departing(schedule, now - f64::from(MINUTES_A_DAY), now)
        .map(move |(flight, moment)| (flight, schedule.leg(flight).after(now - moment)))
        .filter(|(_, leg)| leg.is_airborne())
}

/// Who departs from one moment on and before another one, and when, in minutes. The flights of a minute are spread over it.
fn departing<'a>(schedule: &'a Schedule<'a>, from: f64, to: f64) -> impl Iterator<Item = (FlightNumber, f64)> + 'a {
    (from.floor() as i32..=to.floor() as i32).flat_map(move |minute| {
        let flights = schedule.departing(Minute::wrapping(minute));
        let count = f64::from(flights.len() as u32);
        #[expect(clippy::cast_sign_loss, reason = "it is clamped")]
        let place = move |moment: f64| ((moment - f64::from(minute)).clamp(0.0, 1.0) * count).ceil() as usize;
        let moment = move |place: usize| f64::from(minute) + f64::from(place as u32) / count;
        (place(from)..place(to)).map(move |place| (flights[place], moment(place)))
    })
}

#[cfg(test)]
mod tests;
