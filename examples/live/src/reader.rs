//! Reads frames again, as the page does: for tests, and for clients that are no browsers.

use std::collections::BTreeMap;

use crate::frame::{CROWD, FRESH, HEAD_WORDS, Kind, Steps, UNFINISHED};
use crate::globe::Place;
use quadrille::Rect;
use quadrille_airspace::bytes::{Bytes, Malformed};

/// An object of a list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Listed {
    /// Its number in its table.
    pub number: u32,
    /// Where it is; of a part of a region NaN.
    pub place: Place,
}

/// The state of a page, made of frames alone.
#[derive(Clone, Debug, Default)]
pub struct Mirror {
    /// The last tick.
    pub tick: u32,
    /// How many are in the air.
    pub airborne: u32,
    /// The part of the map that the last frame was about.
    pub view: [f32; 4],
    /// The objects of each layer by their numbers on the wire.
    pub layers: [BTreeMap<u32, Listed>; 4],
    /// For each layer that is too crowded, how many there are, and the sum over its clusters.
    pub crowds: [Option<[u32; 2]>; 4],
    /// The zone's count, as far as it is known.
    pub zone_count: u32,
    /// How many ticks the last answer about the zone took; 0 if it is not there yet.
    pub zone_ticks: u32,
    /// Members of the zone, by their numbers on the wire: their flights.
    pub zone: BTreeMap<u32, u32>,
    /// How many cells were sent last.
    pub cells: usize,
}

/// The numbers of a frame.
trait Words {
    fn word(&mut self) -> Result<u32, Malformed>;
    fn float(&mut self) -> Result<f32, Malformed>;
    fn place(&mut self) -> Result<Place, Malformed>;
}

impl Words for Bytes<'_> {
    fn word(&mut self) -> Result<u32, Malformed> {
        self.take().map(u32::from_le_bytes)
    }

    fn float(&mut self) -> Result<f32, Malformed> {
        self.take().map(f32::from_le_bytes)
    }

    fn place(&mut self) -> Result<Place, Malformed> {
        Ok([self.float()?, self.float()?])
    }
}

impl Mirror {
    /// Follows a frame.
    ///
    /// # Errors
    /// It is malformed. All before its fault has been followed.
    pub fn follow(&mut self, bytes: &[u8]) -> Result<(), Malformed> {
        let mut bytes = Bytes::new(bytes);
        (self.tick, _) = (bytes.word()?, bytes.float()?);
        self.airborne = bytes.word()?;
        let sections = bytes.word()?;
        for number in &mut self.view {
            *number = bytes.float()?;
        }
        debug_assert_eq!(bytes.at, 4 * HEAD_WORDS);
        for _ in 0..sections {
            let ([kind, layer], flags) = (bytes.take()?, u16::from_le_bytes(bytes.take()?));
            let end = bytes.word()? as usize + bytes.at;
            self.section(&mut bytes, kind, usize::from(layer), flags)?;
            if end != bytes.at {
                return Err(Malformed { at: bytes.at });
            }
        }
        bytes.end()
    }

    fn section(&mut self, bytes: &mut Bytes<'_>, kind: u8, layer: usize, flags: u16) -> Result<(), Malformed> {
        const LIST: u8 = Kind::List as u8;
        const CROWDED: u8 = Kind::Crowd as u8;
        const ZONE: u8 = Kind::Zone as u8;
        const CELLS: u8 = Kind::Cells as u8;
        const OFF: u8 = Kind::Off as u8;
        if 3 < layer {
            return Err(Malformed { at: bytes.at });
        }
        match kind {
            LIST => self.list(bytes, layer, flags),
            CROWDED => self.crowd(bytes, layer),
            ZONE => self.zone(bytes, flags),
            CELLS => {
                self.cells = bytes.word()? as usize;
                (0..self.cells * 5).try_for_each(|_| bytes.word().map(drop))
            }
            OFF => {
                self.layers[layer].clear();
                self.crowds[layer] = None;
                Ok(())
            }
            _ => Err(Malformed { at: bytes.at }),
        }
    }

