//! Regions of hundreds of corners: corridors, and polygons that are rough, cross themselves, or have many rings. Where the
//! world's numbers allow it they lie on a lattice, and are decided by a look at every edge, in whole numbers.

use quadrille::{Corridor, Polygon};
use quadrille_support::lattice::{Block, Knot};
use quadrille_support::line::Line;
use quadrille_support::oracle::{Relation, Span};
use quadrille_support::scan::{At, Scan};
use quadrille_support::scene::side_of;
use quadrille_support::spot::Spot;

use super::drive::drive;
use super::regions::{Erased, Flat, Plain, RELATIONS, ask, by_answers};
use super::steps::Steps;
use super::{Space, Stage};
use crate::bytes::Dice;
use crate::op::Op;

/// Steps of the lattice to a world's side.
pub(super) const PARTS: u16 = 256;

/// A region in whole numbers.
#[derive(Debug)]
enum Outline {
    Corridor(Line),
    Rings(Vec<Vec<At>>),
}

/// A whole number in a range. Half of them are those of a coarse lattice, where most objects end.
fn whole(dice: &mut Dice, [from, to]: [i64; 2]) -> i64 {
    let at = from + dice.below((to - from + 1).unsigned_abs()).cast_signed();
    if dice.below(2) == 0 { at } else { at.div_euclid(16) * 16 }
}

fn place(dice: &mut Dice) -> At {
    [0, 1].map(|_| whole(dice, [-32, 288]))
}

/// A ring around a center that meets each line from there once, but for rounding: corners in all directions in turn, the
/// directions on the border of a square.
fn star(dice: &mut Dice, center: At, corners: i64, radii: [i64; 2]) -> Vec<At> {
    let direction = |number: i64| {
        let along = number * 512 / corners;
        let at = along % 128 - 64;
        match along / 128 {
            0 => [at, -64],
            1 => [64, at],
            2 => [-at, 64],
            _ => [-64, -at],
        }
    };
    let corner = |number: i64| {
        let radius = whole(dice, radii);
        let to = direction(number);
        [0, 1].map(|axis| center[axis] + to[axis] * radius / 64)
    };
    (0..corners).map(corner).collect()
}

/// Teeth beside each other, with bases on a line.
fn comb(dice: &mut Dice, corners: i64) -> Vec<At> {
    let [left, base] = place(dice);
    let teeth = (0..corners).map(|number| [left + number, base + whole(dice, [0, 128]) * (number % 2)]);
    let mut ring: Vec<At> = teeth.collect();
    ring.push([left + corners, base - 16]);
    ring.push([left, base - 16]);
    ring
}

impl Outline {
    fn new(outline: u8, corners: u8, seed: u16) -> Self {
        let dice = &mut Dice::new(seed.into());
        let corners = 3 + 2 * i64::from(corners);
        let center = place(dice);
        Self::Rings(match outline % 6 {
            0 => {
                let stride = [2, 16, 48][dice.below(3) as usize];
                let mut at = [center[0], center[1], whole(dice, [0, 256])];
                let mut step = |at: &mut i64| *at = (*at + whole(dice, [-stride, stride])).clamp(-64, 320);
                let mut knots = Vec::new();
                for _ in 0..corners {
                    knots.push(at);
                    at.iter_mut().for_each(&mut step);
                }
                return Self::Corridor(Line { knots, distance: whole(dice, [0, 24]) });
            }
            1 => vec![star(dice, center, corners, [32, 128])],
            2 => vec![(0..corners).map(|_| place(dice)).collect()],
            3 => vec![comb(dice, corners.min(300))],
            4 => {
                let holes = (0..4).map(|_| star(dice, center, corners / 8 + 3, [4, 96])).collect::<Vec<_>>();
                [vec![star(dice, center, corners, [96, 144])], holes].concat()
            }
            _ => (0..=corners / 8)
                .map(|_| {
                    let center = place(dice);
                    star(dice, center, 8, [4, 32])
                })
                .collect(),
        })
    }

    /// Whether an object of a lattice matches; `None` where whole numbers do not tell.
    fn holds<const D: usize>(&self, relation: Relation, block: &Block) -> Option<bool> {
        let flat = |knot: Knot| [knot[0], knot[1]];
        match (self, relation) {
            (Self::Rings(rings), Relation::Intersecting) => {
                Some(Scan::of(rings).intersects([flat(block.min), flat(block.max)]))
            }
            (Self::Rings(rings), Relation::ContainedIn) => {
                Some(Scan::of(rings).contains([flat(block.min), flat(block.max)]))
            }
            (Self::Corridor(line), Relation::ContainedIn) if D == 2 || block.min == block.max => {
                Some(line.contains::<D>(block))
            }
            (Self::Corridor(line), Relation::Intersecting) if D == 2 => Some(line.meets(block)),
            (Self::Corridor(line), Relation::Intersecting) if block.min == block.max => Some(line.holds(block.min)),
            _ => None,
        }
    }
}

impl<S: Space, const D: usize> Stage<S, D> {
    pub(super) fn ask_outline(&mut self, on: usize, op: &Op) {
        let Op::Outline { relation, outline, corners, seed, layers, excluded, taken, mode, .. } = op else { return };
        let filter = self.filter(on, *layers, excluded.0, *taken, *mode);
        let relation = RELATIONS[usize::from(relation % 4)];
        let mut drawn = Outline::new(*outline, *corners, *seed);
        if let Outline::Corridor(line) = &mut drawn {
            line.knots.iter_mut().for_each(|knot| knot[D..].fill(0));
        }
        let index = &self.sides[on].index;
        let (world, steps) = (index.world(), Steps::of(&index.world(), PARTS));
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let rounded =
            |min: f64, steps: i64| Spot::finite::<S>(min + side_of(&world).value() / f64::from(PARTS) * steps as f64);
        let corner = |knot: Knot| -> [S; D] {
            let rounded = || core::array::from_fn(|axis| rounded(world.min()[axis].value(), knot[axis]));
            steps.as_ref().map_or_else(rounded, |steps| steps.corner(knot))
        };
        let flat = |ring: &Vec<At>| ring.iter().map(|&[x, y]| corner([x, y, 0])).map(|at| [at[0], at[1]]).collect();
        let region: Box<dyn Plain<S, D>> = match &drawn {
            Outline::Corridor(line) => {
                let distance = steps.as_ref().map_or_else(|| rounded(0.0, line.distance), |s| s.length(line.distance));
                Box::new(Corridor::new(line.knots.iter().map(|knot| corner(*knot)), distance))
            }
            Outline::Rings(rings) => {
                let mut rings = rings.iter().map(flat);
                let first: Vec<[S; 2]> = rings.next().unwrap_or_default();
                Box::new(Flat(rings.fold(Polygon::new(first), Polygon::with_ring)))
            }
        };
        let erased = Erased(&*region);
        let holds = |relation: Relation, span: &Span<S, D>| {
            let block = steps.as_ref().and_then(|steps| steps.block(span));
            let exact = block.and_then(|block| drawn.holds::<D>(relation, &block));
            exact.unwrap_or_else(|| by_answers(&erased, relation, span))
        };
        let answer = ask!(index, index, relation, erased, &filter);
        let matching = self.matching_figure(on, relation, &holds, &filter);
        let about = || format!("outline {outline} of {corners} by {seed}: {drawn:?}");
        self.compare_figure(relation, &matching, &answer, &filter, &about);
    }
}
