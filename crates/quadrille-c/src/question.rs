//! Questions as structs of C, and the regions, relations and filters that they become.

use std::any::Any;
use std::array;
use std::sync::Arc;

use quadrille::{
    Ball, Convex, Corridor, HalfSpace, Handle, IntoRegion, KnownShape, LayerSet, Polygon, Rect, Region, Segment,
};

use crate::Number;
use crate::error::{Error, Outcome, Status, refuse};
use crate::gate::Lent;

/// `qd_query`, `qdf_query`.
#[repr(C)]
pub(crate) struct Asked<S> {
    relation: u32,
    shape: u32,
    numbers: *const S,
    count: usize,
    layers: u64,
    excluding: *const u64,
    excluded: usize,
}

/// The same, looked at, as a copy.
pub(crate) struct Question<S, const D: usize> {
    pub(crate) relation: u32,
    pub(crate) area: Area<S, D>,
    pub(crate) layers: LayerSet,
    pub(crate) excluded: Vec<Handle>,
}

/// A region of any form.
#[derive(Clone)]
pub(crate) enum Area<S, const D: usize> {
    Box(Rect<S, D>),
    Ball(Ball<S, D>),
    Segment(Segment<S, D>),
    /// With its bounds.
    Other(Rect<S, D>, Test<S, D>),
}

/// Whether a box is inside: as a whole, or in part.
type Test<S, const D: usize> = Arc<dyn Fn(&Rect<S, D>, bool) -> bool + Send + Sync>;

impl<S: Number, const D: usize> Region<S, D> for Area<S, D> {
    fn bounds(&self) -> Rect<S, D> {
        match self {
            Self::Box(bounds) | Self::Other(bounds, _) => *bounds,
            Self::Ball(ball) => ball.bounds(),
            Self::Segment(segment) => segment.bounds(),
        }
    }

    fn intersects(&self, rect: &Rect<S, D>) -> bool {
        self.holds(rect, false)
    }

    fn contains(&self, rect: &Rect<S, D>) -> bool {
        self.holds(rect, true)
    }

    fn shape(&self) -> KnownShape<'_, S, D> {
        match self {
            Self::Box(_) => KnownShape::Box,
            Self::Ball(ball) => KnownShape::Ball(ball),
            Self::Segment(segment) => KnownShape::Segment(segment),
            Self::Other(..) => KnownShape::Other,
        }
    }
}

/// A region of another form.
fn other<S, const D: usize>(region: impl Region<S, D> + Send + Sync + 'static) -> Area<S, D> {
    Area::Other(region.bounds(), Arc::new(move |rect, is_whole| holds(&region, rect, is_whole)))
}

fn holds<S, const D: usize>(region: &impl Region<S, D>, rect: &Rect<S, D>, is_whole: bool) -> bool {
    if is_whole { region.contains(rect) } else { region.intersects(rect) }
}

impl<S: Number, const D: usize> Area<S, D> {
    fn holds(&self, rect: &Rect<S, D>, is_whole: bool) -> bool {
        match self {
            Self::Box(bounds) => holds(bounds, rect, is_whole),
            Self::Ball(ball) => holds(ball, rect, is_whole),
            Self::Segment(segment) => holds(segment, rect, is_whole),
            Self::Other(_, test) => test(rect, is_whole),
        }
    }

    /// Reads the numbers of a shape.
    fn new(shape: u32, numbers: &[S]) -> Outcome<Self> {
        // How many numbers: a multiple of the first, and the second. From the polygon on it may be any multiple.
        let shapes = [
            ("box", 2 * D, 0),
            ("point", D, 0),
            ("ball", D, 1),
            ("segment", 2 * D, 0),
            ("region everywhere", 0, 0),
            ("polygon", 2, 0),
            ("convex region", D + 1, 0),
            ("polygon of rings", 2, 0),
            ("corridor", D, 1),
        ];
        let (count, is_any) = (numbers.len(), shape > 4);
        let Some(&(name, unit, rest)) = shapes.get(shape as usize) else {
            return refuse(Status::BadChoice, format!("shape {shape}: there are 0 to 8"));
        };
        let parts = if is_any { count.saturating_sub(rest) / unit } else { 1 };
        if count != parts * unit + rest {
            let many = || format!("a multiple of {unit}{}", ["", " and one more"][rest % 2]);
            let wanted = if is_any { many() } else { (unit + rest).to_string() };
            return refuse(Status::BadLength, format!("a {name} in {D}D has {wanted} numbers, not {count}"));
        }
        not_nan("region", numbers)?;
        let at = |from: usize| point::<S, D>(numbers, from);
        let each = (0..parts).map(|part| part * unit);
        Ok(match shape {
            0 => Self::Box(Rect::try_new(at(0), at(D))?),
            1 => Self::Box(Rect::from_point(at(0))),
            2 => Self::Ball(Ball::new(at(0), numbers[D])),
            3 => Self::Segment(Segment::new(at(0), at(D))),
            4 => Self::Box(Rect::everything()),
            5 | 7 => {
                let (mut polygon, mut ring) = (Polygon::new(Vec::<[S; 2]>::new()), Vec::new());
                for corner in each.map(|from| point::<S, 2>(numbers, from)) {
                    ring.push(corner);
                    if shape == 7 && ring.len() > 1 && ring[0] == corner {
                        polygon = polygon.with_ring(ring.drain(..));
                    }
                }
                let area = (Box::new(other(polygon.with_ring(ring))) as Box<dyn Any>).downcast();
                *area.or_else(|_| refuse(Status::BadChoice, "a polygon in 3D: there are none"))?
            }
            8 => other(Corridor::new(each.map(at), numbers[count - 1])),
            _ => {
                let planes: Vec<_> = each.map(|from| HalfSpace::new(at(from), numbers[from + D])).collect();
                let test = Arc::new(move |rect: &_, is_whole| holds(&Convex::new(&planes), rect, is_whole));
                Self::Other(Rect::everything(), test)
            }
        })
    }
}

