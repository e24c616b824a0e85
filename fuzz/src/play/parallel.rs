//! Queries on several threads give the objects of one thread, in its order, and changes make the same index.

use std::sync::LazyLock;

use quadrille::{Around, BatchMoved, Handle, LayerError, Object};
use quadrille_support::oracle::Span;
use quadrille_support::questions::set_of;
use quadrille_support::{AnyLayer, Index};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::{Space, Stage, agree};
use crate::field::{Layers, Maybe, Shape, Spot};

/// Several threads, however many processors there are.
static SOME: LazyLock<ThreadPool> =
    LazyLock::new(|| ThreadPoolBuilder::new().num_threads(3).build().expect("a few threads"));

/// As an update of one thread that has made another index: the same is refused, and the same index comes of it.
pub(super) fn update<S: Space, const D: usize>(
    index: &mut Index<S, D>,
    layer: AnyLayer,
    span_of: impl Fn(u32, Span<S, D>) -> Span<S, D> + Sync,
    (alone, came): (&Index<S, D>, &Result<BatchMoved, LayerError>),
) {
    let together = SOME.install(|| match layer {
        AnyLayer::Points(layer) => index.par_update(layer, |_, &value, at| span_of(value, Span::of_rect(&at)).min),
        AnyLayer::Rects(layer) => index.par_update(layer, |_, &value, at| span_of(value, Span::of_rect(&at)).rect()),
    });
    // NaN is among what was refused.
    agree!(format!("{together:?}"), format!("{came:?}"), "an update on several threads");
    for (_, _, value) in index.iter_mut().in_layers(layer.id()).filter(|_| came.is_ok()) {
        *value ^= 1 << 30;
    }
    agree!(index.check_integrity(), Ok(()), "the invariants after an update on several threads");
    let all = |index: &Index<S, D>| -> Vec<_> {
        index.iter().map(|object| (object.handle(), Span::of_rect(&object.shape()), *object.value())).collect()
    };
    agree!(all(index), all(alone), "all objects, in order, after an update on several threads");
    #[cfg(feature = "snapshots")]
    assert!(
        postcard::to_allocvec(index) == postcard::to_allocvec(alone),
        "the bytes after an update on several threads"
    );
}

impl<S: Space, const D: usize> Stage<S, D> {
    pub(super) fn parallel(&mut self, on: usize, region: &Shape, within: Maybe<Spot>, layers: Layers) {
        let distance = self.distance(on, within.0);
        let side = &self.sides[on];
        let (index, set) = (&side.index, set_of(&side.asked(layers)));
        let region = region.span(&index.world()).rect();
        let query = index.intersecting(region).in_layers(set);
        let alone: Vec<_> = query.clone().map(|object| object.handle()).collect();
        let together: Vec<_> = query.into_par_iter().map(|object| object.handle()).collect();
        agree!(together, alone, "objects on several threads, in order");
        let pairs = index.pairs().in_layers(set);
        let pairs = if let Some(distance) = distance { pairs.within(distance) } else { pairs };
        let alone: Vec<_> = pairs.clone().map(|(a, b)| (a.handle(), b.handle())).collect();
        let together: Vec<_> = pairs.into_par_iter().map(|(a, b)| (a.handle(), b.handle())).collect();
        agree!(together, alone, "pairs on several threads, in order");
        let near = index.neighbors().in_layers(set);
        let near = if let Some(distance) = distance { near.within(distance) } else { near };
        let tell = |object: Object<&u32, S, D>, others: Around<'_, '_, u32, S, D>| -> (Handle, Vec<Handle>) {
            (object.handle, others.map(|other| other.handle).collect())
        };
        let alone: Vec<_> = near.clone().map(tell).collect();
        let is_even = |value: &u32| value.is_multiple_of(2);
        let even = near.clone().matching(|other| is_even(other.value())).map(tell);
        let together: Vec<_> = near.par_map(tell).collect();
        agree!(together, alone, "neighbors on several threads, in order");
        let filtered = alone.into_iter().map(|(center, mut others)| {
            others.retain(|&other| index.get(other).is_some_and(is_even));
            (center, others)
        });
        agree!(even.collect::<Vec<_>>(), filtered.collect::<Vec<_>>(), "neighbors with an even value");
    }
}
