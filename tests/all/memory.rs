//! Memory follows what is alive: it stays flat however long objects come, go and move.
//!
//! Uses the library alone, so that the target `profiles` compiles it in other ways. `MEMORY_OPERATIONS` sets how many operations a
//! test does.

use quadrille::{Handle, Layer, LayerSettings, Points, Rect, Rects, SpatialIndex};

type Index = SpatialIndex<u32, f32, 2>;

/// A reproducible sequence of numbers (xorshift64*).
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u16) -> u16 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 48) as u16 % limit
    }

    fn point(&mut self) -> [f32; 2] {
        [(); 2].map(|()| f32::from(self.below(1 << 15)) / 32.0)
    }

    fn rect(&mut self) -> Rect {
        let (min, side) = (self.point(), f32::from(1_u16 << self.below(9)));
        Rect::new(min, min.map(|at| at + side))
    }
}

fn operations() -> usize {
    std::env::var("MEMORY_OPERATIONS").map_or(60_000, |count| count.parse().expect("a number"))
}

fn empty() -> (Index, Layer<Points>, Layer<Rects>) {
    let mut index = Index::new(Rect::new([0.0, 0.0], [1024.0, 1024.0])).expect("a world");
    let settings = LayerSettings::new().split_above(16);
    let points = index.add_point_layer_with(settings).expect("a layer");
    let rects = index.add_rect_layer_with(settings).expect("a layer");
    (index, points, rects)
}

/// Buckets are allocated so many at once; a point takes 16 bytes and a bucket's head 48.
const PAGE: usize = 64 * (64 * 16 + 48);

/// The largest numbers of bytes in each tenth of a run; the later ones are no more than `slack` percent and a page of buckets
/// above the third.
fn assert_flat(peaks: &[usize], slack: usize) {
    let (early, late) = (peaks[2], peaks[3..].iter().max().expect("tenths"));
    assert!(late * 100 <= early * (100 + slack) + 100 * PAGE, "bytes by tenths of the run: {peaks:?}");
}

/// Runs so many operations, and measures now and then.
fn peaks(mut operate: impl FnMut(usize) -> usize) -> Vec<usize> {
    let tenth = operations() / 10;
    let of_tenth = |tenth_at: usize| {
        let mut peak = 0;
        for operation in 0..tenth {
            let bytes = operate(tenth_at * tenth + operation);
            peak = peak.max(bytes);
        }
        peak
    };
    (0..10).map(of_tenth).collect()
}

/// Objects come, go and move at random, about a thousand of them at any time.
#[test]
fn random_operations_leave_memory_flat() {
    let ((mut index, points, rects), mut dice) = (empty(), Dice(1));
    let mut handles: Vec<Handle> = Vec::new();
    let peaks = peaks(|operation| {
        let pick = usize::from(dice.below(1000));
        let at_once = handles.get(pick).copied();
        match (dice.below(5), at_once) {
            (0..2, Some(handle)) => {
                let _ = index.remove(handle);
                handles.swap_remove(pick);
            }
            (2, Some(handle)) => drop(index.move_to(handle, dice.point())),
            (3, Some(handle)) => drop(index.move_to(handle, dice.rect())),
            (kind, _) if handles.len() < 1000 => handles.push(
                if kind % 2 == 0 { index.insert(points, dice.point(), 0) } else { index.insert(rects, dice.rect(), 0) }
                    .expect("finite"),
            ),
            _ => {}
        }
        if operation % 64 == 0 { index.stats().bytes } else { 0 }
    });
    index.check_integrity().expect("sound");
    assert_flat(&peaks, 10);
}

