//! New shapes for all entries of a layer, on one thread or several: who stays in its bucket, and who leaves.
//!
//! While the entries are asked, only buckets change, each by one thread. All that would change more is listed, and stored
//! by one thread in the order of the list.
//!
//! Keeps T6 and L2 of `docs/invariants.md`.

use alloc::vec::Vec;
use core::mem;

use super::arena::Buckets;
use super::bucket::{BucketMut, with_kind};
use super::{OfKind, Trees};
use crate::geometry::{NotFinite, Rect, Scalar};
use crate::grid::Interior;
use crate::key::{BucketId, Handle, Kind, Place};
#[cfg(feature = "rayon")]
use crate::threads::{PARTS, alone, each_part};

/// The most buckets in a part of the work for threads; fewer where there would be too few parts.
#[cfg(feature = "rayon")]
const PART: usize = 64;
#[cfg(feature = "rayon")]
const LEAST: usize = 4;

/// The entries that do not stay where they are, in the order in which they were asked.
#[derive(Debug, Default)]
pub(crate) struct Leaving<S, const D: usize> {
    /// Those that get these new shapes elsewhere.
    pub(crate) moves: Vec<(Rect<S, D>, Handle)>,
    /// Those whose new shapes are not finite.
    pub(crate) refused: Vec<(Handle, NotFinite)>,
    /// Those that stay, but with these shapes, of these extents, raise reaches.
    longer: Vec<(Place, Rect<S, D>, u32)>,
}

#[cfg(feature = "rayon")]
impl<S: Scalar, const D: usize> Leaving<S, D> {
    /// Several lists, one after the other.
    fn joined(lists: Vec<Self>) -> Self {
        let mut all = Self::default();
        all.moves.reserve_exact(lists.iter().map(|list| list.moves.len()).sum());
        for mut list in lists {
            all.moves.append(&mut list.moves);
            all.refused.append(&mut list.refused);
            all.longer.append(&mut list.longer);
        }
        all
    }
}

/// Trees whose buckets are apart, so that they can be changed while all else is read. Dropped, be it by a panic, it puts
/// them back, and makes the boxes of crowds exact.
struct Apart<'a, S: Scalar, const D: usize> {
    trees: &'a mut Trees<S, D>,
    buckets: Buckets<S, D>,
}

impl<'a, S: Scalar, const D: usize> Apart<'a, S, D> {
    fn new(trees: &'a mut Trees<S, D>) -> Self {
        let buckets = mem::take(trees.forest.arena.buckets_mut());
        Self { trees, buckets }
    }
}

impl<S: Scalar, const D: usize> Drop for Apart<'_, S, D> {
    fn drop(&mut self) {
        mem::swap(self.trees.forest.arena.buckets_mut(), &mut self.buckets);
        self.trees.forest.arena.tighten_all();
    }
}

impl<S: Scalar, const D: usize> Trees<S, D> {
    /// Asks for a new shape for every entry of a layer's trees. Changes those that may stay where they are, and returns the
    /// others. The layer's shapes have `ENDS` corners, as in a bucket. The closure is called in one place, and so inlined.
    /// Before a bucket is asked, `fetch` gets the handles of the one after it: values lie in the order of slots, far apart.
    pub(crate) fn update<const ENDS: usize, V>(
        &mut self,
        layer: u8,
        values: &mut V,
        fetch: impl Fn(&mut V, &[Handle]),
        mut shape_of: impl FnMut(&mut V, Handle, Rect<S, D>) -> Rect<S, D>,
    ) -> Leaving<S, D> {
        let (mut leaving, kind) = (Leaving::default(), self.living_rules(layer).kind);
        let buckets = self.buckets_of(layer);
        let mut apart = Apart::new(self);
        let trees = &*apart.trees;
        for (nth, &bucket) in buckets.iter().enumerate() {
            if let Some(&next) = buckets.get(nth + 1) {
                with_kind!(apart.buckets.get_mut(next), |next| fetch(values, next.handles()));
            }
            let mut shape_of = |handle, shape| shape_of(values, handle, shape);
            trees.ask::<ENDS>(bucket, apart.buckets.get_mut(bucket), &mut shape_of, &mut leaving);
        }
        drop(apart);
        self.lengthen(kind, leaving)
    }

    /// As `update`, on the threads of the current pool, with the same outcome.
    #[cfg(feature = "rayon")]
    pub(crate) fn par_update(
        &mut self,
        layer: u8,
        fetch: impl Fn(&[Handle]) + Sync,
        shape_of: impl Fn(Handle, Rect<S, D>) -> Rect<S, D> + Sync,
    ) -> Leaving<S, D> {
        match self.living_rules(layer).kind {
            Kind::Points => self.par_update_of::<1>(layer, fetch, shape_of),
            Kind::Rects => self.par_update_of::<2>(layer, fetch, shape_of),
        }
    }

