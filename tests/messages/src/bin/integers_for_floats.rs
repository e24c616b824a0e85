//~ cannot hold `[{integer}; 2]`
//~ this index has `f32` coordinates: write `1.0`, not `1`
use quadrille::{Quadtree, Rect};

fn main() {
    let mut index: Quadtree<()> = Quadtree::new(Rect::new([0.0, 0.0], [1.0, 1.0])).unwrap();
    let points = index.add_point_layer().unwrap();
    index.insert(points, [1, 2], ()).unwrap();
}
