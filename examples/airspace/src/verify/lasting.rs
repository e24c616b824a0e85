//! Answers that last from minute to minute, the sectors and the survey, compared with lists of the verifier's own.

use std::collections::HashSet;
use std::mem;

use quadrille::Handle;

use super::{Difference, Verifier};
use crate::fleet::Fleet;
use crate::sectors::{Sectors, sectors};
use crate::sky::Sky;
use crate::survey::Survey;

/// The sectors by the scan of the minute before, and the objects that the survey has come to.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// Who was in each sector, in ascending order.
    in_sectors: Vec<Vec<Handle>>,
    /// The objects that the survey has come to in this round.
    surveyed: HashSet<Handle>,
}

impl Verifier<'_> {
    /// Who has entered and left each sector: the difference of two scans.
    pub(super) fn verify_sectors(&mut self, told: &Sectors, fleet: &Fleet) -> Result<(), Difference> {
        let mut in_sectors = Vec::new();
        for (number, view) in sectors().enumerate() {
            let mut now = Vec::new();
            self.aircraft.inside([view.min, view.max], |place| now.push(fleet.handles()[place]));
            now.sort_unstable();
            let before = self.memory.in_sectors.get_mut(number).map(mem::take).unwrap_or_default();
            for (verb, told, these, others) in [
                ("entered", told.entered(number).collect(), &now, &before),
                ("left", told.left(number).collect(), &before, &now),
            ] {
                self.found = told;
                let only = these.iter().filter(|handle| others.binary_search(handle).is_err());
                self.expected = only.copied().collect();
                self.found_is_expected(&format!("the aircraft that have {verb} {}", view.name))?;
            }
            in_sectors.push(now);
        }
        self.memory.in_sectors = in_sectors;
        Ok(())
    }

    /// The survey yields objects that are there, each once a round, and a round leaves out nothing that does not move.
    pub(crate) fn verify_survey(&mut self, survey: &Survey, sky: &Sky, fleet: &Fleet) -> Result<(), Difference> {
        let still = [&sky.part_handles[..], &sky.airport_handles].concat();
        let there: HashSet<&Handle> = still.iter().chain(fleet.handles()).collect();
        let gone = survey.seen().iter().filter(|&handle| !there.contains(handle)).count();
        self.equal("the objects surveyed that are not there", &gone, &0)?;
        let again = survey.seen().iter().filter(|&&handle| !self.memory.surveyed.insert(handle)).count();
        self.equal("the objects surveyed twice in a round", &again, &0)?;
        self.objects += survey.seen().len() as u64;
        if survey.ends_round() {
            let surveyed = mem::take(&mut self.memory.surveyed);
            self.found = still.iter().filter(|handle| surveyed.contains(handle)).copied().collect();
            self.expected = still;
            self.found_is_expected("the regions and airports surveyed in a round")?;
        }
        Ok(())
    }
}
