//! The surroundings of a few close centers, gathered once: copies of the shapes in buckets of their own, so
//! that each center is compared with eight at a time, none of them far away.
//!
//! It does not know where they come from. Keeps Q12 of `docs/invariants.md` as far as neighbors are concerned, and Q15.

use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::geometry::{Level, Proximity, Rank, Rect, Scalar, distance, larger, smaller, with_vectors};
use crate::key::{BucketId, Handle, Kind, Place};
use crate::ordered::{COUNTED_MOST, Found, sort};
use crate::tree::{BUCKET_SLOTS, Bucket, OfKind, RectBucket, positions, rows_of, with_kind};

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

/// The smallest box around some centers. Those that are nowhere do not count.
pub(super) fn bounds_of<S: Scalar, const D: usize>(centers: &[Center<S, D>]) -> Rect<S, D> {
    let [mut low, mut high] = [[S::INFINITY; D], [S::NEG_INFINITY; D]];
    for Center { shape, .. } in centers {
        for axis in 0..D {
            low[axis] = smaller(low[axis], shape.min()[axis]);
            high[axis] = larger(high[axis], shape.max()[axis]);
        }
    }
    Rect::ordered(low, high)
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
    /// The words of hits for each center, one for each bucket.
    words: usize,
    hits: Vec<u64>,
    /// The hits of one center as they are ranked, by their places in these buckets, and the numbers of the nearest.
    found: Vec<Found>,
    pub(super) nearest: Vec<u32>,
    /// The center of which these hits are, and its own number, as long as that is not among them.
    ranked: Option<(Rect<S, D>, Option<usize>)>,
}

impl<S: Scalar, const D: usize> Gathered<S, D> {
    /// Nothing, with room for shapes of a kind.
    pub(super) fn of(kind: Kind) -> Self {
        let shapes = match kind {
            Kind::Points => OfKind::Points(Vec::new()),
            Kind::Rects => OfKind::Rects(Vec::new()),
        };
        let (runs, hits, found, nearest) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { shapes, runs, words: 0, hits, found, nearest, ranked: None }
    }

