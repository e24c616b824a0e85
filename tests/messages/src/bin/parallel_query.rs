//~ `into_par_iter` and the methods `par_…` need the feature `rayon` of the crate `quadrille`
//~ features = ["rayon"]
use quadrille::{Quadtree, Rect};
use rayon::prelude::*;

fn main() {
    let index: Quadtree<()> = Quadtree::new(Rect::new([0.0, 0.0], [1.0, 1.0])).unwrap();
    let _ = index.intersecting([0.5, 0.5]).into_par_iter().count();
}
