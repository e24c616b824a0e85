//! Polygons by a scan of all edges, decided by whole numbers.

/// A place.
pub type At = [i64; 2];

/// All edges of a polygon, of whichever rings.
#[derive(Clone, Debug)]
pub struct Scan(pub Vec<[At; 2]>);

/// Whether a point is to the left (1) or to the right (-1) of an edge.
fn side([from, to]: [At; 2], at: At) -> i128 {
    let [[x0, y0], [x1, y1], [x, y]] = [from, to, at].map(|at| at.map(i128::from));
    ((x1 - x0) * (y - y0) - (x - x0) * (y1 - y0)).signum()
}

fn sides(edge: [At; 2], [min, max]: [At; 2]) -> [i128; 4] {
    [min, max, [min[0], max[1]], [max[0], min[1]]].map(|corner| side(edge, corner))
}

/// The lesser and the greater coordinate of an edge on an axis.
pub fn ends([from, to]: [At; 2], axis: usize) -> [i64; 2] {
    [from[axis].min(to[axis]), from[axis].max(to[axis])]
}

fn meets(edge: [At; 2], part: [At; 2]) -> bool {
    let near = (0..2).all(|axis| ends(edge, axis)[0] <= part[1][axis] && part[0][axis] <= ends(edge, axis)[1]);
    let sides = sides(edge, part);
    near && sides.iter().any(|side| *side <= 0) && sides.iter().any(|side| 0 <= *side)
}

/// Whether an edge has a point inside a box, or crosses a line.
fn enters(edge: [At; 2], part: [At; 2]) -> bool {
    let inside = (0..2).all(|axis| ends(edge, axis)[0] < part[1][axis] && part[0][axis] < ends(edge, axis)[1]);
    inside && (edge[0] == edge[1] || (sides(edge, part).contains(&1) && sides(edge, part).contains(&-1)))
}

impl Scan {
    pub fn of(rings: &[Vec<At>]) -> Self {
        let edges = |ring: &Vec<At>| {
            let next = ring.iter().cycle().skip(1);
            ring.iter().zip(next).map(|(&from, &to)| [from, to]).collect::<Vec<_>>()
        };
        Self(rings.iter().flat_map(edges).collect())
    }

    /// All with the axes exchanged.
    fn transposed(&self) -> Self {
        Self(self.0.iter().map(|edge| edge.map(|[x, y]| [y, x])).collect())
    }

    /// Whether the place is inside that is further along the first axis by infinitely little, and along the second one by
    /// infinitely less.
    fn is_inside_after(&self, at: At) -> bool {
        let is_right = |edge: &&[At; 2]| match edge.map(|end| end[1] <= at[1]) {
            [true, false] => side(**edge, at) == 1,
            [false, true] => side(**edge, at) == -1,
            _ => false,
        };
        self.0.iter().filter(is_right).count() % 2 == 1
    }

    pub fn intersects(&self, part: [At; 2]) -> bool {
        self.0.iter().any(|edge| meets(*edge, part)) || self.is_inside_after(part[0])
    }

    fn contains_line(&self, from: At, last: i64) -> bool {
        let is_on_line = |at: &At| at[1] == from[1] && from[0] < at[0] && at[0] < last;
        let mut cuts = self.0.iter().map(|edge| edge[0]).filter(is_on_line).chain([from]);
        cuts.all(|at| {
            let goes_on = |edge: &[At; 2]| {
                ends(*edge, 1) == [at[1]; 2] && ends(*edge, 0)[0] <= at[0] && at[0] < ends(*edge, 0)[1]
            };
            self.0.iter().any(goes_on) || self.is_inside_after(at)
        })
    }

    pub fn contains(&self, part @ [min, max]: [At; 2]) -> bool {
        if min == max {
            return self.intersects(part);
        }
        if self.0.iter().any(|edge| enters(*edge, part)) {
            return false;
        }
        match [0, 1].map(|axis| min[axis] < max[axis]) {
            [true, true] => self.is_inside_after(min),
            [true, false] => self.contains_line(min, max[0]),
            _ => self.transposed().contains_line([min[1], min[0]], max[1]),
        }
    }
}
