//! Bodies that walk among walls: they never end in one, never pass through one, and nothing that they touch keeps them.
//!
//! Uses the library alone, so that the target `profiles` compiles it in other ways. `WALKS` sets how many moves a test
//! makes; optimized, they are more by default.

use quadrille::{Handle, Hit, LayerSettings, Rect, Scalar, SpatialIndex};

type Index<S, const D: usize> = SpatialIndex<u32, S, D>;

/// The side of the world.
const SIDE: f64 = 32.0;

/// A distance above all errors of rounding, for coordinates up to the side.
fn skin<S: Scalar>() -> S {
    S::from_f64(8.0 * S::EPSILON.to_f64() * SIDE)
}

fn moves() -> usize {
    let default = if cfg!(feature = "profiles") { 1_000_000 } else { 6_000 };
    std::env::var("WALKS").map_or(default, |count| count.parse().expect("a number"))
}

/// A reproducible sequence of numbers (xorshift64*).
struct Dice(u64);

impl Dice {
    fn bits(&mut self) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32) as u32
    }

    fn below(&mut self, limit: u32) -> u32 {
        self.bits() % limit
    }

    /// Between 0 and 1.
    fn fraction(&mut self) -> f64 {
        f64::from(self.bits()) / f64::from(u32::MAX)
    }

    /// A coordinate of the world: often a whole one, or half of one.
    fn place(&mut self) -> f64 {
        match self.below(4) {
            0 => self.fraction() * SIDE,
            1 => f64::from(self.below(65)) / 2.0,
            _ => f64::from(self.below(33)),
        }
    }

    /// How long a side is.
    fn length(&mut self) -> f64 {
        match self.below(6) {
            0 => 0.0,
            1 => self.fraction() * 4.0,
            2 => f64::from(self.below(12)),
            _ => 1.0,
        }
    }

    /// How far to go on an axis.
    fn step(&mut self) -> f64 {
        let size = match self.below(8) {
            0 | 1 => 0.0,
            2 => 1e-7 * self.fraction(),
            3 | 4 => f64::from(self.below(17)) / 8.0,
            5 => 40.0 * self.fraction(),
            _ => 2.0 * self.fraction(),
        };
        if self.below(2) == 0 { size } else { -size }
    }

    fn rect<S: Scalar, const D: usize>(&mut self) -> Rect<S, D> {
        let min: [f64; D] = core::array::from_fn(|_| self.place());
        let max: [f64; D] = core::array::from_fn(|axis| min[axis] + self.length());
        Rect::new(min.map(S::from_f64), max.map(S::from_f64))
    }

    fn motion<S: Scalar, const D: usize>(&mut self) -> [S; D] {
        let diagonal = (self.below(4) == 0).then(|| self.step());
        core::array::from_fn(|_| {
            let size = diagonal.unwrap_or_else(|| self.step());
            S::from_f64(if self.below(2) == 0 { size } else { -size })
        })
    }
}

fn scale<S: Scalar, const D: usize>(motion: [S; D], by: S) -> [S; D] {
    motion.map(|step| step * by)
}

/// Walls, and a list of them.
struct World<S, const D: usize> {
    index: Index<S, D>,
    walls: Vec<Rect<S, D>>,
}

impl<S: Scalar, const D: usize> World<S, D> {
    fn new(walls: Vec<Rect<S, D>>) -> Self {
        let world = Rect::new([S::from(0); D], [S::from_f64(SIDE); D]);
        let mut index = Index::new(world).expect("a world");
        let layer = index.add_rect_layer_with(LayerSettings::new().split_above(4)).expect("a layer");
        let batch = walls.iter().map(|wall| (*wall, 0));
        index.insert_batch(layer, batch).expect("finite");
        Self { index, walls }
    }

    /// Boxes, thin walls and points, many of them side by side.
    fn random(dice: &mut Dice) -> Self {
        let count = if D == 2 { 120 } else { 500 };
        Self::new((0..count).map(|_| dice.rect()).collect())
    }

