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
    /// Those without extent, which need less memory.
    points: Ids<(u8, [S; D])>,
    boxes: Ids<(u8, Rect<S, D>)>,
    router: Router,
}

impl<S: Coordinate, const D: usize> Source<S, D> {
    pub(crate) fn new() -> Self {
        Self { points: Ids::default(), boxes: Ids::default(), router: Router::default() }
    }

    pub(crate) fn remembers(&self, id: u64) -> bool {
        self.points.get(id).is_some() || self.boxes.get(id).is_some()
    }

    /// Remembers an object that others know already: after a recovery.
    pub(crate) fn restore(&mut self, row: &Row<S, D>) {
        self.replace(row.id, Some((row.layer, row.shape)));
    }

    /// Remembers where an object is, or that it is no more; returns where it was.
    #[inline]
    fn replace(&mut self, id: u64, new: Option<(u8, Rect<S, D>)>) -> Option<(u8, Rect<S, D>)> {
        let is_point = new.is_some_and(|(_, shape)| shape.min() == shape.max());
        let point = new.filter(|_| is_point).map(|(layer, shape)| (layer, shape.min()));
        let point = self.points.replace(id, point).map(|(layer, at)| (layer, Rect::from_point(at)));
        let boxed = self.boxes.replace(id, new.filter(|_| !is_point));
        point.or(boxed)
    }

    /// Writes rows for the workers of an object: where it is now, or that it is no more.
    #[inline]
    pub(crate) fn apply(&mut self, partition: &Partition<S, D>, row: Row<S, D>, mut give: impl FnMut(Row<S, D>)) {
        let Row { role, layer, id, shape, .. } = row;
        let is_put = role != Role::Gone;
        let old = self.replace(id, is_put.then_some((layer, shape)));
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
        let points = self.points.iter().map(|(id, (layer, at))| (id, layer, Rect::from_point(at)));
        let boxes = self.boxes.iter().map(|(id, (layer, shape))| (id, layer, shape));
        for (id, layer, shape) in points.chain(boxes) {
            let home = new.sole_holder(&shape);
            if home.is_some() && home == old.sole_holder(&shape) {
                continue;
            }
            let change = Change { id, layer, old: Some((old, shape)), new: Some((new, shape)) };
            self.router.route(&change, &mut give);
        }
    }
}
