//! Conditions on values, and clusters: beside the same query, filtered and grouped by a list.

use std::collections::BTreeMap;

use quadrille::{Cluster, Handle, ObjectRef, Predicate, Query};
use quadrille_support::Index;
use quadrille_support::scene::side_of;

use super::drive::{Way, narrow, rest};
use super::{Filter, Space, agree};

/// Groups the rest of a query, after some clusters have been taken: every way tells of those that are left.
macro_rules! agree_grouped {
    ($query:expr, $size:expr, $taken:expr) => {
        if let Ok(mut clusters) = $query.clone().clusters($size) {
            let mut groups: BTreeMap<_, Vec<Handle>> = BTreeMap::new();
            for object in $query {
                groups.entry(clusters.cell_of(object.shape().center())).or_default().push(object.handle());
            }
            for group in groups.values_mut() {
                group.sort();
            }
            let mut cells: Vec<_> = clusters.by_ref().take($taken).map(|cluster| cluster.cell).collect();
            let found: Vec<_> = clusters.clone().collect();
            let counts: Vec<_> = found.iter().map(|cluster| (cluster.cell, cluster.count)).collect();
            agree!(clusters.clone().counts(), counts, "counts after {} clusters", $taken);
            let agree_told = |told: Vec<(Cluster<S, D>, Vec<Handle>)>| {
                agree!(told.len(), found.len(), "clusters with their objects after {}", $taken);
                for ((cluster, mut group), known) in told.into_iter().zip(&found) {
                    group.sort();
                    agree!(Some(&group), groups.get(&Some(known.cell)), "the objects of a cluster");
                    let lowest = group.iter().copied().min_by_key(|handle| handle.slot());
                    let told = (cluster.cell, cluster.count, cluster.bounds, Some(cluster.handle));
                    agree!(told, (known.cell, group.len(), known.bounds, lowest), "a cluster");
                }
            };
            #[cfg(feature = "rayon")]
            agree_told(clusters.clone().par_map_reduce(|object| vec![object.handle()], Extend::extend));
            agree_told(clusters.map_reduce(|object| vec![object.handle()], Extend::extend));
            cells.extend(found.iter().map(|cluster| cluster.cell));
            cells.sort();
            agree!(cells.into_iter().map(Some).collect::<Vec<_>>(), groups.into_keys().collect::<Vec<_>>(), "cells");
        }
    };
}

/// Drains a query with a condition, and groups it, with and without.
pub(super) fn agree_on_some<P: Predicate + Send + Sync, S: Space, const D: usize>(
    index: &Index<S, D>,
    query: Query<'_, u32, P, S, D>,
    filter: &Filter,
) {
    let remainder = u32::from(filter.mode >> 3 & 7);
    let condition = |object: ObjectRef<'_, u32, S, D>| object.value() % 4 != remainder;
    let plain = narrow!(query, filter);
    let mut expected: Vec<_> =
        plain.clone().filter(|object| condition(*object)).map(|object| object.handle()).collect();
    let mut some = plain.clone().matching(|_| true).matching(condition);
    let mut got: Vec<_> = some.by_ref().take(filter.taken).map(|object| object.handle()).collect();
    agree!(some.clone().count(), expected.len() - got.len(), "`count` of those with a value");
    agree!(some.clone().exists(), got.len() < expected.len(), "`exists` of those with a value");
    let parts = [64.0, 10.0, 7.0, 4.0, 1.0];
    let size = S::of(side_of(&index.world()).value() / parts[filter.taken % parts.len()]);
    agree_grouped!(plain, size, usize::from(filter.mode) % 3);
    agree_grouped!(some.clone(), size, usize::from(filter.mode) % 3);
    if filter.way() == Way::Pause {
        let mut cursor = some.pause();
        got.extend(cursor.step(index).expect("the same index").map(|object| object.handle()));
        let mut resumed = index.resume(cursor).expect("the same index");
        got.extend(resumed.by_ref().take(filter.taken).map(|object| object.handle()));
        let mut cursor = resumed.pause();
        while !cursor.run(index, 2, |object| got.push(object.handle())).expect("the same index").done {}
        got.sort();
        expected.sort();
    } else {
        got.extend(rest(some.fuse(), filter.way(), |object| object.handle()));
    }
    agree!(got, expected, "those with a value");
}
