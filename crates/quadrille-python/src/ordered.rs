//! The nearest objects, and the first that a ray, or a moving box or ball, hits: one question at a time, and many without the interpreter.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use quadrille::{Ball, Cast, Handle, LayerSet, Nearest, Ray, Rect, SearchBuffer};

use crate::arrays::{
    Arg, Coordinates, Number, Objects, Opt, Table, array, distance_of, distances, filled, number, number_of, table,
};
use crate::batch::{Excluded, batch_in};
use crate::errors::value_error;
use crate::handles::{Naming, excluded};
use crate::index::{Index, This};
use crate::layers::{Among, layer_set};
use crate::signals::QUESTION;
use crate::space::{Space, Tree, with};

/// The object that a ray, or a moving box or ball, hits first.
#[pyclass(frozen, weakref, module = "pyquadrille")]
pub(crate) struct Hit {
    row: PyResult<i64>,
    /// The handle of the object.
    #[pyo3(get)]
    handle: u64,
    /// The part of the direction, or of the motion, until the hit.
    #[pyo3(get)]
    t: f64,
    /// The outward direction of the side that is hit: 1 or -1 on one axis, 0 on the others; for a ball, that to its center.
    #[pyo3(get)]
    normal: Py<PyTuple>,
}

#[pymethods]
impl Hit {
    /// Raises ValueError if several layers were asked.
    #[getter]
    fn row(&self, py: Python<'_>) -> PyResult<i64> {
        self.row.as_ref().copied().map_err(|error| error.clone_ref(py))
    }

    fn __repr__(&self) -> String {
        format!("<Hit of {} at t={}>", self.handle, self.t)
    }
}

/// A hit of a ray, or of a moving box or ball: the object, the part of the way, and the side.
type Found<S, const D: usize> = (Handle, S, [S; D]);

/// The filters of one question: its layers, and objects that are left out.
fn filters(index: This, layers: Among, excluding: Opt) -> PyResult<(LayerSet, Vec<Handle>)> {
    Ok((layer_set(index, layers)?, excluded(excluding)?))
}

fn k_of(object: Arg) -> PyResult<usize> {
    number_of("k", object)
}

