//! Budgets: which entities a client is shown if not all of them may be. Know no zones.

use std::cmp::Ordering;
use std::fmt;

use bevy_ecs::prelude::*;

/// An entity inside a [`View`](crate::View), for the function that ranks it.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Candidate<'a> {
    /// The client that looks.
    pub client: EntityRef<'a>,
    /// The entity that it may be shown.
    pub entity: EntityRef<'a>,
    /// How far it is from the center of its zone. NaN if the zone has none, since its bounds are infinite, as those of a `Cap` are.
    pub distance: f64,
    /// Whether the client is shown it already.
    pub is_shown: bool,
}

impl fmt::Debug for Candidate<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { client, entity, distance, is_shown } = self;
        f.debug_struct("Candidate")
            .field("client", &client.id())
            .field("entity", &entity.id())
            .field("distance", distance)
            .field("is_shown", is_shown)
            .finish()
    }
}

/// The number of entities that are shown at most, and what makes one more important than others.
pub(crate) struct Budget {
    pub(crate) most: usize,
    pub(crate) rank: Box<dyn Fn(&Candidate<'_>) -> f64 + Send + Sync>,
}

/// An entity that may be shown, with its rank.
pub(crate) struct Ranked {
    is_nan: bool,
    rank: f64,
    entity: Entity,
    is_shown: bool,
}

impl Budget {
    pub(crate) fn rank(&self, candidate: &Candidate<'_>) -> Ranked {
        let rank = (self.rank)(candidate);
        // Negative zero is zero.
        let (is_nan, rank) = (rank.is_nan(), rank + 0.0);
        Ranked { is_nan, rank, entity: candidate.entity.id(), is_shown: candidate.is_shown }
    }

    /// Whom to show now, and whom no longer. If `is_once` is not set, some may be ranked several times.
    pub(crate) fn news(&self, mut ranked: Vec<Ranked>, is_once: bool) -> impl Iterator<Item = (Entity, bool)> {
        if !is_once {
            ranked.sort_unstable_by(|a, b| a.entity.cmp(&b.entity).then_with(|| a.compare(b)));
            ranked.dedup_by_key(|candidate| candidate.entity);
        }
        let most = self.most;
        if most < ranked.len() {
            ranked.select_nth_unstable_by(most, Ranked::compare);
        }
        let chosen = ranked.into_iter().enumerate().map(move |(before, candidate)| (candidate, before < most));
        let news = chosen.filter(|(candidate, is_chosen)| candidate.is_shown != *is_chosen);
        news.map(|(candidate, is_chosen)| (candidate.entity, is_chosen))
    }
}

impl Ranked {
    fn compare(&self, other: &Self) -> Ordering {
        self.is_nan
            .cmp(&other.is_nan)
            .then_with(|| self.rank.total_cmp(&other.rank))
            .then_with(|| self.entity.cmp(&other.entity))
    }
}
