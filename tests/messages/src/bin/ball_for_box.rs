//~ `quadrille::Ball` is neither a point nor a rectangle
//~ a point or a rectangle is expected
use quadrille::{Ball, Quadtree, Rect};

fn main() {
    let index: Quadtree<()> = Quadtree::new(Rect::new([0.0, 0.0], [1.0, 1.0])).unwrap();
    let _ = index.nearest(Ball::new([0.5, 0.5], 0.1)).count();
}
