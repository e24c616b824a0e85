//~ `[{integer}; 2]` is not a region of this index
//~ this index has `f64` coordinates: write `1.0`, not `1`
//~ `Convex` and `AnyOf` are regions
use quadrille::{Quadtree, Rect};

fn main() {
    let index: Quadtree<(), f64> = Quadtree::new(Rect::new([0.0, 0.0], [1.0, 1.0])).unwrap();
    let _ = index.intersecting([1, 2]).count();
}
