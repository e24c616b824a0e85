//! Regions as objects of Python. They know neither the type of coordinates nor, by type, the number of dimensions: the
//! region of the library is built for the kind of index that asks, once.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use numpy::PyUntypedArray;
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use quadrille as library;
use quadrille::{KnownShape, Rect};

use crate::arrays::{Arg, Coordinates, Number, Object, Table, distance_of, finite, number, point, table};
use crate::errors::value_error;
use crate::index::Index;
use crate::signals::Signals;
use crate::space::{Space, with};

/// A region of the library behind a pointer. Queries for all shapes but boxes and balls are compiled once, for it.
#[derive(Clone)]
pub(crate) struct Shape<S, const D: usize>(Arc<dyn AnyShape<S, D>>);

trait AnyShape<S, const D: usize>: Send + Sync {
    fn bounds(&self) -> Rect<S, D>;
    fn intersects(&self, rect: &Rect<S, D>) -> bool;
    fn contains(&self, rect: &Rect<S, D>) -> bool;
    fn shape(&self) -> KnownShape<'_, S, D>;
}

impl<S, const D: usize, R: library::Region<S, D> + Send + Sync> AnyShape<S, D> for R {
    fn bounds(&self) -> Rect<S, D> {
        library::Region::bounds(self)
    }

    fn intersects(&self, rect: &Rect<S, D>) -> bool {
        library::Region::intersects(self, rect)
    }

    fn contains(&self, rect: &Rect<S, D>) -> bool {
        library::Region::contains(self, rect)
    }

    fn shape(&self) -> KnownShape<'_, S, D> {
        library::Region::shape(self)
    }
}

impl<S, const D: usize> library::Region<S, D> for Shape<S, D> {
    fn bounds(&self) -> Rect<S, D> {
        self.0.bounds()
    }

    fn intersects(&self, rect: &Rect<S, D>) -> bool {
        Signals::region_is_asked();
        self.0.intersects(rect)
    }

    fn contains(&self, rect: &Rect<S, D>) -> bool {
        Signals::region_is_asked();
        self.0.contains(rect)
    }

    fn shape(&self) -> KnownShape<'_, S, D> {
        self.0.shape()
    }
}

impl<S, const D: usize> library::IntoRegion<S, D> for Shape<S, D> {
    type Region = Self;

    fn into_region(self) -> Self {
        self
    }
}

/// The region of a question, for any kind of index.
pub(crate) enum AnyRegion {
    Box(Coordinates),
    Ball(Coordinates, f64),
    Form(Arc<Form>),
}

impl AnyRegion {
    /// Reads a region, a box or a point, if it fits an index.
    pub(crate) fn new(object: Arg, index: &Index) -> PyResult<Self> {
        let region = match region_of(object)? {
            None => Self::Box(Coordinates::new("region", object)?),
            Some(region) => match region.get().0.numbers {
                Numbers::Ball(center, radius) => Self::Ball(center, radius),
                _ => Self::Form(Arc::clone(&region.get().0)),
            },
        };
        region.fitting(index)
    }

    /// The ball within a distance of a point.
    pub(crate) fn ball(center: Arg, distance: Arg, index: &Index) -> PyResult<Self> {
        Self::Ball(point("point", center)?, distance_of("distance", distance)?).fitting(index)
    }

    fn fitting(self, index: &Index) -> PyResult<Self> {
        with!(&index.0, space => self.typed_for(space).map(drop))?;
        Ok(self)
    }

    /// The region for the kind of a space.
    pub(crate) fn typed_for<S: Number, const D: usize>(&self, _: &Space<S, D>) -> PyResult<TypedRegion<S, D>> {
        Ok(match self {
            Self::Box(few) => TypedRegion::Rect(few.rect("region")?),
            Self::Ball(center, radius) => {
                TypedRegion::Ball(library::Ball::new(center.point("center")?, number(*radius)))
            }
            Self::Form(form) => TypedRegion::Shape(form.shape()?, form.repeats()),
        })
    }