/// The questions, each written for all kinds of index.
impl<S: Number, const D: usize> Space<S, D> {
    #[inline]
    fn nearest<'t>(
        &self, tree: &'t Tree<S, D>, target: Rect<S, D>, within: S, (layers, excluded): (LayerSet, &[Handle]),
    ) -> Nearest<'t, 'static, (), S, D> {
        let query = tree.nearest(target).in_layers(layers).within(within).excluding(excluded);
        self.in_world(query, Nearest::periodic)
    }

    /// The first object on a ray.
    fn raycast(
        &self, tree: &Tree<S, D>, ray: Ray<S, D>, until: f64, (layers, excluded): (LayerSet, &[Handle]),
    ) -> Option<Found<S, D>> {
        let query = tree.raycast(ray).in_layers(layers).until(number(until)).excluding(excluded);
        let hit = self.in_world(query, Cast::periodic).next()?;
        Some((hit.object.handle(), hit.t, hit.normal()))
    }

    /// The first object in the way of a box or ball.
    fn cast(
        &self, mut query: Cast<'_, '_, (), S, D>, skin: Option<f64>, (layers, excluded): (LayerSet, &[Handle]),
    ) -> Option<Found<S, D>> {
        query = query.in_layers(layers).excluding(excluded);
        if let Some(skin) = skin {
            query = query.blocking(number(skin));
        }
        let hit = self.in_world(query, Cast::periodic).next()?;
        Some((hit.object.handle(), hit.t, hit.normal()))
    }

    /// Finds the answer to a question about one ray, or one moving box or ball.
    fn hit(
        &self, py: Python<'_>, layers: LayerSet, ask: impl FnOnce(&Tree<S, D>) -> Option<Found<S, D>>,
    ) -> PyResult<Option<Hit>> {
        let found = self.read(py, |tree| {
            ask(tree).map(|hit| (hit, tree.namer(Naming::Rows, layers).map(|namer| namer.name(hit.0))))
        })?;
        let hit = |((handle, t, normal), row): (Found<S, D>, _)| {
            let normal = PyTuple::new(py, normal.map(S::to_f64))?.unbind();
            Ok(Hit { row, handle: handle.to_bits(), t: t.to_f64(), normal })
        };
        found.map(hit).transpose()
    }

    /// Names and distances of the nearest objects.
    fn nearest_one<'py>(
        &self, py: Python<'py>, target: &Coordinates, (k, within, ties): (usize, f64, bool),
        (layers, excluded): (LayerSet, &[Handle]), out: Naming,
    ) -> Objects<'py> {
        let (target, within) = (target.rect("target")?, number(within));
        let (names, distances): (Vec<_>, Vec<_>) = self.read(py, |tree| {
            let namer = tree.namer(out, layers)?;
            let query = self.nearest(tree, target, within, (layers, excluded));
            let (query, most) = if ties { (query.take_with_ties(k), usize::MAX) } else { (query, k) };
            Ok::<_, PyErr>(query.take(most).map(|near| (namer.name(near.object.handle()), near.distance())).unzip())
        })??;
        (out.array(py, names)?, array(py, distances)).into_pyobject(py)
    }

    /// Rows or handles, and distances, of the nearest objects of each target.
    fn nearest_many<'py>(
        &self, targets: Arg<'_, 'py>, (k, within): (usize, f64), layers: LayerSet, excluding: Opt, out: Naming,
    ) -> Objects<'py> {
        let py = targets.py();
        let targets = Table::new("targets", targets, &[D, 2 * D])?.rects()?;
        let (excluded, within) = (Excluded::new(excluding, targets.len())?, number(within));
        let len = targets.len().checked_mul(k).ok_or_else(|| value_error(format_args!("k: {k} is too large")))?;
        let (names, distances) = self.read_longer(py, |tree, signals| {
            let (namer, mut buffer) = (tree.namer(out, layers)?, SearchBuffer::new());
            let answers = batch_in(tree, signals, &targets, k.saturating_add(QUESTION), |tree, _, answer| {
                let filters = (layers, excluded.of(answer.number()));
                let query = self.nearest(tree, targets[answer.number()], within, filters);
                // The first one needs no buffer.
                let query = if k == 1 { query } else { query.reusing(&mut buffer) };
                answer.extend(query.take(k).map(|near| (namer.name(near.object.handle()), near.distance())));
            });
            let (mut found, mut distances) = (filled(out.nothing(), len)?, filled(number(f64::INFINITY), len)?);
            for (number, answer) in answers.iter().enumerate() {
                for (at, &(name, distance)) in answer.iter().enumerate() {
                    (found[number * k + at], distances[number * k + at]) = (name, distance);
                }
                signals.let_pass_or_unwind(answer.len());
            }
            Ok::<_, PyErr>((found, distances))
        })??;
        let shape = [targets.len(), k];
        let names = out.array(py, names)?.call_method1("reshape", (shape,))?;
        (names, array(py, distances).call_method1("reshape", (shape,))?).into_pyobject(py)
    }

    /// Places, or boxes too, of many.
    fn rects(_: &Self, name: &'static str, object: Arg, or_boxes: bool) -> PyResult<Vec<Rect<S, D>>> {
        Table::new(name, object, if or_boxes { &[2 * D, D] } else { &[D] })?.rects()
    }

    /// Finds the first hit from each of many places on, as three arrays.
    fn hits<'py>(
        &self, (of, starts): (&str, Vec<Rect<S, D>>), (name, motions): (&'static str, Arg<'_, 'py>),
        (layers, excluding, out): (LayerSet, Opt, Naming),
        ask: impl Fn(&Tree<S, D>, (usize, Rect<S, D>), [S; D], (LayerSet, &[Handle])) -> Option<Found<S, D>> + Sync,
    ) -> Objects<'py> {
        let (py, motions) = (motions.py(), Table::new(name, motions, &[D])?);
        let (motions, excluded) = (motions.points()?, Excluded::new(excluding, starts.len())?);
        if motions.len() != starts.len() {
            return Err(value_error(format_args!("{} {name} for {} {of}", motions.len(), starts.len())));
        }
        let answers = self.read_longer(py, |tree, signals| {
            let namer = tree.namer(out, layers)?;
            Ok::<_, PyErr>(batch_in(tree, signals, &starts, QUESTION, |tree, _, answer| {
                let (number, filters) = (answer.number(), (layers, excluded.of(answer.number())));
                let hit = ask(tree, (number, starts[number]), motions[number], filters);
                answer.extend(hit.map(|(handle, t, normal)| (namer.name(handle), t, normal)));
            }))
        })??;
        let nothing = (out.nothing(), S::INFINITY, [S::from(0_u16); D]);
        let found = || answers.iter().map(|answer| answer.first().copied().unwrap_or(nothing));
        let (names, times) = (found().map(|hit| hit.0).collect(), found().map(|hit| hit.1).collect());
        (out.array(py, names)?, array(py, times), table(py, found().map(|hit| hit.2).collect())?).into_pyobject(py)
    }
}

