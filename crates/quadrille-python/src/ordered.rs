//! The nearest objects, and the first that a ray or a moving box hits: one question at a time, and many without the interpreter.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use quadrille::{Answer, Answers, CastHit, Handle, LayerSet, Neighbor, Ray, RayHit, Rect, SearchBuffer};

use crate::arrays::{Few, Number, Table, array, count_of, distance_of, filled, number, table};
use crate::batch::Excluded;
use crate::handles::{Naming, excluded, row};
use crate::index::Index;
use crate::layers::{LayerOrLayers, asked};
use crate::signals::{QUESTION, Signals};
use crate::space::{Space, Tree, View, over, with};

/// The object that a ray or a moving box hits first.
#[pyclass(frozen, get_all, module = "pyquadrille")]
pub(crate) struct Hit {
    row: i64,
    handle: u64,
    /// The part of the direction, or of the motion, until the hit.
    t: f64,
    /// The outward direction of the side that is hit: 1 or -1 on one axis, 0 on the others.
    normal: Py<PyTuple>,
}

#[pymethods]
impl Hit {
    fn __repr__(&self) -> String {
        format!("<Hit of row {} at t={}>", self.row, self.t)
    }
}

/// A hit of a ray or of a moving box.
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
    let times = found().map(|hit| hit.t).collect();
    let normals = found().map(|hit| hit.normal).collect();
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
        Ok(Self { layers: asked(index, layers)?, excluded: excluded(excluding)? })
    }
}

fn k_of(object: &Bound<'_, PyAny>) -> PyResult<usize> {
    count_of("k", object)
}

/// How many are nearest.
#[derive(Clone, Copy)]
struct Nearest<S> {
    k: usize,
    within: S,
    ties: bool,
}

impl<S: Number> Nearest<S> {
    fn new(k: usize, within: f64, ties: bool) -> PyResult<Self> {
        Ok(Self { k, within: S::from_f64(distance_of("within", within)?), ties })
    }

