//! The nearest objects, and the first that a ray, or a moving box or ball, hits: one question at a time, and many without the interpreter.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use quadrille::{Answers, Ball, Cast, CastHit, Handle, LayerSet, Nearest, Ray, RayHit, Raycast, Rect, SearchBuffer};

use crate::arrays::{Coordinates, Number, Table, array, count_of, distance_of, distances, filled, number, table};
use crate::batch::Excluded;
use crate::errors::value_error;
use crate::handles::{Naming, excluded, row};
use crate::index::Index;
use crate::layers::{LayerOrLayers, layer_set};
use crate::signals::QUESTION;
use crate::space::{Space, Tree, with};

/// The object that a ray, or a moving box or ball, hits first.
#[pyclass(frozen, get_all, module = "pyquadrille")]
pub(crate) struct Hit {
    row: i64,
    handle: u64,
    /// The part of the direction, or of the motion, until the hit.
    t: f64,
    /// The outward direction of the side that is hit: 1 or -1 on one axis, 0 on the others; for a ball, that to its center.
    normal: Py<PyTuple>,
}

#[pymethods]
impl Hit {
    fn __repr__(&self) -> String {
        format!("<Hit of row {} at t={}>", self.row, self.t)
    }
}

/// A hit of a ray, or of a moving box or ball.
#[derive(Clone, Copy)]
struct Found<S, const D: usize> {
    handle: Handle,
    t: S,
    normal: [S; D],
}

impl<S: Number, const D: usize> From<RayHit<'_, (), S, D>> for Found<S, D> {
    fn from(hit: RayHit<'_, (), S, D>) -> Self {
        Self { handle: hit.object.handle(), t: hit.t, normal: hit.normal() }
    }
}

impl<S: Number, const D: usize> From<CastHit<'_, (), S, D>> for Found<S, D> {
    fn from(hit: CastHit<'_, (), S, D>) -> Self {
        Self { handle: hit.object.handle(), t: hit.t, normal: hit.normal() }
    }
}

impl<S: Number, const D: usize> Found<S, D> {
    fn hit(self, py: Python<'_>) -> PyResult<Hit> {
        let normal = PyTuple::new(py, self.normal.map(S::to_f64))?.unbind();
        Ok(Hit { row: row(self.handle), handle: self.handle.to_bits(), t: self.t.to_f64(), normal })
    }
}

/// Hits as three arrays, for questions with one hit or none.
fn hits<'py, S: Number, const D: usize>(
    py: Python<'py>,
    answers: &Answers<Found<S, D>>,
    out: Naming,
) -> PyResult<Bound<'py, PyTuple>> {
    let nothing = Found { handle: Handle::default(), t: S::INFINITY, normal: [S::from(0_u16); D] };
    let found = || answers.iter().map(|answer| answer.first().copied().unwrap_or(nothing));
    let handles: Vec<Handle> = found().map(|hit| hit.handle).collect();
    let (times, normals): (Vec<_>, Vec<_>) = found().map(|hit| (hit.t, hit.normal)).unzip();
    (out.array(py, &handles), array(py, times), table(py, normals)?).into_pyobject(py)
}

/// Filters of one question.
struct Filters {
    layers: LayerSet,
    excluded: Vec<Handle>,
}

impl Filters {
    fn new(
        index: &Bound<'_, Index>,
        layers: Option<LayerOrLayers<'_>>,
        excluding: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        Ok(Self { layers: layer_set(index, layers)?, excluded: excluded(excluding)? })
    }

    fn parts(&self) -> (LayerSet, &[Handle]) {
        (self.layers, &self.excluded)
    }
}

fn k_of(object: &Bound<'_, PyAny>) -> PyResult<usize> {
    count_of("k", object)
}

