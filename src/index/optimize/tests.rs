//! Passes of `optimize_step`: the order of memory that they make, their cost, and that they end.

use alloc::vec::Vec;

use super::*;
use crate::geometry::Rect;
use crate::key::{BucketId, Handle, Kind, NodeId};
use crate::layer::{Layer, LayerSettings, Points, Rects};
use crate::tree::{Arena, Everything, OWN_LIST, Slot, Visit, Walk, positions};

/// A reproducible sequence of numbers (xorshift64*).
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u16) -> u16 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 48) as u16 % limit
    }

    /// A corner on a lattice with this many places on each axis.
    fn corner<const D: usize>(&mut self, places: u16) -> [f32; D] {
        core::array::from_fn(|_| f32::from(self.below(places)) * 1024.0 / f32::from(places))
    }

    /// Mostly small, sometimes as large as the world.
    fn rect<const D: usize>(&mut self, places: u16) -> Rect<f32, D> {
        let side = f32::from(1_u16 << self.below(11)) / f32::from(1_u16 << self.below(8));
        let min = self.corner(places);
        Rect::new(min, min.map(|min| min + side))
    }
}

/// Two layers of each kind, and their objects.
#[derive(Clone)]
struct World<const D: usize> {
    index: SpatialIndex<u32, f32, D>,
    points: [Layer<Points>; 2],
    rects: [Layer<Rects>; 2],
    handles: Vec<(Kind, Handle)>,
    /// The number of places on each axis. Few places make chains.
    places: u16,
}

impl<const D: usize> World<D> {
    fn new(settings: LayerSettings) -> Self {
        let mut index = SpatialIndex::new(Rect::new([0.0; D], [1024.0; D])).unwrap();
        let points = [0, 1].map(|_| index.add_point_layer_with(settings).unwrap());
        let rects = [0, 1].map(|_| index.add_rect_layer_with(settings).unwrap());
        Self { index, points, rects, handles: Vec::new(), places: 4096 }
    }

    fn insert(&mut self, dice: &mut Dice) {
        let which = usize::from(dice.below(2));
        let inserted = if dice.below(2) == 0 {
            (Kind::Points, self.index.insert(self.points[which], dice.corner(self.places), 0).unwrap())
        } else {
            (Kind::Rects, self.index.insert(self.rects[which], dice.rect(self.places), 0).unwrap())
        };
        self.handles.push(inserted);
    }

    /// Moves an object to a random place.
    fn teleport(&mut self, dice: &mut Dice) {
        let (kind, handle) = self.handles[usize::from(dice.below(u16::MAX)) % self.handles.len()];
        _ = match kind {
            Kind::Points => self.index.move_to(handle, dice.corner::<D>(self.places)),
            Kind::Rects => self.index.move_to(handle, dice.rect(self.places)),
        };
    }

    fn remove(&mut self, dice: &mut Dice) {
        let place = usize::from(dice.below(u16::MAX)) % self.handles.len();
        self.index.remove(self.handles.swap_remove(place).1).unwrap();
    }

    /// Memory out of order: objects were inserted one by one and moved far, and many were removed.
    fn shuffled(settings: LayerSettings, objects: usize) -> Self {
        Self::new(settings).shuffle(objects)
    }

    fn shuffle(mut self, objects: usize) -> Self {
        let mut dice = Dice(objects as u64 + 7);
        (0..objects).for_each(|_| self.insert(&mut dice));
        (0..objects).for_each(|_| self.teleport(&mut dice));
        (0..objects / 3).for_each(|_| self.remove(&mut dice));
        self.index.check_integrity().unwrap();
        self
    }

    fn answers(&self) -> Vec<Handle> {
        self.index.iter().map(|object| object.handle()).collect()
    }

    /// Numbers of the nodes and buckets of a kind, in the order of the walk, layer after layer.
    fn order(&self, kind: Kind) -> (Vec<usize>, Vec<BucketId>) {
        let (mut nodes, mut buckets) = (Vec::new(), Vec::new());
        for layer in self.index.layers() {
            let arena = self.index.space.trees.arena();
            if self.index.layer_kind(layer) != Some(kind) {
                continue;
            }
            let mut walk = Walk::from_root(self.index.space.trees.root(layer.number()));
            while let Some(visit) = walk.next(arena, &Everything) {
                match visit {
                    Visit::Node(node) => nodes.push(node.index()),
                    Visit::Chain { first, .. } => buckets.extend(arena.chain(Some(first))),
                }
            }
        }
        (nodes, buckets)
    }

    fn is_in_order(&self) -> bool {
        [Kind::Points, Kind::Rects].into_iter().all(|kind| {
            let arena = self.index.space.trees.arena();
            let first = (0..arena.buckets().used(kind)).filter_map(|position| arena.buckets().nth(kind, position));
            self.order(kind).1.into_iter().eq(first)
        })
    }

