#![allow(unused)]
#[test] fn program() -> Result<(), Box<dyn std::error::Error>> {
use quadrille::{Periodic, Quadtree, Rect};

let torus = Periodic::new(Rect::new([0.0, 0.0], [1000.0, 1000.0]))?;
let mut sea: Quadtree<&str> = Quadtree::new(torus.world())?;
let ships = sea.add_point_layer()?;

let east = sea.insert(ships, [990.0, 500.0], "at the eastern border")?;
let west = sea.insert(ships, torus.wrap([1005.0, 500.0]), "just beyond it")?;
assert_eq!(sea.shape(west), Some(Rect::from_point([5.0, 500.0])));

let here = [998.0, 500.0];
assert_eq!(torus.over(&sea).within_distance(here, 10.0).count(), 2);
let nearest = torus.over(&sea).nearest(here).next().expect("there are ships");
assert_eq!((nearest.object.handle(), nearest.distance_squared), (west, 49.0)); // 7, not 993
let from = sea.shape(east).expect("it lives").min();
let to = sea.shape(west).expect("it lives").min();
assert_eq!(torus.displacement(from, to), [15.0, 0.0]); // across the border

let mut ship = from;
for tick in 0..3 {
    let [x, y] = torus.displacement(ship, to);
    ship = torus.wrap([ship[0] + x / 3.0, ship[1] + y / 3.0]);
    sea.move_to(east, ship)?;
}
assert!(torus.over(&sea).within_distance(to, 6.0).excluding(west).exists());
use quadrille::{Contacts, Ray};

let ice = sea.add_rect_layer()?;
let floe = sea.insert(ice, torus.wrap_rect(Rect::new([-20.0, 480.0], [3.0, 520.0])), "ice")?;
let world = torus.over(&sea); // with rectangles, make it once for many queries

assert!(world.containing([999.0, 500.0]).in_layers(ice).exists());
assert!(world.containing([2.0, 500.0]).in_layers(ice).exists());

let hit = world.raycast(Ray::new([900.0, 490.0], [1.0, 0.0])).in_layers(ice).next().expect("it is in the way");
assert_eq!(hit.t, 80.0);
let hit = world.cast([50.0, 490.0], [-100.0, 0.0]).in_layers(ice).next().expect("from the other side, too");
assert_eq!(hit.t, 0.47);

let mut contacts = Contacts::new();
contacts.poll(world.pairs().between(ice, ships))?;
assert_eq!(contacts.pairs().len(), 2); // both ships touch the floe
let globe = Periodic::new(Rect::new([-180.0, -90.0], [180.0, 90.0]))?.on_axes([true, false]);
let mut fleet: Quadtree<&str, f64> = Quadtree::new(globe.world())?;
let vessels = fleet.add_point_layer()?;
fleet.insert(vessels, [179.5, -17.0], "west of the antimeridian")?;
fleet.insert(vessels, [-179.0, -18.0], "east of it")?;
fleet.insert(vessels, [100.0, -17.0], "far away")?;

let fiji = Rect::new([177.0, -20.0], [183.0, -15.0]); // on beyond 180
assert_eq!(globe.over(&fleet).intersecting(fiji).count(), 2);
use quadrille::AnyOf;

let [west, east] = [[177.0, 180.0], [-180.0, -177.0]].map(|[from, to]| Rect::new([from, -20.0], [to, -15.0]));
let cursor = fleet.intersecting(AnyOf::new([west, east])).pause();
assert_eq!(fleet.resume(cursor)?.count(), 2);
Ok(()) }