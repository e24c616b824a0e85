//! Metrics for `nearest_by`, and the answers by sorting a list.

use core::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use quadrille::{Handle, Metric, NearestBy, ObjectRef, Rect};

use super::Real;
use super::oracle::{Known, Span};
use super::run::Run;

/// A way to measure.
#[derive(Clone, Copy, Debug)]
pub enum How {
    /// The sum of the gaps on all axes.
    Taxi,
    /// The same, multiplied by a small number that the value gives.
    Weighted,
    /// The farthest comes first, by the gap to the farthest corner on any axis.
    FarthestFirst,
    /// By nothing but the value; some values have no distance.
    ByValue,
}

impl How {
    pub fn of<S: Real, const D: usize>(self, from: &Span<S, D>, to: &Span<S, D>, value: u32) -> f64 {
        let axes = 0..D;
        let ends = |span: &Span<S, D>, axis: usize| [span.min[axis].value(), span.max[axis].value()];
        let gaps = axes.clone().map(|axis| {
            let ([from_min, from_max], [min, max]) = (ends(from, axis), ends(to, axis));
            (min - from_max).max(from_min - max).max(0.0)
        });
        match self {
            Self::Taxi => gaps.sum(),
            Self::Weighted => gaps.sum::<f64>() * (1.0 + f64::from(value % 4)),
            Self::FarthestFirst => -axes.fold(0.0, |most: f64, axis| {
                let ([from_min, from_max], [min, max]) = (ends(from, axis), ends(to, axis));
                most.max(max - from_min).max(from_max - min)
            }),
            Self::ByValue => match value % 5 {
                0 => f64::NAN,
                1 => f64::INFINITY,
                rest => f64::from(rest) - 3.0,
            },
        }
    }

    /// A lower bound of all objects inside a box.
    pub fn bound<S: Real, const D: usize>(self, from: &Span<S, D>, rect: &Rect<S, D>) -> f64 {
        match self {
            Self::ByValue => f64::NAN,
            Self::Taxi | Self::Weighted | Self::FarthestFirst => self.of(from, &Span::of_rect(rect), 0),
        }
    }
}

/// A metric of some kind, and how often it has been asked.
#[derive(Clone, Debug)]
pub struct Measure<S, const D: usize> {
    how: How,
    from: Span<S, D>,
    pub asked: Cell<usize>,
    /// How often each object has been measured.
    pub measured: RefCell<BTreeMap<Handle, usize>>,
}

impl<S: Real, const D: usize> Measure<S, D> {
    pub fn new(how: How, from: Span<S, D>) -> Self {
        Self { how, from, asked: Cell::new(0), measured: RefCell::default() }
    }
}

impl<S: Real, const D: usize> Metric<u32, S, D> for Measure<S, D> {
    fn bound(&self, rect: &Rect<S, D>) -> f64 {
        self.asked.set(self.asked.get() + 1);
        self.how.bound(&self.from, rect)
    }

    fn distance(&self, object: &ObjectRef<'_, u32, S, D>) -> f64 {
        *self.measured.borrow_mut().entry(object.handle()).or_default() += 1;
        self.how.of(&self.from, &Span::of_rect(&object.shape()), *object.value())
    }
}

/// The answer by sorting everything.
pub fn by_list<S: Real, const D: usize>(
    run: &Run<S, D>,
    (how, from): (How, &Span<S, D>),
    passes: impl Fn(&Known<S, D>) -> bool,
) -> Vec<(Handle, f64)> {
    let ranked = run.model.objects.iter().filter(|known| passes(known));
    let ranked = ranked.map(|known| (known.handle, how.of(from, &known.span, known.value) + 0.0));
    let mut ranked: Vec<_> = ranked.filter(|(_, distance)| !distance.is_nan()).collect();
    ranked.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    ranked
}

pub fn drain<S: Real, const D: usize, M: Metric<u32, S, D>>(
    query: NearestBy<'_, '_, u32, M, S, D>,
) -> Vec<(Handle, f64)> {
    query.map(|neighbor| (neighbor.object.handle(), neighbor.distance)).collect()
}