    /// The region as an object of Python.
    pub(crate) fn object<'py>(&self, py: Python<'py>) -> Object<'py> {
        match self {
            Self::Box(few) => Ok(PyTuple::new(py, few.numbers())?.into_any()),
            Self::Ball(center, radius) => object(py, &Form::new(Numbers::Ball(*center, *radius))),
            Self::Form(form) => object(py, form),
        }
    }
}

/// A region for one kind of index. Boxes and balls, which are asked for most, have queries of their own.
#[derive(Clone)]
pub(crate) enum TypedRegion<S, const D: usize> {
    Rect(Rect<S, D>),
    Ball(library::Ball<S, D>),
    /// And whether it is the same in each image of a world that wraps around.
    Shape(Shape<S, D>, bool),
}

impl<S: Number, const D: usize> TypedRegion<S, D> {
    /// Whether a question takes no longer than one about a box.
    pub(crate) fn is_simple(&self) -> bool {
        !matches!(self, Self::Shape(..))
    }

    pub(crate) fn bounds(&self) -> Rect<S, D> {
        match self {
            Self::Rect(rect) => *rect,
            Self::Ball(ball) => ball.bounds(),
            Self::Shape(shape, _) => shape.0.bounds(),
        }
    }

    /// Whether it is the same in each image of a world that wraps around.
    pub(crate) fn repeats(&self) -> bool {
        matches!(self, Self::Shape(_, true))
    }

    /// The region as any shape.
    pub(crate) fn shape(&self) -> Shape<S, D> {
        match self {
            Self::Rect(rect) => Shape(Arc::new(*rect)),
            Self::Ball(ball) => Shape(Arc::new(*ball)),
            Self::Shape(shape, _) => shape.clone(),
        }
    }
}

/// A region, or that of a geometry as shapely and GeoPandas have it. `None` for the numbers of a box or a point.
fn region_of<'py>(object: Arg<'_, 'py>) -> PyResult<Option<Bound<'py, Region>>> {
    if let Ok(region) = object.cast::<Region>() {
        return Ok(Some(region.clone()));
    }
    let py = object.py();
    let are_numbers = object.is_exact_instance_of::<PyTuple>()
        || object.is_exact_instance_of::<PyList>()
        || object.is_instance_of::<PyUntypedArray>();
    if are_numbers || !object.is_instance_of::<PyDict>() && !object.hasattr(intern!(py, "__geo_interface__"))? {
        return Ok(None);
    }
    let region = py.import("pyquadrille.geometries")?.call_method1("region", (object,))?;
    Ok(Some(region.cast_into::<Region>()?))
}

/// The numbers that describe a region.
enum Numbers {
    Box(Coordinates),
    Ball(Coordinates, f64),
    Segment(Coordinates, Coordinates),
    /// The rings, each a list of corners.
    Polygon(Vec<Vec<[f64; 2]>>),
    Corridor2(Vec<[f64; 2]>, f64),
    Corridor3(Vec<[f64; 3]>, f64),
    /// A place in degrees, and meters.
    Cap([f64; 2], f64),
    AnyOf(Vec<Arc<Form>>),
}

/// The numbers of a region, and what was built of them for each kind of index.
pub(crate) struct Form {
    numbers: Numbers,
    built: [OnceLock<Box<dyn Any + Send + Sync>>; 4],
}

impl Form {
    fn new(numbers: Numbers) -> Arc<Self> {
        Arc::new(Self { numbers, built: [const { OnceLock::new() }; 4] })
    }

    fn repeats(&self) -> bool {
        match &self.numbers {
            Numbers::Cap(..) => true,
            Numbers::AnyOf(forms) => forms.iter().all(|form| form.repeats()),
            _ => false,
        }
    }

    /// The region for a kind of index.
    fn shape<S: Number, const D: usize>(&self) -> PyResult<Shape<S, D>> {
        let built = &self.built[D % 2 * 2 + usize::from(size_of::<S>() == size_of::<f64>())];
        if let Some(built) = built.get() {
            return built.downcast_ref::<Shape<S, D>>().cloned().ok_or_else(|| unfit(2, D));
        }
        let shape = self.build::<S, D>()?;
        // Another thread may have built the same.
        let _ = built.set(Box::new(shape.clone()));
        Ok(shape)
    }

