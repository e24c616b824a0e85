//~ cannot hold `Rect<
//~ a layer of `Points` takes points: anything that converts into `[f32; 2]`
use quadrille::{Quadtree, Rect};

fn main() {
    let mut index: Quadtree<()> = Quadtree::new(Rect::new([0.0, 0.0], [1.0, 1.0])).unwrap();
    let points = index.add_point_layer().unwrap();
    index.insert(points, Rect::new([0.1, 0.1], [0.2, 0.2]), ()).unwrap();
}
