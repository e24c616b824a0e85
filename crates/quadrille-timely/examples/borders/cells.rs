//! The cells of a partition: how full they are, and the shape of what each worker owns.

use std::collections::BTreeSet;

use quadrille::Rect;
use quadrille_timely::Partition;

use crate::moving::SIDE;

/// Cells on a side.
const ROW: usize = 1 << (Partition::<f32, 2>::CELLS.ilog2() / 2);

pub(crate) struct Cells {
    /// Objects of each cell, in Morton order.
    pub(crate) weights: Vec<u64>,
    /// The owner of each cell, row by row.
    owners: Vec<u16>,
    workers: usize,
}

impl Cells {
    pub(crate) fn new(partition: &Partition<f32, 2>, objects: &[[f32; 2]]) -> Self {
        let mut weights = vec![0; Partition::<f32, 2>::CELLS];
        for at in objects {
            weights[partition.code_at(*at) as usize] += 1;
        }
        let owners = (0..ROW * ROW).map(|cell| partition.owner(middle(cell))).collect();
        Self { weights, owners, workers: partition.workers() }
    }

    /// The objects of the fullest cell.
    pub(crate) fn largest(&self) -> u64 {
        self.weights.iter().max().copied().unwrap_or(0)
    }

    /// Into how many pieces the area of each worker falls: cells hold together where they share a side.
    pub(crate) fn pieces(&self) -> Vec<usize> {
        let mut pieces = vec![0; self.workers];
        let mut seen = vec![false; self.owners.len()];
        for first in 0..self.owners.len() {
            if seen[first] {
                continue;
            }
            pieces[usize::from(self.owners[first])] += 1;
            seen[first] = true;
            let mut open = vec![first];
            while let Some(cell) = open.pop() {
                for next in beside(cell).filter(|next| self.owners[*next] == self.owners[first]) {
                    if !seen[next] {
                        seen[next] = true;
                        open.push(next);
                    }
                }
            }
        }
        pieces
    }

    /// With how many others each worker shares objects: those within reach of its cells.
    pub(crate) fn neighbours(&self, partition: &Partition<f32, 2>) -> Vec<usize> {
        let mut all = vec![BTreeSet::new(); self.workers];
        let mut holders = Vec::new();
        for (cell, owner) in self.owners.iter().enumerate() {
            holders.clear();
            // A little less than the cell, so that it ends in it.
            let [x, y] = middle(cell);
            let half = SIDE / ROW as f32 * 0.499;
            partition.holders(&Rect::new([x - half, y - half], [x + half, y + half]), &mut holders);
            all[usize::from(*owner)].extend(holders.iter().copied().filter(|other| other != owner));
        }
        all.iter().map(BTreeSet::len).collect()
    }
}

fn middle(cell: usize) -> [f32; 2] {
    [cell % ROW, cell / ROW].map(|at| (at as f32 + 0.5) * (SIDE / ROW as f32))
}

/// The cells that share a side with one.
fn beside(cell: usize) -> impl Iterator<Item = usize> {
    let [x, y] = [cell % ROW, cell / ROW];
    let sides = [
        (x > 0, cell.wrapping_sub(1)),
        (x + 1 < ROW, cell + 1),
        (y > 0, cell.wrapping_sub(ROW)),
        (y + 1 < ROW, cell + ROW),
    ];
    sides.into_iter().filter_map(|(is_there, cell)| is_there.then_some(cell))
}