    fn build<S: Number, const D: usize>(&self) -> PyResult<Shape<S, D>> {
        Ok(match &self.numbers {
            Numbers::Box(few) => Shape(Arc::new(few.rect::<S, D>("box")?)),
            Numbers::Ball(center, radius) => {
                Shape(Arc::new(library::Ball::new(center.point::<S, D>("center")?, number(*radius))))
            }
            Numbers::Segment(start, end) => {
                Shape(Arc::new(library::Segment::new(start.point::<S, D>("start")?, end.point::<S, D>("end")?)))
            }
            Numbers::Polygon(rings) => {
                let mut polygon = library::Polygon::new(std::iter::empty::<[S; 2]>());
                for ring in rings {
                    polygon = polygon.with_ring(rounded(ring)?);
                }
                of_dimensions(Shape(Arc::new(polygon)))?
            }
            Numbers::Corridor2(points, distance) => of_dimensions(corridor::<S, 2>(points, *distance)?)?,
            Numbers::Corridor3(points, distance) => of_dimensions(corridor::<S, 3>(points, *distance)?)?,
            Numbers::Cap(place, meters) => {
                of_dimensions(Shape::<S, 2>(Arc::new(library::GreatCircle::new(*place).within(*meters))))?
            }
            Numbers::AnyOf(forms) => {
                let shapes: Vec<_> = forms.iter().map(|form| form.shape::<S, D>()).collect::<PyResult<_>>()?;
                Shape(Arc::new(library::AnyOf::new(shapes)))
            }
        })
    }
}

fn corridor<S: Number, const D: usize>(points: &[[f64; D]], distance: f64) -> PyResult<Shape<S, D>> {
    Ok(Shape(Arc::new(library::Corridor::new(rounded(points)?, number(distance)))))
}

/// The same shape, if the numbers of dimensions are the same.
fn of_dimensions<S: Number, const FROM: usize, const TO: usize>(shape: Shape<S, FROM>) -> PyResult<Shape<S, TO>> {
    (&shape as &dyn Any).downcast_ref::<Shape<S, TO>>().cloned().ok_or_else(|| unfit(FROM, TO))
}

fn unfit(from: usize, to: usize) -> PyErr {
    PyValueError::new_err(format!("region: it has {from} dimensions, and the index {to}"))
}

/// A shape to search: `Ball`, `Segment`, `Polygon`, `Corridor`, `Cap` or `AnyOf`.
///
/// A region is closed, so touching counts. It does not change, can be kept, pickled and used with any index of its
/// number of dimensions. Where a region is asked for, a point (D numbers) or a box (2D numbers: the lower corner, then
/// the upper one) will do as well, and so will a geometry of shapely, or whatever else has `__geo_interface__`: it is
/// converted each time, so keep `AnyOf([geometry])`. For an index of float32 the coordinates of a region are rounded to float32.
#[pyclass(frozen, subclass, weakref, module = "pyquadrille")]
pub(crate) struct Region(Arc<Form>);

impl Region {
    /// The region as an object of its class.
    fn with<C: pyo3::PyClass<BaseType = Self>>(self, class: C) -> PyClassInitializer<C> {
        PyClassInitializer::from(self).add_subclass(class)
    }
}

