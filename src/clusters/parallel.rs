//! Clusters by several threads: each takes some of the buckets that the query meets, in parts that do not depend on the number
//! of threads.

use alloc::vec::Vec;
use core::ops::Range;

use super::gather::Gathering;
use super::{Cluster, Clusters};
use crate::geometry::{Region, Scalar};
use crate::index::ObjectRef;
use crate::key::Place;
use crate::query::{Condition, Predicate, list_rest};
use crate::threads::{each_part, parts_of};

impl<'a, T, P, S, const D: usize, R, C> Clusters<'a, T, P, S, D, R, C>
where
    T: Sync,
    P: Predicate + Send + Sync,
    S: Scalar,
    R: Region<S, D> + Send + Sync,
    C: Condition<T, S, D> + Send + Sync,
{
    /// Returns all clusters by several threads, in the same order. A mean may differ in its last digit from that of one thread,
    /// but not with the number of threads.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [128.0, 128.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let clusters = index.iter().clusters(16.0)?;
    /// assert_eq!(clusters.clone().par_collect(), clusters.collect::<Vec<_>>());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn par_collect(self) -> Vec<Cluster<S, D>> {
        self.par_map_reduce(|_| (), |(), ()| ()).into_iter().map(|(cluster, ())| cluster).collect()
    }

    /// As [`map_reduce`](Self::map_reduce), by several threads.
    ///
    /// ```
    /// # use quadrille::{Quadtree, Rect};
    /// # let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [128.0, 128.0]))?;
    /// # let units = index.add_point_layer()?;
    /// # let handles = index.insert_batch(units, (0..100_u16).map(|n| ([f32::from(n), 50.0], n)))?;
    /// let clusters = index.iter().clusters(16.0)?;
    /// let sums = clusters.par_map_reduce(|unit| u32::from(*unit.value()), |sum, value| *sum += value);
    /// assert_eq!(sums.iter().map(|(_, sum)| sum).sum::<u32>(), 99 * 50);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn par_map_reduce<A: Send>(
        self,
        map: impl Fn(ObjectRef<'a, T, S, D>) -> A + Send + Sync,
        reduce: impl Fn(&mut A, A) + Send + Sync,
    ) -> Vec<(Cluster<S, D>, A)> {
        let (query, squares) = (&self.query, &self.squares);
        let (index, question, mut scanner) = (query.index, &query.question, query.scanner);
        let ((bucket, hits), level) = (scanner.begin_anew(&index.space), scanner.level);
        let list = list_rest(question, &scanner, &index.space);
        let gathered = |(): &mut (), part: Range<usize>| {
            let mut gathered = Gathering::new(index, squares);
            for &met in &list[part] {
                let (bucket, hits) =
                    (Place::new(met.bucket, 0), met.hits(&question.in_image(met.image), &index.space, level));
                gathered.add(bucket, query.kept(bucket, hits), &mut &map, &mut &reduce);
            }
            gathered.groups
        };
        let parts = each_part(parts_of(0..list.len()), || (), gathered);
        let mut all = Gathering::new(index, squares);
        all.add(bucket, query.kept(bucket, hits), &mut &map, &mut &reduce);
        for part in parts {
            all.groups.append(part);
        }
        self.named(all.close(&mut &reduce))
    }
}
