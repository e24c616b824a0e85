//! Holds every answer of a minute against a linear scan, and stops at the first difference.
//!
//! Sets are compared, not counts. The scan has coordinates of its own: those of the tables, and where the fleet says
//! it is; from the index it takes the handles' names, nothing else.

use quadrille::{Handle, LayerId};

use crate::clock::Minute;
use crate::data::{Position, RegionKind, Tables};
use crate::fleet::Fleet;
use crate::questions::Answers;
use crate::scan::{Boxes, Places};
use crate::schedule::Schedule;
use crate::sky::{AIRCRAFT_WITHIN, AIRPORTS_WITHIN, Object, Sky, VIEWS, View};

/// An answer that the scan contradicts.
#[derive(Debug, thiserror::Error)]
#[error("{minute}, {question}: the index gives {found}, a linear scan {expected}")]
pub(crate) struct Difference {
    minute: Minute,
    question: String,
    found: String,
    expected: String,
}

/// The scan, and how much of it was done.
#[derive(Debug)]
pub(crate) struct Verifier {
    states: Vec<usize>,
    regions: Boxes,
    airports: Places,
    aircraft: Places,
    /// Scratch: what the scan and the index gave.
    expected: Vec<Handle>,
    found: Vec<Handle>,
    minute: Minute,
    /// How many answers were compared.
    pub(crate) compared: u64,
    /// How many objects those answers held.
    pub(crate) objects: u64,
}

impl Verifier {
    /// Copies the coordinates of what does not move.
    pub(crate) fn new(tables: &Tables) -> Self {
        let mut regions = Boxes::default();
        tables.regions.iter().for_each(|region| regions.push(region.min, region.max));
        let mut airports = Places::default();
        tables.airports.iter().for_each(|airport| airports.push(airport.position));
        let is_state = |&place: &usize| tables.regions[place].kind == RegionKind::State;
        Self {
            states: (0..tables.regions.len()).filter(is_state).collect(),
            regions,
            airports,
            aircraft: Places::default(),
            expected: Vec::new(),
            found: Vec::new(),
            minute: Minute::wrapping(0),
            compared: 0,
            objects: 0,
        }
    }

    /// Compares everything that can be asked in this minute; `answers` is what the timed loops drew.
    ///
    /// # Errors
    /// The first [`Difference`].
    pub(crate) fn verify(
        &mut self,
        sky: &Sky,
        fleet: &Fleet,
        schedule: &Schedule,
        minute: Minute,
        answers: Answers,
    ) -> anyhow::Result<()> {
        self.minute = minute;
        self.aircraft.clear();
        fleet.positions().iter().for_each(|&position| self.aircraft.push(position));
        self.verify_contents(sky, fleet)?;
        let mut scanned = Answers::default();
        for place in 0..fleet.len() {
            self.verify_aircraft(sky, fleet, place, &mut scanned).map_err(|mut difference| {
                difference.question = format!("{}, {}", schedule.name(fleet.flights()[place]), difference.question);
                difference
            })?;
        }
        for view in &VIEWS {
            self.verify_view(sky, fleet, view, &mut scanned)?;
        }
        self.compared += 1;
        if answers != scanned {
            return Err(self.difference("the numbers drawn", &answers, &scanned).into());
        }
        Ok(())
    }

    /// The index holds what it should, where it should be, and is in good order.
    fn verify_contents(&mut self, sky: &Sky, fleet: &Fleet) -> anyhow::Result<()> {
        if self.minute.number().is_multiple_of(60) {
            sky.index.check_integrity()?;
        }
        let [states, regions] = [self.states.len(), sky.region_handles.len()];
        let lengths = [states, regions - states, sky.airport_handles.len(), fleet.len()];
        self.equal("objects", &sky.index.len(), &lengths.iter().sum::<usize>())?;
        for ((name, layer), expected) in sky.layers().into_iter().zip(lengths) {
            self.equal(name, &sky.index.len_in(layer), &expected)?;
        }
        for ((&handle, position), flight) in fleet.handles().iter().zip(fleet.positions()).zip(fleet.flights()) {
            self.equal("the flight of a handle", &sky.index.get(handle), &Some(flight))?;
            let filed = sky.index.shape(handle).map(|shape| [shape.min(), shape.max()]);
            self.equal("the place of a handle", &filed, &Some([*position, *position]))?;
        }
        Ok(())
    }

