//! One browser's view: a watch for each layer that it shows, and what is written of them after a tick.

use std::time::Instant;

use quadrille::{Changes, Handle, Rect};

use crate::follow::{Follow, Seen};
use crate::frame::{FRESH, Frame, Kind, Steps};
use crate::message::{Request, Shape};
use crate::overview::{self, Crowd};
use crate::select;
use crate::sky::{LayerName, Sky, wire_id};
use crate::survey::Allowance;
use crate::times::micros;
use crate::zone::Zone;

/// Clusters and cells are written in every so many ticks: nobody can look at more.
pub const SELDOM: u32 = 5;

/// How long the queries of a view took last, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Micros {
    /// Of each layer: count, watch and positions; or the clusters.
    pub layers: [f32; 4],
    /// Of the zone.
    pub zone: f32,
    /// Of the cells of the tree.
    pub cells: f32,
}

/// A view.
#[derive(Debug)]
pub struct View {
    rect: Rect,
    layers: [Option<ShownLayer>; 4],
    turned_off: [bool; 4],
    zone: Option<Zone>,
    cells: bool,
    selected: Option<Handle>,
    micros: Micros,
}

#[derive(Debug)]
struct ShownLayer {
    name: LayerName,
    follow: Follow<Rect>,
    crowd: Crowd,
    /// Whether the view has changed since the last poll: what stands still need not be polled otherwise.
    is_stale: bool,
}

impl View {
    /// A view of a part of the map, with these layers.
    #[must_use]
    pub fn new(rect: Rect, layers: [bool; 4], sky: &Sky<'_>) -> Self {
        let mut view = Self {
            rect,
            layers: [const { None }; 4],
            turned_off: [false; 4],
            zone: None,
            cells: false,
            selected: None,
            micros: Micros::default(),
        };
        view.show(layers, sky);
        view
    }

    /// Does what a browser has asked for.
    pub fn follow(&mut self, request: Request, sky: &Sky<'_>) {
        match request {
            Request::View(rect) => self.look_at(rect),
            Request::Layers(shown) => self.show(shown, sky),
            Request::Zone(zone) => self.zone = zone.map(|zone| Zone::new(zone, sky)),
            Request::Cells(shown) => self.cells = shown,
            Request::Select(spot) => self.selected = spot.and_then(|spot| select::nearest(sky, spot)),
        }
    }

    /// The aircraft that is selected.
    #[must_use]
    pub fn selected(&self) -> Option<Handle> {
        self.selected
    }

    /// Selects nothing.
    pub fn deselect(&mut self) {
        self.selected = None;
    }

    /// How long the queries took last.
    #[must_use]
    pub fn micros(&self) -> Micros {
        self.micros
    }

    /// The part of the map that is shown.
    #[must_use]
    pub fn rect(&self) -> Rect {
        self.rect
    }

    /// The zone.
    #[must_use]
    pub fn zone(&self) -> Option<&Shape> {
        self.zone.as_ref().map(Zone::shape)
    }

    fn look_at(&mut self, rect: Rect) {
        self.rect = rect;
        for layer in self.layers.iter_mut().flatten() {
            layer.follow.set_region(rect);
            layer.is_stale = true;
        }
    }

    fn show(&mut self, shown: [bool; 4], sky: &Sky<'_>) {
        for name in LayerName::ALL {
            let number = usize::from(name.number());
            let layer = &mut self.layers[number];
            if !shown[number] {
                self.turned_off[number] |= layer.take().is_some();
            } else if layer.is_none() {
                let follow = Follow::new(sky.layer(name), self.rect);
                *layer = Some(ShownLayer { name, follow, crowd: Crowd::default(), is_stale: true });
            }
        }
    }

    /// Whether its zone needs an allowance.
    #[must_use]
    pub fn is_surveyed(&self) -> bool {
        self.zone.as_ref().is_some_and(Zone::is_surveyed)
    }

    /// Writes all that has changed since the last time.
    pub fn write(
        &mut self,
        sky: &Sky<'_>,
        limit: usize,
        is_seldom: bool,
        allowance: &mut Allowance,
        frame: &mut Frame,
    ) {
        for name in LayerName::ALL {
            if std::mem::take(&mut self.turned_off[usize::from(name.number())]) {
                frame.off(name);
            }
        }
        for layer in self.layers.iter_mut().flatten() {
            let begun = Instant::now();
            if layer.write(self.rect, sky, limit, is_seldom, frame) {
                self.micros.layers[usize::from(layer.name.number())] = micros(begun.elapsed());
            }
        }
        if let Some(zone) = &mut self.zone {
            let begun = Instant::now();
            zone.write(sky, limit, allowance, frame);
            self.micros.zone = micros(begun.elapsed());
        }
        if self.cells && is_seldom {
            let begun = Instant::now();
            overview::write_cells(sky, self.rect, frame);
            self.micros.cells = micros(begun.elapsed());
        }
    }
}

impl ShownLayer {
    /// Whether there was anything to ask.
    fn write(&mut self, view: Rect, sky: &Sky<'_>, limit: usize, is_seldom: bool, frame: &mut Frame) -> bool {
        let moves = self.name == LayerName::Aircraft;
        if !moves && !self.is_stale {
            return false;
        }
        let was_stale = std::mem::take(&mut self.is_stale);
        match self.follow.look(&sky.index, limit) {
            Seen::Crowd { count } if was_stale || is_seldom => self.crowd.write(sky, self.name, view, count, frame),
            Seen::Crowd { .. } => return false,
            Seen::List { fresh, watch, answer } => {
                let mut inside = watch.inside().len();
                let Changes { entered, left, .. } = watch.poll(answer).expect("the watch is of this index");
                inside = inside + entered.len() - left.len();
                frame.begin(Kind::List, self.name.number(), if fresh { FRESH } else { 0 });
                frame.words([left.len(), entered.len(), if moves { inside } else { 0 }].map(|len| len as u32));
                frame.words(left.iter().map(|&object| wire_id(object)));
                for &object in entered {
                    write_entered(sky, self.name, object, frame);
                }
                if moves {
                    let steps = Steps::of(view);
                    let places = watch.inside().iter().filter_map(|&object| sky.place(object));
                    places.for_each(|place| frame.halves(steps.step(place)));
                }
                frame.end();
            }
        }
        true
    }
}

fn write_entered(sky: &Sky<'_>, layer: LayerName, object: Handle, frame: &mut Frame) {
    let number = sky.number(object);
    frame.words([wire_id(object), number]);
    match (layer, sky.index.shape(object)) {
        (LayerName::Aircraft, _) => frame.halves(sky.route(number)),
        (LayerName::Airports, Some(shape)) => frame.place(shape.min()),
        // The page has the outlines.
        _ => {}
    }
}

#[cfg(test)]
mod tests;
