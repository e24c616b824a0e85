//! The outlines of states and counties: arcs of borders, each shared by two neighbors, and the rings made of them.
//!
//! | content | |
//! |---|---|
//! | head | four doubles, little-endian: degrees of a step of longitude, of latitude; longitude and latitude of step 0 |
//! | arcs | how many; of each how many corners; of each corner the steps from the one before it, of whichever arc: longitude, latitude |
//! | regions | how many; of each how many parts; of each how many rings, the outer one and holes; of each how many arcs; of each arc twice its number, and 1 more if it is gone along backwards, less that of the one before it |
//!
//! Each number after the head has seven bits in a byte, the lowest first, and the eighth bit in all bytes but the last. A number that
//! may be negative has its sign in the lowest bit.

use quadrille::{Polygon, Rect};

use crate::bytes::{Bytes, Malformed};
use crate::data::Position;

/// The corners of a closed line; the last one is joined with the first.
pub type Ring = Vec<Position>;

/// A part of a region, such as an island: its outer ring, and its holes.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The rings.
    pub rings: Vec<Ring>,
}

impl Part {
    /// All corners.
    pub fn corners(&self) -> impl Iterator<Item = Position> + '_ {
        self.rings.iter().flatten().copied()
    }

    /// The same as a region of an index.
    #[must_use]
    pub fn polygon(&self) -> Polygon<f64> {
        self.rings.iter().fold(Polygon::new([[0.0; 2]; 0]), |polygon, ring| polygon.with_ring(ring.iter().copied()))
    }

    /// The south-western and the north-eastern corner of the box around it; both infinite if it has no corners.
    #[must_use]
    pub fn bounds(&self) -> [Position; 2] {
        let around = Rect::from_points(self.corners());
        around.map_or([[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]], |around| [around.min(), around.max()])
    }

    /// Whether it holds a place, by the plain rule of crossings. Of two neighbors one holds a place on their border.
    #[must_use]
    pub fn holds(&self, [x, y]: Position) -> bool {
        let crossings = self.rings.iter().flat_map(|ring| ring.iter().zip(ring.iter().cycle().skip(1)));
        let crossed = |&(&[ax, ay], &[bx, by]): &(&Position, &Position)| {
            (y < ay) != (y < by) && x < ax + (y - ay) / (by - ay) * (bx - ax)
        };
        crossings.filter(crossed).count() % 2 == 1
    }
}

/// Reads the parts of each region.
///
/// # Errors
/// The first byte at which the file is not what it should be.
pub(crate) fn read(bytes: &[u8]) -> Result<Vec<Vec<Part>>, Malformed> {
    let mut bytes = Bytes::new(bytes);
    let (scale, origin) = ([bytes.float()?, bytes.float()?], [bytes.float()?, bytes.float()?]);
    let mut last = [0_i64; 2];
    let arcs = bytes.list(|bytes| {
        bytes.list(|bytes| {
            let step = [bytes.signed()?, bytes.signed()?];
            let at = bytes.at;
            last = [0, 1].map(|axis| last[axis] + step[axis]);
            degrees(last, scale, origin).ok_or(Malformed { at })
        })
    })?;
    let regions = bytes.list(|bytes| bytes.list(|bytes| Ok(Part { rings: bytes.list(|bytes| bytes.ring(&arcs))? })))?;
    bytes.end().map(|()| regions)
}

/// A place by its steps, if it is on the globe.
fn degrees(steps: [i64; 2], scale: Position, origin: Position) -> Option<Position> {
    let steps = [i32::try_from(steps[0]).ok()?, i32::try_from(steps[1]).ok()?];
    let [x, y] = [0, 1].map(|axis| origin[axis] + f64::from(steps[axis]) * scale[axis]);
    (x.abs() <= 180.0 && y.abs() <= 90.0).then_some([x, y])
}

impl Bytes<'_> {
    fn float(&mut self) -> Result<f64, Malformed> {
        self.take().map(f64::from_le_bytes)
    }

    /// The sign is the lowest bit.
    fn signed(&mut self) -> Result<i64, Malformed> {
        let number = i64::from(self.whole()?);
        Ok(if number & 1 == 0 { number >> 1 } else { !(number >> 1) })
    }

    /// As many as a number says.
    fn list<V>(&mut self, mut read: impl FnMut(&mut Self) -> Result<V, Malformed>) -> Result<Vec<V>, Malformed> {
        let len = self.whole()?;
        (0..len).map(|_| read(self)).collect()
    }

    /// Arcs one after another, some of them backwards; each begins where the one before it ends.
    fn ring(&mut self, arcs: &[Vec<Position>]) -> Result<Ring, Malformed> {
        let mut last = 0;
        let mut ring = Vec::new();
        let numbers = self.list(|bytes| {
            last += bytes.signed()?;
            Ok((last, bytes.at))
        })?;
        for (number, at) in numbers {
            let arc = usize::try_from(number >> 1).ok().and_then(|number| arcs.get(number)).ok_or(Malformed { at })?;
            let corners = arc.len().saturating_sub(1);
            if number & 1 == 0 {
                ring.extend(arc.iter().take(corners));
            } else {
                ring.extend(arc.iter().rev().take(corners));
            }
        }
        Ok(ring)
    }
}

#[cfg(test)]
pub(crate) mod boxes;
#[cfg(test)]
mod tests;
