//! Holds every answer of a minute against a linear scan, and stops at the first difference.
//!
//! Sets are compared, not counts. The scan has coordinates of its own: those of the tables, and where the fleet says
//! it is; from the index it takes the handles' names, nothing else.

mod lasting;

use quadrille::{Handle, LayerId};

use crate::clock::Minute;
use crate::data::{Position, RegionKind, Tables};
use crate::fleet::Fleet;
use crate::outlines::Part;
use crate::questions::Answers;
use crate::replay::Replay;
use crate::scan::{Boxes, Places};
use crate::sky::{AIRPORTS_AROUND, ENCOUNTER_WITHIN, Object, Sky, TRAFFIC_AROUND, VIEWS, View};
use crate::trouble::is_in_trouble;

use lasting::Memory;

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
pub(crate) struct Verifier<'t> {
    /// Which parts are of states.
    states: Vec<usize>,
    parts: Boxes,
    outlines: Vec<&'t Part>,
    airports: Places,
    aircraft: Places,
    /// Of the minutes before.
    memory: Memory,
    /// Scratch: what the scan and the index gave.
    expected: Vec<Handle>,
    found: Vec<Handle>,
    minute: Minute,
    /// How many answers were compared.
    pub(crate) compared: u64,
    /// How many objects those answers held.
    pub(crate) objects: u64,
}

