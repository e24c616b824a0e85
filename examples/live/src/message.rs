//! Messages of browsers: JSON with one key, checked before anything is changed.

use quadrille::{Ball, Polygon, Rect};
use serde::Deserialize;

use crate::globe::Place;
use crate::sky::LayerName;

/// How long a message may be, in bytes.
pub const BYTES_MAX: usize = 16 * 1024;
/// How many corners a polygon may have: each is looked at for every square and object that it may meet, within the allowance
/// of a [`survey`](crate::survey).
pub const CORNERS_MAX: usize = 256;
/// Numbers beyond are no places of the map.
const COORDINATE_MAX: f32 = 1000.0;

/// A message that can be followed.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Show this part of the map.
    View(Rect),
    /// Show these layers, and no others.
    Layers([bool; 4]),
    /// Watch this zone, or none.
    Zone(Option<Zone>),
    /// Show the cells of the aircraft's tree, or do not.
    Cells(bool),
    /// Select the aircraft nearest to a place, or none.
    Select(Option<Spot>),
}

/// A zone that was drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Zone {
    /// The browser's number of it, to be sent back.
    pub number: u32,
    /// Its shape.
    pub shape: Shape,
}

/// The shape of a zone.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A rectangle.
    Rect(Rect),
    /// A circle.
    Circle(Ball),
    /// A polygon, convex or not.
    Polygon(Polygon),
}

/// A place that was clicked.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spot {
    /// The place.
    pub at: Place,
    /// How far from it an aircraft may be, in degrees of the map.
    pub reach: f32,
}

/// A message that changes nothing.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// It is not text.
    #[error("messages are text, not bytes")]
    NotText,
    /// It is too long.
    #[error("the message has {len} bytes, limit {BYTES_MAX}")]
    TooLong {
        /// Its length.
        len: usize,
    },
    /// It is not what can be asked.
    #[error("not understood: {reason}")]
    NotUnderstood {
        /// Why, with its place in the message.
        reason: String,
    },
    /// A number is not a coordinate of the map.
    #[error("{what}: {number} is not between -{COORDINATE_MAX} and {COORDINATE_MAX}")]
    OffTheMap {
        /// Which.
        what: &'static str,
        /// The number.
        number: f32,
    },
    /// A box has no width or no height, or its corners are the wrong way round.
    #[error("{what}: the corner {min:?} is not to the lower left of {max:?}")]
    NoArea {
        /// Which.
        what: &'static str,
        /// The first corner.
        min: Place,
        /// The second.
        max: Place,
    },
    /// A length is negative.
    #[error("{what}: {length} is less than 0")]
    Negative {
        /// Which.
        what: &'static str,
        /// The length.
        length: f32,
    },
    /// A polygon has too few or too many corners.
    #[error("polygon: it has {corners} corners, at least 3 and at most {CORNERS_MAX} are allowed")]
    Corners {
        /// How many it has.
        corners: usize,
    },
}

/// A message as it is written.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Written {
    View([f32; 4]),
    Layers(Vec<LayerName>),
    Zone(Option<WrittenZone>),
    Cells(bool),
    Select(Option<Spot>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenZone {
    number: u32,
    shape: WrittenShape,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum WrittenShape {
    Rect([f32; 4]),
    Circle { center: Place, radius: f32 },
    Polygon(Vec<Place>),
}

impl Request {
    /// Reads a message.
    ///
    /// # Errors
    /// The first fault of it.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        if BYTES_MAX < text.len() {
            return Err(Refusal::TooLong { len: text.len() });
        }
        let written =
            serde_json::from_str(text).map_err(|error| Refusal::NotUnderstood { reason: error.to_string() })?;
        Ok(match written {
            Written::View(corners) => Self::View(rect("view", corners)?),
            Written::Layers(names) => Self::Layers(LayerName::ALL.map(|name| names.contains(&name))),
            Written::Zone(None) => Self::Zone(None),
            Written::Zone(Some(zone)) => Self::Zone(Some(Zone { number: zone.number, shape: zone.shape.check()? })),
            Written::Cells(shown) => Self::Cells(shown),
            Written::Select(None) => Self::Select(None),
            Written::Select(Some(spot)) => {
                on_the_map("select", &spot.at)?;
                length("select", spot.reach)?;
                Self::Select(Some(spot))
            }
        })
    }
}

impl WrittenShape {
    fn check(self) -> Result<Shape, Refusal> {
        Ok(match self {
            Self::Rect(corners) => Shape::Rect(rect("rect", corners)?),
            Self::Circle { center, radius } => {
                on_the_map("circle", &center)?;
                length("circle", radius)?;
                Shape::Circle(Ball::new(center, radius))
            }
            Self::Polygon(corners) => {
                if !(3..=CORNERS_MAX).contains(&corners.len()) {
                    return Err(Refusal::Corners { corners: corners.len() });
                }
                on_the_map("polygon", corners.as_flattened())?;
                Shape::Polygon(Polygon::new(corners))
            }
        })
    }
}