    fn first(&self, body: Rect<S, D>, motion: [S; D], skin: S) -> Option<Hit<'_, u32, S, D>> {
        self.index.cast(body, motion).blocking(skin).next()
    }

    /// A body that stands free.
    fn body(&self, dice: &mut Dice) -> Rect<S, D> {
        loop {
            let body: Rect<S, D> = dice.rect();
            if !self.walls.iter().any(|wall| wall.intersects(&body)) {
                return body;
            }
        }
    }

    /// Walks: what stops the body takes the part of the motion that leads into it. `each` sees every part of the way.
    fn walk(
        &self,
        mut body: Rect<S, D>,
        mut motion: [S; D],
        skin: S,
        mut each: impl FnMut(Rect<S, D>, [S; D], Option<Hit<'_, u32, S, D>>, Rect<S, D>),
    ) -> Rect<S, D> {
        // Each hit ends the motion on one axis.
        for _ in 0..=D {
            let hit = self.first(body, motion, skin);
            let t = hit.as_ref().map_or(S::from(1), |hit| hit.t);
            let to = body.translated(scale(motion, t));
            each(body, motion, hit, to);
            body = to;
            let Some(hit) = hit else { return body };
            motion = slid(scale(motion, S::from(1) - t), hit.normal());
        }
        panic!("{body:?} still moves by {motion:?}")
    }
}

/// The motion without its part along a normal.
fn slid<S: Scalar, const D: usize>(motion: [S; D], normal: [S; D]) -> [S; D] {
    core::array::from_fn(|axis| if normal[axis] == S::from(0) { motion[axis] } else { S::from(0) })
}

/// Whether a body that goes straight from one place to another enters a wall on the way. It did not overlap the wall at
/// first.
fn enters<S: Scalar, const D: usize>(from: &Rect<S, D>, to: &Rect<S, D>, wall: &Rect<S, D>) -> bool {
    let at = |rect: &Rect<S, D>, axis: usize| [rect.min()[axis], rect.max()[axis]].map(S::to_f64);
    let mut times = [[0.0; 2]; D];
    for (axis, both) in times.iter_mut().enumerate() {
        let ([from_min, from_max], [to_min, to_max], [min, max]) = (at(from, axis), at(to, axis), at(wall, axis));
        // The room below the wall becomes less than nothing at one time, that above it at another.
        let (mut begins, mut ends) = (f64::NEG_INFINITY, f64::INFINITY);
        for [before, after] in [[min - from_max, min - to_max], [from_min - max, to_min - max]] {
            let time = before / (before - after);
            if after < before {
                begins = f64::max(begins, time);
            } else if before < after {
                ends = f64::min(ends, time);
            } else if 0.0 <= before {
                return false;
            }
        }
        if ends <= 0.0 || 1.0 <= begins {
            return false;
        }
        *both = [begins, ends];
    }
    (0..D).all(|one| (0..D).all(|other| one == other || times[one][0] < times[other][1]))
}

fn assert_free<S: Scalar, const D: usize>(walls: &[Rect<S, D>], from: &Rect<S, D>, to: &Rect<S, D>) {
    for wall in walls {
        assert!(!wall.overlaps(to), "from {from:?} to {to:?}, inside {wall:?}");
        assert!(!enters(from, to, wall), "from {from:?} to {to:?}, through {wall:?}");
    }
}

