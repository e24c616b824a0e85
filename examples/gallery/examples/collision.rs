//! Thousands of bouncing boxes of mixed sizes between still walls: which contacts begin, last and end.
//!
//!     cargo run --release -p quadrille-gallery --example collision -- --verify

use std::process::ExitCode;

use quadrille::{Contacts, Handle, Layer, ObjectRef, Quadtree, Rect, Rects};
use quadrille_gallery::{Ink, Mark, Picture, Program, Show, Stopwatch, grouped, palette};
use rand::{Rng, RngExt};

const WORLD: [f32; 2] = [1600.0, 900.0];
const WALLS: usize = 40;

/// Two objects that touch, the lower handle first.
type Pair = [Handle; 2];

/// The physics engine, which knows nothing of the index.
struct Body {
    shape: Rect,
    velocity: [f32; 2],
    /// One divided by the mass: nothing moves a wall.
    lightness: f32,
}

/// The bodies, walls first, and the index, whose values are their numbers.
struct Arena {
    bodies: Vec<Body>,
    index: Quadtree<usize>,
    still: Layer<Rects>,
    moving: Layer<Rects>,
    handles: Vec<Handle>,
}

fn main() -> ExitCode {
    let about = "Bouncing boxes of mixed sizes between walls: which contacts begin, last and end.";
    Program { name: "collision", about, objects: 2500, ticks: 240 }.run(play)
}

fn play(show: &mut Show) -> anyhow::Result<()> {
    let mut arena = Arena::new(show.objects(), &mut show.dice())?;
    let (mut at_walls, mut collisions) = (Contacts::new(), Contacts::new());
    let [mut moving, mut asking, mut scanning] = [Stopwatch::default(); 3];
    let (mut contacts, mut events): (Vec<Pair>, usize) = (Vec::new(), 0);

    for _ in show.ticks() {
        moving.time(|| arena.advance());
        let (mut begun, mut ended) = (Vec::new(), Vec::new());
        asking.time(|| {
            let pairs =
                [arena.index.pairs().between(arena.still, arena.moving), arena.index.pairs().in_layers(arena.moving)];
            for (watch, pairs) in [&mut at_walls, &mut collisions].into_iter().zip(pairs) {
                let changes = watch.poll(pairs)?;
                begun.extend_from_slice(changes.begun);
                ended.extend_from_slice(changes.ended);
            }
            anyhow::Ok(())
        })?;
        events += begun.len();
        let before = std::mem::replace(&mut contacts, at_walls.pairs().chain(collisions.pairs()).collect());
        if show.verify() {
            let all = scanning.time(|| arena.contacts_by_brute_force());
            let not_in = |one: &[Pair], other: &[Pair]| -> Vec<Pair> {
                one.iter().filter(|pair| !other.contains(pair)).copied().collect()
            };
            show.same("contacts that begin", begun, not_in(&all, &before))?;
            show.same("contacts that end", ended, not_in(&before, &all))?;
            show.same("contacts", contacts.clone(), all)?;
        }
        for &pair in &contacts {
            arena.bounce(pair);
        }
    }

    show.figure("contacts at the end", grouped(&contacts.len()));
    show.figure("contacts that have begun", grouped(&events));
    show.figure("to move all bodies, a tick", moving);
    show.figure("to ask for contacts and their changes, a tick", asking);
    if show.verify() {
        show.figure("by brute force", scanning);
    }
    show.draw(arena.picture(&contacts))
}

impl Arena {
    fn new(count: usize, dice: &mut impl Rng) -> anyhow::Result<Self> {
        let mut index = Quadtree::new(Rect::new([0.0; 2], WORLD))?;
        let (still, moving) = (index.add_rect_layer()?, index.add_rect_layer()?);
        let mut bodies: Vec<Body> = (0..WALLS).map(|_| wall(dice)).collect();
        while bodies.len() < WALLS + count {
            let body = body(dice);
            // Nothing begins inside a wall.
            if !bodies[..WALLS].iter().any(|wall| wall.shape.intersects(&body.shape)) {
                bodies.push(body);
            }
        }
        index.sort_by_place(&mut bodies[WALLS..], |body| body.shape);
        let numbered: Vec<(Rect, usize)> = bodies.iter().map(|body| body.shape).zip(0..).collect();
        let mut handles = index.insert_batch(still, numbered[..WALLS].iter().copied())?;
        handles.extend(index.insert_batch(moving, numbered[WALLS..].iter().copied())?);
        Ok(Self { bodies, index, still, moving, handles })
    }

