//! The same operations give the same handles and the same answers in the same order: one number for a long script, whatever
//! the profile, the features and the processor. It also runs on a thread with a stack of 64 KiB.
//!
//! Uses the library alone, so that the target `profiles` compiles it in other ways.

use quadrille::{
    Ball, Handle, Layer, LayerSet, LayerSettings, Metric, Points, Ray, Rect, Rects, Scalar, Segment, SpatialIndex,
};

/// The number of each space. A change of it is a change of the order of handles or of results, which is breaking for
/// handles and ordered queries; for the order of others see CONTRIBUTING.
const GOLDEN: [(&str, u64); 2] = [("f32_2d", 15_783_682_799_145_936_525), ("f64_3d", 5_640_811_431_967_356_028)];

/// How many operations.
const LENGTH: usize = 6000;

/// A reproducible sequence of numbers (splitmix64).
struct Dice(u64);

impl Dice {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        (self.bits() >> 32) % limit
    }

    /// A number from 0 to `limit`, of 20 bits: exact in both scalars.
    fn number<S: Scalar>(&mut self, limit: u32) -> S {
        S::from_f64(f64::from(u32::try_from(self.below(1 << 20)).expect("20 bits")) * f64::from(limit) / 1_048_576.0)
    }
}

/// Mixes numbers in order (FNV-1a, by words).
struct Hash(u64);

impl Hash {
    fn add(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29);
    }

    fn add_all(&mut self, handles: impl Iterator<Item = Handle>) {
        let mut count = 0;
        for handle in handles {
            self.add(handle.to_bits());
            count += 1;
        }
        self.add(count);
    }
}

struct Taxi<S, const D: usize>([S; D]);

impl<T, S: Scalar, const D: usize> Metric<T, S, D> for Taxi<S, D> {
    fn bound(&self, rect: &Rect<S, D>) -> f64 {
        let gap = |axis: usize| {
            let [min, at, max] = [rect.min()[axis], self.0[axis], rect.max()[axis]].map(S::to_f64);
            (min - at).max(at - max).max(0.0)
        };
        (0..D).map(gap).sum()
    }
}

/// A question about a box and a place.
type Ask<S, const D: usize> = fn(&mut Script<S, D>, Rect<S, D>, [S; D]);

struct Script<S, const D: usize> {
    index: SpatialIndex<u32, S, D>,
    points: Layer<Points>,
    rects: Layer<Rects>,
    handles: Vec<Handle>,
    dice: Dice,
    hash: Hash,
}

impl<S: Scalar, const D: usize> Script<S, D> {
    fn new() -> Self {
        let mut index = SpatialIndex::new(Rect::new([S::from(0); D], [S::from(100); D])).expect("a world");
        let settings = LayerSettings::new().split_above(6);
        let points = index.add_point_layer_with(settings).expect("a layer");
        let rects = index.add_rect_layer_with(settings).expect("a layer");
        Self { index, points, rects, handles: Vec::new(), dice: Dice(1), hash: Hash(0xcbf2_9ce4_8422_2325) }
    }

    fn point(&mut self) -> [S; D] {
        [(); D].map(|()| self.dice.number(110))
    }

    fn rect(&mut self) -> Rect<S, D> {
        let side = 1 << self.dice.below(7);
        let min = self.point();
        Rect::new(min, min.map(|at| S::from_f64(at.to_f64() + self.dice.number::<S>(side).to_f64())))
    }

    fn picked(&mut self) -> Handle {
        let limit = self.handles.len().max(1) as u64;
        let place = usize::try_from(self.dice.below(limit)).expect("a place");
        self.handles.get(place).copied().unwrap_or_default()
    }

    fn insert(&mut self) {
        let handle = if self.dice.below(2) == 0 {
            let at = self.point();
            self.index.insert(self.points, at, 0)
        } else {
            let rect = self.rect();
            self.index.insert(self.rects, rect, 1)
        };
        let handle = handle.expect("finite");
        self.hash.add(handle.to_bits());
        self.handles.push(handle);
    }

    fn batch(&mut self) {
        let objects: Vec<_> = (0..self.dice.below(300)).map(|_| (self.point(), 2)).collect();
        let handles = self.index.insert_batch(self.points, objects).expect("finite");
        self.hash.add_all(handles.iter().copied());
        self.handles.extend(handles);
    }

    fn change(&mut self) {
        let handle = self.picked();
        match self.dice.below(8) {
            0..4 => {
                let rect = self.rect();
                let moved = if self.index.layer(handle) == Some(self.points.id()) {
                    self.index.move_to(handle, rect.min())
                } else {
                    self.index.move_to(handle, rect)
                };
                self.hash.add(format!("{moved:?}").bytes().map(u64::from).sum());
            }
            4 => drop(self.index.move_by(handle, [S::from(1); D])),
            _ => self.hash.add(self.index.remove(handle).map_or(9, u64::from)),
        }
    }

