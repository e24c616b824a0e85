//! Queries on several threads give the objects of one thread, in its order.

use quadrille_support::questions::set_of;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::{Space, Stage, agree};
use crate::field::{Layers, Maybe, Shape, Spot};

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
    }
}