/// One more and one less than what splits a block, again and again, in one place after the other.
#[test]
fn churn_at_a_threshold_leaves_memory_flat() {
    let ((mut index, points, _), mut dice) = (empty(), Dice(2));
    let handles: Vec<_> = (0..1600).map(|_| index.insert(points, dice.point(), 0).expect("finite")).collect();
    let mut extra = Vec::new();
    let peaks = peaks(|operation| {
        if operation % 2 == 0 {
            let at = index.shape(handles[usize::from(dice.below(1600))]).expect("it lives").min();
            extra = (0..dice.below(17)).map(|_| index.insert(points, at, 1).expect("finite")).collect();
        } else {
            for handle in extra.drain(..) {
                index.remove(handle);
            }
        }
        if operation % 64 == 1 { index.stats().bytes } else { 0 }
    });
    index.check_integrity().expect("sound");
    assert_flat(&peaks, 10);
}

/// Objects travel far out of the world and back.
#[test]
fn trips_out_of_the_world_leave_memory_flat() {
    let ((mut index, points, rects), mut dice) = (empty(), Dice(3));
    let of_points: Vec<_> = (0..500).map(|_| index.insert(points, dice.point(), 0).expect("finite")).collect();
    let of_rects: Vec<_> = (0..500).map(|_| index.insert(rects, dice.rect(), 0).expect("finite")).collect();
    let peaks = peaks(|operation| {
        let far = if operation / 2000 % 2 == 0 { 1e6 } else { 1.0 };
        let (pick, at) = (usize::from(dice.below(500)), dice.point().map(|at| at * far));
        let moved = index.move_to(of_points[pick], at);
        let moved = moved.and(index.move_to(of_rects[pick], Rect::new(at, at.map(|at| at + 9.0 * far))));
        moved.expect("finite");
        if operation % 64 == 0 { index.stats().bytes } else { 0 }
    });
    index.check_integrity().expect("sound");
    assert_flat(&peaks, 10);
}

/// When memory was given back, what is left follows the objects; of a slot before the last one, 8 bytes and a value.
#[test]
fn slots_are_what_is_left() {
    let (objects, few) = (100_000, 8 * PAGE);
    for (kept, most) in [(0, few), (10, (8 + 8) * objects + few), (objects, usize::MAX)] {
        let ((mut index, points, _), mut dice) = (empty(), Dice(4));
        let mut handles: Vec<_> =
            (0..objects).map(|_| index.insert(points, dice.point(), 0).expect("finite")).collect();
        handles.swap(0, objects - 1);
        let full = index.stats().bytes;
        for handle in handles.drain(kept..) {
            index.remove(handle);
        }
        index.shrink_to_fit();
        let left = index.stats().bytes;
        assert!(left <= most && left < full, "{left} bytes of {full}, {kept} objects");
    }
}

/// A batch takes no more memory in the second layer of an index than in the first.
#[test]
fn later_batches_take_no_more() {
    let ((mut index, points, _), mut dice) = (empty(), Dice(5));
    let other = index.add_point_layer_with(LayerSettings::new().split_above(16)).expect("a layer");
    let mut batch = || (0..20_000).map(|number| (dice.point(), number)).collect::<Vec<_>>();
    let mut bytes_with = |layer, batch| {
        index.insert_batch(layer, batch).expect("finite");
        index.stats().bytes
    };
    let [one, both] = [bytes_with(points, batch()), bytes_with(other, batch())];
    assert!(2 * both <= 5 * one, "{one} bytes, then {both}");
}

/// After `shrink_to_fit` an index holds as much as a copy, which has nothing to spare.
#[test]
fn what_is_to_spare_is_given_back() {
    let ((mut index, points, rects), mut dice) = (empty(), Dice(6));
    index.insert_batch(points, (0..5000).map(|number| (dice.point(), number)).collect::<Vec<_>>()).expect("finite");
    index.insert_batch(rects, (0..5000).map(|number| (dice.rect(), number)).collect::<Vec<_>>()).expect("finite");
    index.shrink_to_fit();
    let [held, copied] = [index.stats().bytes, index.clone().stats().bytes];
    assert!(held * 100 <= copied * 101, "{held} bytes, a copy {copied}");
}
