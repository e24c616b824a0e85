//! Where a row must go: an object's old and new place say which workers need it.

use quadrille::Rect;

use crate::Coordinate;
use crate::partition::Partition;
use crate::row::{Role, Row};

/// Compares the workers that held an object with those that hold it now.
#[derive(Clone, Debug, Default)]
pub(crate) struct Router {
    old: Vec<u16>,
    new: Vec<u16>,
}

/// An object before and after: its shape, and the partition of that tick.
pub(crate) struct Change<'a, S, const D: usize> {
    pub(crate) id: u64,
    pub(crate) layer: u8,
    pub(crate) old: Option<(&'a Partition<S, D>, Rect<S, D>)>,
    pub(crate) new: Option<(&'a Partition<S, D>, Rect<S, D>)>,
}

impl Router {
    /// Gives a row for each worker that holds the object, or held it.
    #[inline]
    pub(crate) fn route<S: Coordinate, const D: usize>(
        &mut self,
        change: &Change<'_, S, D>,
        mut give: impl FnMut(Row<S, D>),
    ) {
        let row = |to, role, shape| Row { to, role, layer: change.layer, id: change.id, shape };
        if let (Some((old_partition, old)), Some((partition, new))) = (&change.old, &change.new)
            && let (Some(was), Some(is)) = (old_partition.sole_holder(old), partition.sole_holder(new))
            && was == is
        {
            return give(row(is, Role::Own, *new));
        }
        self.old.clear();
        self.new.clear();
        if let Some((partition, shape)) = &change.old {
            partition.holders(shape, &mut self.old);
        }
        if let Some((partition, shape)) = &change.new {
            partition.holders(shape, &mut self.new);
            let owner = partition.owner(shape.min());
            for &to in &self.new {
                give(row(to, if to == owner { Role::Own } else { Role::Ghost }, *shape));
            }
        }
        for &to in self.old.iter().filter(|worker| !self.new.contains(worker)) {
            give(row(to, Role::Gone, Rect::from_point([S::default(); D])));
        }
    }
}
