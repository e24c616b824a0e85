//~ cannot hold `[f32; 2]`
//~ a point as `Rect::from_point(
use quadrille::{Quadtree, Rect};

fn main() {
    let mut index: Quadtree<()> = Quadtree::new(Rect::new([0.0, 0.0], [1.0, 1.0])).unwrap();
    let walls = index.add_rect_layer().unwrap();
    index.insert(walls, [0.1_f32, 0.2], ()).unwrap();
}
