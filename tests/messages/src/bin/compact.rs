//~ gated
//~ serde
use quadrille::{Compact, Quadtree};

fn main() {
    let _: Option<Compact<Quadtree<()>>> = None;
}
