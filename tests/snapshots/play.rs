//! Random operations on an index, and the answers to random questions, as lists of numbers that can be compared.

use quadrille::{
    Handle, IntoShape, Layer, LayerId, LayerKind, LayerSet, LayerSettings, Points, Rect, Rects, Scalar, SpatialIndex,
};

/// The side of the world.
const SIDE: f64 = 1000.0;

/// Dice that fall the same way each time (`SplitMix64`).
#[derive(Clone, Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ bits >> 31
    }

    /// A number below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.bits() % end as u64) as usize
    }

    /// From 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    pub(crate) fn share(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn one_of<A: Copy>(&mut self, all: &[A]) -> Option<A> {
        if all.is_empty() { None } else { Some(all[self.below(all.len())]) }
    }

    /// A coordinate: anywhere, in a crowd, or on a coarse lattice, where objects coincide.
    fn coordinate<S: Scalar>(&mut self) -> S {
        let at = match self.below(8) {
            0 => SIDE * 0.3 + self.share() * 2.0,
            1 => (self.share() * 8.0).floor() * (SIDE / 8.0),
            2 => (self.share() - 0.5) * SIDE * 4.0,
            _ => self.share() * SIDE,
        };
        S::from_f64(at)
    }

    pub(crate) fn point<S: Scalar, const D: usize>(&mut self) -> [S; D] {
        [(); D].map(|()| self.coordinate())
    }

    /// A box, often small, at times as large as the world.
    pub(crate) fn rect<S: Scalar, const D: usize>(&mut self) -> Rect<S, D> {
        let size = SIDE * 2_f64.powf(-12.0 * self.share());
        let min: [S; D] = self.point();
        // At times long and thin.
        let [thin, axis] = [self.below(3) == 0, self.below(2) == 0];
        let mut max = min;
        for (number, max) in max.iter_mut().enumerate() {
            let share = if thin && (number == 0) == axis { 0.001 } else { 1.0 };
            *max = S::from_f64(max.to_f64() + size * self.share() * share);
        }
        Rect::new(min, max)
    }
}

/// An index with what its user knows of it.
#[derive(Clone, Debug)]
pub(crate) struct Play<S: Scalar, const D: usize> {
    pub(crate) index: SpatialIndex<u32, S, D>,
    pub(crate) points: Vec<Layer<Points>>,
    pub(crate) rects: Vec<Layer<Rects>>,
    /// Handles, also of objects that were removed.
    pub(crate) handles: Vec<Handle>,
    /// Whether to remove objects in the order of results, which decides in which order slots are given out again.
    pub(crate) clears: bool,
}

impl<S: Scalar, const D: usize> Play<S, D> {
    pub(crate) fn new() -> Self {
        let world = Rect::new([S::from(0); D], [S::from_f64(SIDE); D]);
        Self {
            index: SpatialIndex::new(world).expect("a world"),
            points: vec![],
            rects: vec![],
            handles: vec![],
            clears: true,
        }
    }

    /// After some operations.
    pub(crate) fn after(dice: &mut Dice, operations: usize) -> Self {
        let mut play = Self::new();
        for _ in 0..operations {
            play.operate(dice);
        }
        play
    }

    /// With one layer of boxes.
    pub(crate) fn of_rects(dice: &mut Dice, objects: usize) -> Self {
        let mut play = Self::new();
        let layer = play.index.add_rect_layer().expect("there is room");
        let batch: Vec<_> = (0..objects).map(|_| (dice.rect(), dice.bits() as u32)).collect();
        play.index.insert_batch(layer, batch).expect("they are finite");
        play
    }

    /// Does something; returns what can be seen of it.
    pub(crate) fn operate(&mut self, dice: &mut Dice) -> Vec<u64> {
        let handle = dice.one_of(&self.handles).unwrap_or_default();
        let (points, rects) = (dice.one_of(&self.points), dice.one_of(&self.rects));
        match dice.below(40) {
            0 | 1 if self.points.len() + self.rects.len() < 6 => self.add_layer(dice),
            2 if dice.below(4) == 0 && self.clears => self.remove_layer(dice),
            3..=7 => points.map_or(vec![], |layer| self.insert(layer, dice, Dice::point::<S, D>)),
            8..=12 => rects.map_or(vec![], |layer| self.insert(layer, dice, Dice::rect::<S, D>)),
            13 => points.map_or(vec![], |layer| self.insert_batch(layer, dice, Dice::point::<S, D>)),
            14 => rects.map_or(vec![], |layer| self.insert_batch(layer, dice, Dice::rect::<S, D>)),
            15..=18 => self.move_some(dice, Dice::point::<S, D>),
            19..=22 => self.move_some(dice, Dice::rect::<S, D>),
            23..=27 => {
                let unwanted: Vec<_> = (0..dice.below(200)).filter_map(|_| dice.one_of(&self.handles)).collect();
                unwanted.into_iter().map(|handle| u64::from(self.index.remove(handle).unwrap_or(7))).collect()
            }
            28 | 29 => rects.map_or(vec![], |layer| {
                let mut seen = vec![];
                let by = dice.share() * 3.0;
                let updated = self.index.update(layer, |handle, value, at| {
                    seen.extend([handle.to_bits(), u64::from(*value)]);
                    at.translated([S::from_f64(by); D])
                });
                seen.push(updated.expect("a layer of the index").elsewhere as u64);
                seen
            }),
            30 | 31 => points.map_or(vec![], |layer| {
                let mut seen = vec![];
                let by = dice.share() * 3.0;
                let updated = self.index.update(layer, |handle, _, at| {
                    seen.push(handle.to_bits());
                    at.min().map(|at| S::from_f64(at.to_f64() + by))
                });
                seen.push(updated.expect("a layer of the index").elsewhere as u64);
                seen
            }),
            32..=34 => {
                let step = self.index.optimize_step(1 + dice.below(20));
                vec![step.visited as u64, step.moved as u64, u64::from(step.done)]
            }
            35 if dice.below(4) == 0 => {
                self.index.optimize();
                vec![]
            }
            36 if dice.below(4) == 0 && self.clears => {
                self.index
                    .clear_in(dice.one_of(&self.index.layers().collect::<Vec<_>>()).map_or(LayerSet::NONE, Into::into));
                vec![]
            }
            37 if dice.below(16) == 0 && self.clears => {
                self.index.clear();
                vec![]
            }
            38 if dice.below(8) == 0 => {
                let end = S::from_f64(SIDE * (0.5 + dice.share()));
                self.index.set_world(Rect::new([S::from(0); D], [end; D])).expect("a world");
                vec![]
            }
            _ => vec![u64::from(self.index.remove(handle).unwrap_or(7))],
        }
    }

