//! The aircraft in the air.
//!
//! Parallel lists, so that the loops that are timed read handles and positions and nothing else. Order means nothing:
//! an aircraft that lands is replaced by the last.

use quadrille::Handle;

use crate::data::Position;
use crate::flight::Leg;
use crate::schedule::FlightNumber;

/// Every aircraft in the air, by its place in four lists of the same length.
#[derive(Debug, Default)]
pub(crate) struct Fleet {
    handles: Vec<Handle>,
    positions: Vec<Position>,
    flights: Vec<FlightNumber>,
    legs: Vec<Leg>,
}

impl Fleet {
    /// How many are in the air.
    pub(crate) fn len(&self) -> usize {
        self.handles.len()
    }

    /// Their names in the index.
    pub(crate) fn handles(&self) -> &[Handle] {
        &self.handles
    }

    /// Where they are.
    pub(crate) fn positions(&self) -> &[Position] {
        &self.positions
    }

    /// Which flights they are.
    pub(crate) fn flights(&self) -> &[FlightNumber] {
        &self.flights
    }

    /// How they fly.
    pub(crate) fn legs(&self) -> &[Leg] {
        &self.legs
    }

    /// Adds an aircraft that is stored in the index already.
    pub(crate) fn push(&mut self, handle: Handle, flight: FlightNumber, leg: Leg, position: Position) {
        self.handles.push(handle);
        self.positions.push(position);
        self.flights.push(flight);
        self.legs.push(leg);
    }

    /// Flies everyone on for a minute; drops those that land, and names them.
    pub(crate) fn advance(&mut self, landed: &mut Vec<Handle>) {
        landed.clear();
        // Backwards, so that whoever takes the place of one that landed has flown already.
        for place in (0..self.len()).rev() {
            self.legs[place].advance();
            if self.legs[place].is_airborne() {
                self.positions[place] = self.legs[place].position();
            } else {
                landed.push(self.handles.swap_remove(place));
                self.positions.swap_remove(place);
                self.flights.swap_remove(place);
                self.legs.swap_remove(place);
            }
        }
    }
}