    /// Drops all shapes.
    pub(super) fn clear(&mut self) {
        self.runs.clear();
        (self.words, self.ranked) = (0, None);
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

    /// Adds the shapes of some entries of a bucket. Passes on the number of each, its position and its shape.
    #[inline(always)]
    pub(super) fn add<const ENDS: usize>(
        &mut self,
        bucket: &Bucket<S, D, ENDS>,
        entries: u64,
        mut added: impl FnMut(usize, u8, Rect<S, D>),
    ) {
        let Some(run) = self.runs.last_mut() else { return };
        let numbers = run.end..run.end + entries.count_ones() as usize;
        run.end = numbers.end;
        with_kind!(&mut self.shapes, |shapes| {
            if shapes.len() * BUCKET_SLOTS < numbers.end {
                shapes.push(Bucket::vacant());
            }
            for (number, position) in numbers.zip(positions(entries)) {
                let shape = bucket.shape(position);
                shapes[number / BUCKET_SLOTS].set_shape((number % BUCKET_SLOTS) as u8, &shape);
                added(number, position, shape);
            }
        });
    }

    /// The hits of a center, which must have been compared.
    #[inline]
    pub(super) fn hits(&self, center: usize) -> &[u64] {
        &self.hits[center * self.words..][..self.words]
    }

    /// Finds the nearest few of the shapes that hit a center, given its own number, and their handles: by distance, then by
    /// handle.
    pub(super) fn find_nearest(
        &mut self,
        (level, nth, center): (Level, usize, &Rect<S, D>),
        own: Option<usize>,
        count: usize,
        handle: impl Fn(usize) -> Handle,
    ) {
        if self.ranked.is_some_and(|(ranked, _)| ranked == *center) {
            return self.find_again(center, own, count, handle);
        }
        self.rank(nth, center, handle);
        self.ranked = Some((*center, own));
        let found = &mut self.found;
        if COUNTED_MOST < found.len() && count < found.len() {
            // One more than wanted: if the next center coincides, it may be its own.
            found.select_nth_unstable_by(count, Found::compare);
            found.truncate(count + 1);
        }
        sort(level, found);
        self.nearest.clear();
        self.nearest.extend(found.iter().rev().take(count).map(number_of));
    }

    /// The same for a center that coincides with the last one: those that are found are the nearest of both.
    #[cold]
    #[inline(never)]
    fn find_again(&mut self, center: &Rect<S, D>, own: Option<usize>, count: usize, handle: impl Fn(usize) -> Handle) {
        let before = self.ranked.as_mut().and_then(|(_, before)| before.take());
        if let Some(number) = before {
            let place = Place::new(BucketId::numbered((number / BUCKET_SLOTS) as u32), (number % BUCKET_SLOTS) as u8);
            let last = Found { rank: distance(&center.to_f64(), center), handle: handle(number), place };
            let at = self.found.partition_point(|found| last.compare(found) == Ordering::Less);
            self.found.insert(at, last);
        }
        let others = self.found.iter().rev().map(number_of).filter(|&number| Some(number as usize) != own);
        self.nearest.clear();
        self.nearest.extend(others.take(count));
    }

    /// Lists all that hits a center.
    fn rank(&mut self, nth: usize, center: &Rect<S, D>, handle: impl Fn(usize) -> Handle) {
        let Self { shapes, runs, words, hits, found, .. } = self;
        let target = center.to_f64();
        let in_images = |least, shape: &Rect<S, D>| {
            let others = runs[1..].iter().map(|run| distance(&run.seen(center).to_f64(), shape));
            others.fold(least, Rank::min)
        };
        found.clear();
        with_kind!(&*shapes, |shapes| for (bucket, &hits) in (0..).zip(&hits[nth * *words..][..*words]) {
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
    }

    /// The hits of each center, if there are any shapes.
    pub(super) fn hits_mut(&mut self) -> impl Iterator<Item = &mut [u64]> {
        self.hits.chunks_exact_mut(self.words.max(1))
    }

    /// Compares all shapes with some centers.
    pub(super) fn compare(
        &mut self,
        level: Level,
        proximity: &Proximity<S>,
        centers: &[Center<S, D>],
        are_points: bool,
    ) {
        let words = self.len().div_ceil(BUCKET_SLOTS);
        self.words = words;
        let Self { shapes, runs, hits, .. } = self;
        hits.clear();
        hits.resize(centers.len() * words, 0);
        if words == 0 {
            return;
        }
        with_kind!(&*shapes, |shapes| {
            let compared = Compared { shapes, runs, centers, words, hits };
            // The kind of the centers is chosen here, so that the loop chooses none.
            with_vectors!(level, |simd| match *proximity {
                Proximity::Within(within) if are_points => compared.each(
                    #[inline(always)]
                    |bucket, center, used| bucket.within(simd, &within, center, true, used, 0..rows_of(used)),
                ),
                Proximity::Within(within) => compared.each(
                    #[inline(always)]
                    |bucket, center, used| bucket.within(simd, &within, center, false, used, 0..rows_of(used)),
                ),
                Proximity::Touching =>
                    compared.each(|bucket, center, used| bucket.entries_where(used, |shape| shape.intersects(center))),
            });
        });
        if 1 < self.runs.len() {
            self.keep_first(proximity, centers);
        }
    }

    /// Takes out what hits a center in an image before, too.
    #[cold]
    #[inline(never)]
    fn keep_first(&mut self, proximity: &Proximity<S>, centers: &[Center<S, D>]) {
        let Self { shapes, runs, words, hits, .. } = self;
        for (center, hits) in centers.iter().zip(hits.chunks_exact_mut(*words)) {
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

fn number_of(found: &Found) -> u32 {
    found.place.bucket().number() * BUCKET_SLOTS as u32 + u32::from(found.place.position())
}

/// Shapes that are compared with centers.
struct Compared<'a, S, const D: usize, const ENDS: usize> {
    shapes: &'a [Bucket<S, D, ENDS>],
    runs: &'a [ImageRun<D>],
    centers: &'a [Center<S, D>],
    /// The words of hits for each center; no hits so far.
    words: usize,
    hits: &'a mut [u64],
}

impl<S: Scalar, const D: usize, const ENDS: usize> Compared<'_, S, D, ENDS> {
    /// Sets the hits of each center in each bucket, given the shapes there as bits.
    #[inline(always)]
    fn each(self, hits_of: impl Fn(&Bucket<S, D, ENDS>, &Rect<S, D>, u64) -> u64) {
        for run in self.runs {
            let buckets = run.first_bucket..run.end.div_ceil(BUCKET_SLOTS);
            let shapes = &self.shapes[buckets.clone()];
            for (center, hits) in self.centers.iter().zip(self.hits.chunks_exact_mut(self.words)) {
                if center.shape.is_empty() {
                    continue;
                }
                let (center, mut left) = (run.seen(&center.shape), run.end - run.first_bucket * BUCKET_SLOTS);
                for (bucket, hits) in shapes.iter().zip(&mut hits[buckets.clone()]) {
                    *hits = hits_of(bucket, &center, u64::MAX >> (BUCKET_SLOTS - left.min(BUCKET_SLOTS)));
                    left = left.saturating_sub(BUCKET_SLOTS);
                }
            }
        }
    }
}
