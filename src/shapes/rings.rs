//! The rings of a polygon, and where their edges are: which edges a box meets, and whether a point is inside, at the cost of
//! what is near.
//!
//! A run of edges to the right of a point counts by its ends alone: whether it crosses the point's height an odd number of
//! times depends on which of them are below. So only runs whose box holds the point are looked into.
//!
//! Neighbours on a ring are close together; rings may come in any order. So they are sorted by place, strip by strip
//! (Leutenegger et al.: *STR: a simple and efficient algorithm for R-tree packing*, 1997), in groups that grow by merging
//! (Bentley and Saxe: *Decomposable searching problems*, 1980): to add rings one by one costs a logarithm.
//!
//! Keeps Q7 of `docs/invariants.md`.

use alloc::vec::Vec;
use core::cell::{Cell, RefCell};

use super::edge::Edge;
use super::runs::Runs;
use crate::Rect;
use crate::geometry::LANES;

/// Above and beyond all coordinates. Products of it do not overflow.
const FAR: f64 = f64::from_bits((1023 + 300) << 52);

/// Closed rings of edges, in any order.
#[derive(Clone, Debug, Default)]
pub(super) struct Rings {
    /// Each of at least twice as many edges as the next.
    groups: Vec<RingGroup>,
}

/// Rings, sorted by place.
#[derive(Clone, Debug)]
struct RingGroup {
    edges: Vec<Edge>,
    /// How many edges each ring has; the last one has the rest.
    lengths: Vec<usize>,
    runs: Runs<Run>,
}

/// A summary of consecutive edges.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Run {
    bounds: Rect<f64, 2>,
    /// The heights of its loose ends: where its first edge begins and where its last one ends. Between them are those
    /// where their rings begin, which cancel out within one ring.
    ends: [f64; 4],
}

impl Run {
    fn joined(first: &Self, last: &Self) -> Self {
        let ([from, begin, ..], [.., end, to]) = (first.ends, last.ends);
        Self { bounds: first.bounds.union(&last.bounds), ends: [from, begin, end, to] }
    }

    /// Whether the run crosses the height of a point, which is not in its box, an odd number of times to the right of it.
    #[inline]
    fn is_right_of(&self, [x, y]: [f64; 2]) -> bool {
        x < self.bounds.min()[0] && self.ends.iter().fold(false, |is_odd, &end| is_odd ^ (end <= y))
    }
}

impl Rings {
    pub(super) fn add(&mut self, ring: Vec<Edge>) {
        let (mut edges, mut kept) = (ring.len(), self.groups.len());
        while 0 < kept && self.groups[kept - 1].edges.len() < 2 * edges {
            kept -= 1;
            edges += self.groups[kept].edges.len();
        }
        let added = RingGroup::of(ring, Vec::new());
        let merged = self.groups.split_off(kept);
        self.groups.push(if merged.is_empty() {
            added
        } else {
            RingGroup::new(merged.iter().chain([&added]).flat_map(RingGroup::rings).collect())
        });
    }

    /// Changes all coordinates, by a function that keeps their order.
    pub(super) fn map(&mut self, at: impl Fn([f64; 2]) -> [f64; 2]) {
        for group in &mut self.groups {
            for Edge { from, to } in &mut group.edges {
                (*from, *to) = (at(*from), at(*to));
            }
            *group = RingGroup::new(group.rings().collect());
        }
    }

    /// Whether there is such an edge among those in runs whose box may hold one.
    #[inline]
    pub(super) fn have(&self, may_hold: impl Fn(&Rect<f64, 2>) -> bool, is_such: impl Fn(&Edge) -> bool) -> bool {
        self.groups.iter().any(|group| {
            group.runs.search(|run| may_hold(&run.bounds), |edges| group.edges[edges].iter().any(&is_such))
        })
    }

    /// Whether the place right beside the lowest corner of a box is inside: further along an axis by infinitely little, and along
    /// the other one by infinitely less. `None` if an edge is such a one, which only edges are that meet the box; no other may pass
    /// there.
    #[inline]
    pub(super) fn enclose_unless(
        &self,
        axis: usize,
        rect: &Rect<f64, 2>,
        is_such: impl Fn(&Edge) -> bool,
    ) -> Option<bool> {
        let point = rect.min();
        let is_inside = Cell::new(false);
        let cross = |is_right: bool| is_inside.set(is_inside.get() ^ is_right);
        let opens = |run: &Run| {
            let opens = run.bounds.intersects(rect);
            cross(!opens && run.is_right_of(point));
            opens
        };
        let is_found = self.groups.iter().any(|group| {
            group.runs.search(opens, |edges| {
                let mut edges = &group.edges[edges];
                while !edges.is_empty() {
                    let (beside, is_odd) = Edge::first_beside(edges, rect);
                    cross(is_odd);
                    let near;
                    (near, edges) = edges[beside..].split_at(LANES.min(edges.len() - beside));
                    let is_found = near.iter().any(|edge| {
                        cross(edge.is_right_of(point, axis));
                        is_such(edge)
                    });
                    if is_found {
                        return true;
                    }
                }
                false
            })
        });
        (!is_found).then(|| is_inside.get())
    }

