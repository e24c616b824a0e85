//! Steps without a scalar, a dimension or a handle, and how they are drawn.

use proptest::prelude::*;
use quadrille::LayerSettings;

use super::questions::{Region, region};
use super::spot::{Outline, Spot, awkward, outline};

/// One step; its numbers pick among what there is at the time.
#[derive(Clone, Debug)]
pub enum Step {
    Insert { layer: u8, outline: Outline },
    Crowd { layer: u8, outline: Outline, count: u8 },
    Move { object: u16, outline: Outline },
    Shift { object: u16, sixteenths: i16 },
    Nudge { object: u16, upward: bool },
    Resize { object: u16, opposite: [Spot; 3] },
    Shrink { object: u16 },
    Transfer { object: u16, layer: u8 },
    Change { object: u16 },
    Remove { object: u16 },
    AddLayer { rects: bool, settings: Settings },
    RemoveLayer { layer: u8 },
    ClearIn { layers: u8, all_but_these: bool },
    Retain { divisor: u32 },
    InsertBatch { layer: u8, outlines: Vec<Outline>, spoiled: Option<u8> },
    Update { layer: u8, sixteenths: i16 },
    MoveBatch { layer: u8, moves: Vec<(u16, Outline)> },
    RemoveBatch { objects: Vec<u16>, spoiled: Option<u8> },
    Optimize,
    OptimizeWithin { budget: u8 },
    ShrinkToFit,
    SetWorld { scene: u8 },
    Stale { gone: u16, outline: Outline },
    Ask { region: Region, layers: u8, all_but_these: bool, excluded: Option<u16> },
}

#[derive(Clone, Copy, Debug)]
pub struct Settings {
    pub depth_max: Option<u8>,
    pub split_above: Option<u32>,
}

impl Settings {
    /// A point layer cannot split by size alone.
    pub fn of_kind(self, rects: bool) -> LayerSettings {
        let mut settings = LayerSettings::new();
        if let Some(depth_max) = self.depth_max {
            settings = settings.depth_max(depth_max);
        }
        match self.split_above {
            Some(split_above) => settings.split_above(split_above.max(u32::from(!rects))),
            None => settings,
        }
    }
}

pub fn settings() -> BoxedStrategy<Settings> {
    let depth_max = prop_oneof![2 => Just(None), 1 => (0_u8..=9).prop_map(Some)];
    let split_above = prop_oneof![1 => Just(None), 4 => (0_u32..=8).prop_map(Some), 1 => Just(Some(100))];
    (depth_max, split_above).prop_map(|(depth_max, split_above)| Settings { depth_max, split_above }).boxed()
}

/// One object more.
pub fn insert() -> BoxedStrategy<Step> {
    (any::<u8>(), outline()).prop_map(|(layer, outline)| Step::Insert { layer, outline }).boxed()
}

/// Several objects near each other.
fn crowd() -> BoxedStrategy<Step> {
    (any::<u8>(), outline(), 1_u8..80).prop_map(|(layer, outline, count)| Step::Crowd { layer, outline, count }).boxed()
}

/// Steps that change where objects lie.
fn moving() -> BoxedStrategy<Step> {
    prop_oneof![
        (any::<u16>(), outline()).prop_map(|(object, outline)| Step::Move { object, outline }),
        (any::<u16>(), -4_i16..=4).prop_map(|(object, sixteenths)| Step::Shift { object, sixteenths }),
        (any::<u16>(), any::<bool>()).prop_map(|(object, upward)| Step::Nudge { object, upward }),
        (any::<u16>(), [awkward(), awkward(), awkward()])
            .prop_map(|(object, opposite)| Step::Resize { object, opposite }),
        any::<u16>().prop_map(|object| Step::Shrink { object }),
        (any::<u16>(), any::<u8>()).prop_map(|(object, layer)| Step::Transfer { object, layer }),
    ]
    .boxed()
}

/// Steps that change many objects at once.
fn changing_many() -> BoxedStrategy<Step> {
    prop_oneof![
        4 => (any::<bool>(), settings())
            .prop_map(|(rects, settings)| Step::AddLayer { rects, settings }),
        1 => any::<u8>().prop_map(|layer| Step::RemoveLayer { layer }),
        1 => (any::<u8>(), any::<bool>())
            .prop_map(|(layers, all_but_these)| Step::ClearIn { layers, all_but_these }),
        1 => (2_u32..6).prop_map(|divisor| Step::Retain { divisor }),
        1 => Just(Step::Optimize),
        1 => Just(Step::ShrinkToFit),
        4 => (any::<u8>(), -4_i16..=4).prop_map(|(layer, sixteenths)| Step::Update { layer, sixteenths }),
        4 => (any::<u8>(), prop::collection::vec(outline(), 0..40), prop::option::weighted(0.2, any::<u8>()))
            .prop_map(|(layer, outlines, spoiled)| Step::InsertBatch { layer, outlines, spoiled }),
        4 => (any::<u8>(), prop::collection::vec((any::<u16>(), outline()), 0..40))
            .prop_map(|(layer, moves)| Step::MoveBatch { layer, moves }),
        2 => (prop::collection::vec(any::<u16>(), 0..60), prop::option::weighted(0.2, any::<u8>()))
            .prop_map(|(objects, spoiled)| Step::RemoveBatch { objects, spoiled }),
        2 => any::<u8>().prop_map(|scene| Step::SetWorld { scene }),
    ]
    .boxed()
}

pub fn asked() -> BoxedStrategy<Step> {
    (region(), any::<u8>(), any::<bool>(), prop::option::of(any::<u16>()))
        .prop_map(|(region, layers, all_but_these, excluded)| Step::Ask { region, layers, all_but_these, excluded })
        .boxed()
}

pub fn steps() -> BoxedStrategy<Vec<Step>> {
    prop::collection::vec(step(), 1..120).boxed()
}

/// Layers of all settings, and then at most this many objects, not counting crowds.
pub fn many(objects: usize) -> BoxedStrategy<Vec<Step>> {
    let layer = (any::<bool>(), settings()).prop_map(|(rects, settings)| Step::AddLayer { rects, settings });
    let inserted = prop_oneof![12 => insert(), 1 => crowd()];
    (prop::collection::vec(layer, 1..5), prop::collection::vec(inserted, 1..objects))
        .prop_map(|(mut steps, inserts)| {
            steps.extend(inserts);
            steps
        })
        .boxed()
}

/// Any step.
pub fn step() -> BoxedStrategy<Step> {
    prop_oneof![
        30 => insert(),
        3 => crowd(),
        24 => moving(),
        16 => any::<u16>().prop_map(|object| Step::Remove { object }),
        12 => changing_many(),
        6 => prop_oneof![3 => 0_u8..8, 1 => any::<u8>()].prop_map(|budget| Step::OptimizeWithin { budget }),
        2 => any::<u16>().prop_map(|object| Step::Change { object }),
        2 => (any::<u16>(), outline()).prop_map(|(gone, outline)| Step::Stale { gone, outline }),
        16 => asked(),
    ]
    .boxed()
}
