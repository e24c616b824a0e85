//! The control sectors: who enters and leaves them, and who is handed over from one to another.

use quadrille::{Handle, PollError, Watch};

use crate::figures::Figures;
use crate::sky::{Sky, View};

/// The edges of the sectors, which cover the contiguous states.
const LONGITUDES: [f64; 5] = [-125.0, -110.0, -97.5, -82.0, -66.5];
const LATITUDES: [f64; 4] = [24.0, 36.0, 41.0, 50.0];

/// A city in each sector, from the south-western one eastward, then those to the north.
const CITIES: [&str; 12] = [
    "Los Angeles",
    "Albuquerque",
    "Fort Worth",
    "Jacksonville",
    "Oakland",
    "Denver",
    "Kansas City",
    "Washington",
    "Seattle",
    "Billings",
    "Minneapolis",
    "Boston",
];

/// The sectors, by their numbers. Aircraft on an edge are in the sectors on both sides.
pub(crate) fn sectors() -> impl Iterator<Item = View> {
    let rows = LATITUDES.windows(2).flat_map(|south_north| {
        LONGITUDES.windows(2).map(move |west_east| ([west_east[0], south_north[0]], [west_east[1], south_north[1]]))
    });
    CITIES.into_iter().zip(rows).map(|(name, (min, max))| View { name, min, max })
}

/// A sector, and what came and went.
#[derive(Debug)]
pub(crate) struct Sector {
    watch: Watch,
    /// Where it is, and its name.
    pub(crate) view: View,
    /// How many aircraft came, those included that were there when the day began.
    pub(crate) entered: usize,
    /// How many went.
    pub(crate) left: usize,
    /// How many of those that went came to each sector in the same minute.
    pub(crate) handed_over: [usize; CITIES.len()],
    /// The most that were inside in any one minute.
    pub(crate) inside_max: usize,
}

/// All sectors, watched.
#[derive(Debug)]
pub(crate) struct Sectors {
    all: Vec<Sector>,
    /// Who has come since the minute before, and to which sector.
    entered: Vec<(Handle, usize)>,
    /// Who has gone, and from which sector.
    left: Vec<(Handle, usize)>,
}

impl Sectors {
    /// Begins to watch: for the first poll all that are inside have come.
    pub(crate) fn new() -> Self {
        let sector = |view: View| Sector {
            watch: Watch::new(),
            view,
            entered: 0,
            left: 0,
            handed_over: [0; CITIES.len()],
            inside_max: 0,
        };
        Self { all: sectors().map(sector).collect(), entered: Vec::new(), left: Vec::new() }
    }

    /// The sectors, by their numbers.
    pub(crate) fn all(&self) -> &[Sector] {
        &self.all
    }

    /// Who has come to a sector since the minute before.
    pub(crate) fn entered(&self, sector: usize) -> impl Iterator<Item = Handle> {
        of_sector(&self.entered, sector)
    }

    /// Who has gone from a sector since the minute before.
    pub(crate) fn left(&self, sector: usize) -> impl Iterator<Item = Handle> {
        of_sector(&self.left, sector)
    }

    /// Asks every sector what has changed since the minute before.
    ///
    /// # Errors
    /// The index is not the one that is watched.
    pub(crate) fn poll(&mut self, sky: &Sky, figures: &mut Figures) -> Result<(), PollError> {
        let Self { all, entered, left } = self;
        entered.clear();
        left.clear();
        let mut outcome = Ok(());
        figures.sectors.time(all.len(), || {
            outcome = (0..).zip(&mut *all).try_for_each(|(number, sector)| {
                let changes = sector.watch.poll(sky.aircraft_in(&sector.view))?;
                entered.extend(changes.entered.iter().map(|&handle| (handle, number)));
                left.extend(changes.left.iter().map(|&handle| (handle, number)));
                Ok(())
            });
            entered.len() + left.len()
        });
        self.count();
        outcome
    }

    fn count(&mut self) {
        for &(_, to) in &self.entered {
            self.all[to].entered += 1;
        }
        self.entered.sort_unstable();
        for &(handle, from) in &self.left {
            self.all[from].left += 1;
            let place = self.entered.partition_point(|&(entered, _)| entered < handle);
            // Others have landed, or flown out of all sectors.
            if let Some(&(_, to)) = self.entered.get(place).filter(|(entered, _)| *entered == handle) {
                self.all[from].handed_over[to] += 1;
            }
        }
        for sector in &mut self.all {
            sector.inside_max = sector.inside_max.max(sector.watch.inside().len());
        }
    }
}

fn of_sector(changes: &[(Handle, usize)], sector: usize) -> impl Iterator<Item = Handle> {
    changes.iter().filter(move |(_, number)| *number == sector).map(|&(handle, _)| handle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sectors_have_no_gaps_and_lie_side_by_side() {
        let all: Vec<View> = sectors().collect();
        assert_eq!(all.len(), CITIES.len());
        let at = |position: [f64; 2]| {
            let inside = |view: &&View| (0..2).all(|axis| (view.min[axis]..=view.max[axis]).contains(&position[axis]));
            all.iter().filter(inside).map(|view| view.name).collect::<Vec<_>>()
        };
        assert_eq!(at([-97.04, 32.9]), ["Fort Worth"]);
        assert_eq!(at([-73.87, 40.78]), ["Washington"]);
        assert_eq!(at([-97.5, 41.0]), ["Denver", "Kansas City", "Billings", "Minneapolis"]);
        assert!(at([-150.0, 61.0]).is_empty());
    }
}