impl<S: Number, const D: usize> IntoRegion<S, D> for Area<S, D> {
    type Region = Self;

    fn into_region(self) -> Self {
        self
    }
}

pub(crate) fn point<S: Number, const D: usize>(numbers: &[S], from: usize) -> [S; D] {
    array::from_fn(|axis| numbers[from + axis])
}

pub(crate) fn not_nan<S: Number>(name: &str, numbers: &[S]) -> Outcome {
    match numbers.iter().position(|number| number.partial_cmp(number).is_none()) {
        Some(position) => refuse(Status::BadNumber, format!("{name}: number {position} is NaN")),
        None => Ok(()),
    }
}

/// Layers by their bits. To ask none is a mistake.
pub(crate) fn layer_set(bits: u64) -> Outcome<LayerSet> {
    let layers = LayerSet::from_bits(bits);
    if bits == 0 { refuse(Status::NoLayer, "layers: 0 names none, QD_ALL_LAYERS all") } else { Ok(layers) }
}

pub(crate) fn handles_of<'l>(
    lent: &'l Lent, name: &str, handles: *const u64, len: usize,
) -> Outcome<impl Iterator<Item = Handle> + use<'l>> {
    Ok(lent.input(name, handles, len)?.iter().map(|&bits| Handle::from_bits(bits)))
}

impl<S: Number, const D: usize> Question<S, D> {
    pub(crate) fn new(lent: &Lent, asked: *const Asked<S>) -> Outcome<Self> {
        Self::read(lent, &lent.input("query", asked, 1)?[0])
    }

    pub(crate) fn many(lent: &Lent, asked: *const Asked<S>, len: usize) -> Outcome<Vec<Self>> {
        let asked = lent.input("queries", asked, len)?.iter().enumerate();
        let of = |number, Error(code, text)| Error(code, format!("query {number}: {text}"));
        asked.map(|(number, asked)| Self::read(lent, asked).map_err(|error| of(number, error))).collect()
    }

    /// A box or a point to measure from.
    pub(crate) fn target(&self) -> Outcome<Rect<S, D>> {
        let Area::Box(target) = self.area else { return refuse(Status::BadChoice, "shape: a box or a point expected") };
        Ok(target)
    }

    fn read(lent: &Lent, asked: &Asked<S>) -> Outcome<Self> {
        if asked.relation > 2 {
            return refuse(Status::BadChoice, format!("relation {}: there are 0 to 2", asked.relation));
        }
        let area = Area::new(asked.shape, lent.input("numbers", asked.numbers, asked.count)?)?;
        let excluded = handles_of(lent, "excluding", asked.excluding, asked.excluded)?.collect();
        Ok(Self { relation: asked.relation, area, layers: layer_set(asked.layers)?, excluded })
    }
}

/// Does the same with the query of a question, whatever its relation.
macro_rules! ask {
    ($index:expr, $question:expr, $found:ident => $answer:expr) => {
        match $question.relation {
            0 => ask!(@ intersecting $index, $question, $found => $answer),
            1 => ask!(@ contained_in $index, $question, $found => $answer),
            _ => ask!(@ containing $index, $question, $found => $answer),
        }
    };
    (@ $relation:ident $index:expr, $question:expr, $found:ident => $answer:expr) => {{
        let $found = $index.$relation($question.area.clone()).in_layers($question.layers).excluding(&$question.excluded);
        $answer
    }};
}
pub(crate) use ask;
