//! The operations: one table of names, weights and arguments, from which decoding, writing and reading are made.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use crate::bytes::Bytes;
use crate::field::{Corner, Field, Layers, Maybe, NoField, Settings, Shape, Spot};

macro_rules! operations {
    ($($(#[$doc:meta])* $weight:literal $name:ident { $($field:ident: $type:ty),* })+) => {
        /// One operation; its numbers pick among what there is at the time.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Op {
            $($(#[$doc])* $name { $($field: $type),* },)+
        }

        /// The names and weights of all operations.
        pub const KINDS: &[(&str, u8)] = &[$((stringify!($name), $weight)),+];

        impl Op {
            /// The index that it names.
            pub(crate) fn on(&self) -> u8 {
                match self {
                    $(Self::$name { on, .. } => *on,)+
                }
            }

            /// The operation with that number in [`KINDS`], its arguments drawn.
            fn of_kind(kind: usize, bytes: &mut Bytes<'_>) -> Self {
                let mut kinds = 0..;
                $(if kinds.next() == Some(kind) {
                    return Self::$name { $($field: Field::draw(bytes)),* };
                })+
                unreachable!("there are not so many operations")
            }
        }

        impl Display for Op {
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                match self {
                    $(Self::$name { $($field),* } => {
                        f.write_str(stringify!($name))?;
                        $(write!(f, " {}={}", stringify!($field), $field)?;)*
                        Ok(())
                    })+
                }
            }
        }

        impl FromStr for Op {
            type Err = NoField;

            fn from_str(line: &str) -> Result<Self, NoField> {
                let mut words = line.split_whitespace();
                let name = words.next().ok_or(NoField)?;
                let arguments: Vec<_> = words.map(|word| word.split_once('=').ok_or(NoField)).collect::<Result<_, _>>()?;
                $(if name == stringify!($name) {
                    $(let $field = argument(&arguments, stringify!($field))?;)*
                    return Ok(Self::$name { $($field),* });
                })+
                let _ = arguments;
                Err(NoField)
            }
        }
    };
}

fn argument<T: FromStr>(arguments: &[(&str, &str)], name: &str) -> Result<T, NoField> {
    let (_, value) = arguments.iter().find(|(known, _)| *known == name).ok_or(NoField)?;
    value.parse().map_err(|_| NoField)
}

operations! {
    // Indexes. Each operation names the one that it works on: `on`.
    /// A clone of an index, which goes its own way from then on; with some of the cursors that were paused on it.
    2 Clone { on: u8 }
    /// Another index; in the place of one, if there are many.
    1 NewIndex { on: u8, scene: u8 }
    1 DropIndex { on: u8 }

    // Layers. A layer that is named may be dead, or of another index.
    4 AddLayer { on: u8, settings: Settings }
    /// As many as there may be, and one more.
    1 FillLayers { on: u8, rects: bool }
    1 RemoveLayer { on: u8, layer: u8 }
    1 RemoveManyLayers { on: u8, keep: u8 }

    // Objects. One that is named may be gone, or of another index.
    16 Insert { on: u8, layer: u8, shape: Shape }
    2 InsertAny { on: u8, layer: u8, shape: Shape }
    2 TryInsert { on: u8, layer: u8, shape: Shape }
    4 Crowd { on: u8, layer: u8, shape: Shape, count: u8, apart: u8 }
    5 InsertBatch { on: u8, layer: u8, count: u8, seed: u16, hint: u8 }
    8 MoveTo { on: u8, object: u16, shape: Shape }
    /// By the method of the other kind of layers.
    1 MoveWrong { on: u8, object: u16, shape: Shape }
    2 MoveAny { on: u8, object: u16, shape: Shape }
    4 MoveBy { on: u8, object: u16, by: Corner }
    3 Nudge { on: u8, object: u16, upward: bool }
    2 Resize { on: u8, object: u16, to: Corner }
    3 MoveBatch { on: u8, rects: bool, count: u8, seed: u16 }
    3 Update { on: u8, layer: u8, by: i8, seed: u16 }
    2 SetLayer { on: u8, object: u16, layer: u8 }
    1 SetLayerAny { on: u8, object: u16, layer: u8 }
    8 Remove { on: u8, object: u16 }
    2 RemoveMany { on: u8, count: u8, seed: u16 }
    1 Retain { on: u8, divisor: u8 }
    1 Drain { on: u8 }
    1 DrainIn { on: u8, layers: Layers, taken: u8 }
    1 Clear { on: u8 }
    1 ClearIn { on: u8, layers: Layers }
    2 ChangeValue { on: u8, object: u16 }
    1 ChangeValues { on: u8, layers: Layers, how: u8 }

    // The whole.
    1 Optimize { on: u8 }
    4 OptimizeStep { on: u8, budget: u8 }
    1 ShrinkToFit { on: u8 }
    1 SetWorld { on: u8, scene: u8 }
    1 SetNoWorld { on: u8, shape: Shape }
    2 Save { on: u8, compact: bool, text: bool }
    2 Facts { on: u8, object: u16 }
    1 Everything { on: u8 }

    // Queries. A filter is set at the start, or after some objects are taken.
    12 Region { on: u8, relation: u8, region: Shape, layers: Layers, excluded: Maybe<u16>, taken: u8, mode: u8 }
    6 Figure { on: u8, relation: u8, figure: u8, corners: Shape, more: Shape, inner: i8, outer: i8, layers: Layers, excluded: Maybe<u16>, taken: u8, mode: u8 }
    2 OfObject { on: u8, object: u16, relation: u8, layers: Layers, taken: u8, mode: u8 }
    6 Nearest { on: u8, target: Shape, within: Maybe<Spot>, beyond: Maybe<Spot>, layers: Layers, excluded: Maybe<u16>, taken: u8, mode: u8 }
    2 NearestOfObject { on: u8, object: u16, layers: Layers, taken: u8 }
    3 NearestBy { on: u8, target: Shape, how: u8, layers: Layers, excluded: Maybe<u16>, taken: u8, mode: u8 }
    4 Raycast { on: u8, from: Corner, to: Corner, is_segment: bool, until: Maybe<Spot>, layers: Layers, excluded: Maybe<u16>, taken: u8, mode: u8 }
    3 Cast { on: u8, from: Shape, motion: Corner, skin: Maybe<Spot>, layers: Layers, excluded: Maybe<u16>, taken: u8, mode: u8 }
    3 Pairs { on: u8, within: Maybe<Spot>, first: Layers, second: Layers, between: bool, taken: u8, mode: u8 }
    2 PairsOf { on: u8, count: u8, seed: u16, within: Maybe<Spot>, layers: Layers, taken: u8, mode: u8 }
    2 Join { on: u8, other: u8, within: Maybe<Spot>, first: Layers, second: Layers, taken: u8, mode: u8 }
    2 Parallel { on: u8, region: Shape, within: Maybe<Spot>, layers: Layers }

    // Cursors, watches and contacts.
    4 BeginCursor { on: u8, relation: u8, region: Shape, layers: Layers, excluded: Maybe<u16>, taken: u8, form: u8 }
    8 GoOn { on: u8, cursor: u8, way: u8, amount: u8 }
    2 BeginWatch { on: u8, relation: u8, region: Shape, layers: Layers, excluded: Maybe<u16> }
    4 PollWatch { on: u8, watch: u8, region: Maybe<Shape> }
    1 BeginContacts { on: u8, other: u8, form: u8, within: Maybe<Spot>, first: Layers, second: Layers, seed: u16 }
    3 PollContacts { on: u8, contacts: u8, other: u8 }

    // Regions of many corners, and worlds without edges.
    3 Outline { on: u8, relation: u8, outline: u8, corners: u8, seed: u16, layers: Layers, excluded: Maybe<u16>, taken: u8, mode: u8 }
    /// Objects go to where they are without edges.
    1 Wrap { on: u8, axes: u8, seed: u16 }
    6 Torus { on: u8, axes: u8, question: u8, region: Shape, length: Spot, motion: Corner, layers: Layers, excluded: Maybe<u16>, taken: u8, mode: u8 }
    2 JoinOf { on: u8, other: u8, count: u8, seed: u16, within: Maybe<Spot>, first: Layers, second: Layers, taken: u8, mode: u8 }
}

/// The sum of all weights.
const TOTAL: usize = {
    let (mut total, mut at) = (0, 0);
    while at < KINDS.len() {
        total += KINDS[at].1 as usize;
        at += 1;
    }
    total
};
const _: () = assert!(TOTAL <= 256, "one byte decides which operation it is");

impl Op {
    /// An operation, as often as its weight says; one byte decides which.
    pub fn draw(bytes: &mut Bytes<'_>) -> Self {
        Self::draw_of(bytes, u64::MAX)
    }

    /// An operation of which the bit is set.
    pub(crate) fn draw_of(bytes: &mut Bytes<'_>, allowed: u64) -> Self {
        loop {
            let mut left = usize::from(bytes.byte()) % TOTAL;
            let kind = KINDS.iter().position(|(_, weight)| {
                let is_here = left < usize::from(*weight);
                left = left.wrapping_sub((*weight).into());
                is_here
            });
            let kind = kind.expect("the remainder is below the sum");
            if allowed >> kind & 1 == 1 {
                return Self::of_kind(kind, bytes);
            }
        }
    }
}
