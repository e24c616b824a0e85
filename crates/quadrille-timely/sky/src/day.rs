//! The day that is played: its tables and its timetable, the world it is played in, and the questions about it.

use std::path::Path;

use anyhow::Context;
use quadrille::{Polygon, Rect};
use quadrille_airspace::clock::{MINUTES_A_DAY, Minute};
use quadrille_airspace::data::{RegionKind, Tables};
use quadrille_airspace::schedule::Schedule;
use quadrille_timely::{Area, Layers, Question};

/// The layer of the aircraft, the only one.
pub(crate) const AIRCRAFT: u8 = 0;
/// How far apart two aircraft are at most that encounter each other, in degrees as the crow flies.
pub(crate) const ENCOUNTER_WITHIN: f64 = 0.02;
/// The number of the question for encounters. That for a region is [`REGIONS`] and its place in the table.
pub(crate) const ENCOUNTERS: u32 = 0;
/// Numbers from here on are regions.
pub(crate) const REGIONS: u32 = 1;
/// Numbers from here on are airports.
const AIRPORTS: u32 = 1 << 20;
/// How many of the busiest airports ask each minute for the aircraft nearest to them.
pub(crate) const AIRPORTS_ASKING: usize = 50;
/// For how many aircraft each.
pub(crate) const NEAREST: u32 = 5;

/// The contiguous states. Aircraft elsewhere belong to the cells at the edge.
pub(crate) fn bounds() -> Rect<f64, 2> {
    Rect::new([-125.0, 24.0], [-66.0, 50.0])
}

/// A day, or the minutes around its noon.
#[derive(Debug)]
pub(crate) struct Day {
    pub(crate) tables: &'static Tables,
    pub(crate) schedule: Schedule<'static>,
    /// How often each recorded flight departs.
    pub(crate) traffic: u32,
    /// How many minutes are played, one each tick.
    pub(crate) minutes: u16,
    /// The airports that ask, by their places in the table.
    asking: Vec<usize>,
}

impl Day {
    /// Reads the tables and makes the timetable.
    pub(crate) fn load(folder: &Path, traffic: u32, minutes: u16) -> anyhow::Result<Self> {
        // They are needed until the process ends.
        let tables: &'static Tables =
            Box::leak(Box::new(Tables::load(folder).context("the recorded day is not there")?));
        let mut asking = tables.busiest_airports();
        asking.truncate(AIRPORTS_ASKING);
        Ok(Self { tables, schedule: Schedule::new(tables, traffic), traffic, minutes, asking })
    }

    /// The last tick; the first is 1.
    pub(crate) fn last(&self) -> u64 {
        u64::from(self.minutes)
    }

    /// The first tick after noon has passed.
    pub(crate) fn noon(&self) -> u64 {
        u64::from(self.minutes / 2) + 1
    }

    /// The minute that is played in a tick.
    pub(crate) fn minute(&self, tick: u64) -> Minute {
        let first = i32::from((MINUTES_A_DAY - self.minutes) / 2);
        Minute::wrapping(first + i32::try_from(tick).expect("a tick of a day") - 1)
    }

    /// The standing questions, from the first tick on: encounters, and a fence around each state and each county.
    pub(crate) fn standing(&self) -> impl Iterator<Item = (u32, Question<f64>)> + '_ {
        let layers = Layers::of(AIRCRAFT);
        let encounters = Question::Contacts { layers, distance: Some(ENCOUNTER_WITHIN) };
        let fence = move |area| Question::Fence { layers, area: Some(Area::Polygon(area)) };
        // The table has a few regions without an outline.
        let outlines = (REGIONS..).zip(self.outlines()).filter(|(_, outline)| outline.edges().next().is_some());
        let fences = outlines.map(move |(number, area)| (number, fence(area)));
        std::iter::once((ENCOUNTERS, encounters)).chain(fences)
    }

    /// The outlines of all regions.
    fn outlines(&self) -> impl Iterator<Item = Polygon<f64>> {
        let mut outlines = vec![Polygon::new([[0.0; 2]; 0]); self.tables.regions.len()];
        for part in &self.tables.parts {
            let rings = part.outline.rings.iter();
            let outline = std::mem::replace(&mut outlines[part.region], Polygon::new([[0.0; 2]; 0]));
            outlines[part.region] = rings.fold(outline, |outline, ring| outline.with_ring(ring.iter().copied()));
        }
        outlines.into_iter()
    }

    /// The questions of each tick that one of `workers` asks.
    pub(crate) fn nearest(&self, worker: usize, workers: usize) -> impl Iterator<Item = (u32, Question<f64>)> + '_ {
        let question = |airport: usize| Question::Nearest {
            layers: Layers::of(AIRCRAFT),
            at: Rect::from_point(self.tables.airports[airport].position),
            count: NEAREST,
        };
        let numbered = (AIRPORTS..).zip(&self.asking).map(move |(number, &airport)| (number, question(airport)));
        numbered.skip(worker).step_by(workers)
    }

    /// The region that a question is about.
    pub(crate) fn region(&self, question: u32) -> Option<usize> {
        let place = question.checked_sub(REGIONS)? as usize;
        (place < self.tables.regions.len()).then_some(place)
    }

    /// How many counties have an outline.
    pub(crate) fn counties(&self) -> usize {
        let mut counties: Vec<usize> = self.tables.parts.iter().map(|part| part.region).collect();
        counties.retain(|region| !self.is_state(*region));
        counties.dedup();
        counties.len()
    }

    /// Whether a region is a state: a sector that hands over aircraft.
    pub(crate) fn is_state(&self, region: usize) -> bool {
        self.tables.regions[region].kind == RegionKind::State
    }
}
