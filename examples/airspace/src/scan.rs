//! The linear scan: plain loops over plain arrays of coordinates, closed intervals, and nothing of the library.

/// How many coordinates are compared before a look whether there was a hit.
const LANES: usize = 16;

type Lanes = [f64; LANES];

/// Rectangles, one array for each side. Unused lanes hold NaN, which compares false.
#[derive(Debug, Default)]
pub(crate) struct Boxes {
    west: Vec<Lanes>,
    south: Vec<Lanes>,
    east: Vec<Lanes>,
    north: Vec<Lanes>,
    len: usize,
}

impl Boxes {
    /// Adds a rectangle.
    pub(crate) fn push(&mut self, min: [f64; 2], max: [f64; 2]) {
        for (side, value) in
            [(&mut self.west, min[0]), (&mut self.south, min[1]), (&mut self.east, max[0]), (&mut self.north, max[1])]
        {
            put(side, self.len, value);
        }
        self.len += 1;
    }

    /// Calls with the number of each rectangle that has a point in common with the one given.
    pub(crate) fn meeting(&self, [min, max]: [[f64; 2]; 2], mut hit: impl FnMut(usize)) {
        let sides = self.west.iter().zip(&self.south).zip(&self.east).zip(&self.north);
        for (chunk, (((west, south), east), north)) in sides.enumerate() {
            let meets = |lane: usize| {
                (west[lane] <= max[0]) & (min[0] <= east[lane]) & (south[lane] <= max[1]) & (min[1] <= north[lane])
            };
            report(chunk, meets, &mut hit);
        }
    }
}

/// Points, one array for each axis. Unused lanes hold NaN, which compares false.
#[derive(Debug, Default)]
pub(crate) struct Places {
    x: Vec<Lanes>,
    y: Vec<Lanes>,
    len: usize,
}

impl Places {
    /// Forgets all points.
    pub(crate) fn clear(&mut self) {
        *self = Self { x: std::mem::take(&mut self.x), y: std::mem::take(&mut self.y), len: 0 };
        self.x.clear();
        self.y.clear();
    }

    /// Adds a point.
    pub(crate) fn push(&mut self, [x, y]: [f64; 2]) {
        put(&mut self.x, self.len, x);
        put(&mut self.y, self.len, y);
        self.len += 1;
    }

    /// Calls with the number of each point inside the rectangle or on its edge.
    pub(crate) fn inside(&self, [min, max]: [[f64; 2]; 2], mut hit: impl FnMut(usize)) {
        for (chunk, (x, y)) in self.x.iter().zip(&self.y).enumerate() {
            let inside =
                |lane: usize| (min[0] <= x[lane]) & (x[lane] <= max[0]) & (min[1] <= y[lane]) & (y[lane] <= max[1]);
            report(chunk, inside, &mut hit);
        }
    }

    /// Calls with the number of each point whose distance has at most that square.
    pub(crate) fn within(&self, from: [f64; 2], square_max: f64, mut hit: impl FnMut(usize)) {
        for (chunk, (x, y)) in self.x.iter().zip(&self.y).enumerate() {
            report(chunk, |lane| square_of_distance(from, [x[lane], y[lane]]) <= square_max, &mut hit);
        }
    }

    /// The least square of a distance, and the numbers of the points that are so near.
    pub(crate) fn nearest(&self, from: [f64; 2]) -> (f64, Vec<usize>) {
        let mut least = f64::INFINITY;
        for (x, y) in self.x.iter().flatten().zip(self.y.iter().flatten()) {
            // The lesser one of a number and NaN is the number.
            least = least.min(square_of_distance(from, [*x, *y]));
        }
        let mut nearest = Vec::new();
        self.within(from, least, |place| nearest.push(place));
        (least, nearest)
    }
}

fn square_of_distance([x, y]: [f64; 2], [to_x, to_y]: [f64; 2]) -> f64 {
    let (across, up) = (to_x - x, to_y - y);
    across * across + up * up
}

fn put(side: &mut Vec<Lanes>, place: usize, value: f64) {
    if place.is_multiple_of(LANES) {
        side.push([f64::NAN; LANES]);
    }
    side[place / LANES][place % LANES] = value;
}

/// Two passes over a chunk: hits are few, and the first, which only counts, runs in vectors.
#[inline]
fn report(chunk: usize, matches: impl Fn(usize) -> bool, hit: &mut impl FnMut(usize)) {
    let mut hits = 0;
    for lane in 0..LANES {
        hits += u64::from(matches(lane));
    }
    if hits > 0 {
        (0..LANES).filter(|&lane| matches(lane)).for_each(|lane| hit(chunk * LANES + lane));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meeting(boxes: &Boxes, region: [[f64; 2]; 2]) -> Vec<usize> {
        let mut hits = Vec::new();
        boxes.meeting(region, |place| hits.push(place));
        hits
    }

    #[test]
    fn rectangles_that_touch_meet() {
        let mut boxes = Boxes::default();
        for column in 0..40 {
            let west = f64::from(column);
            boxes.push([west, 0.0], [west + 1.0, 1.0]);
        }
        assert_eq!(meeting(&boxes, [[17.0, 1.0], [17.0, 1.0]]), [16, 17]);
        assert_eq!(meeting(&boxes, [[38.5, 0.5], [99.0, 0.6]]), [38, 39]);
        assert_eq!(meeting(&boxes, [[0.0, 1.1], [40.0, 2.0]]), []);
        assert_eq!(meeting(&boxes, [[-9.0, -9.0], [99.0, 9.0]]).len(), 40);
    }

    #[test]
    fn points_on_the_edge_are_inside() {
        let mut places = Places::default();
        for _ in 0..2 {
            places.clear();
            for column in 0..20 {
                places.push([f64::from(column), 5.0]);
            }
        }
        let mut hits = Vec::new();
        places.inside([[15.0, 5.0], [17.0, 9.0]], |place| hits.push(place));
        assert_eq!(hits, [15, 16, 17]);
        places.inside([[0.0, 5.1], [19.0, 9.0]], |_| panic!("nothing is there"));
    }

    #[test]
    fn points_just_so_far_away_are_near() {
        let mut places = Places::default();
        assert_eq!(places.nearest([0.0, 0.0]), (f64::INFINITY, Vec::new()));
        for column in 0..20 {
            places.push([f64::from(column), 4.0]);
        }
        let mut hits = Vec::new();
        places.within([17.0, 0.0], 17.0, |place| hits.push(place));
        assert_eq!(hits, [16, 17, 18]);
        assert_eq!(places.nearest([3.5, 4.0]), (0.25, vec![3, 4]));
        assert_eq!(places.nearest([30.0, 4.0]), (121.0, vec![19]));
    }
}
