//! Rays: where they begin and end, and the object that each hits first.
//!
//! A ray begins outside all rectangles, since inside one the answer would be the one around. It is long enough that
//! nine of ten hit something. One that passes an object so closely that rounding decides is drawn anew.

use crate::check::Referee;
use crate::data::{Rect, Scalar, Shape, WORLD};
use crate::exact::Segment;
use crate::scene::Scene;

/// Which part of the rays should hit something.
const HITTING: f64 = 0.9;
/// Objects closer than this may be hit by rounding: two lattice steps, a multiple of the resolution of an `f32`.
const MARGIN: f64 = 1.0 / 256.0;
/// Into how many pieces a ray is cut, to look for hits piece by piece.
const PIECES: u32 = 16;
/// So many tries a ray, in a world that is nearly full.
const TRIES: usize = 100;

/// The questions and the right answers.
pub(crate) struct Rays<S = f32, const D: usize = 2> {
    pub(crate) segments: Vec<Segment<S, D>>,
    /// The first object on each, if there is one.
    pub(crate) firsts: Vec<Option<u32>>,
}

enum Hit {
    Nothing,
    /// This object, at this part of the segment.
    Surely(u32, f64),
    Doubtful,
}

impl<S: Scalar, const D: usize> Rays<S, D> {
    /// # Panics
    /// If a plain scan of the first few finds anything else: then no figure means anything.
    pub(crate) fn new<P: Shape<S, D>>(scene: &Scene<P, S, D>, referee: &Referee<S, D>, count: usize) -> Self {
        let length = length(scene, referee, (count / 4).clamp(1, 400));
        let mut rays = Self { segments: Vec::with_capacity(count), firsts: Vec::with_capacity(count) };
        for segment in starts(scene, referee, count, length) {
            let first = match first(referee, &segment) {
                Hit::Doubtful => continue,
                Hit::Nothing => None,
                Hit::Surely(id, _) => Some(id),
            };
            rays.segments.push(segment);
            rays.firsts.push(first);
            if rays.segments.len() == count {
                break;
            }
        }
        for (segment, first) in rays.segments.iter().zip(&rays.firsts).take(referee.provable()) {
            let entries = referee.entries().filter_map(|(rect, id)| Some((segment.enters(rect, 0.0)?, id)));
            let scanned = entries.filter(|&(t, _)| t <= 1.0).min_by(|(a, _), (b, _)| a.total_cmp(b));
            assert_eq!(scanned.map(|(_, id)| id), *first, "the referee is wrong about {segment:?}");
        }
        rays
    }

    /// How many of the rays hit something.
    pub(crate) fn hitting(&self) -> f64 {
        self.firsts.iter().flatten().count() as f64 / self.firsts.len().max(1) as f64
    }
}

/// Segments from where objects are, but outside all of them, in any direction.
fn starts<P: Shape<S, D>, S: Scalar, const D: usize>(
    scene: &Scene<P, S, D>,
    referee: &Referee<S, D>,
    count: usize,
    length: f64,
) -> impl Iterator<Item = Segment<S, D>> {
    scene.segments(TRIES * count, length).filter(|segment| {
        let mut inside = false;
        referee.each_in(&Rect::around(segment.from, S::from_f64(MARGIN)), |_| inside = true);
        !inside
    })
}

/// How long rays have to be.
fn length<P: Shape<S, D>, S: Scalar, const D: usize>(
    scene: &Scene<P, S, D>,
    referee: &Referee<S, D>,
    sample: usize,
) -> f64 {
    let longest = WORLD / 2.0;
    let mut free: Vec<f64> = starts(scene, referee, sample, longest)
        .take(sample)
        .map(|segment| if let Hit::Surely(_, t) = first(referee, &segment) { longest * t } else { longest })
        .collect();
    free.sort_by(f64::total_cmp);
    free.get((free.len() as f64 * HITTING) as usize).copied().unwrap_or(longest)
}

/// The object that a segment hits first, piece by piece, and whether that is beyond doubt.
fn first<S: Scalar, const D: usize>(referee: &Referee<S, D>, segment: &Segment<S, D>) -> Hit {
    let mut near: Vec<(f64, u32)> = Vec::new();
    let mut surely: Option<(f64, u32)> = None;
    for piece in 0..PIECES {
        let [from, to] = [piece, piece + 1].map(|end| f64::from(end) / f64::from(PIECES));
        let window = segment.bounds(from, to).grown(S::from_f64(2.0 * MARGIN));
        referee.each_in_with_bounds(&window, |rect, id| {
            near.extend(segment.enters(rect, MARGIN).map(|t| (t, id)));
            let entered = segment.enters(rect, -MARGIN).filter(|&t| t <= 1.0);
            if let Some(t) = entered.filter(|&t| surely.is_none_or(|(before, _)| t < before)) {
                surely = Some((t, id));
            }
        });
        if surely.is_some_and(|(t, _)| t <= to) {
            break;
        }
    }
    let end = surely.map_or(1.0 + MARGIN, |(t, _)| t);
    let others = near.iter().filter(|&&(_, id)| surely.is_none_or(|(_, first)| id != first));
    if others.clone().any(|&(t, _)| t <= end) {
        return Hit::Doubtful;
    }
    match surely {
        Some((t, id)) => Hit::Surely(id, t),
        None => Hit::Nothing,
    }
}