    fn insert<K: LayerKind, P: IntoShape<K, S, D>>(
        &mut self,
        layer: Layer<K>,
        dice: &mut Dice,
        shape: impl Fn(&mut Dice) -> P,
    ) -> Vec<u64> {
        let placed = (0..=dice.below(120)).map(|_| self.index.insert(layer, shape(dice), 5));
        let placed: Vec<_> = placed.map(|handle| handle.expect("it is inserted")).collect();
        self.know(placed)
    }

    fn insert_batch<K: LayerKind, P: IntoShape<K, S, D>>(
        &mut self,
        layer: Layer<K>,
        dice: &mut Dice,
        shape: impl Fn(&mut Dice) -> P,
    ) -> Vec<u64> {
        let batch: Vec<_> = (0..dice.below(400)).map(|_| (shape(dice), dice.bits() as u32)).collect();
        let placed = self.index.insert_batch(layer, batch).expect("it is inserted");
        self.know(placed)
    }

    fn move_some<K: LayerKind, P: IntoShape<K, S, D>>(
        &mut self,
        dice: &mut Dice,
        to: impl Fn(&mut Dice) -> P,
    ) -> Vec<u64> {
        let handles: Vec<_> = (0..100).filter_map(|_| dice.one_of(&self.handles)).collect();
        let outcome = self.index.move_batch(handles.into_iter().map(|handle| (handle, to(dice))));
        vec![outcome.in_place as u64, outcome.elsewhere as u64, outcome.refused.len() as u64]
    }

    fn know(&mut self, placed: Vec<Handle>) -> Vec<u64> {
        let numbers = placed.iter().map(|handle| handle.to_bits()).collect();
        self.handles.extend(placed);
        numbers
    }

    fn add_layer(&mut self, dice: &mut Dice) -> Vec<u64> {
        let is_point = dice.below(2) == 0;
        let split_above = [64, 64, 5, 1, 0, 100][dice.below(6)].max(u32::from(is_point));
        let mut settings = LayerSettings::new().split_above(split_above);
        if dice.below(4) == 0 {
            settings = settings.depth_max(dice.below(4) as u8);
        }
        let id = if is_point {
            let layer = self.index.add_point_layer_with(settings).expect("there is room");
            self.points.push(layer);
            layer.id()
        } else {
            let layer = self.index.add_rect_layer_with(settings).expect("there is room");
            self.rects.push(layer);
            layer.id()
        };
        vec![id.number().into()]
    }

    fn remove_layer(&mut self, dice: &mut Dice) -> Vec<u64> {
        let all: Vec<LayerId> = self.index.layers().collect();
        let Some(layer) = dice.one_of(&all) else { return vec![] };
        self.points.retain(|of| of.id() != layer);
        self.rects.retain(|of| of.id() != layer);
        vec![self.index.remove_layer(layer).expect("it lives") as u64]
    }

    /// Everything that can be asked, in the order in which it is answered.
    pub(crate) fn answers(&self, dice: &mut Dice) -> Vec<u64> {
        let index = &self.index;
        let bits = |object: quadrille::ObjectRef<'_, u32, S, D>| object.handle().to_bits();
        let mut answers: Vec<u64> = index.iter().map(bits).collect();
        answers.extend(index.iter().map(|object| u64::from(*object.value())));
        answers.extend(index.iter().flat_map(|object| object.shape().max()).map(|at| at.to_f64().to_bits()));
        answers.extend(index.layers().map(|layer| u64::from(layer.number())));
        answers.extend(index.layers().map(|layer| index.len_in(layer) as u64));
        let window = dice.rect();
        answers.extend(index.intersecting(window).map(bits));
        answers.extend(index.near(window).map(bits));
        answers.push(index.intersecting(window).count() as u64);
        answers.extend(index.nearest(dice.point::<S, D>()).take(20).map(|found| bits(found.object)));
        answers.extend(
            index
                .pairs()
                .in_layers(index.layers().next().map_or(LayerSet::NONE, Into::into))
                .take(50)
                .flat_map(|(a, b)| [bits(a), bits(b)]),
        );
        answers
    }

    /// The same answers without order: the objects in ascending order.
    pub(crate) fn contents(&self) -> Vec<(u64, u8, [u64; 2], u32)> {
        let hash = |corner: [S; D]| {
            corner.iter().fold(0, |hash: u64, at| (hash ^ at.to_f64().to_bits()).wrapping_mul(0x100_0000_01B3))
        };
        let all = self.index.iter().map(|object| {
            let shape = object.shape();
            (
                object.handle().to_bits(),
                object.layer().number(),
                [hash(shape.min()), hash(shape.max())],
                *object.value(),
            )
        });
        let mut all: Vec<_> = all.collect();
        all.sort_unstable();
        all
    }
}
