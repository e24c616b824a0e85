//! The data form of shapes: the arguments that each was made of.

use alloc::vec::Vec;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::geometry::{Array, Readable, save_as};
use crate::{AnyOf, Corridor, HalfSpace, IntoRegion, Polygon, Region, Scalar};

save_as!(HalfSpace as SavedHalfSpace, "HalfSpace" { normal; offset }, |normal, offset| {
    Ok::<_, &str>(HalfSpace::new(normal, offset))
});

/// The arguments that a corridor was made of.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Corridor", bound(serialize = "S: Scalar + Serialize", deserialize = "S: Scalar + Deserialize<'de>"))]
struct SavedCorridor<S, const D: usize> {
    points: Vec<Array<Readable<S>, D>>,
    distance: Readable<S>,
}

impl<S: Scalar + Serialize, const D: usize> Serialize for Corridor<S, D> {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        let points = self.points().iter().copied().map(Array::of).collect();
        SavedCorridor { points, distance: Readable(self.distance()) }.serialize(serializer)
    }
}

impl<'de, S: Scalar + Deserialize<'de>, const D: usize> Deserialize<'de> for Corridor<S, D> {
    fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
        let SavedCorridor { points, distance } = SavedCorridor::<S, D>::deserialize(deserializer)?;
        Ok(Self::new(points.into_iter().map(Array::numbers), distance.0))
    }
}

/// The corners of a polygon, ring by ring.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Polygon", bound(serialize = "S: Scalar + Serialize", deserialize = "S: Scalar + Deserialize<'de>"))]
struct SavedPolygon<S> {
    rings: Vec<Vec<Array<Readable<S>, 2>>>,
}

impl<S: Scalar + Serialize> Serialize for Polygon<S> {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        let mut rings: Vec<Vec<_>> = Vec::new();
        let mut first = None;
        for [from, to] in self.edges() {
            let begin = *first.get_or_insert_with(|| {
                rings.push(Vec::new());
                from
            });
            rings.last_mut().expect("one has begun").push(Array::of(from));
            // A ring that passes through its first corner becomes two, which have the same edges.
            if to == begin {
                first = None;
            }
        }
        SavedPolygon { rings }.serialize(serializer)
    }
}

impl<'de, S: Scalar + Deserialize<'de>> Deserialize<'de> for Polygon<S> {
    fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
        let SavedPolygon { rings } = SavedPolygon::<S>::deserialize(deserializer)?;
        Ok(rings
            .into_iter()
            .fold(Self::empty(), |polygon, ring| polygon.with_ring(ring.into_iter().map(Array::numbers))))
    }
}

/// The list of its regions.
impl<R: Region<S, D> + Serialize, S: Scalar, const D: usize> Serialize for AnyOf<R, S, D> {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        serializer.collect_seq(self.regions())
    }
}

impl<'de, R, S: Scalar, const D: usize> Deserialize<'de> for AnyOf<R, S, D>
where
    R: Region<S, D> + IntoRegion<S, D, Region = R> + Deserialize<'de>,
{
    fn deserialize<W: Deserializer<'de>>(deserializer: W) -> Result<Self, W::Error> {
        Vec::<R>::deserialize(deserializer).map(Self::new)
    }
}