    fn change_many(&mut self) {
        match self.dice.below(9) {
            0 => self.batch(),
            1 => {
                let moved = self.index.update(self.rects, |_, _, shape| shape.translated([S::from(1); D]));
                self.hash.add(moved.expect("a layer").elsewhere as u64);
            }
            2 => {
                let moves: Vec<_> = (0..40).map(|_| (self.picked(), self.point())).collect();
                self.hash.add(self.index.move_batch(moves).in_place as u64);
            }
            3 => self.index.optimize(),
            4..7 => self.hash.add(self.index.optimize_step(5).visited as u64),
            7 => self.index.shrink_to_fit(),
            _ => {
                let keeps = self.dice.below(3) + 2;
                self.index.retain(|handle, _, _| !handle.to_bits().is_multiple_of(keeps));
                self.handles.retain(|&handle| self.index.contains(handle));
                self.hash.add_all(self.handles.iter().copied());
            }
        }
    }

    fn ask(&mut self) {
        let (rect, at) = (self.rect(), self.point());
        let asks = Self::asks();
        let ask = asks[usize::try_from(self.dice.below(asks.len() as u64)).expect("a place")];
        ask(self, rect, at);
    }

    /// Each in a function of its own: unoptimized, one for all would take much of the stack.
    fn asks() -> [Ask<S, D>; 9] {
        [
            |on, rect, _| on.hash.add_all(on.index.intersecting(rect).map(|object| object.handle())),
            |on, rect, _| {
                on.hash.add_all(on.index.contained_in(rect).in_layers(on.points).map(|object| object.handle()));
            },
            |on, _, at| on.hash.add_all(on.index.containing(at).map(|object| object.handle())),
            |on, _, at| {
                on.hash.add_all(on.index.intersecting(Ball::new(at, S::from(9))).map(|object| object.handle()));
            },
            |on, rect, at| {
                on.hash.add_all(on.index.intersecting(Segment::new(at, rect.min())).map(|object| object.handle()));
            },
            |on, _, at| {
                for found in on.index.nearest(at).take(20) {
                    on.hash.add(found.object.handle().to_bits());
                    on.hash.add(found.distance_squared.to_f64().to_bits());
                }
            },
            |on, rect, at| {
                for hit in on.index.raycast(Ray::segment(at, rect.max())) {
                    on.hash.add(hit.object.handle().to_bits());
                    on.hash.add(hit.t.to_f64().to_bits());
                }
            },
            |on, _, at| on.hash.add_all(on.index.nearest_by(Taxi(at)).take(9).map(|found| found.object.handle())),
            |on, _, _| {
                for (one, other) in on.index.pairs().in_layers(LayerSet::ALL).take(200) {
                    on.hash.add(one.handle().to_bits());
                    on.hash.add(other.handle().to_bits());
                }
            },
        ]
    }

    /// A cursor that goes on while the index changes.
    fn pause(&mut self) {
        let rect = self.rect();
        let mut cursor = self.index.intersecting(rect).pause();
        while let Some(object) = cursor.step(&self.index).expect("the same index") {
            self.hash.add(object.handle().to_bits());
            self.change();
        }
    }

    fn run(mut self) -> u64 {
        for operation in 0..LENGTH {
            match self.dice.below(40) {
                0 => self.change_many(),
                1 => self.pause(),
                2..6 => self.ask(),
                // Grows to some hundreds, and stays there.
                _ if self.handles.len() < 700 && self.dice.below(3) > 0 => self.insert(),
                _ => self.change(),
            }
            if self.handles.len() > 900 {
                let removed = self.handles.split_off(300);
                for handle in removed {
                    self.index.remove(handle);
                }
            }
            if operation == LENGTH / 2 {
                self.index.set_world(Rect::new([S::from_f64(-20.0); D], [S::from(60); D])).expect("a world");
            }
        }
        self.index.check_integrity().expect("sound");
        self.hash.add_all(self.index.iter().map(|object| object.handle()));
        self.hash.0
    }
}

fn golden() -> [(&'static str, u64); 2] {
    [("f32_2d", Script::<f32, 2>::new().run()), ("f64_3d", Script::<f64, 3>::new().run())]
}

#[test]
fn a_long_script_has_one_outcome() {
    assert_eq!(golden(), GOLDEN);
}

/// No operation takes much of the stack if it is optimized at all. If not, single frames take up to 82 KB, of the code for
/// vectors: then 128 KiB are enough. `STACK_KIB` sets another size.
#[test]
fn a_stack_of_64_kib_is_enough() {
    let kib = std::env::var("STACK_KIB").map_or(64, |kib| kib.parse::<usize>().expect("a number"));
    let thread = std::thread::Builder::new().stack_size(kib << 10).spawn(golden);
    assert_eq!(thread.expect("a thread").join().expect("no panic"), GOLDEN);
}