    /// Takes the first `k`, and those as far as the last of them if ties are wanted.
    fn take<'a, const D: usize>(
        self,
        neighbors: impl Iterator<Item = Neighbor<'a, (), S, D>>,
    ) -> impl Iterator<Item = (Handle, S)> {
        let (mut taken, mut last) = (0, S::NEG_INFINITY);
        let neighbors = neighbors.map(|near| (near.object.handle(), near.distance_squared, near.distance()));
        let neighbors = neighbors.take_while(move |&(_, square, _)| {
            let goes_on = taken < self.k || self.ties && square == last;
            (taken, last) = (taken + 1, square);
            goes_on
        });
        // Not one more than is asked for: each may cost a search.
        let most = if self.ties { usize::MAX } else { self.k };
        neighbors.map(|(handle, _, distance)| (handle, distance)).take(most)
    }
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
        let (py, target, filters) = (slf.py(), Few::new("target", target)?, Filters::new(slf, layers, excluding)?);
        with!(&slf.get().0, space => {
            let (target, nearest) = (target.rect("target")?, Nearest::new(k, within, ties)?);
            let Filters { layers, excluded } = &filters;
            let (rows, distances): (Vec<_>, Vec<_>) = space.read(py, |tree| match space.view(tree) {
                // The library compares ranks, of which distances are rounded.
                View::Plain(tree) if ties => {
                    let query = tree.nearest(target).in_layers(*layers).within(nearest.within).excluding(excluded);
                    query.take_with_ties(k).map(|near| (row(near.object.handle()), near.distance())).unzip()
                }
                view => over!(view, view => {
                    let query = view.nearest(target).in_layers(*layers).within(nearest.within).excluding(excluded);
                    nearest.take(query).map(|(handle, distance)| (row(handle), distance)).unzip()
                }),
            })?;
            (array(py, rows), array(py, distances)).into_pyobject(py)
        })
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
        let (py, dim, layers, out) = (slf.py(), slf.get().0.dim(), asked(slf, layers)?, Naming::named(out)?);
        with!(&slf.get().0, space => {
            let targets = Table::new("targets", targets, &[dim, 2 * dim])?.rects()?;
            let excluded = Excluded::new(excluding, targets.len())?;
            let nearest = Nearest::new(k, within, false)?;
            let len = targets.len().checked_mul(k).ok_or_else(|| PyValueError::new_err(format!("k: {k} is too large")))?;
            let (mut handles, mut distances) = (filled(Handle::default(), len)?, filled(number(f64::INFINITY), len)?);
            let answers = space.read_longer(py, |tree, signals| {
                nearest_of(space, (tree, signals), &targets, nearest, layers, &excluded)
            })?;
            for (number, answer) in answers.iter().enumerate() {
                for (at, &(handle, distance)) in answer.iter().enumerate() {
                    (handles[number * k + at], distances[number * k + at]) = (handle, distance);
                }
            }
            let shape = [targets.len(), k];
            let handles = out.array(py, &handles).call_method1("reshape", (shape,))?;
            (handles, array(py, distances).call_method1("reshape", (shape,))?).into_pyobject(py)
        })
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
        let (origin, direction) = (Few::new("origin", origin)?, Few::new("direction", direction)?);
        let until = distance_of("until", until)?;
        with!(&slf.get().0, space => {
            let ray = Ray::new(origin.point("origin")?, direction.point("direction")?);
            let found = space.read(py, |tree| over!(space.view(tree), view => {
                let query = view.raycast(ray).in_layers(filters.layers).until(number(until));
                query.excluding(&filters.excluded).next().map(Found::from)
            }))?;
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
        let (py, dim, layers, out) = (slf.py(), slf.get().0.dim(), asked(slf, layers)?, Naming::named(out)?);
        let until = distance_of("until", until)?;
        with!(&slf.get().0, space => {
            let origins = Table::new("origins", origins, &[dim])?;
            let directions = Table::new("directions", directions, &[dim])?;
            let (origins, directions) = (origins.points()?, directions.points()?);
            as_many("directions", directions.len(), "origins", origins.len())?;
            let excluded = Excluded::new(excluding, origins.len())?;
            let answers = space.read_longer(py, |tree, signals| over!(space.view(tree), view => {
                tree.query_batch(origins.iter().copied(), |origin, answer: &mut Answer<'_, _>| {
                    if !signals.let_pass(QUESTION) {
                        return;
                    }
                    let (number_of, origin) = (answer.number(), origin.min());
                    let query = view.raycast(Ray::new(origin, directions[number_of])).in_layers(layers);
                    let query = query.until(number(until)).excluding(excluded.of(number_of));
                    answer.extend(query.take(1).map(Found::from));
                })
            }))?;
            hits(py, &answers, out)
        })
    }

    /// The first object that a box (2D,) or a point (D,) touches on its way by `motion`, with 0 <= t <= 1. An infinite
    /// coordinate of the motion counts as the largest number.
    ///
    /// With a `skin`, only objects that block the way count: not those that the box touches and moves along or away
    /// from; and `t` is when it comes that close to the object. So a box that moves by `t * motion` stays out of it.
    /// Not in a periodic world.
    #[pyo3(signature = (r#box, motion, layers=None, *, skin=None, excluding=None))]
    fn cast(
        slf: &Bound<'_, Self>,
        r#box: &Bound<'_, PyAny>,
        motion: &Bound<'_, PyAny>,
        layers: Option<LayerOrLayers<'_>>,
        skin: Option<f64>,
        excluding: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<Hit>> {
        let (py, filters) = (slf.py(), Filters::new(slf, layers, excluding)?);
        let (from, motion) = (Few::new("box", r#box)?, Few::new("motion", motion)?);
        with!(&slf.get().0, space => {
            let (from, motion) = (from.rect("box")?, motion.point("motion")?);
            let skin = skin_of(space, skin)?;
            let found = space.read(py, |tree| {
                cast_one(&space.view(tree), (from, motion), skin, (filters.layers, &filters.excluded))
            })?;
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
        let (py, dim, layers, out) = (slf.py(), slf.get().0.dim(), asked(slf, layers)?, Naming::named(out)?);
        with!(&slf.get().0, space => {
            let boxes = Table::new("boxes", boxes, &[2 * dim, dim])?.rects()?;
            let motions = Table::new("motions", motions, &[dim])?;
            let motions = motions.points()?;
            as_many("motions", motions.len(), "boxes", boxes.len())?;
            let (skin, excluded) = (skin_of(space, skin)?, Excluded::new(excluding, boxes.len())?);
            let answers = space.read_longer(py, |tree, signals| {
                let view = space.view(tree);
                tree.query_batch(boxes.iter().copied(), |&from, answer: &mut Answer<'_, _>| {
                    if !signals.let_pass(QUESTION) {
                        return;
                    }
                    let (motion, excluded) = (motions[answer.number()], excluded.of(answer.number()));
                    answer.extend(cast_one(&view, (from, motion), skin, (layers, excluded)));
                })
            })?;
            hits(py, &answers, out)
        })
    }
}

fn as_many(name: &str, len: usize, of: &str, expected: usize) -> PyResult<()> {
    if len == expected { Ok(()) } else { Err(PyValueError::new_err(format!("{len} {name} for {expected} {of}"))) }
}

/// The nearest objects of each target.
fn nearest_of<S: Number, const D: usize>(
    space: &Space<S, D>,
    (tree, signals): (&Tree<S, D>, &Signals),
    targets: &[Rect<S, D>],
    nearest: Nearest<S>,
    layers: LayerSet,
    excluded: &Excluded,
) -> Answers<(Handle, S)> {
    let targets = targets.iter().copied();
    let mut buffer = SearchBuffer::new();
    let steps = nearest.k.saturating_add(QUESTION);
    match space.view(tree) {
        View::Plain(tree) => tree.query_batch(targets, |&target, answer| {
            if !signals.let_pass(steps) {
                return;
            }
            let query = tree.nearest(target).in_layers(layers).within(nearest.within);
            let query = query.excluding(excluded.of(answer.number()));
            if nearest.k == 1 {
                answer.extend(nearest.take(query));
            } else {
                answer.extend(nearest.take(query.reusing(&mut buffer)));
            }
        }),
        View::Periodic(view) => tree.query_batch(targets, |&target, answer| {
            if !signals.let_pass(steps) {
                return;
            }
            let query = view.nearest(target).in_layers(layers).within(nearest.within);
            answer.extend(nearest.take(query.excluding(excluded.of(answer.number()))));
        }),
    }
}

/// Reads the distance that a moving box keeps.
fn skin_of<S: Number, const D: usize>(space: &Space<S, D>, skin: Option<f64>) -> PyResult<Option<S>> {
    let Some(skin) = skin else { return Ok(None) };
    if space.torus.is_some() {
        return Err(PyValueError::new_err("skin: not in a world that wraps around"));
    }
    Ok(Some(number(distance_of("skin", skin)?)))
}

/// The first object in the way of a box.
fn cast_one<S: Number, const D: usize>(
    view: &View<'_, S, D>,
    (from, motion): (Rect<S, D>, [S; D]),
    skin: Option<S>,
    (layers, excluded): (LayerSet, &[Handle]),
) -> Option<Found<S, D>> {
    match (view, skin) {
        (View::Plain(tree), Some(skin)) => {
            let query = tree.cast(from, motion).blocking(skin).in_layers(layers);
            query.excluding(excluded).next().map(Found::from)
        }
        // In a periodic world there is no skin.
        _ => over!(view, view => {
            view.cast(from, motion).in_layers(layers).excluding(excluded).next().map(Found::from)
        }),
    }
}