/// The questions, each written for all kinds of index.
impl<S: Number, const D: usize> Space<S, D> {
    #[inline]
    fn nearest<'t>(
        &self,
        tree: &'t Tree<S, D>,
        target: Rect<S, D>,
        within: S,
        (layers, excluded): (LayerSet, &[Handle]),
    ) -> Nearest<'t, 'static, (), S, D> {
        let query = tree.nearest(target).in_layers(layers).within(within).excluding(excluded);
        self.in_world(query, Nearest::periodic)
    }

    /// The first object on a ray.
    fn raycast(
        &self,
        tree: &Tree<S, D>,
        ray: Ray<S, D>,
        until: f64,
        (layers, excluded): (LayerSet, &[Handle]),
    ) -> Option<Found<S, D>> {
        let query = tree.raycast(ray).in_layers(layers).until(number(until)).excluding(excluded);
        self.in_world(query, Raycast::periodic).next().map(Found::from)
    }

    /// The first object in the way of a box or ball.
    fn cast(
        &self,
        mut query: Cast<'_, '_, (), S, D>,
        skin: Option<f64>,
        (layers, excluded): (LayerSet, &[Handle]),
    ) -> Option<Found<S, D>> {
        query = query.in_layers(layers).excluding(excluded);
        if let Some(skin) = skin {
            query = query.blocking(number(skin));
        }
        self.in_world(query, Cast::periodic).next().map(Found::from)
    }

    /// Rows and distances of the nearest objects.
    fn nearest_rows<'py>(
        &self,
        py: Python<'py>,
        target: &Coordinates,
        (k, within, ties): (usize, f64, bool),
        filters: &Filters,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let (target, within) = (target.rect("target")?, number(distance_of("within", within)?));
        let (rows, distances): (Vec<_>, Vec<_>) = self.read(py, |tree| {
            let query = self.nearest(tree, target, within, filters.parts());
            let (query, most) = if ties { (query.take_with_ties(k), usize::MAX) } else { (query, k) };
            query.take(most).map(|near| (row(near.object.handle()), near.distance())).unzip()
        })?;
        (array(py, rows), array(py, distances)).into_pyobject(py)
    }

    /// Rows or handles, and distances, of the nearest objects of each target.
    fn nearest_many<'py>(
        &self,
        targets: &Bound<'py, PyAny>,
        (k, within): (usize, f64),
        layers: LayerSet,
        excluding: Option<&Bound<'py, PyAny>>,
        out: Naming,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let py = targets.py();
        let targets = Table::new("targets", targets, &[D, 2 * D])?.rects()?;
        let (excluded, within) = (Excluded::new(excluding, targets.len())?, number(distance_of("within", within)?));
        let len = targets.len().checked_mul(k).ok_or_else(|| value_error(format_args!("k: {k} is too large")))?;
        let (mut handles, mut distances) = (filled(Handle::default(), len)?, filled(number(f64::INFINITY), len)?);
        let mut buffer = SearchBuffer::new();
        let answers = self.batch(py, &targets, k.saturating_add(QUESTION), |tree, _, answer| {
            let filters = (layers, excluded.of(answer.number()));
            let query = self.nearest(tree, targets[answer.number()], within, filters);
            // The first one needs no buffer.
            let query = if k == 1 { query } else { query.reusing(&mut buffer) };
            answer.extend(query.take(k).map(|near| (near.object.handle(), near.distance())));
        })?;
        for (number, answer) in answers.iter().enumerate() {
            for (at, &(handle, distance)) in answer.iter().enumerate() {
                (handles[number * k + at], distances[number * k + at]) = (handle, distance);
            }
        }
        let shape = [targets.len(), k];
        let handles = out.array(py, &handles).call_method1("reshape", (shape,))?;
        (handles, array(py, distances).call_method1("reshape", (shape,))?).into_pyobject(py)
    }

    fn raycast_many<'py>(
        &self,
        origins: &Bound<'py, PyAny>,
        directions: &Bound<'py, PyAny>,
        until: f64,
        (layers, excluding): (LayerSet, Option<&Bound<'py, PyAny>>),
        out: Naming,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let (py, origins) = (origins.py(), Table::new("origins", origins, &[D])?.rects()?);
        let directions = Table::new("directions", directions, &[D])?;
        let directions = directions.points()?;
        as_many("directions", directions.len(), "origins", origins.len())?;
        let excluded = Excluded::new(excluding, origins.len())?;
        let answers = self.batch(py, &origins, QUESTION, |tree, _, answer| {
            let ray = Ray::new(origins[answer.number()].min(), directions[answer.number()]);
            answer.extend(self.raycast(tree, ray, until, (layers, excluded.of(answer.number()))));
        })?;
        hits(py, &answers, out)
    }

    fn cast_many<'py>(
        &self,
        boxes: &Bound<'py, PyAny>,
        motions: &Bound<'py, PyAny>,
        skin: Option<f64>,
        (layers, excluding): (LayerSet, Option<&Bound<'py, PyAny>>),
        out: Naming,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let (py, boxes) = (boxes.py(), Table::new("boxes", boxes, &[2 * D, D])?.rects()?);
        let motions = Table::new("motions", motions, &[D])?;
        let motions = motions.points()?;
        as_many("motions", motions.len(), "boxes", boxes.len())?;
        let excluded = Excluded::new(excluding, boxes.len())?;
        let answers = self.batch(py, &boxes, QUESTION, |tree, _, answer| {
            let query = tree.cast(boxes[answer.number()], motions[answer.number()]);
            answer.extend(self.cast(query, skin, (layers, excluded.of(answer.number()))));
        })?;
        hits(py, &answers, out)
    }

    fn cast_ball_many<'py>(
        &self,
        (centers, radius): (&Bound<'py, PyAny>, &Bound<'py, PyAny>),
        motions: &Bound<'py, PyAny>,
        skin: Option<f64>,
        (layers, excluding): (LayerSet, Option<&Bound<'py, PyAny>>),
        out: Naming,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let (py, centers) = (centers.py(), Table::new("centers", centers, &[D])?.rects()?);
        let radii = distances("radius", radius, centers.len())?;
        let motions = Table::new("motions", motions, &[D])?;
        let motions = motions.points()?;
        as_many("motions", motions.len(), "centers", centers.len())?;
        let excluded = Excluded::new(excluding, centers.len())?;
        let answers = self.batch(py, &centers, QUESTION, |tree, _, answer| {
            let ball = Ball::new(centers[answer.number()].min(), radii[answer.number()]);
            let query = tree.cast_ball(ball, motions[answer.number()]);
            answer.extend(self.cast(query, skin, (layers, excluded.of(answer.number()))));
        })?;
        hits(py, &answers, out)
    }
}

