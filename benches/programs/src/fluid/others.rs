//! kiddo, built anew in each tick.

use kiddo::{ImmutableKdTree, SquaredEuclidean};

use super::{Densities, Fluid, SQUARE, poly6};

pub(super) struct Kiddo(Vec<[f32; 3]>);

impl Kiddo {
    pub(super) fn new(fluid: &Fluid) -> Self {
        Self(Vec::with_capacity(fluid.all.len()))
    }
}

impl Densities for Kiddo {
    fn sum(&mut self, fluid: &mut Fluid) {
        self.0.clear();
        self.0.extend(fluid.all.iter().map(|particle| particle.at));
        let tree: ImmutableKdTree<f32, 3> =
            ImmutableKdTree::new_from_slice(&self.0).expect("the tree takes the points");
        let all = &self.0;
        fluid.threads.each(&mut fluid.densities, |number, sum| {
            *sum = 0.0;
            let near = tree.query(&all[number]).within::<SquaredEuclidean<f32>>(SQUARE).unsorted();
            near.visit(|found| *sum += poly6(found.distance));
        });
    }
}
