//! Regions that are not boxes: what a lamp lights up, what a camera sees, and a shape of one's own.

use quadrille::{Convex, HalfSpace, IntoRegion, Octree, Polygon, Quadtree, Rect, Region, Segment};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    lamp()?;
    camera()?;
    shape_of_ones_own()
}

/// In 2D: the walls in a cone of light, and of these the one that a ray of it meets.
fn lamp() -> Result<(), Box<dyn std::error::Error>> {
    let mut plan = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    let walls = plan.add_rect_layer()?;
    plan.insert(walls, Rect::new([40.0, 45.0], [42.0, 60.0]), "in the light")?;
    plan.insert(walls, Rect::new([20.0, 20.0], [30.0, 22.0]), "below the cone, but within its bounds")?;
    plan.insert(walls, Rect::new([70.0, 70.0], [72.0, 99.0]), "cut by the edge of the light")?;
    // The lamp at (10, 50) shines to the right.
    let light = Polygon::new([[10.0, 50.0], [90.0, 10.0], [90.0, 90.0]]);
    println!("The lamp lights up:");
    for wall in plan.intersecting(&light) {
        println!("  a wall {}", wall.value());
    }
    let ray = Segment::new([10.0, 50.0], [90.0, 55.0]);
    let hit: Vec<_> = plan.intersecting(ray).map(|wall| *wall.value()).collect();
    println!("A ray of it meets the wall {}", hit.join(" and that "));
    assert_eq!(plan.intersecting(&light).count(), 2);
    assert_eq!(hit, ["in the light"]);
    Ok(())
}

/// In 3D: what is in the frustum of a camera at the origin that looks along the third axis, from 1 to 50 away.
fn camera() -> Result<(), Box<dyn std::error::Error>> {
    let mut scene = Octree::new(Rect::new([-100.0; 3], [100.0; 3]))?;
    let things = scene.add_rect_layer()?;
    let mut cube = |center: [f32; 3], name| scene.insert(things, Rect::from_center_half(center, [1.0; 3]), name);
    cube([0.0, 0.0, 20.0], "a cube ahead")?;
    cube([19.5, 0.0, 20.0], "a cube cut by the right plane")?;
    cube([30.0, 0.0, 20.0], "a cube to the right")?;
    cube([0.0, 0.0, -20.0], "a cube behind")?;
    cube([0.0, 0.0, 80.0], "a cube too far away")?;
    // As far to the left, right, top and bottom as away; normals point out.
    let frustum = [
        HalfSpace::new([1.0, 0.0, -1.0], 0.0),
        HalfSpace::new([-1.0, 0.0, -1.0], 0.0),
        HalfSpace::new([0.0, 1.0, -1.0], 0.0),
        HalfSpace::new([0.0, -1.0, -1.0], 0.0),
        HalfSpace::new([0.0, 0.0, -1.0], -1.0),
        HalfSpace::new([0.0, 0.0, 1.0], 50.0),
    ];
    let corners = [1.0_f32, 50.0].into_iter().flat_map(|away| [[-away, -away, away], [away, away, away]]);
    let view = Convex::new(&frustum).within(Rect::from_points(corners).ok_or("no corners")?);
    println!("The camera sees, partly or wholly:");
    for thing in scene.intersecting(view) {
        println!("  {}", thing.value());
    }
    println!("Wholly in view: {}", scene.contained_in(view).count());
    assert_eq!((scene.intersecting(view).count(), scene.contained_in(view).count()), (2, 1));
    Ok(())
}

/// All points whose distance from a center is from `inner` to `outer`.
#[derive(Clone, Copy, Debug)]
struct Ring {
    center: [f32; 2],
    inner: f32,
    outer: f32,
}

impl Ring {
    /// The squares of the distances to the nearest and the farthest point of a box.
    fn distances_squared(&self, rect: &Rect) -> [f32; 2] {
        let mut squares = [0.0, 0.0];
        for axis in 0..2 {
            let (below, above) = (self.center[axis] - rect.min()[axis], rect.max()[axis] - self.center[axis]);
            let (gap, far) = ((-below).max(-above).max(0.0), below.max(above));
            squares = [squares[0] + gap * gap, squares[1] + far * far];
        }
        squares
    }
}

impl Region<f32, 2> for Ring {
    fn bounds(&self) -> Rect {
        Rect::from_center_half(self.center, [self.outer; 2])
    }
    fn intersects(&self, rect: &Rect) -> bool {
        let [nearest, farthest] = self.distances_squared(rect);
        nearest <= self.outer * self.outer && self.inner * self.inner <= farthest
    }
    fn contains(&self, rect: &Rect) -> bool {
        let [nearest, farthest] = self.distances_squared(rect);
        self.inner * self.inner <= nearest && farthest <= self.outer * self.outer
    }
}

impl IntoRegion<f32, 2> for Ring {
    type Region = Self;
    fn into_region(self) -> Self {
        self
    }
}

/// Units on a grid, and a ring around the middle.
fn shape_of_ones_own() -> Result<(), Box<dyn std::error::Error>> {
    let mut field = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
    let units = field.add_point_layer()?;
    for number in 0..10_000_u16 {
        field.insert(units, [f32::from(number % 100), f32::from(number / 100)], ())?;
    }
    let ring = Ring { center: [50.0, 50.0], inner: 20.0, outer: 25.0 };
    let found = field.intersecting(ring).count();
    let looked_up = field.iter().filter(|unit| ring.intersects(&unit.shape())).count();
    println!("The ring holds {found} of {} units; a look at each finds {looked_up}", field.len());
    assert_eq!(found, looked_up);
    Ok(())
}