    /// The edges, as boxes inside of one box see them: those that meet it, and others far off.
    ///
    /// An edge that misses the box lies on one side of it, as high as the box is. On the right it counts by the heights of its
    /// ends. Two such edges at a corner cancel out there; where an edge that is kept ends, one is missing, and goes straight up.
    pub(super) fn near(&self, rect: &Rect<f64, 2>) -> Self {
        let near = RefCell::new(Vec::new());
        let is_inside = self.enclose_unless(0, rect, |edge| {
            near.borrow_mut().extend(edge.meets(rect).then_some(*edge));
            false
        });
        let ([_, bottom], [right, top], mut edges) = (rect.min(), rect.max(), near.into_inner());
        for at in 0..edges.len() {
            let is_cut = |&[x, y]: &[f64; 2]| right < x && bottom < y && y <= top;
            let ends = [edges[at].from, edges[at].to].into_iter().filter(is_cut);
            edges.extend(ends.map(|from| Edge { from, to: [from[0], FAR] }));
        }
        let are_odd = edges.iter().fold(false, |odd, edge| odd ^ edge.is_right_of(rect.min(), 0));
        if Some(are_odd) != is_inside {
            edges.push(Edge { from: [FAR, -FAR], to: [FAR; 2] });
        }
        Self { groups: Vec::from([RingGroup { runs: Runs::none(edges.len()), edges, lengths: Vec::new() }]) }
    }
}

impl RingGroup {
    fn new(mut rings: Vec<&[Edge]>) -> Self {
        let place = |ring: &&[Edge], axis: usize| ring[0].from[axis];
        let strip = rings.len().isqrt() + 1;
        rings.sort_unstable_by(|a, b| place(a, 0).total_cmp(&place(b, 0)));
        for strip in rings.chunks_mut(strip) {
            strip.sort_unstable_by(|a, b| place(a, 1).total_cmp(&place(b, 1)));
        }
        Self::of(rings.concat(), rings[..rings.len() - 1].iter().map(|ring| ring.len()).collect())
    }

    fn of(edges: Vec<Edge>, lengths: Vec<usize>) -> Self {
        let pieces = rings_of(&edges, &lengths).flat_map(|ring| {
            let begin = ring[0].from[1];
            ring.iter().map(move |edge| Run { bounds: edge.bounds(), ends: [edge.from[1], begin, begin, edge.to[1]] })
        });
        let runs = Runs::new(edges.len(), pieces, Run::joined);
        Self { edges, lengths, runs }
    }

    fn rings(&self) -> impl Iterator<Item = &[Edge]> {
        rings_of(&self.edges, &self.lengths)
    }
}

/// Edges as rings of some lengths, and the rest as one.
fn rings_of<'e>(mut edges: &'e [Edge], lengths: &'e [usize]) -> impl Iterator<Item = &'e [Edge]> {
    lengths.iter().chain([&usize::MAX]).map(move |&length| {
        let ring;
        (ring, edges) = edges.split_at(length.min(edges.len()));
        ring
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ring of many corners that lie anywhere: its runs fill the world, and nearly all are looked into.
    #[test]
    fn few_edges_of_a_wild_ring_are_looked_at_one_by_one() {
        let mut seed = 1_u64;
        let mut number = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            f64::from((seed >> 40) as u32)
        };
        let mut corner = || [number(), number()];
        let corners: Vec<_> = (0..2000).map(|_| corner()).collect();
        let ring: Vec<_> = (0..2000).map(|at| Edge { from: corners[at], to: corners[(at + 1) % 2000] }).collect();
        let mut rings = Rings::default();
        rings.add(ring.clone());
        let looked_at = Cell::new(0);
        for _ in 0..200 {
            let point = corner();
            let is_inside = rings.enclose_unless(0, &Rect::from_point(point), |_| {
                looked_at.set(looked_at.get() + 1);
                false
            });
            let odd = ring.iter().filter(|edge| edge.is_right_of(point, 0)).count() % 2 == 1;
            assert_eq!(is_inside, Some(odd), "{point:?}");
        }
        assert!(looked_at.get() < 100, "{} of 400 000", looked_at.get());
    }
}
