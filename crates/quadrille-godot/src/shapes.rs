//! Points, boxes and regions of the library, of Godot's numbers. What means nothing is refused.

use std::array;

use godot::prelude::*;
use quadrille::{Ball, HalfSpace, Polygon, Rect};

/// A result, or the words of an error.
pub(crate) type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// A point whose coordinates are finite.
pub(crate) fn point<const D: usize>(name: &str, point: [real; D]) -> Outcome<[real; D]> {
    let is_finite = point.iter().all(|part| part.is_finite());
    if is_finite { Ok(point) } else { Err(format!("{name} {point:?} is not finite").into()) }
}

/// A distance from 0 on; it may be infinite.
pub(crate) fn distance(name: &str, distance: f64) -> Outcome<real> {
    if distance >= 0.0 { Ok(distance as real) } else { Err(format!("{name} {distance} is not 0 or more").into()) }
}

/// A box from its corner with the least coordinates.
pub(crate) fn rect<const D: usize>(position: [real; D], size: [real; D]) -> Outcome<Rect<real, D>> {
    Ok(Rect::try_new(position, array::from_fn(|axis| position[axis] + size[axis]))?)
}

/// A box around a center.
pub(crate) fn around<const D: usize>(center: [real; D], size: [real; D]) -> Outcome<Rect<real, D>> {
    let corner = |sign: real| array::from_fn(|axis| center[axis] + sign * size[axis] / 2.0);
    Ok(Rect::try_new(corner(-1.0), corner(1.0))?)
}

pub(crate) fn ball<const D: usize>(center: [real; D], radius: f64) -> Outcome<Ball<real, D>> {
    Ok(Ball::new(point("center", center)?, distance("radius", radius)?))
}

pub(crate) fn polygon(corners: &PackedVector2Array) -> Outcome<Polygon<real>> {
    let corners: Vec<_> =
        corners.as_slice().iter().map(|corner| point("corner", corner.to_array())).collect::<Outcome<_>>()?;
    if corners.len() < 3 {
        Err(format!("{} corners, at least 3 make a polygon", corners.len()).into())
    } else {
        Ok(Polygon::new(corners))
    }
}

/// All that is behind a plane.
pub(crate) fn behind(plane: Plane) -> Outcome<HalfSpace<real, 3>> {
    let [x, y, z] = plane.normal.to_array();
    point("plane", [x, y, z, plane.d])?;
    Ok(HalfSpace::new([x, y, z], plane.d))
}