    fn list(&mut self, bytes: &mut Bytes<'_>, layer: usize, flags: u16) -> Result<(), Malformed> {
        let [min_x, min_y, max_x, max_y] = self.view;
        let list = &mut self.layers[layer];
        self.crowds[layer] = None;
        if flags & FRESH != 0 {
            list.clear();
        }
        let (left, entered, places) = (bytes.word()?, bytes.word()?, bytes.word()?);
        for _ in 0..left {
            list.remove(&bytes.word()?).ok_or(Malformed { at: bytes.at })?;
        }
        for _ in 0..entered {
            let (id, number) = (bytes.word()?, bytes.word()?);
            let place = match layer {
                0 => bytes.word().map(|_| [f32::NAN; 2])?,
                1 => bytes.place()?,
                _ => [f32::NAN; 2],
            };
            if list.insert(id, Listed { number, place }).is_some() {
                return Err(Malformed { at: bytes.at });
            }
        }
        if places != 0 && places as usize != list.len() {
            return Err(Malformed { at: bytes.at });
        }
        if places != 0 {
            let steps = Steps::of(Rect::new([min_x, min_y], [max_x, max_y]));
            for listed in list.values_mut() {
                listed.place = steps.place([u16::from_le_bytes(bytes.take()?), u16::from_le_bytes(bytes.take()?)]);
            }
        }
        Ok(())
    }

    fn crowd(&mut self, bytes: &mut Bytes<'_>, layer: usize) -> Result<(), Malformed> {
        self.layers[layer].clear();
        let count = bytes.word()?;
        let (_side, markers, gone) = (bytes.float()?, bytes.word()?, bytes.word()?);
        let mut sum = 0;
        for _ in 0..markers {
            let [_number, _from, of_marker, _mean] = [bytes.word()?, bytes.word()?, bytes.word()?, bytes.word()?];
            sum += of_marker;
        }
        for _ in 0..2 * gone {
            bytes.word()?;
        }
        self.crowds[layer] = Some([count, sum]);
        Ok(())
    }

    fn zone(&mut self, bytes: &mut Bytes<'_>, flags: u16) -> Result<(), Malformed> {
        if flags & (FRESH | CROWD) != 0 {
            self.zone.clear();
        }
        let _number = bytes.word()?;
        self.zone_count = bytes.word()?;
        let (left, entered) = (bytes.word()?, bytes.word()?);
        self.zone_ticks = bytes.word()?;
        for _ in 0..left {
            self.zone.remove(&bytes.word()?).ok_or(Malformed { at: bytes.at })?;
        }
        for _ in 0..entered {
            let [id, flight, _route, _number] = [bytes.word()?, bytes.word()?, bytes.word()?, bytes.word()?];
            self.zone.insert(id, flight);
        }
        if flags & (CROWD | UNFINISHED) == 0 && self.zone.len() != self.zone_count as usize {
            return Err(Malformed { at: bytes.at });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Frame;

    #[test]
    fn numbers_come_back() {
        let mut frame = Frame::new(7, 2.5, 9, Rect::new([0.0, 0.0], [1.0, 1.0]));
        frame.begin(Kind::Crowd, 0, 0);
        frame.word(300);
        frame.float(0.5);
        frame.words([2, 1]);
        for count in [255, 45] {
            frame.words([count, u32::MAX, count]);
            frame.halves([0, u16::MAX]);
        }
        frame.words([7, 45]);
        frame.end();
        let bytes = frame.finish();
        assert!(bytes.len().is_multiple_of(4));
        let mut mirror = Mirror::default();
        mirror.follow(&bytes).unwrap();
        assert_eq!((mirror.tick, mirror.airborne, mirror.crowds[0]), (7, 9, Some([300, 300])));
        for len in 0..bytes.len() {
            assert!(Mirror::default().follow(&bytes[..len]).is_err(), "cut off at {len}");
        }
    }

    #[test]
    fn places_are_kept_to_a_step() {
        let view = Rect::new([-100.0, 20.0], [-60.0, 50.0]);
        let steps = Steps::of(view);
        for part in 0..=1000_u16 {
            let place = [-100.0 + f32::from(part) * 0.04, 20.0 + f32::from(part) * 0.03];
            let back = steps.place(steps.step(place));
            assert!((0..2).all(|axis| (place[axis] - back[axis]).abs() < 4e-4), "{place:?} became {back:?}");
        }
        assert_eq!(steps.step([-200.0, 70.0]), [0, u16::MAX]);
    }
}