fn as_many(name: &str, len: usize, of: &str, expected: usize) -> PyResult<()> {
    if len == expected { Ok(()) } else { Err(PyValueError::new_err(format!("{len} {name} for {expected} {of}"))) }
}

/// Reads the distance that a moving box keeps.
fn skin_of(skin: Option<f64>) -> PyResult<Option<f64>> {
    skin.map(|skin| distance_of("skin", skin)).transpose()
}

#[pymethods]
impl Index {
    /// The `k` objects nearest to a point (D,) or a box (2D,), and their distances, ascending. Fewer if there are
    /// not as many.
    ///
    /// Only those at most `within` away. With `ties`, also all that are as far as the last one.
    #[pyo3(signature = (target, k=1, layers=None, *, within=f64::INFINITY, ties=false, excluding=None))]
    fn nearest<'py>(
        slf: &Bound<'py, Self>,
        target: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = k_of)] k: usize,
        layers: Option<LayerOrLayers<'py>>,
        within: f64,
        ties: bool,
        excluding: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let (target, filters) = (Coordinates::new("target", target)?, Filters::new(slf, layers, excluding)?);
        with!(&slf.get().0, space => space.nearest_rows(slf.py(), &target, (k, within, ties), &filters))
    }

    /// For each of M points (M, D) or boxes (M, 2D), the `k` nearest objects: rows (M, k) and distances (M, k).
    ///
    /// Where there are fewer, rows are -1 (handles 0) and distances infinite.
    #[pyo3(signature = (targets, k=1, layers=None, *, within=f64::INFINITY, excluding=None, out="rows"))]
    fn nearest_many<'py>(
        slf: &Bound<'py, Self>,
        targets: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = k_of)] k: usize,
        layers: Option<LayerOrLayers<'py>>,
        within: f64,
        excluding: Option<&Bound<'py, PyAny>>,
        out: &str,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let (layers, out) = (layer_set(slf, layers)?, Naming::named(out)?);
        with!(&slf.get().0, space => space.nearest_many(targets, (k, within), layers, excluding, out))
    }

    /// The first object on the ray of the points `origin + t * direction`, with 0 <= t <= `until`. A hit at the
    /// start is at 0.
    ///
    /// In a periodic world a ray without an end ends four worlds away. A direction may have any length: an infinite
    /// coordinate counts as the largest number.
    #[pyo3(signature = (origin, direction, layers=None, *, until=f64::INFINITY, excluding=None))]
    fn raycast(
        slf: &Bound<'_, Self>,
        origin: &Bound<'_, PyAny>,
        direction: &Bound<'_, PyAny>,
        layers: Option<LayerOrLayers<'_>>,
        until: f64,
        excluding: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<Hit>> {
        let (py, filters) = (slf.py(), Filters::new(slf, layers, excluding)?);
        let (origin, direction) = (Coordinates::new("origin", origin)?, Coordinates::new("direction", direction)?);
        let until = distance_of("until", until)?;
        with!(&slf.get().0, space => {
            let ray = Ray::new(origin.point("origin")?, direction.point("direction")?);
            let found = space.read(py, |tree| space.raycast(tree, ray, until, filters.parts()))?;
            found.map(|hit| hit.hit(py)).transpose()
        })
    }

    /// For each of M rays (M, D), (M, D), what `raycast` finds: rows (M,), t (M,), normals (M, D).
    ///
    /// Without a hit the row is -1 (the handle 0), t infinite and the normal 0.
    #[pyo3(signature = (origins, directions, layers=None, *, until=f64::INFINITY, excluding=None, out="rows"))]
    fn raycast_many<'py>(
        slf: &Bound<'py, Self>,
        origins: &Bound<'py, PyAny>,
        directions: &Bound<'py, PyAny>,
        layers: Option<LayerOrLayers<'py>>,
        until: f64,
        excluding: Option<&Bound<'py, PyAny>>,
        out: &str,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let (layers, out, until) = (layer_set(slf, layers)?, Naming::named(out)?, distance_of("until", until)?);
        with!(&slf.get().0, space => space.raycast_many(origins, directions, until, (layers, excluding), out))
    }

    /// The first object that a box (2D,) or a point (D,) touches on its way by `motion`, with 0 <= t <= 1. An infinite
    /// coordinate of the motion counts as the largest number.
    ///
    /// With a `skin`, only objects that block the way count: not those that the box touches and moves along or away
    /// from; and `t` is when it comes that close to the object. So a box that moves by `t * motion` stays out of it.
    #[pyo3(signature = (r#box, motion, layers=None, *, skin=None, excluding=None))]
    fn cast(
        slf: &Bound<'_, Self>,
        r#box: &Bound<'_, PyAny>,
        motion: &Bound<'_, PyAny>,
        layers: Option<LayerOrLayers<'_>>,
        skin: Option<f64>,
        excluding: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<Hit>> {
        let (py, filters, skin) = (slf.py(), Filters::new(slf, layers, excluding)?, skin_of(skin)?);
        let (from, motion) = (Coordinates::new("box", r#box)?, Coordinates::new("motion", motion)?);
        with!(&slf.get().0, space => {
            let (from, motion) = (from.rect("box")?, motion.point("motion")?);
            let found = space.read(py, |tree| space.cast(tree.cast(from, motion), skin, filters.parts()))?;
            found.map(|hit| hit.hit(py)).transpose()
        })
    }

    /// The same for a ball, which passes corners that its box would touch, and rolls around them.
    #[pyo3(signature = (center, radius, motion, layers=None, *, skin=None, excluding=None))]
    fn cast_ball(
        slf: &Bound<'_, Self>,
        center: &Bound<'_, PyAny>,
        radius: f64,
        motion: &Bound<'_, PyAny>,
        layers: Option<LayerOrLayers<'_>>,
        skin: Option<f64>,
        excluding: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<Hit>> {
        let (py, filters, skin) = (slf.py(), Filters::new(slf, layers, excluding)?, skin_of(skin)?);
        let (center, motion) = (Coordinates::new("center", center)?, Coordinates::new("motion", motion)?);
        let radius = distance_of("radius", radius)?;
        with!(&slf.get().0, space => {
            let (ball, motion) = (Ball::new(center.point("center")?, number(radius)), motion.point("motion")?);
            let found = space.read(py, |tree| space.cast(tree.cast_ball(ball, motion), skin, filters.parts()))?;
            found.map(|hit| hit.hit(py)).transpose()
        })
    }

    /// For each of M moving boxes, (M, 2D) or (M, D), and motions (M, D), what `cast` finds, as `raycast_many`
    /// returns it.
    #[pyo3(signature = (boxes, motions, layers=None, *, skin=None, excluding=None, out="rows"))]
    fn cast_many<'py>(
        slf: &Bound<'py, Self>,
        boxes: &Bound<'py, PyAny>,
        motions: &Bound<'py, PyAny>,
        layers: Option<LayerOrLayers<'py>>,
        skin: Option<f64>,
        excluding: Option<&Bound<'py, PyAny>>,
        out: &str,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let (layers, out, skin) = (layer_set(slf, layers)?, Naming::named(out)?, skin_of(skin)?);
        with!(&slf.get().0, space => space.cast_many(boxes, motions, skin, (layers, excluding), out))
    }

    /// For each of M moving balls, (M, D) and one radius or (M,), and motions (M, D), what `cast_ball` finds, as
    /// `raycast_many` returns it.
    #[expect(clippy::too_many_arguments, reason = "as in Python")]
    #[pyo3(signature = (centers, radius, motions, layers=None, *, skin=None, excluding=None, out="rows"))]
    fn cast_ball_many<'py>(
        slf: &Bound<'py, Self>,
        centers: &Bound<'py, PyAny>,
        radius: &Bound<'py, PyAny>,
        motions: &Bound<'py, PyAny>,
        layers: Option<LayerOrLayers<'py>>,
        skin: Option<f64>,
        excluding: Option<&Bound<'py, PyAny>>,
        out: &str,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let (layers, out, skin) = (layer_set(slf, layers)?, Naming::named(out)?, skin_of(skin)?);
        with!(&slf.get().0, space => {
            space.cast_ball_many((centers, radius), motions, skin, (layers, excluding), out)
        })
    }
}
