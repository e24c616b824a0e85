//! The zone that a browser has drawn: how many aircraft are in it, and who enters and leaves.

use quadrille::{Ball, Changes, ObjectRef, Rect};

use crate::follow::{Follow, Seen};
use crate::frame::{CROWD, FRESH, Frame, Kind, UNFINISHED};
use crate::message::{self, Shape};
use crate::sky::{Sky, wire_id};
use crate::survey::{Allowance, Survey};

/// A zone that is followed.
#[derive(Debug)]
pub struct Zone {
    shape: Shape,
    follow: OfShape,
    told: Told,
}

#[derive(Debug)]
enum OfShape {
    Rect(Follow<Rect>),
    Circle(Follow<Ball>),
    Polygon(Survey),
}

/// The last answer that a browser was told.
#[derive(Debug)]
struct Told {
    number: u32,
    /// The count that was sent last, if no members were.
    crowd: Option<usize>,
}

impl Zone {
    /// Follows a zone.
    #[must_use]
    pub fn new(zone: message::Zone, sky: &Sky<'_>) -> Self {
        let layer = sky.aircraft.id();
        let follow = match zone.shape.clone() {
            Shape::Rect(rect) => OfShape::Rect(Follow::new(layer, rect)),
            Shape::Circle(ball) => OfShape::Circle(Follow::new(layer, ball)),
            Shape::Polygon(polygon) => OfShape::Polygon(Survey::new(layer, polygon)),
        };
        Self { shape: zone.shape, follow, told: Told { number: zone.number, crowd: None } }
    }

    /// Its shape.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Whether it needs an allowance.
    #[must_use]
    pub fn is_surveyed(&self) -> bool {
        matches!(self.follow, OfShape::Polygon(_))
    }

    /// Writes what has changed since the last time, if anything has.
    pub fn write(&mut self, sky: &Sky<'_>, limit: usize, allowance: &mut Allowance, frame: &mut Frame) {
        let Self { follow, told, .. } = self;
        match follow {
            OfShape::Rect(follow) => told.write(follow.look(&sky.index, limit), 1, sky, frame),
            OfShape::Circle(follow) => told.write(follow.look(&sky.index, limit), 1, sky, frame),
            OfShape::Polygon(survey) => match survey.look(&sky.index, limit, allowance) {
                Some((ticks, seen)) => told.write(seen, ticks, sky, frame),
                None => told.write_unfinished(survey.found_so_far(), frame),
            },
        }
    }
}

impl Told {
    fn write<'i>(
        &mut self,
        seen: Seen<'_, impl Iterator<Item = ObjectRef<'i, u32>>>,
        ticks: u32,
        sky: &Sky<'_>,
        frame: &mut Frame,
    ) {
        let (fresh, watch, answer) = match seen {
            Seen::Crowd { count } => {
                if self.crowd.replace(count) != Some(count) {
                    self.begin(CROWD, [count, 0, 0], ticks, frame);
                    frame.end();
                }
                return;
            }
            Seen::List { fresh, watch, answer } => (fresh, watch, answer),
        };
        self.crowd = None;
        let before = watch.inside().len();
        let Changes { entered, left, .. } = watch.poll(answer).expect("the watch is of this index");
        if !fresh && entered.is_empty() && left.is_empty() {
            return;
        }
        let count = before + entered.len() - left.len();
        self.begin(if fresh { FRESH } else { 0 }, [count, left.len(), entered.len()], ticks, frame);
        frame.words(left.iter().map(|&object| wire_id(object)));
        for &object in entered {
            let flight = sky.number(object);
            frame.words([wire_id(object), flight]);
            frame.halves(sky.route(flight));
            frame.word(sky.schedule.number_on_route(flight));
        }
        frame.end();
    }

    /// Writes how many were found so far, if the browser knows nothing of the zone yet.
    fn write_unfinished(&self, found: Option<usize>, frame: &mut Frame) {
        if let (Some(count), None) = (found, self.crowd) {
            self.begin(FRESH | UNFINISHED, [count, 0, 0], 0, frame);
            frame.end();
        }
    }

    /// Begins the section with its head.
    fn begin(&self, flags: u16, counts: [usize; 3], ticks: u32, frame: &mut Frame) {
        frame.begin(Kind::Zone, 0, flags);
        frame.word(self.number);
        frame.words(counts.map(|count| count as u32));
        frame.word(ticks);
    }
}
