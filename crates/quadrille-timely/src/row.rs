//! Rows about objects: where one is now, and that it has left.

use std::io::{self, Write};

use quadrille::Rect;

use crate::coordinate::{Coordinate, corner, take};
use crate::wire::Wire;

/// The role of an object at a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Its minimum corner lies in a cell of the worker.
    Own,
    /// It is within reach of such a cell.
    Ghost,
    /// It is held there no longer.
    Gone,
}

/// A row for one worker about one object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<S, const D: usize> {
    pub(crate) to: u16,
    pub(crate) role: Role,
    pub(crate) layer: u8,
    pub(crate) id: u64,
    pub(crate) shape: Rect<S, D>,
}

/// In the first byte of a row: the layer, below 32, whether it is a box, and the role.
const BOX: u8 = 1 << 5;
const ROLE: u32 = 6;
const LAYER: u8 = BOX - 1;
/// The bytes before the corners, and those of a box in 3D.
const HEAD: usize = 1 + 8;
const LONGEST: usize = HEAD + 2 * 3 * 8;

impl<S: Coordinate, const D: usize> Row<S, D> {
    fn is_box(&self) -> bool {
        self.shape.min() != self.shape.max()
    }

    fn corners(&self) -> usize {
        if self.role == Role::Gone { 0 } else { 1 + usize::from(self.is_box()) }
    }
}

impl<S: Coordinate, const D: usize> Wire for Row<S, D> {
    const LEAST: usize = HEAD;
    fn length(&self) -> usize {
        HEAD + self.corners() * D * S::BYTES
    }

    #[inline]
    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        // Collected here, so that the writer is asked once whether there is room.
        let mut bytes = [0; LONGEST];
        bytes[0] = self.layer | (u8::from(self.is_box()) * BOX) | (self.role as u8) << ROLE;
        bytes[1..HEAD].copy_from_slice(&self.id.to_le_bytes());
        let mut free = &mut bytes[HEAD..];
        for coordinate in self.shape.min().into_iter().chain(self.shape.max()) {
            coordinate.write(&mut free)?;
        }
        out.write_all(&bytes[..self.length()])
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let [head] = take(bytes)?;
        let role = *[Role::Own, Role::Ghost, Role::Gone].get(usize::from(head >> ROLE))?;
        let id = u64::from_le_bytes(take(bytes)?);
        let shape = match (role, head & BOX != 0) {
            (Role::Gone, _) => Rect::from_point([S::default(); D]),
            (_, false) => Rect::from_point(corner(bytes)?),
            (_, true) => Rect::new(corner(bytes)?, corner(bytes)?),
        };
        Some(Self { to: 0, role, layer: head & LAYER, id, shape })
    }
}

/// A row on its way to the worker that remembers where its object was.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent<S, const D: usize> {
    /// The worker that fed it.
    pub(crate) from: u16,
    pub(crate) row: Row<S, D>,
}

impl<S: Coordinate, const D: usize> Wire for Sent<S, D> {
    const LEAST: usize = 2 + HEAD;
    fn length(&self) -> usize {
        2 + self.row.length()
    }
    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&self.from.to_le_bytes())?;
        self.row.write(out)
    }
    fn read(bytes: &mut &[u8]) -> Option<Self> {
        Some(Self { from: u16::from_le_bytes(take(bytes)?), row: Row::read(bytes)? })
    }
}
