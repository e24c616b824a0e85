//! The day, minute by minute: land, fly, depart, ask.

use anyhow::ensure;
use quadrille::{Handle, Moved};

use crate::clock::Minute;
use crate::data::{Position, Tables};
use crate::figures::Figures;
use crate::fleet::Fleet;
use crate::flight::Leg;
use crate::questions::{self, Answers};
use crate::schedule::{FlightNumber, Schedule};
use crate::sectors::Sectors;
use crate::sky::Sky;
use crate::survey::Survey;

/// One day in progress.
pub(crate) struct Replay<'a> {
    /// Who departs when.
    pub(crate) schedule: &'a Schedule<'a>,
    /// The index.
    pub(crate) sky: Sky,
    /// Who is in the air.
    pub(crate) fleet: Fleet,
    /// Who is in which sector.
    pub(crate) sectors: Sectors,
    /// How far the survey has come.
    pub(crate) survey: Survey,
    /// The measurements so far.
    pub(crate) figures: Figures,
    landed: Vec<Handle>,
}

impl<'a> Replay<'a> {
    /// The last minute before the day: the flights that will be in the air at its end are in the air.
    pub(crate) fn new(tables: &Tables, schedule: &'a Schedule<'a>) -> anyhow::Result<Self> {
        let figures = Figures::new(tables.regions.len());
        let sky = Sky::new(tables)?;
        let (sectors, survey) = (Sectors::new(), Survey::new(&sky));
        let (fleet, landed) = (Fleet::default(), Vec::new());
        let mut replay = Self { schedule, sky, fleet, sectors, survey, figures, landed };
        replay.take_off(schedule.airborne_at_the_end().collect())?;
        Ok(replay)
    }

    /// Plays one minute, and says how many answers it drew.
    ///
    /// # Errors
    /// An operation that the index refuses.
    pub(crate) fn play(&mut self, minute: Minute) -> anyhow::Result<Answers> {
        self.fleet.advance(&mut self.landed);
        self.land()?;
        self.fly()?;
        let departing = self.schedule.departing(minute);
        self.take_off(departing.iter().map(|&flight| (flight, self.schedule.leg(flight))).collect())?;
        self.figures.airborne_max = self.figures.airborne_max.max(self.fleet.len());
        self.sectors.poll(&self.sky, &mut self.figures)?;
        self.survey.go_on(&self.sky, &mut self.figures)?;
        Ok(questions::ask(&self.sky, &self.fleet, self.schedule, minute, &mut self.figures))
    }

    fn land(&mut self) -> anyhow::Result<()> {
        let (index, landed) = (&mut self.sky.index, &self.landed);
        let mut removed = 0;
        self.figures.remove.time(landed.len(), || {
            removed = landed.iter().filter(|&&handle| index.remove(handle).is_some()).count();
            0
        });
        ensure!(removed == landed.len(), "the index lost {} aircraft", landed.len() - removed);
        Ok(())
    }

    fn fly(&mut self) -> anyhow::Result<()> {
        let (index, fleet) = (&mut self.sky.index, &self.fleet);
        let mut moves: Vec<_> = fleet.handles().iter().copied().zip(fleet.positions().iter().copied()).collect();
        // In the order of handles the index reads its store from front to back.
        moves.sort_unstable_by_key(|&(handle, _)| handle);
        let mut moved_in_place = 0;
        let mut outcome = Ok(());
        self.figures.move_to.time(moves.len(), || {
            outcome = moves.iter().try_for_each(|&(handle, position)| {
                moved_in_place += usize::from(matches!(index.move_to(handle, position)?, Moved::InPlace));
                anyhow::Ok(())
            });
            0
        });
        self.figures.moves_in_place += moved_in_place;
        outcome
    }

    fn take_off(&mut self, departing: Vec<(FlightNumber, Leg)>) -> anyhow::Result<()> {
        let positions: Vec<Position> = departing.iter().map(|(_, leg)| leg.position()).collect();
        let mut handles = Vec::with_capacity(departing.len());
        let (index, aircraft) = (&mut self.sky.index, self.sky.aircraft);
        let mut outcome = Ok(());
        self.figures.insert.time(departing.len(), || {
            outcome = departing.iter().zip(&positions).try_for_each(|(&(flight, _), &position)| {
                handles.push(index.insert(aircraft, position, flight)?);
                anyhow::Ok(())
            });
            0
        });
        for ((handle, position), (flight, leg)) in handles.into_iter().zip(positions).zip(departing) {
            self.fleet.push(handle, flight, leg, position);
        }
        outcome
    }
}