    /// Makes one pass, `budget` visits at a time. Returns the number of calls and of visits.
    fn pass(&mut self, budget: usize) -> (usize, usize) {
        let (mut calls, mut visits) = (0, 0);
        loop {
            let step = self.index.optimize_step(budget);
            self.index.check_integrity().unwrap();
            assert!(step.visited <= budget.max(1), "{step:?}");
            assert!(step.moved <= 128 * step.visited, "{step:?}");
            calls += 1;
            visits += step.visited;
            if step.done {
                return (calls, visits);
            }
        }
    }

    fn assert_reaches_exact(&self) {
        for layer in self.index.layers() {
            let trees = &self.index.space.trees;
            let (mut walk, arena) = (Walk::from_root(trees.root(layer.number())), trees.arena());
            while let Some(visit) = walk.next(arena, &Everything) {
                match visit {
                    Visit::Node(node) => assert_eq!(arena.node(node).reach, reach_of_parts(arena, node)),
                    Visit::Chain { first, .. } => self.assert_reach_exact(arena, first),
                }
            }
        }
    }

    fn assert_reach_exact(&self, arena: &Arena<f32, D>, first: BucketId) {
        let extents = arena.chain(Some(first)).flat_map(|bucket| {
            let bucket_of = arena.bucket(bucket);
            positions(arena.head(bucket).used)
                .map(move |position| self.index.space.grid().address(&bucket_of.shape(position)).extent)
        });
        let expected = match arena.buckets().kind(first) {
            Kind::Points => 0,
            Kind::Rects => extents.max().unwrap() + 1,
        };
        assert_eq!(arena.head(first).reach, expected);
    }
}

fn reach_of_parts<S: Scalar, const D: usize>(arena: &Arena<S, D>, node: NodeId) -> u32 {
    let of = arena.node(node);
    let cells = (0..OWN_LIST).map(|cell| match of.slot(cell) {
        Slot::Bucket(first) => arena.head(first).reach,
        Slot::Child(child) => arena.reach_of(arena.node(child)),
        Slot::Vacant => 0,
    });
    cells.max().unwrap()
}

fn crowded() -> LayerSettings {
    LayerSettings::new().split_above(3)
}

/// Whatever the budget, buckets are then numbered from 0 in the order of the walk. Nodes and answers stay the same.
fn a_pass_orders_memory<const D: usize>(shuffled: &World<D>, budgets: &[usize]) {
    assert!(!shuffled.is_in_order());
    for &budget in budgets {
        let mut world = shuffled.clone();
        world.pass(budget);
        assert!(world.is_in_order(), "budget {budget}");
        assert_eq!(world.answers(), shuffled.answers());
        for kind in [Kind::Points, Kind::Rects] {
            assert_eq!(world.order(kind).0, shuffled.order(kind).0);
        }
        let (_, visits) = world.pass(budget);
        assert_eq!(visits, world.index.stats().buckets, "each visited once");
        let again = world.index.optimize_step(usize::MAX);
        assert_eq!(again, OptimizeStep { visited: visits, moved: 0, done: true }, "in order");
    }
}

#[test]
fn a_pass_orders_memory_in_2d() {
    a_pass_orders_memory(&World::<2>::shuffled(crowded(), 700), &[0, 1, 7, 64, 100_000]);
}

#[test]
fn a_pass_orders_memory_in_3d() {
    a_pass_orders_memory(&World::<3>::shuffled(crowded(), 700), &[0, 1, 7, 64, 100_000]);
}

#[test]
fn a_pass_orders_full_buckets() {
    a_pass_orders_memory(&World::<2>::shuffled(LayerSettings::new(), 8000), &[32, 100_000]);
}

#[test]
fn a_pass_orders_chains() {
    let settings = LayerSettings::new().depth_max(0).split_above(1);
    let shuffled = World::<2> { places: 2, ..World::new(settings) }.shuffle(6000);
    assert!(shuffled.index.stats().chain_max > 3);
    a_pass_orders_memory(&shuffled, &[100, 100_000]);
}

/// A tree that was built at once is in order, and its reaches are exact.
#[test]
fn optimize_and_a_pass_agree() {
    let mut world = World::<2>::shuffled(crowded(), 1000);
    world.index.optimize_step(100);
    world.index.optimize();
    assert!(world.is_in_order());
    world.assert_reaches_exact();
    let step = world.index.optimize_step(usize::MAX);
    assert_eq!((step.moved, step.done), (0, true));
    assert_eq!(step.visited, world.index.stats().buckets, "a pass from the beginning");
}

