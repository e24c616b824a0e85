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
/// The bytes before the corners; at most ten of an id whose length depends on it, and those of a box in 3D.
const HEAD: usize = 1 + 8;
const LONGEST: usize = 1 + 10 + 2 * 3 * 8;

impl<S: Coordinate, const D: usize> Row<S, D> {
    fn is_box(&self) -> bool {
        self.shape.min() != self.shape.max()
    }

    fn corners(&self) -> usize {
        if self.role == Role::Gone { 0 } else { 1 + usize::from(self.is_box()) }
    }

    /// The bytes of a row whose id `put_id` writes, and how many they are. They are collected, so that the writer is asked once
    /// whether there is room.
    #[inline]
    fn bytes(&self, put_id: impl FnOnce(&mut [u8]) -> usize) -> ([u8; LONGEST], usize) {
        let mut bytes = [0; LONGEST];
        bytes[0] = self.layer | (u8::from(self.is_box()) * BOX) | (self.role as u8) << ROLE;
        let head = 1 + put_id(&mut bytes[1..11]);
        let mut free = &mut bytes[head..];
        for coordinate in self.shape.min().into_iter().chain(self.shape.max()) {
            coordinate.write(&mut free).expect("room for a box");
        }
        (bytes, head + self.corners() * D * S::BYTES)
    }

    #[inline]
    fn read_with(bytes: &mut &[u8], read_id: impl FnOnce(&mut &[u8]) -> Option<u64>) -> Option<Self> {
        let [head] = take(bytes)?;
        let role = *[Role::Own, Role::Ghost, Role::Gone].get(usize::from(head >> ROLE))?;
        let id = read_id(bytes)?;
        let shape = match (role, head & BOX != 0) {
            (Role::Gone, _) => Rect::from_point([S::default(); D]),
            (_, false) => Rect::from_point(corner(bytes)?),
            (_, true) => Rect::new(corner(bytes)?, corner(bytes)?),
        };
        Some(Self { to: 0, role, layer: head & LAYER, id, shape })
    }
}

/// The ids in a list of rows that is kept, each as its difference from the one before: mostly a byte or two.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct IdSteps {
    last: u64,
}

impl IdSteps {
    /// Writes a row behind the last one.
    #[inline]
    pub(crate) fn write<S: Coordinate, const D: usize>(&mut self, row: &Row<S, D>, out: &mut Vec<u8>) {
        let step = row.id.wrapping_sub(self.last).cast_signed();
        self.last = row.id;
        let put_id = |free: &mut [u8]| postcard::to_slice(&step, free).expect("ten bytes of a number").len();
        let (bytes, length) = row.bytes(put_id);
        // As many for each row: so they are copied at once.
        let start = out.len();
        out.extend_from_slice(&bytes);
        out.truncate(start + length);
    }

    /// Reads the row behind the last one; none if the bytes are no row.
    #[inline]
    pub(crate) fn read<S: Coordinate, const D: usize>(&mut self, bytes: &mut &[u8]) -> Option<Row<S, D>> {
        let row = Row::read_with(bytes, |bytes| {
            let (step, rest) = postcard::take_from_bytes::<i64>(bytes).ok()?;
            *bytes = rest;
            Some(self.last.wrapping_add_signed(step))
        })?;
        self.last = row.id;
        Some(row)
    }
}

impl<S: Coordinate, const D: usize> Wire for Row<S, D> {
    const LEAST: usize = HEAD;
    fn length(&self) -> usize {
        HEAD + self.corners() * D * S::BYTES
    }

    #[inline]
    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let (bytes, length) = self.bytes(|free| {
            free[..8].copy_from_slice(&self.id.to_le_bytes());
            8
        });
        out.write_all(&bytes[..length])
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        Self::read_with(bytes, |bytes| take(bytes).map(u64::from_le_bytes))
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
