//~ coordinates are `f32` or `f64`, not `{integer}`
//~ docs/guide/numbers.md#integers
use quadrille::{Quadtree, Rect};

fn main() {
    let _ = Quadtree::<u32, i32>::new(Rect::new([0, 0], [100, 100]));
}
