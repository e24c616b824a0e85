//! Boxes of mixed sizes, of which some move; who has begun to touch whom, and who has ended.
//!
//! Either boxes are stored as they are, and all pairs compared with the last ones; or they are stored with a margin, and only when a box
//! leaves its own, and the pairs of these are tested exactly, as physics engines do it.

mod box2d;
mod others;
mod quadrille;
#[cfg(feature = "rapier")]
mod rapier;

use ::quadrille::Rect;
use rand::RngExt;
use rustc_hash::FxHashMap;

use crate::measure::{Contender, Outcome, Plan, Row, Scene, Threads, race};
use crate::places::{Places, on_lattice, stepped};

/// The moves of a tick: numbers of boxes and where they are now.
type Moves = Vec<(u32, Rect)>;

/// How far a stored box reaches beyond the box, but for engines with margins of their own.
const MARGIN: f32 = 2.0;

/// The length that such an engine is told to be usual.
const USUAL: f32 = 8.0;

/// Pairs of numbers, the lower one first.
#[derive(Debug, Default)]
struct Changes {
    begun: Vec<[u32; 2]>,
    ended: Vec<[u32; 2]>,
}

impl Changes {
    fn clear(&mut self) {
        self.begun.clear();
        self.ended.clear();
    }

    fn outcome(&self) -> Outcome {
        let mut outcome = Outcome::default();
        for (kind, pairs) in (1..).zip([&self.begun, &self.ended]) {
            for &[a, b] in pairs {
                outcome.add([kind, u64::from(a), u64::from(b)]);
            }
        }
        outcome
    }
}

fn ordered(a: u32, b: u32) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

/// All pairs, each with the last tick in which it was found.
#[derive(Default)]
struct Found {
    pairs: FxHashMap<[u32; 2], u32>,
    tick: u32,
    changes: Changes,
}

impl Found {
    fn add(&mut self, pair: [u32; 2]) {
        if self.pairs.insert(pair, self.tick).is_none() {
            self.changes.begun.push(pair);
        }
    }

    /// Searches for all pairs, and drops those that are not found again.
    fn renew(&mut self, find: impl FnOnce(&mut Self)) {
        self.changes.clear();
        self.tick += 1;
        find(self);
        let Self { pairs, tick, changes } = self;
        pairs.retain(|pair, last| {
            if *last != *tick {
                changes.ended.push(*pair);
            }
            *last == *tick
        });
    }
}

/// Boxes as they are and as they are stored.
struct Fat {
    margin: fn(&Rect) -> f32,
    tight: Vec<Rect>,
    stored: Vec<Rect>,
}

impl Fat {
    fn new(boxes: &[Rect]) -> Self {
        Self::with(|_| MARGIN, boxes)
    }

    fn with(margin: fn(&Rect) -> f32, boxes: &[Rect]) -> Self {
        let stored = boxes.iter().map(|tight| tight.expanded(margin(tight))).collect();
        Self { margin, tight: boxes.to_vec(), stored }
    }

    /// Moves all, and tells of those that have to be stored anew.
    fn move_all(&mut self, moves: &Moves, mut store: impl FnMut(u32, Rect)) {
        for &(number, tight) in moves {
            let stored = &mut self.stored[number as usize];
            self.tight[number as usize] = tight;
            if !stored.contains(&tight) {
                *stored = tight.expanded((self.margin)(&tight));
                store(number, *stored);
            }
        }
    }

    /// Tests a pair exactly, and tells whether it is still one of stored boxes.
    fn test(&self, pair: [u32; 2], touches: &mut bool, changes: &mut Changes) -> bool {
        let [a, b] = pair.map(|number| number as usize);
        let now = self.tight[a].intersects(&self.tight[b]);
        if now != *touches {
            *touches = now;
            if now { &mut changes.begun } else { &mut changes.ended }.push(pair);
        }
        now || self.stored[a].intersects(&self.stored[b])
    }
}

struct World {
    places: Places,
    boxes: Vec<Rect>,
    steps: Vec<[f32; 2]>,
    share: Share,
}

#[derive(Clone, Copy)]
enum Share {
    Tenth,
    Half,
    All,
}

impl World {
    fn new(scene: &Scene, share: Share) -> Self {
        // About two partners each, where boxes are even.
        let mut places = Places::new(scene.distribution, scene.objects, 400.0);
        let draw = |places: &mut Places| {
            let at = places.point();
            // The logarithms of sides are uniform.
            let [width, height] =
                [(); 2].map(|()| on_lattice(0.5 * 128.0_f32.powf(places.random.random_range(0.0..1.0))));
            let min = [at[0].min(places.side - width), at[1].min(places.side - height)];
            (Rect::new(min, [min[0] + width, min[1] + height]), places.step(1.0))
        };
        let (boxes, steps) = places.sorted(scene.objects, draw, |(rect, _)| rect.center()).into_iter().unzip();
        Self { places, boxes, steps, share }
    }

    fn next(&mut self) -> Moves {
        let moves = |number: usize| match self.share {
            Share::Tenth => number.is_multiple_of(10),
            Share::Half => number.is_multiple_of(2),
            Share::All => true,
        };
        let mut moved = Moves::new();
        for (number, (rect, step)) in self.boxes.iter_mut().zip(&mut self.steps).enumerate() {
            if moves(number) {
                let size = [0, 1].map(|axis| rect.max()[axis] - rect.min()[axis]);
                let min =
                    [0, 1].map(|axis| stepped(rect.min()[axis], &mut step[axis], 0.0, self.places.side - size[axis]));
                *rect = Rect::new(min, [min[0] + size[0], min[1] + size[1]]);
                moved.push((number as u32, *rect));
            }
        }
        moved
    }
}

pub(crate) const PROGRAMS: [&str; 3] =
    ["broad phase, a tenth moves", "broad phase, half moves", "broad phase, all move"];

pub(crate) fn run(scene: &Scene, plan: Plan) -> Vec<Row> {
    let share = [Share::Tenth, Share::Half, Share::All]
        [PROGRAMS.iter().position(|&name| name == scene.program).expect("one of these")];
    let mut world = World::new(scene, share);
    let (boxes, side, threads) = (world.boxes.clone(), world.places.side, plan.threads);
    let mut contenders = vec![
        Contender::new("quadrille", quadrille::Tight::new(&boxes, side, threads)),
        Contender::new("quadrille, pairs in a map", quadrille::Map::new(&boxes, side, threads)),
        Contender::new("quadrille, margins", quadrille::Margins::new(&boxes, side, threads)),
        Contender::new("parry", others::Tight::new(&boxes, threads)),
        Contender::new("parry, margins", others::Margins::new(&boxes, threads)),
    ];
    if threads == Threads::One {
        contenders.push(Contender::new("boxdd (Box2D), margins", box2d::Margins::new(Fat::new(&boxes))));
        let own = Fat::with(box2d::own_margin, &boxes);
        contenders.push(Contender::new("boxdd (Box2D), its margins", box2d::Margins::new(own)));
        #[cfg(feature = "rapier")]
        for (name, adapts) in [("rapier, margins", false), ("rapier, its adaptive margins", true)] {
            contenders.push(Contender::new(name, rapier::Margins::new(&boxes, adapts)));
        }
    }
    race(scene, plan, contenders, || world.next())
}
