//~ `into_par_iter` and the methods `par_…` need the feature `rayon` of the crate `quadrille`
use quadrille::{Quadtree, Rect};

fn main() {
    let mut index: Quadtree<()> = Quadtree::new(Rect::new([0.0, 0.0], [1.0, 1.0])).unwrap();
    let units = index.add_point_layer().unwrap();
    let _ = index.par_update(units, |_, (), at| at.min());
}