#[pymethods]
impl Region {
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let py = slf.py();
        let few = |few: &Coordinates| PyTuple::new(py, few.numbers());
        let arguments = match &slf.get().0.numbers {
            Numbers::Box(corners) => few(corners)?,
            Numbers::Ball(center, radius) => (few(center)?, *radius).into_pyobject(py)?,
            Numbers::Segment(start, end) => (few(start)?, few(end)?).into_pyobject(py)?,
            Numbers::Polygon(rings) => {
                PyTuple::new(py, rings.iter().map(|ring| table(py, ring.clone())).collect::<PyResult<Vec<_>>>()?)?
            }
            Numbers::Corridor2(points, distance) => (table(py, points.clone())?, *distance).into_pyobject(py)?,
            Numbers::Corridor3(points, distance) => (table(py, points.clone())?, *distance).into_pyobject(py)?,
            Numbers::Cap(place, meters) => ((place[0], place[1]), *meters).into_pyobject(py)?,
            Numbers::AnyOf(forms) => {
                let parts: Vec<_> = forms.iter().map(|form| object(py, form)).collect::<PyResult<_>>()?;
                (parts,).into_pyobject(py)?
            }
        };
        Ok((slf.get_type().into_any(), arguments))
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        Ok(format!("{}{}", slf.get_type().name()?, Self::__reduce__(slf)?.1.repr()?))
    }
}

/// A region as an object of Python; a box as its numbers.
fn object<'py>(py: Python<'py>, form: &Arc<Form>) -> Object<'py> {
    let base = PyClassInitializer::from(Region(Arc::clone(form)));
    Ok(match &form.numbers {
        Numbers::Box(few) => PyTuple::new(py, few.numbers())?.into_any(),
        Numbers::Ball(..) => Bound::new(py, base.add_subclass(Ball))?.into_any(),
        Numbers::Segment(..) => Bound::new(py, base.add_subclass(Segment))?.into_any(),
        Numbers::Polygon(..) => Bound::new(py, base.add_subclass(Polygon))?.into_any(),
        Numbers::Corridor2(..) | Numbers::Corridor3(..) => Bound::new(py, base.add_subclass(Corridor))?.into_any(),
        Numbers::Cap(..) => Bound::new(py, base.add_subclass(Cap))?.into_any(),
        Numbers::AnyOf(..) => Bound::new(py, base.add_subclass(AnyOf))?.into_any(),
    })
}

/// All points within `radius` of `center`: a disc in 2D, a ball in 3D.
///
/// Raises ValueError for NaN, or a negative radius.
#[pyclass(frozen, extends = Region, module = "pyquadrille")]
pub(crate) struct Ball;

#[pymethods]
impl Ball {
    #[new]
    fn new(center: Arg, radius: Arg) -> PyResult<PyClassInitializer<Self>> {
        let center = point("center", center)?;
        Ok(Region(Form::new(Numbers::Ball(center, distance_of("radius", radius)?))).with(Self))
    }
}

/// All points of the straight line from one point to another. Raises ValueError for NaN.
#[pyclass(frozen, extends = Region, module = "pyquadrille")]
pub(crate) struct Segment;

#[pymethods]
impl Segment {
    #[new]
    fn new(start: Arg, end: Arg) -> PyResult<PyClassInitializer<Self>> {
        let (start, end) = (point("start", start)?, point("end", end)?);
        if start.numbers().len() != end.numbers().len() {
            return Err(PyValueError::new_err("start and end have different numbers of dimensions"));
        }
        Ok(Region(Form::new(Numbers::Segment(start, end))).with(Self))
    }
}

/// All points within rings of corners, in 2D, of any number of corners and convex or not.
///
/// `rings` are arrays (N, 2). A point is inside if the way out crosses the rings an odd number of times: a ring inside
/// another one is a hole, a ring beside it is another part. The last corner may repeat the first. To build a polygon
/// takes time in proportion to its corners, so keep it. Raises ValueError for fewer than 3 corners in a ring, and for
/// coordinates that are not finite.
///
/// >>> lake = Polygon([(0, 0), (9, 0), (9, 9), (0, 9)], [(4, 4), (5, 4), (5, 5)])  # with an island
#[pyclass(frozen, extends = Region, module = "pyquadrille")]
pub(crate) struct Polygon;

