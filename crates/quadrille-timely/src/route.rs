//! Where a row must go: an object's old and new place say which workers hear of it.

use quadrille::Rect;

use crate::Coordinate;
use crate::cut::Cut;
use crate::row::{Role, Row};

/// Compares the workers with which an object stood with those with which it stands now.
#[derive(Clone, Debug, Default)]
pub(crate) struct Router {
    old: Vec<u16>,
    new: Vec<u16>,
}

/// An object before and after: the shape, and the cut that was or is in force.
pub(crate) struct Change<'a, S, const D: usize> {
    pub(crate) id: u64,
    pub(crate) layer: u8,
    pub(crate) old: Option<(&'a Cut<S, D>, Rect<S, D>)>,
    pub(crate) new: Option<(&'a Cut<S, D>, Rect<S, D>)>,
}

impl Router {
    /// Gives a row for each worker with which the object stands or stood.
    #[inline]
    pub(crate) fn route<S: Coordinate, const D: usize>(
        &mut self,
        change: &Change<'_, S, D>,
        mut give: impl FnMut(Row<S, D>),
    ) {
        let row = |to, role, shape| Row { to, role, layer: change.layer, id: change.id, shape };
        if let (Some((old_cut, old)), Some((cut, new))) = (&change.old, &change.new)
            && let (Some(was), Some(is)) = (old_cut.alone(old), cut.alone(new))
            && was == is
        {
            return give(row(is, Role::Own, *new));
        }
        self.old.clear();
        self.new.clear();
        if let Some((cut, shape)) = &change.old {
            cut.stands(shape, &mut self.old);
        }
        if let Some((cut, shape)) = &change.new {
            cut.stands(shape, &mut self.new);
            let owner = cut.owner(shape.min());
            for &to in &self.new {
                give(row(to, if to == owner { Role::Own } else { Role::Ghost }, *shape));
            }
        }
        for &to in self.old.iter().filter(|worker| !self.new.contains(worker)) {
            give(row(to, Role::Gone, Rect::from_point([S::default(); D])));
        }
    }
}