/// Who starts apart ends apart, whatever the moves, and what has stopped a body does not stop it along its side.
fn walk_far<S: Scalar, const D: usize>() {
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15 ^ D as u64);
    let (mut done, mut stopped, mut touching) = (0, 0, 0);
    while done < moves() {
        let world = World::<S, D>::random(&mut dice);
        for _ in 0..20 {
            let (mut body, start) = (world.body(&mut dice), done);
            while done < start + 100 {
                let motion = dice.motion();
                body = world.walk(body, motion, skin(), |from, motion, hit, to| {
                    assert_free(&world.walls, &from, &to);
                    if let Some(hit) = hit {
                        stopped += 1;
                        touching += usize::from(hit.touches_at_start());
                        let mut along = world.index.cast(from, slid(motion, hit.normal())).blocking(skin());
                        assert!(along.all(|other| other.object.handle() != hit.object.handle()), "{from:?} {hit:?}");
                    }
                });
                done += 1;
                // Back to where walls are.
                if !world.index.world().intersects(&body) {
                    body = world.body(&mut dice);
                }
            }
        }
    }
    assert!(done / 5 < stopped && touching < stopped / 10, "{stopped} stops, {touching} by what was touched");
}

/// A room of single tiles is like a room of four walls and a pillar, to the last bit.
fn tiles_are_a_wall<S: Scalar, const D: usize>() {
    let side = 32;
    assert!(f64::from(side) <= SIDE);
    // On the first two axes; all that there is on the third.
    let column = |min: [u16; 2], max: [u16; 2]| -> Rect<S, D> {
        let corner = |ends: [u16; 2], other: u16| -> [S; D] {
            core::array::from_fn(|axis| S::from(*ends.get(axis).unwrap_or(&other)))
        };
        Rect::new(corner(min, 0), corner(max, side))
    };
    let boxes = [
        ([0, 0], [side, 1]),
        ([0, side - 1], [side, side]),
        ([0, 1], [1, side - 1]),
        ([side - 1, 1], [side, side - 1]),
        ([12, 12], [20, 18]),
    ];
    let whole = World::new(boxes.iter().map(|&(min, max)| column(min, max)).collect());
    let tiles = boxes.iter().flat_map(|&([left, low], [right, high])| {
        (left..right).flat_map(move |x| (low..high).map(move |y| column([x, y], [x + 1, y + 1])))
    });
    let in_tiles = World::new(tiles.collect());
    let mut dice = Dice(7);
    for skin in [skin(), S::from_f64(1e-3), S::from_f64(0.25)] {
        for _ in 0..moves() / 60 {
            let mut body = loop {
                let body = whole.body(&mut dice);
                let is_thick = (0..D).all(|axis| body.min()[axis] < body.max()[axis]);
                if is_thick && whole.index.world().contains(&body) {
                    break body;
                }
            };
            for _ in 0..10 {
                let motion = dice.motion();
                let [one, other] = [&whole, &in_tiles].map(|world| {
                    let mut way = Vec::new();
                    world
                        .walk(body, motion, skin, |_, _, hit, to| way.push((hit.map(|hit| (hit.t, hit.normal())), to)));
                    way
                });
                assert_eq!(one, other, "{body:?} by {motion:?}");
                body = one.last().expect("a step").1;
            }
        }
    }
}

