//! Objects grouped by square cells: a representative, the count, the mean and the bounds of each.

use quadrille::{Cluster, Rect};

use crate::export::export;
use crate::{D, S, World, set};

/// The lists of the last answer, with a group for each cell that has objects.
#[derive(Default)]
pub(crate) struct Clustered {
    counts: Vec<u32>,
    cells: Vec<i32>,
    means: Vec<S>,
    pub(crate) boxes: Vec<S>,
}

impl Clustered {
    pub(crate) fn clear(&mut self) {
        self.counts.clear();
        self.cells.clear();
        self.means.clear();
        self.boxes.clear();
    }

    pub(crate) fn push(&mut self, cluster: &Cluster<S, D>) {
        self.counts.push(cluster.count as u32);
        self.cells.extend(cluster.cell);
        self.means.extend(cluster.mean);
        self.boxes.extend(cluster.bounds.min().into_iter().chain(cluster.bounds.max()));
    }
}

impl World {
    /// Says where the lists lie, and returns how many groups there are.
    pub(crate) fn answer_clusters(&mut self) -> i32 {
        let Clustered { counts, cells, means, boxes } = &self.clustered;
        self.head.ids = self.ids.as_ptr();
        self.head.touching = counts.as_ptr();
        // Numbers of 32 bits, as addresses are here.
        self.head.ends = cells.as_ptr().cast();
        self.head.normals = means.as_ptr();
        self.head.numbers = boxes.as_ptr();
        (counts.len() as u32).cast_signed()
    }
}

export! {
    /// The clusters of a window, or -1 if cells cannot have that size. The ids are those of representatives.
    fn clusters(world, layers: u32, size: S; min, max) -> i32 {
        let found = world.torus.region(&world.index, Rect::new(min, max), set(layers));
        let Ok(clusters) = found.clusters(size) else { return -1 };
        world.ids.clear();
        world.clustered.clear();
        for cluster in clusters {
            world.ids.push(world.handles.id(cluster.handle));
            world.clustered.push(&cluster);
        }
        world.answer_clusters()
    }

    /// Cells and counts alone.
    fn cluster_counts(world, layers: u32, size: S; min, max) -> i32 {
        let found = world.torus.region(&world.index, Rect::new(min, max), set(layers));
        let Ok(clusters) = found.clusters(size) else { return -1 };
        world.clustered.clear();
        for (cell, count) in clusters.counts() {
            world.clustered.cells.extend(cell);
            world.clustered.counts.push(count as u32);
        }
        world.answer_clusters()
    }
}
