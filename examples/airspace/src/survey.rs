//! A survey of everything there is, a little each minute: a query that is paused from one minute to the next, while
//! aircraft depart, move and land.

use quadrille::{Cursor, Handle, Near, ResumeError};

use crate::figures::Figures;
use crate::sky::Sky;

/// How far the survey comes in a minute, in nodes and buckets.
pub(crate) const VISITS_A_MINUTE: usize = 4;

/// The survey, round after round.
pub(crate) struct Survey {
    cursor: Cursor<Near, f64>,
    seen: Vec<Handle>,
    ends_round: bool,
    /// How many rounds it has finished.
    pub(crate) rounds: usize,
}

impl Survey {
    /// Begins the first round.
    pub(crate) fn new(sky: &Sky) -> Self {
        Self { cursor: sky.survey(), seen: Vec::new(), ends_round: false, rounds: 0 }
    }

    /// The objects that it came to in this minute.
    pub(crate) fn seen(&self) -> &[Handle] {
        &self.seen
    }

    /// Whether it finished a round in this minute. The next minute begins another one.
    pub(crate) fn ends_round(&self) -> bool {
        self.ends_round
    }

    /// Goes on for a minute's worth.
    ///
    /// # Errors
    /// The index is not the one that is surveyed, or its world was set.
    pub(crate) fn go_on(&mut self, sky: &Sky, figures: &mut Figures) -> Result<(), ResumeError> {
        if self.ends_round {
            self.cursor = sky.survey();
        }
        self.seen.clear();
        let mut outcome = Ok(false);
        figures.survey.time(1, || {
            let run = self.cursor.run(&sky.index, VISITS_A_MINUTE, |object| self.seen.push(object.handle()));
            outcome = run.map(|run| run.done);
            self.seen.len()
        });
        self.ends_round = outcome?;
        self.rounds += usize::from(self.ends_round);
        Ok(())
    }
}
