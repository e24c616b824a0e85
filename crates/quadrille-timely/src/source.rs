//! Where the objects were that one worker feeds.

use quadrille::Rect;

use crate::Coordinate;
use crate::ids::Ids;
use crate::partition::Partition;
use crate::route::{Change, Router};
use crate::row::{Role, Row};

/// The layers and shapes of the objects that one worker feeds.
#[derive(Clone, Debug)]
pub(crate) struct Source<S, const D: usize> {
    memory: Ids<(u8, Rect<S, D>)>,
    router: Router,
}

impl<S: Coordinate, const D: usize> Source<S, D> {
    pub(crate) fn new() -> Self {
        Self { memory: Ids::default(), router: Router::default() }
    }

    pub(crate) fn remembers(&self, id: u64) -> bool {
        self.memory.get(id).is_some()
    }

    /// Remembers an object that others know already: after a recovery.
    pub(crate) fn restore(&mut self, row: &Row<S, D>) {
        self.memory.insert(row.id, (row.layer, row.shape));
    }

    /// Writes rows for the workers of an object: where it is now, or that it is no more.
    #[inline]
    pub(crate) fn apply(&mut self, partition: &Partition<S, D>, row: Row<S, D>, mut give: impl FnMut(Row<S, D>)) {
        let Row { role, layer, id, shape, .. } = row;
        let is_put = role != Role::Gone;
        let old = if is_put { self.memory.insert(id, (layer, shape)) } else { self.memory.remove(id) };
        let change =
            Change { id, layer, old: old.map(|(_, old)| (partition, old)), new: is_put.then_some((partition, shape)) };
        self.router.route(&change, &mut give);
    }

    /// Writes rows for a new object that nobody feeds any more.
    pub(crate) fn spawn(
        &mut self,
        partition: &Partition<S, D>,
        layer: u8,
        id: u64,
        shape: Rect<S, D>,
        mut give: impl FnMut(Row<S, D>),
    ) {
        self.router.route(&Change { id, layer, old: None, new: Some((partition, shape)) }, &mut give);
    }

    /// Writes rows for all objects whose owner or ghosts a new partition changes.
    pub(crate) fn repartition(
        &mut self,
        old: &Partition<S, D>,
        new: &Partition<S, D>,
        mut give: impl FnMut(Row<S, D>),
    ) {
        for (id, (layer, shape)) in self.memory.iter() {
            let home = new.sole_holder(&shape);
            if home.is_some() && home == old.sole_holder(&shape) {
                continue;
            }
            let change = Change { id, layer, old: Some((old, shape)), new: Some((new, shape)) };
            self.router.route(&change, &mut give);
        }
    }
}