/// Falls onto a floor: how many end inside it, and how many cannot move along it then.
fn falls<S: Scalar>(skin: S) -> [usize; 2] {
    let coordinate = |at: f64| S::from_f64(at);
    let floor = Rect::new([coordinate(0.0); 2], [coordinate(1000.0), coordinate(10.0)]);
    let world = World::new(vec![floor]);
    let mut dice = Dice(5);
    let mut counts = [0; 2];
    for _ in 0..10_000 {
        let [x, height] = [400.0, 100.0].map(|most| 100.0 + most * dice.fraction());
        let body = Rect::from_center_half([x, height].map(coordinate), [coordinate(0.5), coordinate(0.9)]);
        let motion = [coordinate(10.0 * dice.fraction()), coordinate(-500.0 * (0.5 + dice.fraction()))];
        let hit = world.first(body, motion, skin).expect("the floor");
        assert_eq!(hit.normal(), [0.0, 1.0].map(coordinate));
        let landed = body.translated(scale(motion, hit.t));
        counts[0] += usize::from(landed.overlaps(&floor));
        let ways = [[1.0, 0.0], [-1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        let is_kept = |way: [f64; 2]| world.first(landed, way.map(coordinate), skin).is_some();
        counts[1] += usize::from(ways.into_iter().any(is_kept));
    }
    counts
}

#[test]
fn nobody_falls_into_the_floor_or_sticks_to_it() {
    assert_eq!([falls(0.001_f32), falls(1e-11_f64)], [[0; 2]; 2]);
    let without_skin = falls(0.0_f32);
    assert!(0 < without_skin[0], "rounding carries nobody into the floor");
    assert_eq!(without_skin[1], 0);
}

/// A body as wide as the gap falls through.
#[test]
fn gaps_exactly_as_wide_as_the_body() {
    for skin in [0.0_f32, 1e-3] {
        let world = World::new(vec![Rect::new([0.0, 4.0], [9.0, 5.0]), Rect::new([10.0, 4.0], [20.0, 5.0])]);
        let body = Rect::new([9.0, 8.0], [10.0, 9.0]);
        assert!(world.first(body, [0.0, -8.0], skin).is_none());
        let aside = body.translated([1e-3, 0.0]);
        assert_eq!(world.first(aside, [0.0, -8.0], skin).map(|hit| hit.normal()), Some([0.0, 1.0]));
    }
}

/// The order of objects in the index decides nothing: a body that falls beside a seam lands on the tile below it.
#[test]
fn a_seam_has_no_side() {
    let left = Rect::new([0.0_f64, 0.0], [4.0, 1.0]);
    let right = Rect::new([4.0, 0.0], [8.0, 1.0]);
    for tiles in [vec![left, right], vec![right, left]] {
        let world = World::new(tiles);
        // Both corners of the seam come within the skin at once, and the body itself would meet the right one's.
        let body = Rect::new([1.875, 1.125], [3.875, 2.0]);
        let way = [1.0, -1.0];
        let hits: Vec<_> = world.index.cast(body, way).blocking(0.125).map(|hit| (hit.t, hit.normal())).collect();
        assert_eq!(hits, [(0.0, [0.0, 1.0]), (0.0, [-1.0, 0.0])]);
    }
}

/// A bullet is a point, and a wall has no thickness: it bounces for ever between two of them.
#[test]
fn bullets_do_not_tunnel() {
    let walls = [Rect::new([1.0_f32, 0.0], [1.0, 9.0]), Rect::new([8.0, 0.0], [8.0, 9.0])];
    let world = World::new(walls.to_vec());
    let (mut at, mut velocity) = ([3.0_f32, 4.5], [7.77_f32, 0.0]);
    let mut last: Option<Handle> = None;
    for _ in 0..1000 {
        let hit = world.first(Rect::from_point(at), velocity, 1e-4).expect("a wall");
        at = Rect::from_point(at).translated(scale(velocity, hit.t)).min();
        assert!(1.0 < at[0] && at[0] < 8.0 && last != Some(hit.object.handle()), "{at:?}");
        assert!(hit.normal()[0] * velocity[0] < 0.0 && hit.normal()[1] == 0.0);
        velocity = [-velocity[0], 0.0];
        last = Some(hit.object.handle());
    }
}

macro_rules! in_each_space {
    ($($(#[$when:meta])? $name:ident: $scalar:ty, $dimension:literal;)+) => {
        $($(#[$when])?
        mod $name {
            #[test]
            fn walk_far() {
                super::walk_far::<$scalar, $dimension>();
            }

            #[test]
            fn tiles_are_a_wall() {
                super::tiles_are_a_wall::<$scalar, $dimension>();
            }
        })+
    };
}

in_each_space! {
    #[cfg(any(not(feature = "other-spaces"), feature = "profiles"))]
    f32_2d: f32, 2;
    #[cfg(any(all(feature = "two-spaces", not(feature = "other-spaces")), feature = "profiles"))]
    f64_3d: f64, 3;
    #[cfg(any(feature = "other-spaces", feature = "profiles"))]
    f32_3d: f32, 3;
    #[cfg(any(feature = "other-spaces", feature = "profiles"))]
    f64_2d: f64, 2;
}
