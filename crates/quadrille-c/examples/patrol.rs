//! The patrol by the library itself: what the other languages must print.

use quadrille::{ObjectError, Quadtree, Ray, Rect, Watch};

/// Numbers below a limit, the same in every language.
struct Random(i64);

impl Random {
    fn below(&mut self, limit: i32) -> f64 {
        self.0 = self.0 * 16807 % 2_147_483_647;
        f64::from(i32::try_from(self.0 % i64::from(limit)).expect("it is below the limit"))
    }

    fn point(&mut self) -> [f64; 2] {
        [self.below(1000), self.below(1000)]
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut random, mut index) = (Random(1), Quadtree::<(), f64>::new(Rect::new([0.0, 0.0], [1000.0, 1000.0]))?);
    let (unit_layer, wall_layer) = (index.add_point_layer()?, index.add_rect_layer()?);
    let mut places: Vec<_> = (0..1000).map(|_| random.point()).collect();
    let corners: Vec<_> = (0..100).map(|_| random.point()).collect();
    let units = index.insert_batch(unit_layer, places.iter().map(|&place| (place, ())))?;
    let boxes = corners.iter().map(|&[x, y]| (Rect::new([x, y], [x + 20.0, y + 5.0]), ()));
    let walls = index.insert_batch(wall_layer, boxes)?;

    let (view, mut watch, mut changes) = (Rect::new([200.0, 200.0], [600.0, 600.0]), Watch::new(), 0);
    for _ in 0..10 {
        places.as_flattened_mut().iter_mut().for_each(|place| *place += random.below(21) - 10.0);
        let moved = index.move_batch(units.iter().copied().zip(places.iter().copied()));
        assert!(moved.refused.is_empty());
        let polled = watch.poll(index.intersecting(view).in_layers(unit_layer))?;
        changes += polled.entered.len() + polled.left.len();
    }
    println!("watch: {changes} came or went");

    let near: Vec<_> = index.within_distance([500.0, 500.0], 100.0).map(|object| object.handle().slot()).collect();
    println!("ball: {} objects, slots {}", near.len(), near.iter().sum::<usize>());

    let (mut cursor, mut total, mut slices) = (index.iter().pause(), 0, 0);
    loop {
        let mut query = index.resume(cursor)?;
        let found = query.by_ref().take(64).count();
        (total, slices, cursor) = (total + found, slices + 1, query.pause());
        if found < 64 {
            break;
        }
    }
    println!("cursor: {total} objects in {slices} slices");

    let nearest = index.nearest([500.0, 500.0]).in_layers(unit_layer).take(5);
    let slots: Vec<_> = nearest.map(|near| near.object.handle().slot().to_string()).collect();
    println!("nearest: {}", slots.join(" "));
    let hits = index.raycast(Ray::segment([0.0, 0.0], [1000.0, 1000.0])).in_layers(wall_layer).take(3);
    let slots: Vec<_> = hits.map(|hit| hit.object.handle().slot().to_string()).collect();
    println!("ray: {}", slots.join(" "));
    println!("pairs: {}", index.pairs().within(1.0).between(unit_layer, wall_layer).count());

    let refused = index.remove_batch([walls[0], walls[0]]).expect_err("it is there twice");
    assert_eq!(refused.reason, ObjectError::Repeated { handle: walls[0] });
    println!("error 6: {refused}");
    Ok(())
}
