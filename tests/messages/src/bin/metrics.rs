//~ `[f32; 2]` does not measure distances of values `u32`
//~ `nearest` measures from a point to shapes
//~ `GreatCircle` is one in 2D, and needs no `periodic`
use quadrille::{Quadtree, Rect};

fn main() {
    let index: Quadtree<u32> = Quadtree::new(Rect::new([0.0, 0.0], [1.0, 1.0])).unwrap();
    let _ = index.nearest_by([0.5_f32, 0.5]).count();
}
