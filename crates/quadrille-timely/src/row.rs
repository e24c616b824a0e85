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

    /// Puts the row, whose id `put_id` puts, where there is room for any; returns how many bytes it has.
    #[inline]
    fn put(&self, free: &mut [u8; LONGEST], put_id: impl FnOnce(&mut [u8]) -> usize) -> usize {
        let is_box = self.is_box();
        free[0] = self.layer | (u8::from(is_box) * BOX) | (self.role as u8) << ROLE;
        let mut length = 1 + put_id(&mut free[1..11]);
        if self.role != Role::Gone {
            length += put_corner(self.shape.min(), &mut free[length..]);
            if is_box {
                length += put_corner(self.shape.max(), &mut free[length..]);
            }
        }
        length
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

#[inline]
fn put_corner<S: Coordinate, const D: usize>(corner: [S; D], free: &mut [u8]) -> usize {
    for (coordinate, free) in corner.into_iter().zip(free.chunks_exact_mut(S::BYTES)) {
        coordinate.put(free);
    }
    D * S::BYTES
}

/// Rows as bytes, for those that wait or are kept. Each id is the difference from the one before: mostly a byte or two.
#[derive(Debug, Default)]
pub(crate) struct Packed {
    /// Behind the rows are bytes that mean nothing, so that a row is put at once.
    bytes: Vec<u8>,
    /// Where the rows begin, and where they end.
    start: usize,
    end: usize,
    count: u64,
    last: u64,
}

/// The bytes of the number of rows.
const COUNT: usize = 8;

impl Packed {
    /// No rows, behind a head, in the memory of older bytes.
    pub(crate) fn behind(head: &[u8], mut memory: Vec<u8>) -> Self {
        // Of many rows the next ones do not keep the memory.
        memory.shrink_to(2 * memory.len() + SPARE);
        let start = head.len() + COUNT;
        if memory.len() < start {
            memory.resize(start, 0);
        }
        memory[..head.len()].copy_from_slice(head);
        Self { bytes: memory, start, end: start, count: 0, last: 0 }
    }

    /// Adds a row.
    #[inline]
    pub(crate) fn push<S: Coordinate, const D: usize>(&mut self, row: &Row<S, D>) {
        if self.bytes.len() < self.end + LONGEST {
            self.grow();
        }
        let step = row.id.wrapping_sub(self.last).cast_signed();
        // A small number, whatever its sign.
        let step = (step << 1 ^ step >> 63).cast_unsigned();
        let free = self.bytes[self.end..].first_chunk_mut().expect("room for a row");
        self.end += row.put(free, |free| put_number(step, free));
        self.count += 1;
        self.last = row.id;
    }

    #[cold]
    fn grow(&mut self) {
        let more = (self.bytes.len() / 4).max(SPARE);
        self.bytes.resize((self.bytes.len() + more).max(self.bytes.capacity()), 0);
    }

    /// The rows, in their order.
    pub(crate) fn rows<S: Coordinate, const D: usize>(&self) -> impl Iterator<Item = Row<S, D>> + '_ {
        let (mut bytes, mut ids) = (&self.bytes[self.start..self.end], IdSteps::default());
        (0..self.count).map(move |_| ids.read(&mut bytes).expect("a row that was packed"))
    }

    /// The head, the number of rows, and all of them.
    pub(crate) fn into_bytes(mut self) -> Vec<u8> {
        self.bytes.truncate(self.end);
        self.bytes[self.start - COUNT..self.start].copy_from_slice(&self.count.to_le_bytes());
        self.bytes
    }
}

/// Seven bits a byte, the lowest first.
#[inline]
fn put_number(mut number: u64, free: &mut [u8]) -> usize {
    let mut at = 0;
    while number >= 0x80 {
        free[at] = number as u8 | 0x80;
        number >>= 7;
        at += 1;
    }
    free[at] = number as u8;
    at + 1
}

/// Bytes that no list of rows is too short for.
const SPARE: usize = 1 << 12;

/// Reads packed rows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct IdSteps {
    last: u64,
}

impl IdSteps {
    /// Reads the row behind the last one; none if the bytes are no row.
    #[inline]
    pub(crate) fn read<S: Coordinate, const D: usize>(&mut self, bytes: &mut &[u8]) -> Option<Row<S, D>> {
        let row = Row::read_with(bytes, |bytes| {
            let step = if let [step @ 0..0x80, rest @ ..] = *bytes {
                *bytes = rest;
                i64::from(step >> 1) ^ -i64::from(step & 1)
            } else {
                let (step, rest) = postcard::take_from_bytes::<i64>(bytes).ok()?;
                *bytes = rest;
                step
            };
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
        // Collected, so that the writer is asked once whether there is room.
        let mut bytes = [0; LONGEST];
        let length = self.put(&mut bytes, |free| {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::all::common::Dice;

    fn packed_rows_come_back<S: Coordinate, const D: usize>(dice: &mut Dice, memory: Vec<u8>) -> Vec<u8> {
        let mut id = 0;
        let rows: Vec<Row<S, D>> = (0..dice.roll(2000))
            .map(|_| {
                // Steps of one byte to ten.
                let step = dice.roll(u64::MAX) >> dice.roll(64);
                id = if dice.one_in(2) { step.wrapping_add(id) } else { u64::wrapping_sub(id, step) };
                let role = [Role::Own, Role::Ghost, Role::Gone][dice.roll(3) as usize];
                let min = std::array::from_fn(|_| S::from_f64(dice.roll(100) as f64 - 50.0));
                let side = S::from_f64(dice.roll(2) as f64);
                let shape = match role {
                    Role::Gone => Rect::from_point([S::default(); D]),
                    _ => Rect::new(min, min.map(|c| c + side)),
                };
                Row { to: 0, role, layer: dice.roll(32) as u8, id, shape }
            })
            .collect();
        let mut packed = Packed::behind(b"head", memory);
        for row in &rows {
            packed.push(row);
        }
        let texts = |rows: &mut dyn Iterator<Item = Row<S, D>>| rows.map(|row| format!("{row:?}")).collect::<Vec<_>>();
        let expected = texts(&mut rows.iter().copied());
        assert_eq!(texts(&mut packed.rows()), expected);
        let bytes = packed.into_bytes();
        let count = (rows.len() as u64).to_le_bytes();
        assert_eq!(bytes[..4 + COUNT], [&b"head"[..], &count].concat());
        let (mut rest, mut ids) = (&bytes[4 + COUNT..], IdSteps::default());
        assert_eq!(texts(&mut (0..rows.len()).map_while(|_| ids.read(&mut rest))), expected);
        assert!(rest.is_empty());
        bytes
    }

    #[test]
    fn rows_are_read_as_they_were_packed_whatever_was_in_their_memory() {
        let (mut dice, mut memory) = (Dice(8), Vec::new());
        for _ in 0..20 {
            memory = packed_rows_come_back::<f32, 2>(&mut dice, memory);
            memory = packed_rows_come_back::<f64, 2>(&mut dice, memory);
            memory = packed_rows_come_back::<f32, 3>(&mut dice, memory);
            memory = packed_rows_come_back::<f64, 3>(&mut dice, memory);
        }
    }
}
