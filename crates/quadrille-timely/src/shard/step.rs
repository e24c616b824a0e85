//! Objects of local layers: each steps on the worker that owns its place. Only those that cross a border, and ghosts, are
//! sent.

use std::rc::Rc;

use quadrille::{BatchMoved, Handle, Kind as LayerKind, Rect};

use super::{Known, Shard};
use crate::Coordinate;
use crate::partition::{Home, Partition};
use crate::route::Change;
use crate::row::{Role, Row};

/// An object that other workers hold too, or held.
struct Crossing<S, const D: usize> {
    handle: Handle,
    id: u64,
    old: Rect<S, D>,
    new: Option<Rect<S, D>>,
}

/// Moves objects, and lists those that others must hear of.
struct Steps<'a, F, S, const D: usize> {
    step: F,
    me: u16,
    /// The old one and the new one.
    partitions: [&'a Partition<S, D>; 2],
    /// Around the objects that were asked last: they come by place.
    home: Home<S, D>,
    crossing: Vec<Crossing<S, D>>,
    moved: Option<&'a mut Vec<Handle>>,
}

impl<S: Coordinate, const D: usize, F: FnMut(u64, Rect<S, D>) -> Option<Rect<S, D>>> Steps<'_, F, S, D> {
    // Small, so that the walk over all objects takes it in: else places go through memory, in pieces.
    #[inline(always)]
    fn place_of(&mut self, handle: Handle, id: u64, old: [S; D]) -> [S; D] {
        let new = (self.step)(id, Rect::from_point(old));
        match new {
            Some(new) if self.home.holds_step(old, &new) => {
                if self.moved.is_some() && new.min() != old {
                    self.note_moved(handle);
                }
                new.min()
            }
            _ => {
                // Not returned, which would be in one piece: the walk goes on with coordinates.
                let mut place = old;
                self.away_from_home(handle, id, &mut place, new);
                place
            }
        }
    }

    #[inline(never)]
    fn away_from_home(&mut self, handle: Handle, id: u64, place: &mut [S; D], new: Option<Rect<S, D>>) {
        let ([before, after], old) = (self.partitions, *place);
        let (old_shape, is_point) = (Rect::from_point(old), new.is_none_or(|new| new.min() == new.max()));
        assert!(is_point, "a step of a point must return a finite point, not {:?}", new.unwrap_or(old_shape));
        *place = match new.map(|new| new.min()) {
            Some(new) if after.is_sole_at(self.me, new) && before.is_sole_at(self.me, old) => {
                if !self.home.holds(old) {
                    self.home = after.home(before, self.me, new);
                }
                if self.moved.is_some() && new != old {
                    self.note_moved(handle);
                }
                new
            }
            _ => self.note_crossing(handle, id, old_shape, new).min(),
        };
    }

    fn shape_of(&mut self, handle: Handle, id: u64, old: Rect<S, D>) -> Rect<S, D> {
        let new = (self.step)(id, old);
        let [before, after] = self.partitions;
        match new {
            Some(new) if after.is_sole(self.me, &new) && before.is_sole(self.me, &old) => {
                if self.moved.is_some() && new != old {
                    self.note_moved(handle);
                }
                new
            }
            _ => self.note_crossing(handle, id, old, new),
        }
    }

    #[inline(never)]
    fn note_moved(&mut self, handle: Handle) {
        if let Some(moved) = &mut self.moved {
            moved.push(handle);
        }
    }

    #[cold]
    #[inline(never)]
    fn note_crossing(&mut self, handle: Handle, id: u64, old: Rect<S, D>, new: Option<Rect<S, D>>) -> Rect<S, D> {
        if new != Some(old) {
            self.note_moved(handle);
        }
        self.crossing.push(Crossing { handle, id, old, new });
        new.unwrap_or(old)
    }
}

impl<S: Coordinate, const D: usize> Shard<S, D> {
    /// Begins a tick in which objects of local layers move by themselves: gives each its new shape, `None` to take it out.
    /// Rows for other workers go to `send`.
    pub(crate) fn step(
        &mut self,
        partition: &Rc<Partition<S, D>>,
        mut step: impl FnMut(u8, u64, Rect<S, D>) -> Option<Rect<S, D>>,
        mut send: impl FnMut(Row<S, D>),
    ) {
        let old_partition = Rc::clone(&self.partition);
        self.begin(partition);
        for layer in 0..self.layers.len() as u8 {
            if !self.layers[usize::from(layer)].local {
                continue;
            }
            for crossing in self.step_layer(layer, &old_partition, &mut step) {
                self.cross(layer, &old_partition, &crossing, &mut send);
            }
        }
    }

    /// Moves all own objects of a layer, and lists those that others must hear of.
    fn step_layer(
        &mut self,
        layer: u8,
        old_partition: &Partition<S, D>,
        step: &mut impl FnMut(u8, u64, Rect<S, D>) -> Option<Rect<S, D>>,
    ) -> Vec<Crossing<S, D>> {
        let pair = self.layers[usize::from(layer)];
        let mut steps = Steps {
            step: |id, shape| step(layer, id, shape),
            me: self.me,
            partitions: [old_partition, &self.partition],
            home: Home::NONE,
            crossing: Vec::new(),
            moved: self.standing.asks_what_moved().then_some(&mut self.moved),
        };
        let outcome: BatchMoved = match pair.kind {
            LayerKind::Points => {
                let points = self.index.point_layer(pair.own).expect("a layer of points");
                self.index.update(points, |handle, id, old| steps.place_of(handle, *id, old.min()))
            }
            LayerKind::Rects => {
                let rects = self.index.rect_layer(pair.own).expect("a layer of boxes");
                self.index.update(rects, |handle, id, old| steps.shape_of(handle, *id, old))
            }
        }
        .expect("a layer of this index");
        assert!(outcome.refused.is_empty(), "a step must return a finite shape: {} objects", outcome.refused.len());
        steps.crossing
    }

    /// Sends rows about an object, and takes it out or makes it a ghost if another worker owns it now.
    fn cross(&mut self, layer: u8, from: &Partition<S, D>, of: &Crossing<S, D>, send: &mut impl FnMut(Row<S, D>)) {
        let &Crossing { handle, id, old, new } = of;
        let partition = Rc::clone(&self.partition);
        let change = Change { id, layer, old: Some((from, old)), new: new.map(|new| (&*partition, new)) };
        let (mut role, me) = (Role::Gone, self.me);
        self.router.route(&change, |row| {
            if row.to == me {
                role = row.role;
            } else {
                send(row);
            }
        });
        match role {
            Role::Own => self.note(layer, id, &new.expect("it is held here")),
            Role::Ghost => {
                let pair = self.layers[usize::from(layer)];
                self.index.set_layer(handle, pair.ghost).expect("a layer of the same kind");
                self.ghosts += 1;
                self.known.insert(id, Known { handle, layer, role });
                self.shared.insert(id);
                self.note(layer, id, &new.expect("it is held here"));
            }
            Role::Gone => self.take_out(handle, id),
        }
    }
}
