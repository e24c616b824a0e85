//! Which objects lie within a distance of a line, by whole numbers on a lattice.

use super::lattice::{Block, Knot};

/// Knots between which the line runs, and the distance.
#[derive(Clone, Debug)]
pub struct Line {
    pub knots: Vec<Knot>,
    pub distance: i64,
}

fn minus(a: Knot, b: Knot) -> Knot {
    [0, 1, 2].map(|axis| a[axis] - b[axis])
}

fn dot(a: Knot, b: Knot) -> i64 {
    (0..3).map(|axis| a[axis] * b[axis]).sum()
}

fn corners<const D: usize>(block: &Block) -> Vec<Knot> {
    let corner =
        |bits: usize| [0, 1, 2].map(|axis| if bits >> axis & 1 == 0 { block.min[axis] } else { block.max[axis] });
    (0..1 << D).map(corner).collect()
}

/// All points of the lattice in a block.
pub fn points<const D: usize>(block: &Block) -> impl Iterator<Item = Knot> + '_ {
    let ends = [0, 1, 2].map(|axis| block.min[axis]..=if axis < D { block.max[axis] } else { block.min[axis] });
    let [xs, ys, zs] = ends;
    xs.flat_map(move |x| {
        let zs = zs.clone();
        ys.clone().flat_map(move |y| zs.clone().map(move |z| [x, y, z]))
    })
}

impl Line {
    fn pieces(&self) -> impl Iterator<Item = [Knot; 2]> + '_ {
        let next = self.knots.iter().skip(1).chain(self.knots.last());
        self.knots.iter().zip(next).map(|(&from, &to)| [from, to])
    }

    /// Whether a point is beside a piece, between its ends, and within the distance (Lagrange: the square of the distance is that of
    /// the way to the point less that of the way along).
    fn is_beside(&self, [from, to]: [Knot; 2], at: Knot) -> bool {
        let (step, way) = (minus(to, from), minus(at, from));
        let (along, length) = (dot(step, way), dot(step, step));
        let is_near = length * dot(way, way) - along * along <= self.distance * self.distance * length;
        0 < length && 0 <= along && along <= length && is_near
    }

    fn is_at(&self, knot: Knot, at: Knot) -> bool {
        dot(minus(at, knot), minus(at, knot)) <= self.distance * self.distance
    }

    pub fn holds(&self, at: Knot) -> bool {
        self.pieces().any(|piece| self.is_beside(piece, at) || piece.iter().any(|end| self.is_at(*end, at)))
    }

    /// In a plane: a box meets a piece that crosses it, that has an end nearby, or that passes by a corner.
    pub fn meets(&self, block: &Block) -> bool {
        let nearest = |at: Knot| {
            [0, 1, 2].map(|axis| if axis < 2 { at[axis].clamp(block.min[axis], block.max[axis]) } else { at[axis] })
        };
        self.pieces().any(|piece| {
            let at_end = piece.iter().any(|end| self.is_at(*end, nearest(*end)));
            at_end || crosses(piece, block) || corners::<2>(block).iter().any(|corner| self.is_beside(piece, *corner))
        })
    }

    /// In one of the parts: both are convex.
    pub fn contains<const D: usize>(&self, block: &Block) -> bool {
        let corners = corners::<D>(block);
        self.pieces().any(|piece| {
            corners.iter().all(|at| self.is_beside(piece, *at))
                || piece.iter().any(|end| corners.iter().all(|at| self.is_at(*end, *at)))
        })
    }
}

/// Whether a segment of a plane meets a block.
fn crosses([from, to]: [Knot; 2], block: &Block) -> bool {
    let near =
        (0..2).all(|axis| from[axis].min(to[axis]) <= block.max[axis] && block.min[axis] <= from[axis].max(to[axis]));
    let step = minus(to, from);
    let side = |corner: &Knot| step[0] * (corner[1] - from[1]) - step[1] * (corner[0] - from[0]);
    let sides: Vec<i64> = corners::<2>(block).iter().map(side).collect();
    near && sides.iter().any(|side| *side <= 0) && sides.iter().any(|side| 0 <= *side)
}