fn rect(what: &'static str, [left, bottom, right, top]: [f32; 4]) -> Result<Rect, Refusal> {
    on_the_map(what, &[left, bottom, right, top])?;
    if left < right && bottom < top {
        Ok(Rect::new([left, bottom], [right, top]))
    } else {
        Err(Refusal::NoArea { what, min: [left, bottom], max: [right, top] })
    }
}

fn length(what: &'static str, length: f32) -> Result<(), Refusal> {
    on_the_map(what, &[length])?;
    if length < 0.0 { Err(Refusal::Negative { what, length }) } else { Ok(()) }
}

fn on_the_map(what: &'static str, numbers: &[f32]) -> Result<(), Refusal> {
    // JSON has no NaN.
    match numbers.iter().find(|number| COORDINATE_MAX < number.abs()) {
        Some(&number) => Err(Refusal::OffTheMap { what, number }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read() {
        let read = |text| Request::parse(text).unwrap();
        assert_eq!(read(r#"{"view":[-1,2,3,4.5]}"#), Request::View(Rect::new([-1.0, 2.0], [3.0, 4.5])));
        assert_eq!(read(r#"{"layers":["states","aircraft"]}"#), Request::Layers([true, false, false, true]));
        assert_eq!(read(r#"{"cells":true}"#), Request::Cells(true));
        assert_eq!(read(r#"{"select":null}"#), Request::Select(None));
        let spot = Spot { at: [1.0, 2.0], reach: 0.5 };
        assert_eq!(read(r#"{"select":{"at":[1,2],"reach":0.5}}"#), Request::Select(Some(spot)));
        assert_eq!(read(r#"{"zone":null}"#), Request::Zone(None));
        let zone = |shape| Request::Zone(Some(Zone { number: 7, shape }));
        let circle = read(r#"{"zone":{"number":7,"shape":{"circle":{"center":[1,2],"radius":3}}}}"#);
        assert_eq!(circle, zone(Shape::Circle(Ball::new([1.0, 2.0], 3.0))));
        let corners = [[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]];
        let polygon = read(r#"{"zone":{"number":7,"shape":{"polygon":[[0,0],[4,0],[0,4]]}}}"#);
        assert_eq!(polygon, zone(Shape::Polygon(Polygon::new(corners))));
    }

    #[test]
    fn others_are_refused_with_the_reason() {
        let many =
            format!(r#"{{"zone":{{"number":1,"shape":{{"polygon":[{}[0,0]]}}}}}}"#, "[0,0],".repeat(CORNERS_MAX));
        let cases = [
            ("", "not understood: EOF while parsing a value at line 1 column 0"),
            ("{}", "not understood: expected value at line 1 column 2"),
            (r#"{"view":[1,2,3]}"#, "not understood: invalid length 3, expected an array of length 4"),
            (r#"{"view":[1,2,3,4],"cells":true}"#, "not understood: expected value at line 1 column 17"),
            (r#"{"look":1}"#, "not understood: unknown variant `look`"),
            (r#"{"layers":["sharks"]}"#, "not understood: unknown variant `sharks`"),
            (r#"{"select":{"at":[0,0],"reach":1,"x":1}}"#, "not understood: unknown field `x`"),
            (r#"{"view":[0,0,1e39,1]}"#, "view: inf is not between -1000 and 1000"),
            (r#"{"view":[0,0,1e999,1]}"#, "not understood: number out of range"),
            (r#"{"view":[0,0,1001,1]}"#, "view: 1001 is not between -1000 and 1000"),
            (r#"{"view":[3,0,1,1]}"#, "view: the corner [3.0, 0.0] is not to the lower left of [1.0, 1.0]"),
            (r#"{"view":[3,0,3,1]}"#, "view: the corner [3.0, 0.0] is not to the lower left of [3.0, 1.0]"),
            (r#"{"select":{"at":[0,0],"reach":-1}}"#, "select: -1 is less than 0"),
            (r#"{"zone":{"number":1,"shape":{"polygon":[[0,0],[1,1]]}}}"#, "polygon: it has 2 corners, at least 3"),
            (many.as_str(), "polygon: it has 257 corners"),
        ];
        for (text, reason) in cases {
            let refusal = Request::parse(text).unwrap_err().to_string();
            assert!(refusal.starts_with(reason), "{text}: {refusal}");
        }
        assert_eq!(Request::parse(&" ".repeat(BYTES_MAX + 1)), Err(Refusal::TooLong { len: BYTES_MAX + 1 }));
    }
}
