//! The city: fences that stand, and movers that walk, in an index each.

use std::f32::consts::{PI, TAU};

use quadrille::{ContactChanges, Contacts, Handle, ObjectRef, PollError, Polygon, Quadtree, Rect};
use quadrille_gallery::text::{float, single};
use rand::{Rng, RngExt};

/// A mover walks in one tick of so many.
pub(crate) const EACH: usize = 100;
/// There are so many fences for a mover.
const FENCES: usize = 10;
/// The side of the world, if there are a million fences.
const WORLD: [f64; 2] = [32_000.0, 18_000.0];
const VIEW: [f32; 2] = [800.0, 450.0];
const STEP: f32 = 14.0;
/// The least radius of a district; all other fences are smaller.
const DISTRICT: f32 = 120.0;

/// The value of a mover.
pub(crate) struct Mover {
    heading: f32,
    /// Where it was before its last step.
    pub(crate) from: [f32; 2],
}

/// The values of fences are their exact shapes.
pub(crate) struct City {
    pub(crate) fences: Quadtree<Polygon>,
    pub(crate) movers: Quadtree<Mover>,
    all: Vec<Handle>,
    /// The movers that have moved since the last poll.
    pub(crate) moved: Vec<Handle>,
    /// The pairs of a mover and a fence around it.
    pub(crate) inside: Contacts,
}

impl City {
    pub(crate) fn new(count: usize, dice: &mut impl Rng) -> anyhow::Result<Self> {
        let size = WORLD.map(|side| single(side * (float(count) / 1e6).sqrt()));
        let world = Rect::new([0.0; 2], size);
        let (mut fences, mut movers) = (Quadtree::new(world)?, Quadtree::new(world)?);
        let (zones, walkers) = (fences.add_rect_layer()?, movers.add_point_layer()?);
        let mut shapes: Vec<Polygon> = (0..count).map(|_| fence(place(size, dice), dice)).collect();
        fences.sort_by_place(&mut shapes, Polygon::bounds);
        fences.insert_batch(zones, shapes.into_iter().map(|fence| (fence.bounds(), fence)))?;
        let start = |_| {
            let from = place(size, dice);
            (from, Mover { heading: dice.random_range(0.0..TAU), from })
        };
        let mut starts: Vec<_> = (0..count.div_ceil(FENCES)).map(start).collect();
        movers.sort_by_place(&mut starts, |start| start.0);
        let all = movers.insert_batch(walkers, starts)?;
        Ok(Self { fences, movers, all, moved: Vec::new(), inside: Contacts::new() })
    }

    /// A hundredth of the movers make a step.
    pub(crate) fn advance(&mut self, tick: usize, dice: &mut impl Rng) -> anyhow::Result<()> {
        self.moved.clear();
        self.moved.extend(self.all.iter().skip(tick % EACH).step_by(EACH));
        let world = self.movers.world();
        for &handle in &self.moved {
            let from = self.movers.shape(handle).expect("nobody is removed").min();
            let mover = self.movers.get_mut(handle).expect("nobody is removed");
            mover.heading += dice.random_range(-0.6..0.6);
            if !world.contains_point(stepped(from, mover.heading)) {
                mover.heading += PI;
            }
            mover.from = from;
            let to = stepped(from, mover.heading);
            self.movers.move_to(handle, to)?;
        }
        Ok(())
    }

    /// Who has entered and left which fence, if only those have moved that are named.
    pub(crate) fn poll(&mut self) -> Result<ContactChanges<'_>, PollError> {
        let pairs = self.movers.join_of(&self.moved, &self.fences);
        self.inside.poll_moved(&self.moved, pairs.filter(is_inside))
    }

    /// The same, whoever has moved.
    pub(crate) fn poll_all(&mut self) -> Result<ContactChanges<'_>, PollError> {
        self.inside.poll(self.movers.join(&self.fences).filter(is_inside))
    }

    /// Looks at each mover and each fence.
    pub(crate) fn pairs_by_brute_force(&self) -> Vec<[Handle; 2]> {
        let mut pairs: Vec<_> = self
            .movers
            .iter()
            .flat_map(|mover| self.fences.iter().map(move |fence| (mover, fence)))
            .filter(is_inside)
            .map(|(mover, fence)| [mover.handle(), fence.handle()])
            .collect();
        pairs.sort_unstable();
        pairs
    }

    /// The part in the middle that is drawn.
    pub(crate) fn view(&self) -> Rect {
        let world = self.movers.world();
        let middle = Rect::from_center_half(world.center(), VIEW);
        middle.intersection(&world).expect("the middle")
    }
}

/// The exact test: a fence's box around a mover does not say that the mover is inside.
fn is_inside((mover, fence): &(ObjectRef<'_, Mover>, ObjectRef<'_, Polygon>)) -> bool {
    fence.value().intersects(&mover.shape())
}

fn stepped([x, y]: [f32; 2], heading: f32) -> [f32; 2] {
    [x + STEP * heading.cos(), y + STEP * heading.sin()]
}

/// A place where there may be something: there are quarters and empty land.
fn place(size: [f32; 2], dice: &mut impl Rng) -> [f32; 2] {
    loop {
        let [x, y] = size.map(|side| dice.random_range(0.0..side));
        let quarter = (0.009 * x + 1.5 * (0.006 * y).sin()).sin() + (0.011 * y - 2.0 * (0.004 * x).cos()).cos();
        if dice.random_range(0.0..1.0) < 0.4 + 0.3 * quarter {
            return [x, y];
        }
    }
}

/// The outline of a fence: few corners, or a district with a hundred.
fn fence(center: [f32; 2], dice: &mut impl Rng) -> Polygon {
    let (radius, corners) = if dice.random_ratio(1, 2000) {
        (dice.random_range(2.0 * DISTRICT..4.0 * DISTRICT), dice.random_range(60..160_u16))
    } else {
        (6.0 / dice.random_range(0.25_f32..1.0), dice.random_range(5..10))
    };
    let phases = [(); 2].map(|()| dice.random_range(0.0..TAU));
    Polygon::new((0..corners).map(|corner| {
        let angle = TAU * f32::from(corner) / f32::from(corners);
        let wave = 1.0 + 0.25 * (2.0 * angle + phases[0]).sin() + 0.2 * (3.0 * angle + phases[1]).sin();
        [center[0] + radius * wave * angle.cos(), center[1] + radius * wave * angle.sin()]
    }))
}

pub(crate) fn is_district(bounds: &Rect) -> bool {
    2.0 * DISTRICT < bounds.size()[0].max(bounds.size()[1])
}
