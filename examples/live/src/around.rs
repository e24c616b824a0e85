//! How many aircraft are around each airport.

use std::time::{Duration, Instant};

use quadrille::Ball;
use quadrille_airspace::data::Airport;

use crate::globe::project;
use crate::sky::Sky;

/// How far around, in kilometers.
const KILOMETERS: f64 = 50.0;
const KILOMETERS_A_DEGREE: f64 = 111.2;

/// The surroundings of airports.
#[derive(Debug)]
pub struct Around {
    balls: Vec<Ball>,
    counts: Vec<usize>,
    time: Duration,
}

impl Around {
    /// Of all airports, by their numbers.
    #[must_use]
    pub fn new(sky: &Sky<'_>) -> Self {
        let ball = |airport: &Airport| {
            let position = airport.position;
            // The map is as much larger there as its parallels are shorter.
            let radius = KILOMETERS / KILOMETERS_A_DEGREE / position[1].to_radians().cos();
            Ball::new(project(position), radius as f32)
        };
        Self { balls: sky.tables.airports.iter().map(ball).collect(), counts: Vec::new(), time: Duration::ZERO }
    }

    /// Counts anew.
    pub fn ask(&mut self, sky: &Sky<'_>) {
        let begun = Instant::now();
        self.counts.clear();
        let count = |&ball: &Ball| sky.index.intersecting(ball).in_layers(sky.aircraft).count();
        self.counts.extend(self.balls.iter().map(count));
        self.time = begun.elapsed();
    }

    /// The circles on the map.
    #[must_use]
    pub fn balls(&self) -> &[Ball] {
        &self.balls
    }

    /// How many are in each.
    #[must_use]
    pub fn counts(&self) -> &[usize] {
        &self.counts
    }

    /// How long it took to count.
    #[must_use]
    pub fn time(&self) -> Duration {
        self.time
    }
}
