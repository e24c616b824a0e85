//! The surroundings of a few close centers, gathered once: copies of the shapes in buckets of their own, so
//! that each center is compared with eight at a time, none of them far away.
//!
//! It does not know where they come from. Keeps Q12 of `docs/invariants.md` as far as neighbors are concerned, and Q15.

use alloc::vec::Vec;

use super::bucket_pair::{exactly, touching_singly};
use super::quantized::rows_of;
use crate::geometry::{
    LANES, Level, Proximity, Rank, Rect, Scalar, Simd, SimdBase, SimdMask, are_emulated, distance, splat, with_vectors,
};
use crate::key::{BucketId, Handle, Kind, Place};
use crate::ordered::{COUNTED_MOST, Found, sort};
use crate::tree::{BUCKET_SLOTS, Bucket, OfKind, RectBucket, positions, with_kind};

/// Shapes of points or of boxes, by number: 64 to a bucket.
type Shapes<S, const D: usize> = OfKind<Vec<Bucket<S, D, 1>>, Vec<RectBucket<S, D>>>;

/// An object whose neighbors are looked for, or a point. One without finite coordinates is empty.
#[derive(Clone, Copy, Debug)]
pub(super) struct Center<S, const D: usize> {
    pub(super) shape: Rect<S, D>,
    pub(super) handle: Handle,
    /// Its position in the source, or its number in a list of points.
    pub(super) number: usize,
}

/// Shapes that are compared with the centers in one of their images.
#[derive(Clone, Copy, Debug)]
struct ImageRun<const D: usize> {
    /// By how much the centers are moved there. `None` where they are.
    by: Option<[f64; D]>,
    first_bucket: usize,
    /// The number behind the last shape.
    end: usize,
}

impl<const D: usize> ImageRun<D> {
    /// A center in the image.
    #[inline(always)]
    fn seen<S: Scalar>(&self, center: &Rect<S, D>) -> Rect<S, D> {
        self.by.map_or(*center, |by| center.shifted(by))
    }
}

/// Shapes gathered around some centers.
#[derive(Clone, Debug)]
pub(super) struct Gathered<S, const D: usize> {
    shapes: Shapes<S, D>,
    /// Nearly always there is one.
    runs: Vec<ImageRun<D>>,
    /// For each center, a word of hits for each bucket.
    hits: Vec<u64>,
    /// The hits of one center as they are ranked, by their places in these buckets, and the numbers of the nearest.
    found: Vec<Found>,
    nearest: Vec<u32>,
}

impl<S: Scalar, const D: usize> Gathered<S, D> {
    /// Nothing, with room for shapes of a kind.
    pub(super) fn of(kind: Kind) -> Self {
        let shapes = match kind {
            Kind::Points => OfKind::Points(Vec::new()),
            Kind::Rects => OfKind::Rects(Vec::new()),
        };
        Self { shapes, runs: Vec::new(), hits: Vec::new(), found: Vec::new(), nearest: Vec::new() }
    }

    /// Drops all shapes.
    pub(super) fn clear(&mut self) {
        self.runs.clear();
    }

    /// Begins with the shapes near an image of the centers. They are numbered from a multiple of 64 on.
    pub(super) fn begin(&mut self, by: Option<[f64; D]>) {
        let first_bucket = self.len().div_ceil(BUCKET_SLOTS);
        self.runs.push(ImageRun { by, first_bucket, end: first_bucket * BUCKET_SLOTS });
    }