    fn verify_aircraft(
        &mut self,
        sky: &Sky,
        fleet: &Fleet,
        place: usize,
        scanned: &mut Answers,
    ) -> Result<(), Difference> {
        let (position, handle) = (fleet.positions()[place], fleet.handles()[place]);

        self.expected.clear();
        self.regions.meeting([position, position], |region| self.expected.push(sky.region_handles[region]));
        scanned.regions += self.expected.len();
        self.same_set(sky, "the states and counties below", sky.regions_below(position))?;

        self.expected.clear();
        self.airports.inside(square(position, AIRPORTS_WITHIN), |airport| {
            self.expected.push(sky.airport_handles[airport]);
        });
        scanned.airports += self.expected.len();
        self.same_set(sky, "the airports around", sky.airports_around(position))?;

        self.expected.clear();
        self.aircraft.inside(square(position, AIRCRAFT_WITHIN), |other| {
            if other != place {
                self.expected.push(fleet.handles()[other]);
            }
        });
        scanned.aircraft += self.expected.len();
        scanned.pairs += self.expected.iter().filter(|&&other| handle < other).count();
        self.same_set(sky, "the aircraft around", sky.aircraft_around(position, handle))
    }

    fn verify_view(&mut self, sky: &Sky, fleet: &Fleet, view: &View, scanned: &mut Answers) -> Result<(), Difference> {
        let region = [view.min, view.max];
        let mut near: Vec<Handle> = sky.near_view(view).map(|object| object.handle()).collect();
        near.sort_unstable();
        let distinct = near.windows(2).filter(|pair| pair[0] != pair[1]).count() + usize::from(!near.is_empty());
        self.equal("the objects near the view, each once", &near.len(), &distinct)?;

        for (name, layer) in sky.layers() {
            self.scan_layer(sky, fleet, layer, region);
            scanned.in_views += self.expected.len();
            self.same_set(sky, &format!("{name} in view of {}", view.name), sky.in_view(view, layer))?;
            let missing = self.expected.iter().filter(|handle| near.binary_search(handle).is_err()).count();
            self.equal(&format!("{name} in view of {} but not near it", view.name), &missing, &0)?;
            if layer == sky.aircraft.id() {
                let any = !self.expected.is_empty();
                scanned.views_with_aircraft += usize::from(any);
                self.equal(&format!("any aircraft in view of {}", view.name), &sky.any_aircraft_in(view), &any)?;
            }
        }
        Ok(())
    }

    /// Leaves the objects of a layer that meet a region in `expected`.
    fn scan_layer(&mut self, sky: &Sky, fleet: &Fleet, layer: LayerId, region: [Position; 2]) {
        let expected = &mut self.expected;
        expected.clear();
        if layer == sky.airports.id() {
            self.airports.inside(region, |airport| expected.push(sky.airport_handles[airport]));
        } else if layer == sky.aircraft.id() {
            self.aircraft.inside(region, |place| expected.push(fleet.handles()[place]));
        } else {
            let states = layer == sky.states.id();
            self.regions.meeting(region, |region| {
                if self.states.binary_search(&region).is_ok() == states {
                    expected.push(sky.region_handles[region]);
                }
            });
        }
    }

    /// Compares what a query gives with what the scan left in `expected`: the same objects, each once, and each as
    /// its handle tells.
    fn same_set<'a>(
        &mut self,
        sky: &Sky,
        question: &str,
        answer: impl Iterator<Item = Object<'a>>,
    ) -> Result<(), Difference> {
        self.found.clear();
        let mut torn = 0;
        self.found.extend(answer.map(|object| {
            let handle = object.handle();
            let whole =
                sky.index.get(handle) == Some(object.value()) && sky.index.shape(handle) == Some(object.shape());
            torn += usize::from(!whole);
            handle
        }));
        self.found.sort_unstable();
        self.expected.sort_unstable();
        self.compared += 1;
        self.objects += self.expected.len() as u64;
        if torn > 0 {
            return Err(self.difference(&format!("{question}, not as their handles tell"), &torn, &0));
        }
        if self.found == self.expected { Ok(()) } else { Err(self.difference(question, &self.found, &self.expected)) }
    }

    fn equal<V: PartialEq + std::fmt::Debug>(
        &mut self,
        question: &str,
        found: &V,
        expected: &V,
    ) -> Result<(), Difference> {
        self.compared += 1;
        if found == expected { Ok(()) } else { Err(self.difference(question, found, expected)) }
    }

    fn difference(&self, question: &str, found: &impl std::fmt::Debug, expected: &impl std::fmt::Debug) -> Difference {
        Difference {
            minute: self.minute,
            question: question.to_owned(),
            found: format!("{found:?}"),
            expected: format!("{expected:?}"),
        }
    }
}

fn square([x, y]: Position, half: f64) -> [Position; 2] {
    [[x - half, y - half], [x + half, y + half]]
}