impl<'t> Verifier<'t> {
    /// Copies the coordinates of what does not move.
    pub(crate) fn new(tables: &'t Tables) -> Self {
        let outlines: Vec<_> = tables.parts.iter().map(|part| &part.outline).collect();
        let mut parts = Boxes::default();
        outlines.iter().map(|outline| outline.bounds()).for_each(|[min, max]| parts.push(min, max));
        let mut airports = Places::default();
        tables.airports.iter().for_each(|airport| airports.push(airport.position));
        let is_state = |&part: &usize| tables.regions[tables.parts[part].region].kind == RegionKind::State;
        Self {
            states: (0..tables.parts.len()).filter(is_state).collect(),
            parts,
            outlines,
            airports,
            aircraft: Places::default(),
            memory: Memory::default(),
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
    pub(crate) fn verify(&mut self, replay: &Replay, minute: Minute, answers: Answers) -> anyhow::Result<()> {
        let Replay { sky, fleet, schedule, .. } = replay;
        self.minute = minute;
        self.look_at(fleet);
        self.verify_contents(sky, fleet)?;
        let mut scanned = Answers::default();
        for place in 0..fleet.len() {
            let flight = fleet.flights()[place];
            let mut verified = self.verify_aircraft(sky, fleet, place, &mut scanned);
            if verified.is_ok() && is_in_trouble(flight, minute) {
                verified = self.verify_nearest_airport(sky, fleet.positions()[place], &mut scanned);
            }
            verified.map_err(|mut difference| {
                difference.question = format!("{}, {}", schedule.name(flight), difference.question);
                difference
            })?;
        }
        for view in &VIEWS {
            self.verify_view(sky, fleet, view, &mut scanned)?;
        }
        self.verify_encounters(sky, fleet, &mut scanned)?;
        self.verify_sectors(&replay.sectors, fleet)?;
        self.verify_survey(&replay.survey, sky, fleet)?;
        self.compared += 1;
        if answers != scanned {
            return Err(self.difference("the numbers drawn", &answers, &scanned).into());
        }
        Ok(())
    }

    /// Copies the coordinates of what moves.
    pub(crate) fn look_at(&mut self, fleet: &Fleet) {
        self.aircraft.clear();
        fleet.positions().iter().for_each(|&position| self.aircraft.push(position));
    }

    /// The index holds what it should, where it should be, and is in good order.
    fn verify_contents(&mut self, sky: &Sky, fleet: &Fleet) -> anyhow::Result<()> {
        if self.minute.number().is_multiple_of(60) {
            sky.index.check_integrity()?;
        }
        let [states, parts] = [self.states.len(), sky.part_handles.len()];
        let lengths = [states, parts - states, sky.airport_handles.len(), fleet.len()];
        self.equal("objects", &sky.index.len(), &lengths.iter().sum::<usize>())?;
        for ((name, layer), expected) in sky.layers().into_iter().zip(lengths) {
            self.equal(name, &sky.index.len_in(layer), &expected)?;
        }
        for ((&handle, position), flight) in fleet.handles().iter().zip(fleet.positions()).zip(fleet.flights()) {
            self.equal("the flight of a handle", &sky.index.get(handle), &Some(flight))?;
            let stored = sky.index.shape(handle).map(|shape| [shape.min(), shape.max()]);
            self.equal("the place of a handle", &stored, &Some([*position, *position]))?;
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
        self.parts.meeting([position, position], |part| {
            if self.outlines[part].holds(position) {
                self.expected.push(sky.part_handles[part]);
            }
        });
        scanned.regions += self.expected.len();
        self.same_set(sky, "the states and counties below", sky.regions_below(position))?;

        self.expected.clear();
        self.airports.inside(square(position, AIRPORTS_AROUND), |airport| {
            self.expected.push(sky.airport_handles[airport]);
        });
        scanned.airports += self.expected.len();
        self.same_set(sky, "the airports around", sky.airports_around(position))?;

        self.expected.clear();
        self.aircraft.inside(square(position, TRAFFIC_AROUND), |other| {
            if other != place {
                self.expected.push(fleet.handles()[other]);
            }
        });
        scanned.aircraft += self.expected.len();
        self.same_set(sky, "the aircraft around", sky.aircraft_around(position, handle))
    }

    /// The nearest, and of several at one distance the one with the least handle.
    fn verify_nearest_airport(
        &mut self,
        sky: &Sky,
        position: Position,
        scanned: &mut Answers,
    ) -> Result<(), Difference> {
        let (square, airports) = self.airports.nearest(position);
        let expected =
            airports.iter().map(|&airport| (sky.airport_handles[airport], square)).min_by_key(|&(airport, _)| airport);
        scanned.nearest_airports += usize::from(expected.is_some());
        self.objects += u64::from(expected.is_some());
        let found = sky.nearest_airport(position).map(|airport| (airport.object.handle(), airport.distance_squared));
        self.equal("the nearest airport", &found, &expected)
    }

    /// The same pairs, each once, whichever of the two is named first.
    pub(crate) fn verify_encounters(
        &mut self,
        sky: &Sky,
        fleet: &Fleet,
        scanned: &mut Answers,
    ) -> Result<(), Difference> {
        let handles = fleet.handles();
        let mut expected = Vec::new();
        for (&position, &handle) in fleet.positions().iter().zip(handles) {
            self.aircraft.within(position, ENCOUNTER_WITHIN * ENCOUNTER_WITHIN, |other| {
                if handle < handles[other] {
                    expected.push([handle, handles[other]]);
                }
            });
        }
        expected.sort_unstable();
        let ordered = |[one, other]: [Handle; 2]| if one < other { [one, other] } else { [other, one] };
        let mut found: Vec<_> = sky.encounters().map(|(one, other)| ordered([one.handle(), other.handle()])).collect();
        found.sort_unstable();

        scanned.encounters += expected.len();
        self.objects += 2 * expected.len() as u64;
        self.compared += 1;
        // All of them may be millions: the first that is not the same will do.
        let same = found.iter().zip(&expected).take_while(|(found, expected)| found == expected).count();
        let (found, expected) = (found.get(same), expected.get(same));
        if found == expected { Ok(()) } else { Err(self.difference("an encounter", &found, &expected)) }
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
            self.parts.meeting(region, |part| {
                if self.states.binary_search(&part).is_ok() == states {
                    expected.push(sky.part_handles[part]);
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
        if torn > 0 {
            return Err(self.difference(&format!("{question}, not as their handles tell"), &torn, &0));
        }
        self.found_is_expected(question)
    }

    /// Compares what is in `found` with what is in `expected`.
    fn found_is_expected(&mut self, question: &str) -> Result<(), Difference> {
        self.found.sort_unstable();
        self.expected.sort_unstable();
        self.compared += 1;
        self.objects += self.expected.len() as u64;
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