    /// The number behind the last shape.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.runs.last().map_or(0, |run| run.end)
    }

    /// Adds some shapes of a bucket. Returns the number of the first.
    #[inline(always)]
    pub(super) fn add<const ENDS: usize>(&mut self, bucket: &Bucket<S, D, ENDS>, hits: u64) -> usize {
        let Some(run) = self.runs.last_mut() else { return 0 };
        let first = run.end;
        run.end += hits.count_ones() as usize;
        with_kind!(&mut self.shapes, |shapes| {
            if shapes.len() * BUCKET_SLOTS < run.end {
                shapes.push(Bucket::vacant());
            }
            for (number, position) in (first..).zip(positions(hits)) {
                shapes[number / BUCKET_SLOTS].set_shape((number % BUCKET_SLOTS) as u8, &bucket.shape(position));
            }
        });
        first
    }

    /// How many words of hits each center has.
    #[inline]
    pub(super) fn words(&self) -> usize {
        self.len().div_ceil(BUCKET_SLOTS)
    }

    /// The hits of a center, which must have been compared.
    #[inline]
    pub(super) fn hits(&self, center: usize) -> &[u64] {
        let words = self.words();
        &self.hits[center * words..][..words]
    }

    /// The numbers of the nearest shapes that were [found](Self::find_nearest) last.
    #[inline]
    pub(super) fn nearest(&self) -> &[u32] {
        &self.nearest
    }

    /// Finds the nearest few of the shapes that hit a center, given their handles: by distance, then by handle.
    pub(super) fn find_nearest(
        &mut self,
        (level, nth, center): (Level, usize, &Rect<S, D>),
        count: usize,
        handle: impl Fn(usize) -> Handle,
    ) {
        let words = self.words();
        let Self { shapes, runs, hits, found, nearest } = self;
        let target = center.to_f64();
        let in_images = |least, shape: &Rect<S, D>| {
            let others = runs[1..].iter().map(|run| distance(&run.seen(center).to_f64(), shape));
            others.fold(least, Rank::min)
        };
        found.clear();
        with_kind!(&*shapes, |shapes| for (bucket, &hits) in (0..).zip(&hits[nth * words..][..words]) {
            for position in positions(hits) {
                let shape = shapes[bucket as usize].shape(position);
                let (rank, number) =
                    (distance(&target, &shape), bucket as usize * BUCKET_SLOTS + usize::from(position));
                let rank = if runs.len() == 1 { rank } else { in_images(rank, &shape) };
                found.push(Found {
                    rank,
                    handle: handle(number),
                    place: Place::new(BucketId::numbered(bucket), position),
                });
            }
        });
        if COUNTED_MOST < found.len() && count < found.len() {
            if let Some(last) = count.checked_sub(1) {
                found.select_nth_unstable_by(last, Found::compare);
            }
            found.truncate(count);
        }
        sort(level, found);
        nearest.clear();
        nearest.extend(
            found
                .iter()
                .rev()
                .take(count)
                .map(|found| found.place.bucket().number() * BUCKET_SLOTS as u32 + u32::from(found.place.position())),
        );
    }

    /// Takes a shape out of the hits of a center.
    #[inline]
    pub(super) fn leave_out(&mut self, center: usize, number: usize) {
        let word = center * self.words() + number / BUCKET_SLOTS;
        self.hits[word] &= !(1 << (number % BUCKET_SLOTS));
    }

    /// Compares all shapes with some centers.
    pub(super) fn compare(
        &mut self,
        level: Level,
        proximity: &Proximity<S>,
        centers: &[Center<S, D>],
        are_points: bool,
    ) {
        let Self { shapes, runs, hits, .. } = self;
        hits.clear();
        with_kind!(&*shapes, |shapes| with_vectors!(level, |simd| {
            for center in centers {
                for run in &*runs {
                    compare_run(simd, shapes, run, proximity, (&run.seen(&center.shape), are_points), hits);
                }
            }
        }));
        if 1 < self.runs.len() && self.len() != 0 {
            self.keep_first(proximity, centers);
        }
    }

    /// Takes out what hits a center in an image before, too.
    #[cold]
    #[inline(never)]
    fn keep_first(&mut self, proximity: &Proximity<S>, centers: &[Center<S, D>]) {
        let Self { shapes, runs, hits, .. } = self;
        let words = runs.last().map_or(0, |run| run.end.div_ceil(BUCKET_SLOTS));
        for (center, hits) in centers.iter().zip(hits.chunks_exact_mut(words)) {
            let is_before = |earlier: &[ImageRun<D>], shape: &Rect<S, D>| {
                earlier.iter().any(|run| proximity.holds(&run.seen(&center.shape), shape))
            };
            for (nth, run) in runs.iter().enumerate().skip(1) {
                for word in run.first_bucket..run.end.div_ceil(BUCKET_SLOTS) {
                    let before = with_kind!(&*shapes, |shapes| {
                        positions(hits[word])
                            .filter(|&at| is_before(&runs[..nth], &shapes[word].shape(at)))
                            .fold(0, |before, at| before | 1 << at)
                    });
                    hits[word] &= !before;
                }
            }
        }
    }
}

/// Adds the hits of a center among the shapes of a run.
#[inline(always)]
fn compare_run<V: Simd, S: Scalar, const D: usize, const ENDS: usize>(
    simd: V,
    shapes: &[Bucket<S, D, ENDS>],
    run: &ImageRun<D>,
    proximity: &Proximity<S>,
    (center, is_point): (&Rect<S, D>, bool),
    hits: &mut Vec<u64>,
) {
    let lanes = splat::<V, S, D>(simd, center);
    let are_points = is_point && Bucket::<S, D, ENDS>::IS_POINTS;
    let (first, end) = (run.first_bucket, run.end);
    for (number, bucket) in (first..).zip(&shapes[first.min(shapes.len())..end.div_ceil(BUCKET_SLOTS)]) {
        let used = u64::MAX >> (BUCKET_SLOTS - (end - number * BUCKET_SLOTS).min(BUCKET_SLOTS));
        let within = match proximity {
            _ if center.is_empty() => {
                hits.push(0);
                continue;
            }
            Proximity::Within(within) if are_emulated(simd) => {
                hits.push(exactly(bucket, within, center, used));
                continue;
            }
            Proximity::Within(within) => within,
            Proximity::Touching => {
                hits.push(touching_singly(bucket, center, used));
                continue;
            }
        };
        let (mut perhaps, mut unsure) = (0, S::Lanes::splat(simd, S::NAN).simd_le(lanes[0][0]));
        for row in (0..rows_of(used)).rev() {
            let near = within.compare::<V, D>(simd, &lanes, &bucket.row(simd, row), are_points);
            perhaps = perhaps << LANES | near[0].to_bitmask();
            unsure |= near[0] ^ near[1];
        }
        perhaps &= used;
        hits.push(if unsure.to_bitmask() == 0 { perhaps } else { exactly(bucket, within, center, perhaps) });
    }
}