    #[cfg(feature = "rayon")]
    fn par_update_of<const ENDS: usize>(
        &mut self,
        layer: u8,
        fetch: impl Fn(&[Handle]) + Sync,
        shape_of: impl Fn(Handle, Rect<S, D>) -> Rect<S, D> + Sync,
    ) -> Leaving<S, D> {
        if self.is_among_many(layer) || rayon::current_num_threads() == 1 {
            return self.update::<ENDS, _>(
                layer,
                &mut (),
                |(), handles| fetch(handles),
                |(), of, old| shape_of(of, old),
            );
        }
        let kind = self.living_rules(layer).kind;
        let mut apart = Apart::new(self);
        let trees = &*apart.trees;
        let mut buckets = apart.buckets.all_mut(kind);
        buckets.retain(|(bucket, _)| trees.is_of_layer(*bucket, layer));
        let most = (buckets.len() / PARTS).clamp(LEAST, PART);
        let ask_part = |part: &mut [(BucketId, BucketMut<'_, S, D>)]| {
            let mut leaving = Leaving::default();
            let mut buckets = part.iter_mut().peekable();
            while let Some((bucket, stored)) = buckets.next() {
                if let Some((_, next)) = buckets.peek() {
                    with_kind!(next, |next| fetch(next.handles()));
                }
                trees.ask::<ENDS>(*bucket, stored.again(), &mut &shape_of, &mut leaving);
            }
            leaving
        };
        let mut parts = buckets.chunks_mut(most);
        let mut lists = alone(|| parts.next().map(ask_part));
        lists.extend(each_part(parts.collect(), || (), |(), part| ask_part(part)));
        let leaving = Leaving::joined(lists);
        drop(apart);
        self.lengthen(kind, leaving)
    }

    /// Asks for new shapes of the entries of a bucket.
    #[inline(always)]
    fn ask<const ENDS: usize>(
        &self,
        bucket: BucketId,
        mut stored: BucketMut<'_, S, D>,
        shape_of: &mut impl FnMut(Handle, Rect<S, D>) -> Rect<S, D>,
        leaving: &mut Leaving<S, D>,
    ) {
        let mut left = self.arena().head(bucket).used;
        let interior = self.interior(bucket);
        while let Some((position, shape)) = match &mut stored {
            OfKind::Points(stored) if ENDS == 1 => stored.update(&mut left, &interior, shape_of),
            OfKind::Rects(stored) if ENDS == 2 => stored.update(&mut left, &interior, shape_of),
            _ => unreachable!("a bucket of another kind than its layer"),
        } {
            self.store_or_list(Place::new(bucket, position), stored.again(), &shape, leaving);
        }
    }

    /// Gives the entry at a place its new shape, if it may stay there and no reach needs to be raised. Lists it otherwise.
    #[inline(never)]
    fn store_or_list(
        &self,
        place: Place,
        stored: BucketMut<'_, S, D>,
        shape: &Rect<S, D>,
        leaving: &mut Leaving<S, D>,
    ) {
        let (bucket, position) = (place.bucket(), place.position());
        let handle = with_kind!(&stored, |stored| stored.handle(position));
        if let Err(error) = shape.check_finite() {
            return leaving.refused.push((handle, error));
        }
        let address = self.grid().address(shape);
        if !self.may_stay(stored.kind(), bucket, shape, &address) {
            leaving.moves.push((*shape, handle));
        } else if address.extent <= self.arena().head(bucket).reach {
            with_kind!(stored, |stored| stored.set_shape(position, shape));
        } else {
            leaving.longer.push((place, *shape, address.extent));
        }
    }

    /// Shapes that entries of a bucket may take without leaving it and without raising a reach.
    fn interior(&self, bucket: BucketId) -> Interior<S, D> {
        let head = self.arena().head(bucket);
        // The extents in an own list have a lower limit.
        if !head.is_plain || head.is_own_list() {
            return Interior::none();
        }
        self.grid().interior(&head.block.units(), head.reach.min((1 << head.extent_max_log2) - 2))
    }

    /// Gives the entries that raise reaches their shapes.
    fn lengthen(&mut self, kind: Kind, mut leaving: Leaving<S, D>) -> Leaving<S, D> {
        for (place, shape, extent) in mem::take(&mut leaving.longer) {
            self.forest.move_in_place(kind, place, &shape, extent);
            self.forest.arena.tighten(place.bucket());
        }
        leaving
    }
}