#[pymethods]
impl Polygon {
    #[new]
    #[pyo3(signature = (*rings))]
    fn new(rings: &Bound<'_, PyTuple>) -> PyResult<PyClassInitializer<Self>> {
        let rings: Vec<_> =
            rings.iter().map(|ring| finite(&Table::new("ring", &ring, &[2])?)).collect::<PyResult<_>>()?;
        // Fewer enclose nothing, and so would find nothing.
        let corners = |ring: &Vec<[f64; 2]>| ring.len() - usize::from(ring.len() > 1 && ring.first() == ring.last());
        if let Some(least) = rings.iter().map(corners).chain([if rings.is_empty() { 0 } else { 3 }]).min()
            && least < 3
        {
            return Err(value_error(format_args!("ring: at least 3 corners expected, not {least}")));
        }
        Ok(Region(Form::new(Numbers::Polygon(rings))).with(Self))
    }
}

/// All points within `distance` of a line through points (N, D): a road and its shoulders.
///
/// A box lies inside if it lies inside one straight part of it. Raises ValueError without points, for coordinates that
/// are not finite, or a negative distance.
#[pyclass(frozen, extends = Region, module = "pyquadrille")]
pub(crate) struct Corridor;

#[pymethods]
impl Corridor {
    #[new]
    fn new(points: Arg, distance: Arg) -> PyResult<PyClassInitializer<Self>> {
        let distance = distance_of("distance", distance)?;
        let points = Table::new("points", points, &[2, 3])?;
        if points.len() == 0 {
            return Err(value_error("points: at least one expected"));
        }
        let numbers = match points.width {
            2 => Numbers::Corridor2(finite(&points)?, distance),
            _ => Numbers::Corridor3(finite(&points)?, distance),
        };
        Ok(Region(Form::new(numbers)).with(Self))
    }
}

/// All places within `meters` of a place over the globe, in an index of degrees: (longitude, latitude).
///
/// Along great circles of a sphere, across the antimeridian and over the poles, with and without `torus`. Its bounds have
/// all longitudes. Raises ValueError for a place that is none, or a negative distance.
///
/// >>> near_fiji = Cap((179.9, -17), 50_000)
#[pyclass(frozen, extends = Region, module = "pyquadrille")]
pub(crate) struct Cap;

#[pymethods]
impl Cap {
    #[new]
    fn new(place: Arg, meters: Arg) -> PyResult<PyClassInitializer<Self>> {
        let [longitude, latitude] = Coordinates::new("place", place)?.point::<f64, 2>("place")?;
        if !longitude.is_finite() || !(-90.0..=90.0).contains(&latitude) {
            return Err(value_error(format_args!(
                "place: a longitude and a latitude from -90 to 90 expected, not ({longitude}, {latitude})"
            )));
        }
        let numbers = Numbers::Cap([longitude, latitude], distance_of("meters", meters)?);
        Ok(Region(Form::new(numbers)).with(Self))
    }
}

/// All points that lie in any of several regions. A box lies inside if it lies inside one of them.
#[pyclass(frozen, extends = Region, module = "pyquadrille")]
pub(crate) struct AnyOf;

#[pymethods]
impl AnyOf {
    #[new]
    fn new(regions: Arg) -> PyResult<PyClassInitializer<Self>> {
        let mut forms = Vec::new();
        for object in regions.try_iter()? {
            let object = object?;
            match region_of(&object)? {
                // Flat, so that none is deep.
                Some(region) => match &region.get().0.numbers {
                    Numbers::AnyOf(parts) => forms.extend(parts.iter().map(Arc::clone)),
                    _ => forms.push(Arc::clone(&region.get().0)),
                },
                None => forms.push(Form::new(Numbers::Box(Coordinates::new("region", &object)?))),
            }
        }
        Ok(Region(Form::new(Numbers::AnyOf(forms))).with(Self))
    }
}

/// Finite points for a kind of index, if they are finite there, too.
fn rounded<S: Number, const D: usize>(points: &[[f64; D]]) -> PyResult<Vec<[S; D]>> {
    let points: Vec<_> = points.iter().map(|point| point.map(S::from_f64)).collect();
    if points.as_flattened().iter().all(|at| at.is_finite()) {
        Ok(points)
    } else {
        Err(value_error("region: a coordinate is infinite as float32"))
    }
}