    /// Moves all bodies, then the index.
    fn advance(&mut self) {
        for body in &mut self.bodies[WALLS..] {
            for (axis, side) in WORLD.into_iter().enumerate() {
                if body.shape.min()[axis] < 0.0 || side < body.shape.max()[axis] {
                    let inward = side / 2.0 - body.shape.center()[axis];
                    body.velocity[axis] = body.velocity[axis].abs().copysign(inward);
                }
            }
            body.shape = body.shape.translated(body.velocity);
        }
        let places = self.handles.iter().copied().zip(self.bodies.iter().map(|body| body.shape));
        let moved = self.index.move_batch(places.skip(WALLS));
        assert!(moved.refused.is_empty(), "all places are finite");
    }

    /// Two that touch and approach each other rebound along the axis on which they overlap least.
    fn bounce(&mut self, pair: Pair) {
        let [a, b] = pair.map(|handle| *self.index.get(handle).expect("nobody is removed"));
        let [one, other] = [&self.bodies[a], &self.bodies[b]];
        let Some(overlap) = one.shape.intersection(&other.shape) else { return };
        let [width, height] = overlap.size();
        let axis = usize::from(height < width);
        let approach = one.velocity[axis] - other.velocity[axis];
        let gap = other.shape.center()[axis] - one.shape.center()[axis];
        if 0.0 < approach * gap {
            let impulse = 2.0 * approach / (one.lightness + other.lightness);
            self.bodies[a].velocity[axis] -= impulse * self.bodies[a].lightness;
            self.bodies[b].velocity[axis] += impulse * self.bodies[b].lightness;
        }
    }

    /// Looks at all pairs of bodies, and of bodies and walls.
    fn contacts_by_brute_force(&self) -> Vec<Pair> {
        let mut contacts = Vec::new();
        let shapes: Vec<Rect> = self.bodies.iter().map(|body| body.shape).collect();
        for (a, one) in shapes.iter().enumerate() {
            let first = WALLS.max(a + 1);
            let touching = (first..).zip(&shapes[first..]).filter(|(_, other)| one.intersects(other));
            contacts.extend(touching.map(|(b, _)| {
                let mut pair = [self.handles[a], self.handles[b]];
                pair.sort_unstable();
                pair
            }));
        }
        contacts
    }

    fn picture(&self, contacts: &[Pair]) -> Picture {
        let mut picture = Picture::new("Collision: which boxes touch each other or a wall", [1200.0, 675.0]);
        let mut panel = picture.whole(self.index.world());
        let (stone, free, hit) = (
            Ink::fill(palette::STONE).opacity(0.85),
            Ink::fill(palette::GOLD).opacity(0.75),
            Ink::fill(palette::ALARM).opacity(0.9),
        );
        let mut touching: Vec<Handle> = contacts.concat();
        touching.sort_unstable();
        let (hits, others): (Vec<_>, Vec<_>) =
            self.index.iter().in_layers(self.moving).partition(|body| touching.binary_search(&body.handle()).is_ok());
        panel.cells(self.index.cells(self.moving));
        panel.boxes(&stone, self.bodies[..WALLS].iter().map(|wall| wall.shape));
        panel.boxes(&free, others.iter().map(ObjectRef::shape));
        panel.boxes(&hit, hits.iter().map(ObjectRef::shape));
        picture.add(panel);
        picture.legend(Mark::Box, &stone, format!("{WALLS} walls"));
        picture.legend(Mark::Box, &free, format!("{} bodies on their way", grouped(&others.len())));
        picture.legend(Mark::Box, &hit, format!("{} bodies in contact", grouped(&hits.len())));
        picture.legend_of_cells("the cells of their tree");
        picture
    }
}

fn wall(dice: &mut impl Rng) -> Body {
    let size = if dice.random() { [130.0, 8.0] } else { [8.0, 130.0] };
    let at = WORLD.map(|side| dice.random_range(0.0..side - 130.0));
    Body { shape: Rect::new(at, [at[0] + size[0], at[1] + size[1]]), velocity: [0.0; 2], lightness: 0.0 }
}

/// A body; few are large.
fn body(dice: &mut impl Rng) -> Body {
    let half = 1.2 / dice.random_range(0.05_f32..1.0);
    let center = WORLD.map(|side| dice.random_range(half..side - half));
    let velocity = [(); 2].map(|()| dice.random_range(-2.0..2.0));
    Body { shape: Rect::from_center_half(center, [half, half]), velocity, lightness: 1.0 / (half * half) }
}
