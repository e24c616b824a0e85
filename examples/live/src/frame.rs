//! The bytes that are sent after each tick: a head, and sections of which each starts at a multiple of four bytes. All
//! numbers are little-endian words of 32 bits, so that a browser can read them in place.
//!
//! | words | |
//! |---|---|
//! | 0 to 3 | tick; minute of the day (float); aircraft in the air; number of sections |
//! | 4 to 7 | left, bottom, right, top of the view that the frame is about (floats) |
//! | each section | a byte for its kind, one for the layer, two for flags (1: forget the list first; 2: too many to be listed; 4: the zone is being computed); its length in bytes; its content |
//!
//! | kind | content |
//! |---|---|
//! | 1, list | counts of those that left, that entered, and of places; the numbers of those that left; for each that entered its number, its number in the table, and of an aircraft its airports (two halves of a word), of an airport its place (floats), of a part of a region nothing; places of all aircraft in the list |
//! | 2, crowd | count; side of a cell (float); count of markers, and of those that are gone; of each its number, that of the marker that it came out of, its count, and the mean of its places; of each of the gone its number, and that of the marker that it went into. `ffff_ffff` is none; where the side has changed numbers begin anew |
//! | 3, zone | number of the zone; its count, or how many were found so far; counts of those that left and entered; how many ticks the answer took, 0 if it is not there yet; the numbers of those that left; for each that entered its number, its number in the table, its airports, and which of the flights between them it is |
//! | 4, cells | count; box (floats) and objects of each |
//! | 5, off | nothing: the layer is not shown any more |
//!
//! An object's number is that of its handle's slot. Lists are in ascending order of these numbers at both ends, so a place needs no
//! number: it is two halves of a word, 65 536 steps from edge to edge of the view. Objects that stand still are sent once. Parts of regions
//! are numbered as in `/outlines.bin`.

use quadrille::Rect;

use crate::globe::Place;
use crate::sky::LayerName;

/// The number of 32-bit words in the head of a frame.
pub const HEAD_WORDS: usize = 8;

/// The kinds of sections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Changes of a layer's list.
    List = 1,
    /// A layer of which there is too much to be listed.
    Crowd = 2,
    /// Changes of the zone's members.
    Zone = 3,
    /// The cells of the aircraft's tree.
    Cells = 4,
    /// A layer that is not shown any more.
    Off = 5,
}

/// The browser is to forget its list first.
pub const FRESH: u16 = 1;
/// There are too many to be listed.
pub const CROWD: u16 = 2;
/// They are not all found yet: the count is of those found so far.
pub const UNFINISHED: u16 = 4;

/// A frame that is being written.
#[derive(Debug)]
pub struct Frame {
    bytes: Vec<u8>,
    sections: u32,
    section: usize,
}

impl Frame {
    /// A frame without sections: the tick, the minute of the day, how many are in the air, and the part of the map that
    /// it is about.
    #[must_use]
    pub fn new(tick: u32, minute: f32, airborne: u32, view: Rect) -> Self {
        let mut frame = Self { bytes: Vec::with_capacity(256), sections: 0, section: 0 };
        frame.word(tick);
        frame.float(minute);
        frame.word(airborne);
        frame.word(0);
        frame.corners(view);
        frame
    }

    /// Begins a section.
    pub fn begin(&mut self, kind: Kind, layer: u8, flags: u16) {
        self.sections += 1;
        self.bytes.extend([kind as u8, layer]);
        self.bytes.extend(flags.to_le_bytes());
        self.word(0);
        self.section = self.bytes.len();
    }

    /// Ends the section: now its length is known.
    pub fn end(&mut self) {
        let len = (self.bytes.len() - self.section) as u32;
        self.bytes[self.section - 4..self.section].copy_from_slice(&len.to_le_bytes());
    }

    /// A section that says only that a layer is not shown.
    pub fn off(&mut self, layer: LayerName) {
        self.begin(Kind::Off, layer.number(), 0);
        self.end();
    }

    /// Adds a number.
    pub fn word(&mut self, word: u32) {
        self.bytes.extend(word.to_le_bytes());
    }

    /// Adds several.
    pub fn words(&mut self, words: impl IntoIterator<Item = u32>) {
        for word in words {
            self.word(word);
        }
    }

    /// Adds a coordinate.
    pub fn float(&mut self, number: f32) {
        self.bytes.extend(number.to_le_bytes());
    }

    /// Adds two small numbers, as one word.
    pub fn halves(&mut self, [low, high]: [u16; 2]) {
        self.word(u32::from(low) | u32::from(high) << 16);
    }

    /// Adds a place.
    pub fn place(&mut self, place: Place) {
        for number in place {
            self.float(number);
        }
    }

    /// Adds the two corners of a box.
    pub fn corners(&mut self, rect: Rect) {
        self.place(rect.min());
        self.place(rect.max());
    }

    /// The bytes.
    #[must_use]
    pub fn finish(mut self) -> Vec<u8> {
        self.bytes[12..16].copy_from_slice(&self.sections.to_le_bytes());
        self.bytes
    }
}

/// Places within a box as two numbers of 16 bits: 65 536 steps from edge to edge.
#[derive(Clone, Copy, Debug)]
pub struct Steps {
    origin: Place,
    steps_a_degree: Place,
}

impl Steps {
    /// The steps of a box.
    #[must_use]
    pub fn of(view: Rect) -> Self {
        Self { origin: view.min(), steps_a_degree: view.size().map(|size| f32::from(u16::MAX) / size) }
    }

    /// The nearest step to a place. Places beyond an edge are put on it.
    #[must_use]
    pub fn step(&self, place: Place) -> [u16; 2] {
        #[expect(clippy::cast_sign_loss, reason = "a cast of a float ends at 0 and at the largest number")]
        std::array::from_fn(|axis| ((place[axis] - self.origin[axis]) * self.steps_a_degree[axis]).round() as u16)
    }

    /// The place of a step.
    #[must_use]
    pub fn place(&self, step: [u16; 2]) -> Place {
        std::array::from_fn(|axis| self.origin[axis] + f32::from(step[axis]) / self.steps_a_degree[axis])
    }
}