/// A distance which by default is no limit.
fn limit_of(name: &str, limit: Opt) -> PyResult<f64> {
    limit.map_or(Ok(f64::INFINITY), |limit| distance_of(name, limit))
}

/// Reads the distance that a moving box keeps.
fn skin_of(skin: Opt) -> PyResult<Option<f64>> {
    skin.map(|skin| distance_of("skin", skin)).transpose()
}

#[pymethods]
impl Index {
    /// The `k` objects nearest to a point (D,) or a box (2D,), and their distances, ascending. Fewer if there are
    /// not as many.
    ///
    /// Only those at most `within` away. With `ties`, also all that are as far as the last one.
    #[expect(clippy::too_many_arguments, reason = "as in Python")]
    #[pyo3(signature = (target, k=1, layers=None, *, within=None, ties=false, excluding=None, out="rows"))]
    fn nearest<'py>(
        slf: This<'_, 'py>, target: Arg<'_, 'py>, #[pyo3(from_py_with = k_of)] k: usize, layers: Among, within: Opt,
        ties: bool, excluding: Opt, out: &str,
    ) -> Objects<'py> {
        let (target, (layers, excluded)) = (Coordinates::new("target", target)?, filters(slf, layers, excluding)?);
        let (out, within) = (Naming::named(out)?, limit_of("within", within)?);
        with!(&slf.get().0, space => space.nearest_one(slf.py(), &target, (k, within, ties), (layers, &excluded), out))
    }

    /// For each of M points (M, D) or boxes (M, 2D), the `k` nearest objects: rows (M, k) and distances (M, k).
    ///
    /// Where there are fewer, rows are -1 (handles 0) and distances infinite.
    #[pyo3(signature = (targets, k=1, layers=None, *, within=None, excluding=None, out="rows"))]
    fn nearest_many<'py>(
        slf: This<'_, 'py>, targets: Arg<'_, 'py>, #[pyo3(from_py_with = k_of)] k: usize, layers: Among, within: Opt,
        excluding: Opt, out: &str,
    ) -> Objects<'py> {
        let (layers, out, within) = (layer_set(slf, layers)?, Naming::named(out)?, limit_of("within", within)?);
        with!(&slf.get().0, space => space.nearest_many(targets, (k, within), layers, excluding, out))
    }

    /// The first object on the ray of the points `origin + t * direction`, with 0 <= t <= `until`. A hit at the
    /// start is at 0.
    ///
    /// In a periodic world a ray without an end ends four worlds away. A direction may have any length: an infinite
    /// coordinate counts as the largest number.
    #[pyo3(signature = (origin, direction, layers=None, *, until=None, excluding=None))]
    fn raycast(
        slf: This, origin: Arg, direction: Arg, layers: Among, until: Opt, excluding: Opt,
    ) -> PyResult<Option<Hit>> {
        let (py, (layers, excluded)) = (slf.py(), filters(slf, layers, excluding)?);
        let (origin, direction) = (Coordinates::new("origin", origin)?, Coordinates::new("direction", direction)?);
        let until = limit_of("until", until)?;
        with!(&slf.get().0, space => {
            let ray = Ray::new(origin.point("origin")?, direction.point("direction")?);
            space.hit(py, layers, |tree| space.raycast(tree, ray, until, (layers, &excluded)))
        })
    }

    /// For each of M rays (M, D), (M, D), what `raycast` finds: rows (M,), t (M,), normals (M, D).
    ///
    /// Without a hit the row is -1 (the handle 0), t infinite and the normal 0.
    #[pyo3(signature = (origins, directions, layers=None, *, until=None, excluding=None, out="rows"))]
    fn raycast_many<'py>(
        slf: This<'_, 'py>, origins: Arg<'_, 'py>, directions: Arg<'_, 'py>, layers: Among, until: Opt, excluding: Opt,
        out: &str,
    ) -> Objects<'py> {
        let (layers, out, until) = (layer_set(slf, layers)?, Naming::named(out)?, limit_of("until", until)?);
        with!(&slf.get().0, space => {
            let starts = ("origins", Space::rects(space, "origins", origins, false)?);
            space.hits(starts, ("directions", directions), (layers, excluding, out), |tree, (_, origin), direction, filters| {
                space.raycast(tree, Ray::new(origin.min(), direction), until, filters)
            })
        })
    }

    /// The first object that a box (2D,) or a point (D,) touches on its way by `motion`, with 0 <= t <= 1. An infinite
    /// coordinate of the motion counts as the largest number.
    ///
    /// With a `skin`, only objects that block the way count: not those that the box touches and moves along or away
    /// from; and `t` is when it comes that close to the object. So a box that moves by `t * motion` stays out of it.
    #[pyo3(signature = (r#box, motion, layers=None, *, skin=None, excluding=None))]
    fn cast(slf: This, r#box: Arg, motion: Arg, layers: Among, skin: Opt, excluding: Opt) -> PyResult<Option<Hit>> {
        let (py, (layers, excluded), skin) = (slf.py(), filters(slf, layers, excluding)?, skin_of(skin)?);
        let (from, motion) = (Coordinates::new("box", r#box)?, Coordinates::new("motion", motion)?);
        with!(&slf.get().0, space => {
            let (from, motion) = (from.rect("box")?, motion.point("motion")?);
            space.hit(py, layers, |tree| space.cast(tree.cast(from, motion), skin, (layers, &excluded)))
        })
    }

    /// The same for a ball, which passes corners that its box would touch, and rolls around them.
    #[pyo3(signature = (center, radius, motion, layers=None, *, skin=None, excluding=None))]
    fn cast_ball(
        slf: This, center: Arg, radius: Arg, motion: Arg, layers: Among, skin: Opt, excluding: Opt,
    ) -> PyResult<Option<Hit>> {
        let (py, (layers, excluded), skin) = (slf.py(), filters(slf, layers, excluding)?, skin_of(skin)?);
        let (center, motion) = (Coordinates::new("center", center)?, Coordinates::new("motion", motion)?);
        let radius = distance_of("radius", radius)?;
        with!(&slf.get().0, space => {
            let (ball, motion) = (Ball::new(center.point("center")?, number(radius)), motion.point("motion")?);
            space.hit(py, layers, |tree| space.cast(tree.cast_ball(ball, motion), skin, (layers, &excluded)))
        })
    }

    /// For each of M moving boxes, (M, 2D) or (M, D), and motions (M, D), what `cast` finds, as `raycast_many`
    /// returns it.
    #[pyo3(signature = (boxes, motions, layers=None, *, skin=None, excluding=None, out="rows"))]
    fn cast_many<'py>(
        slf: This<'_, 'py>, boxes: Arg<'_, 'py>, motions: Arg<'_, 'py>, layers: Among, skin: Opt, excluding: Opt,
        out: &str,
    ) -> Objects<'py> {
        let (layers, out, skin) = (layer_set(slf, layers)?, Naming::named(out)?, skin_of(skin)?);
        with!(&slf.get().0, space => {
            let starts = ("boxes", Space::rects(space, "boxes", boxes, true)?);
            space.hits(starts, ("motions", motions), (layers, excluding, out), |tree, (_, from), motion, filters| {
                space.cast(tree.cast(from, motion), skin, filters)
            })
        })
    }

    /// For each of M moving balls, (M, D) and one radius or (M,), and motions (M, D), what `cast_ball` finds, as
    /// `raycast_many` returns it.
    #[expect(clippy::too_many_arguments, reason = "as in Python")]
    #[pyo3(signature = (centers, radius, motions, layers=None, *, skin=None, excluding=None, out="rows"))]
    fn cast_ball_many<'py>(
        slf: This<'_, 'py>, centers: Arg<'_, 'py>, radius: Arg<'_, 'py>, motions: Arg<'_, 'py>, layers: Among,
        skin: Opt, excluding: Opt, out: &str,
    ) -> Objects<'py> {
        let (layers, out, skin) = (layer_set(slf, layers)?, Naming::named(out)?, skin_of(skin)?);
        with!(&slf.get().0, space => {
            let starts = ("centers", Space::rects(space, "centers", centers, false)?);
            let radii = distances("radius", radius, starts.1.len())?;
            space.hits(starts, ("motions", motions), (layers, excluding, out), |tree, (number, center), motion, filters| {
                space.cast(tree.cast_ball(Ball::new(center.min(), radii[number]), motion), skin, filters)
            })
        })
    }
}
