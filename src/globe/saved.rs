//! The data form of a cap.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Cap, GreatCircle};
use crate::geometry::{Array, Readable};

/// A cap: the place in degrees and radians, as a great circle has it, the diameter of the sphere, and the distance.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Cap")]
struct SavedCap {
    place: Array<Readable<f64>, 2>,
    diameter: Readable<f64>,
    distance: Readable<f64>,
}

impl Serialize for Cap {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        let Self { center, distance, .. } = *self;
        let (place, diameter) = (Array::of(center.place()), Readable(center.diameter()));
        SavedCap { place, diameter, distance: Readable(distance) }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Cap {
    fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
        let SavedCap { place, diameter, distance } = SavedCap::deserialize(deserializer)?;
        Ok(GreatCircle::of_parts(place.numbers(), diameter.0).within(distance.0))
    }
}
