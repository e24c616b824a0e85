//! The zone that a browser has drawn: how many aircraft are in it, and who enters and leaves.

use quadrille::{Ball, Changes, IntoRegion, Polygon, Rect, Region};

use crate::follow::{Follow, Seen};
use crate::frame::{CROWD, FRESH, Frame, Kind};
use crate::message::{self, Shape};
use crate::sky::{Sky, wire_id};

/// A zone that is followed.
#[derive(Debug)]
pub struct Zone {
    number: u32,
    follow: OfShape,
    /// The count that was sent last, if no members were.
    crowd: Option<usize>,
}

#[derive(Debug)]
enum OfShape {
    Rect(Follow<Rect>),
    Circle(Follow<Ball>),
    Polygon(Follow<Polygon>),
}

impl Zone {
    /// Follows a zone.
    #[must_use]
    pub fn new(zone: message::Zone, sky: &Sky<'_>) -> Self {
        let layer = sky.aircraft.id();
        let follow = match zone.shape {
            Shape::Rect(rect) => OfShape::Rect(Follow::new(layer, rect)),
            Shape::Circle(ball) => OfShape::Circle(Follow::new(layer, ball)),
            Shape::Polygon(polygon) => OfShape::Polygon(Follow::new(layer, polygon)),
        };
        Self { number: zone.number, follow, crowd: None }
    }

    /// Writes what has changed since the last time, if anything has.
    pub fn write(&mut self, sky: &Sky<'_>, limit: usize, frame: &mut Frame) {
        let (number, crowd) = (self.number, &mut self.crowd);
        match &mut self.follow {
            OfShape::Rect(follow) => write(follow, number, crowd, sky, limit, frame),
            OfShape::Circle(follow) => write(follow, number, crowd, sky, limit, frame),
            OfShape::Polygon(follow) => write(follow, number, crowd, sky, limit, frame),
        }
    }
}

fn write<R: Region<f32, 2> + IntoRegion<f32, 2, Region = R> + Clone>(
    follow: &mut Follow<R>,
    number: u32,
    crowd: &mut Option<usize>,
    sky: &Sky<'_>,
    limit: usize,
    frame: &mut Frame,
) {
    let (fresh, watch, answer) = match follow.look(&sky.index, limit) {
        Seen::Crowd { count } => {
            if crowd.replace(count) != Some(count) {
                frame.begin(Kind::Zone, 0, CROWD);
                frame.words([number, count as u32, 0, 0]);
                frame.end();
            }
            return;
        }
        Seen::List { fresh, watch, answer } => (fresh, watch, answer),
    };
    *crowd = None;
    let before = watch.inside().len();
    let Changes { entered, left, .. } = watch.poll(answer).expect("the watch is of this index");
    if !fresh && entered.is_empty() && left.is_empty() {
        return;
    }
    let count = before + entered.len() - left.len();
    frame.begin(Kind::Zone, 0, if fresh { FRESH } else { 0 });
    frame.words([number, count as u32, left.len() as u32, entered.len() as u32]);
    frame.words(left.iter().map(|&object| wire_id(object)));
    for &object in entered {
        let flight = sky.number(object);
        frame.words([wire_id(object), flight]);
        frame.halves(sky.route(flight));
    }
    frame.end();
}