/// After a few calls, the visited buckets are in order, and the others are as they were.
#[test]
fn a_call_does_as_much_as_is_paid_for() {
    let shuffled = World::<2>::shuffled(crowded(), 1500);
    for budget in 1..40 {
        let mut world = shuffled.clone();
        let step = world.index.optimize_step(budget);
        assert_eq!(step.visited, budget);
        let [(nodes, buckets), before] = [&world, &shuffled].map(|world| world.order(Kind::Points));
        let in_order = buckets.iter().zip(0..).take_while(|&(bucket, place)| bucket.index() == place).count();
        assert!(budget <= in_order);
        assert_eq!(nodes, before.0);
        let changed = buckets.iter().zip(&before.1).filter(|(now, before)| now != before).count();
        assert!(changed <= 2 * budget);
    }
}

/// A thousand objects at one point, and many elsewhere.
fn with_a_pile() -> World<2> {
    let mut world = World::shuffled(crowded(), 1500);
    let mut dice = Dice(5);
    for _ in 0..20_000 {
        let inserted = world.index.insert(world.points[0], [700.0, 100.0], 1).unwrap();
        world.handles.push((Kind::Points, inserted));
        if dice.below(10) == 0 {
            world.insert(&mut dice);
        }
    }
    assert!(world.index.stats().chain_max > 300);
    world
}

/// A chain that is much longer than the budget is put in order, too.
#[test]
fn a_chain_is_no_stall() {
    let shuffled = with_a_pile();
    for budget in [5, 2000] {
        let mut world = shuffled.clone();
        let (calls, visits) = world.pass(budget);
        assert_eq!(visits, world.index.stats().buckets);
        assert_eq!(calls, visits / budget + 1);
        assert!(world.is_in_order());
        assert_eq!(world.answers(), shuffled.answers());
    }
}

/// A pass continues while objects are moved, inserted and removed. After a pass without changes all is in order.
fn a_pass_ends_while_the_index_changes<const D: usize>(budget: usize) {
    let mut world = World::<D>::shuffled(crowded(), 500);
    let mut dice = Dice(11);
    for _ in 0..3 {
        let buckets = world.index.stats().buckets;
        let mut calls = 0;
        while !world.index.optimize_step(budget).done {
            world.index.check_integrity().unwrap();
            match dice.below(3) {
                0 => world.insert(&mut dice),
                1 => world.remove(&mut dice),
                _ => world.teleport(&mut dice),
            }
            world.index.check_integrity().unwrap();
            calls += 1;
            assert!(calls <= 3 * buckets / budget, "{calls} calls");
        }
    }
    world.pass(budget);
    assert!(world.is_in_order());
}

#[test]
fn a_pass_ends_while_the_index_changes_in_2d() {
    for budget in [1, 3, 20] {
        a_pass_ends_while_the_index_changes::<2>(budget);
    }
}

#[test]
fn a_pass_ends_while_the_index_changes_in_3d() {
    for budget in [1, 3, 20] {
        a_pass_ends_while_the_index_changes::<3>(budget);
    }
}

/// A pass continues after a call that changes everything. After the next pass all is in order.
#[test]
fn a_pass_survives_great_changes() {
    let changes: [fn(&mut World<2>); 7] = [
        |world| world.index.clear(),
        |world| world.index.clear_in(world.points[0]),
        |world| _ = world.index.remove_layer(world.rects[0]).unwrap(),
        |world| world.index.set_world(Rect::new([-64.0; 2], [2048.0; 2])).unwrap(),
        |world| world.index.optimize(),
        |world| world.index.shrink_to_fit(),
        |world| world.index.retain(|_, shape, _| shape.min()[0] < 200.0),
    ];
    let mut shuffled = World::<2>::shuffled(crowded(), 400);
    for visits in (1..200).step_by(19) {
        shuffled.index.optimize_step(19);
        for change in changes {
            let mut world = shuffled.clone();
            change(&mut world);
            world.pass(5);
            let mut dice = Dice(visits);
            (0..50).for_each(|_| _ = world.index.insert(world.points[1], dice.corner(4096), 0).unwrap());
            world.pass(5);
            world.pass(5);
            assert!(world.is_in_order());
        }
    }
}

#[test]
fn there_may_be_nothing_to_do() {
    let mut world = World::<2>::new(LayerSettings::new());
    let nothing = OptimizeStep { visited: 0, moved: 0, done: true };
    assert_eq!(world.index.optimize_step(0), nothing);
    assert_eq!(world.index.optimize_step(9), nothing);
    let handle = world.index.insert(world.rects[1], Rect::from_point([1.0, 2.0]), 0).unwrap();
    assert_eq!(world.index.optimize_step(9), OptimizeStep { visited: 1, ..nothing });
    world.index.remove(handle).unwrap();
    assert_eq!(world.index.optimize_step(9), nothing, "the root is no bucket");
    let mut none = SpatialIndex::<(), f32, 3>::new(Rect::new([0.0; 3], [1.0; 3])).unwrap();
    assert_eq!(none.optimize_step(1), nothing);
}
