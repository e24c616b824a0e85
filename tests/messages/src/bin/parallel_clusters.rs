//~ `into_par_iter` and the methods `par_…` need the feature `rayon` of the crate `quadrille`
use quadrille::{Quadtree, Rect};

fn main() {
    let index: Quadtree<()> = Quadtree::new(Rect::new([0.0, 0.0], [1.0, 1.0])).unwrap();
    let _ = index.iter().clusters(0.5).unwrap().par_collect();
}
