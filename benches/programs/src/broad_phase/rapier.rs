//! rapier's broad phase without the rest of the engine: it is told of boxes, and tells of pairs that begin and end with a margin.
//!
//! Its feature `parallel` would hide work from the clock of one thread, so it runs on one only.

use quadrille::Rect;
use rapier2d::dynamics::{IntegrationParameters, RigidBodySet};
use rapier2d::geometry::{
    ActiveCollisionTypes, BroadPhaseBvh, BroadPhasePairEvent, ColliderBuilder, ColliderHandle, ColliderPair,
    ColliderSet,
};
use rustc_hash::FxHashMap;

use super::others::aabb;
use super::{Changes, Moves, ordered};
use crate::measure::{Outcome, Program};

/// rapier's margins are this part of its unit of length.
const MARGIN_OF_UNIT: f32 = 0.04;

pub(super) struct Margins {
    broad_phase: BroadPhaseBvh,
    parameters: IntegrationParameters,
    colliders: ColliderSet,
    bodies: RigidBodySet,
    handles: Vec<ColliderHandle>,
    tight: Vec<Rect>,
    events: Vec<BroadPhasePairEvent>,
    candidates: FxHashMap<[u32; 2], bool>,
    changes: Changes,
}

impl Margins {
    /// With one margin for all, or with margins that adapt to the boxes, for boxes of the usual length.
    pub(super) fn new(boxes: &[Rect], adapts: bool) -> Self {
        let length_unit = if adapts { super::USUAL } else { super::MARGIN / MARGIN_OF_UNIT };
        let parameters = IntegrationParameters { length_unit, ..Default::default() };
        let mut broad_phase = BroadPhaseBvh::new();
        broad_phase.adaptive_change_detection_margin = adapts;
        let mut colliders = ColliderSet::new();
        // It asks them only whether they may touch; boxes are told apart.
        let collider = || ColliderBuilder::ball(1.0).active_collision_types(ActiveCollisionTypes::all());
        let handles = boxes.iter().map(|_| colliders.insert(collider())).collect();
        let mut made = Self {
            broad_phase,
            parameters,
            colliders,
            bodies: RigidBodySet::new(),
            handles,
            tight: boxes.to_vec(),
            events: Vec::new(),
            candidates: FxHashMap::default(),
            changes: Changes::default(),
        };
        (0..).zip(boxes).for_each(|(number, rect)| made.store(number, rect));
        made.find();
        made
    }

    fn store(&mut self, number: usize, rect: &Rect) {
        self.broad_phase.set_aabb(&self.parameters, self.handles[number], aabb(rect));
    }

    fn find(&mut self) {
        let Self { broad_phase, parameters, colliders, bodies, tight, events, candidates, changes, .. } = self;
        broad_phase.update(parameters, colliders, bodies, &[], &[], events);
        changes.clear();
        let numbers =
            |pair: ColliderPair| ordered(pair.collider1.into_raw_parts().0, pair.collider2.into_raw_parts().0);
        for event in events.drain(..) {
            match event {
                BroadPhasePairEvent::AddPair(pair) => {
                    candidates.entry(numbers(pair)).or_insert(false);
                }
                BroadPhasePairEvent::DeletePair(pair) => {
                    if candidates.remove(&numbers(pair)) == Some(true) {
                        changes.ended.push(numbers(pair));
                    }
                }
            }
        }
        for (&[a, b], touches) in candidates {
            let now = tight[a as usize].intersects(&tight[b as usize]);
            if now != *touches {
                *touches = now;
                if now { &mut changes.begun } else { &mut changes.ended }.push([a, b]);
            }
        }
    }
}

impl Program<Moves> for Margins {
    fn tick(&mut self, moves: &Moves) {
        for &(number, rect) in moves {
            self.tight[number as usize] = rect;
            self.store(number as usize, &rect);
        }
        self.find();
    }

    fn outcome(&self) -> Outcome {
        self.changes.outcome()
    }
}
