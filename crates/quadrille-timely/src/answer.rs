//! Answers: plain rows, sorted by question.

use std::io::{self, Write};

use crate::coordinate::take;
use crate::wire::Wire;

/// The kinds of [`Answer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// An object that a window found: `a` is its id.
    Found,
    /// One of the nearest: `b` is its id, `a` the bits of the square of its distance (see [`Answer::distance_squared`]).
    Near,
    /// A pair: `a` and `b` are the ids, the smaller one first.
    Pair,
    /// An object, `a`, that has entered a fence.
    Entered,
    /// An object, `a`, that has left a fence.
    Left,
    /// A contact of `a` and `b`, the smaller id first, that has begun.
    Begun,
    /// A contact that has ended.
    Ended,
}

const KINDS: [Kind; 7] = [Kind::Found, Kind::Near, Kind::Pair, Kind::Entered, Kind::Left, Kind::Begun, Kind::Ended];

/// One line of an answer. Ordered by question, then kind, then ids; nearest objects by distance, equal ones by id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Answer {
    /// The question's number.
    pub question: u32,
    /// Says what `a` and `b` are.
    pub kind: Kind,
    /// See [`Kind`].
    pub a: u64,
    /// See [`Kind`]; otherwise 0.
    pub b: u64,
}

impl Answer {
    pub(crate) fn near(question: u32, distance_squared: f64, id: u64) -> Self {
        // Bits of numbers that are not negative are ordered as the numbers are.
        Self { question, kind: Kind::Near, a: distance_squared.to_bits(), b: id }
    }

    /// Of one of the nearest: the square of its distance, computed in `f64`.
    #[must_use]
    pub fn distance_squared(&self) -> Option<f64> {
        (self.kind == Kind::Near).then(|| f64::from_bits(self.a))
    }

    /// Equal of this answer and the one that undoes it.
    pub(crate) fn subject(self) -> (u32, u64, u64) {
        (self.question, self.a, self.b)
    }

    /// The answer that undoes this one: entered and left, begun and ended.
    pub(crate) fn opposite(self) -> Self {
        let kind = match self.kind {
            Kind::Entered => Kind::Left,
            Kind::Left => Kind::Entered,
            Kind::Begun => Kind::Ended,
            Kind::Ended => Kind::Begun,
            same => same,
        };
        Self { kind, ..self }
    }
}

/// An answer on its way to the worker that completes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) to: u16,
    pub(crate) answer: Answer,
}

impl Wire for Part {
    const LEAST: usize = 21;
    fn length(&self) -> usize {
        Self::LEAST
    }
    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&self.answer.question.to_le_bytes())?;
        out.write_all(&[self.answer.kind as u8])?;
        out.write_all(&self.answer.a.to_le_bytes())?;
        out.write_all(&self.answer.b.to_le_bytes())
    }
    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let question = u32::from_le_bytes(take(bytes)?);
        let [kind] = take(bytes)?;
        let kind = *KINDS.get(usize::from(kind))?;
        let [a, b] = [take(bytes)?, take(bytes)?].map(u64::from_le_bytes);
        Some(Self { to: 0, answer: Answer { question, kind, a, b } })
    }
}
