//! The buckets of both kinds, in pages of 64 of one kind. Growth copies no bucket, and freed buckets are reused near their
//! neighbours.
//!
//! Keeps its part of T9 of `docs/invariants.md`: which buckets are free.

use alloc::vec::Vec;
use core::iter;
use core::mem;

use super::super::bucket::{
    Bucket, BucketMut, BucketRef, OfKind, PointBucket, RectBucket, bucket_bytes, map_kind, with_kind,
};
use crate::geometry::Scalar;
use crate::key::{BUCKETS_MAX, BucketId, Kind};

/// The number of buckets in a page: one for each bit of a word.
pub(super) const PAGE: usize = 64;

/// Buckets by number. Each can be freed and reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buckets<S, const D: usize> {
    pages: Vec<Page<S, D>>,
    vacancies: Vec<Vacancy>,
    /// By kind.
    pools: [Pool; 2],
    /// Bytes of all buckets, free ones too.
    bytes: usize,
}

/// A page. The first one of a kind grows as it fills; the others are allocated whole. All of a kind but the last are full.
pub(super) type Page<S, const D: usize> = OfKind<Vec<PointBucket<S, D>>, Vec<RectBucket<S, D>>>;

/// The free buckets of a page.
#[derive(Clone, Copy, Debug)]
struct Vacancy {
    bits: u64,
    is_listed: bool,
}

/// The buckets of one kind.
#[derive(Clone, Debug, Default)]
struct Pool {
    /// The numbers of its pages, rising.
    pages: Vec<u32>,
    /// The number of buckets, free ones too.
    len: usize,
    free: usize,
    /// The pages that may have free buckets. A page stays listed until it is found to have none.
    listed: Vec<u32>,
}

/// Two buckets of the same kind.
pub(in crate::tree) type TwoBuckets<'a, S, const D: usize> =
    OfKind<[&'a mut PointBucket<S, D>; 2], [&'a mut RectBucket<S, D>; 2]>;

/// The position of a bucket: its page, and its number there.
fn position_of(bucket: BucketId) -> (usize, usize) {
    (bucket.index() / PAGE, bucket.index() % PAGE)
}

impl<S: Scalar, const D: usize> Buckets<S, D> {
    #[inline(always)]
    pub(crate) fn kind(&self, bucket: BucketId) -> Kind {
        self.pages[bucket.index() / PAGE].kind()
    }

    #[inline(always)]
    pub(super) fn get(&self, bucket: BucketId) -> BucketRef<'_, S, D> {
        let (page, number) = position_of(bucket);
        map_kind!(&self.pages[page], |page| &page[number])
    }

    #[inline(always)]
    pub(in crate::tree) fn get_mut(&mut self, bucket: BucketId) -> BucketMut<'_, S, D> {
        let (page, number) = position_of(bucket);
        map_kind!(&mut self.pages[page], |page| &mut page[number])
    }

    /// The buckets of a kind, free ones too, in the order of memory, to be changed side by side.
    #[cfg(feature = "rayon")]
    pub(in crate::tree) fn all_mut(&mut self, kind: Kind) -> Vec<(BucketId, BucketMut<'_, S, D>)> {
        let mut all = Vec::with_capacity(self.len(kind));
        let pages = (0..).step_by(PAGE).zip(&mut self.pages).filter(|(_, page)| page.kind() == kind);
        for (first, page) in pages {
            let ids = (first..).map(BucketId::numbered);
            match page {
                Page::Points(page) => all.extend(ids.zip(page.iter_mut().map(BucketMut::Points))),
                Page::Rects(page) => all.extend(ids.zip(page.iter_mut().map(BucketMut::Rects))),
            }
        }
        all
    }

    /// Two different buckets, which must be of the same kind.
    pub(in crate::tree) fn two_mut(&mut self, one: BucketId, other: BucketId) -> TwoBuckets<'_, S, D> {
        let [(page, number), (other_page, other_number)] = [one, other].map(position_of);
        let differ = "the buckets differ";
        if page == other_page {
            let both = [number, other_number];
            return map_kind!(&mut self.pages[page], |page| page.get_disjoint_mut(both).expect(differ));
        }
        match self.pages.get_disjoint_mut([page, other_page]).expect(differ) {
            [Page::Points(page), Page::Points(other)] => OfKind::Points([&mut page[number], &mut other[other_number]]),
            [Page::Rects(page), Page::Rects(other)] => OfKind::Rects([&mut page[number], &mut other[other_number]]),
            _ => unreachable!("the buckets are of the same kind"),
        }
    }

    /// Exchanges two buckets of the same kind, of which the second may be free.
    pub(super) fn swap(&mut self, one: BucketId, other: BucketId) {
        with_kind!(self.two_mut(one, other), |[one, other]| mem::swap(one, other));
        let (page, number) = position_of(other);
        if self.vacancies[page].bits >> number & 1 == 1 {
            self.vacancies[page].bits &= !(1 << number);
            self.pools[self.kind(other) as usize].free -= 1;
            self.free(one);
        }
    }

    pub(super) fn free(&mut self, bucket: BucketId) {
        let (page, number) = position_of(bucket);
        let pool = &mut self.pools[self.pages[page].kind() as usize];
        let vacancy = &mut self.vacancies[page];
        vacancy.bits |= 1 << number;
        pool.free += 1;
        if !mem::replace(&mut vacancy.is_listed, true) {
            pool.listed.push(page as u32);
        }
    }

    /// Takes a free bucket of a kind if there is one, preferably from the page of `neighbour`, which is of this kind;
    /// otherwise from the last listed page.
    pub(super) fn reuse(&mut self, kind: Kind, neighbour: Option<BucketId>) -> Option<BucketId> {
        let beside = neighbour.map(|bucket| position_of(bucket).0).filter(|&page| self.vacancies[page].bits != 0);
        let page = beside.or_else(|| self.page_listed_last(kind))?;
        let bits = &mut self.vacancies[page].bits;
        let bit = bits.trailing_zeros() as usize;
        *bits &= *bits - 1;
        self.pools[kind as usize].free -= 1;
        Some(BucketId::numbered((page * PAGE + bit) as u32))
    }

    fn page_listed_last(&mut self, kind: Kind) -> Option<usize> {
        let listed = &mut self.pools[kind as usize].listed;
        while let Some(&page) = listed.last() {
            let vacancy = &mut self.vacancies[page as usize];
            if vacancy.bits != 0 {
                return Some(page as usize);
            }
            // All its free buckets have been reused as neighbours.
            vacancy.is_listed = false;
            listed.pop();
        }
        None
    }

    /// Adds a vacant bucket.
    pub(super) fn push(&mut self, kind: Kind) -> BucketId {
        let page = self.page_to_grow(kind);
        let number = with_kind!(&mut self.pages[page], |page| pushed(page, Bucket::vacant()));
        self.pools[kind as usize].len += 1;
        self.bytes += bucket_bytes::<S, D>(kind);
        BucketId::next(page * PAGE + number)
    }

    /// The last page of a kind if it has room; otherwise a new page.
    fn page_to_grow(&mut self, kind: Kind) -> usize {
        let Pool { pages, len, .. } = &mut self.pools[kind as usize];
        if let Some(&last) = pages.last()
            && *len < pages.len() * PAGE
        {
            return last as usize;
        }
        assert!(self.pages.len() < BUCKETS_MAX / PAGE, "places name no more buckets");
        let page = self.pages.len();
        let capacity = if pages.is_empty() { 1 } else { PAGE };
        if page == 0 {
            // Many small indexes have no other.
            pages.reserve_exact(1);
            self.pages.reserve_exact(1);
            self.vacancies.reserve_exact(1);
        }
        pages.push(page as u32);
        self.pages.push(match kind {
            Kind::Points => Page::Points(Vec::with_capacity(capacity)),
            Kind::Rects => Page::Rects(Vec::with_capacity(capacity)),
        });
        self.vacancies.push(Vacancy { bits: 0, is_listed: false });
        page
    }

    /// The number of buckets of a kind, free ones too.
    #[inline]
    pub(crate) fn len(&self, kind: Kind) -> usize {
        self.pools[kind as usize].len
    }

    /// The number of buckets of a kind in use.
    pub(crate) fn used(&self, kind: Kind) -> usize {
        self.len(kind) - self.free_len(kind)
    }

    /// The number of free buckets of a kind.
    pub(crate) fn free_len(&self, kind: Kind) -> usize {
        self.pools[kind as usize].free
    }

    /// How many more buckets of a kind there can be.
    #[inline]
    pub(in crate::tree) fn room(&self, kind: Kind) -> usize {
        let Pool { pages, len, free, .. } = &self.pools[kind as usize];
        (BUCKETS_MAX / PAGE - self.pages.len() + pages.len()) * PAGE - (len - free)
    }

    /// The bucket of a kind at a number in the order of memory. `None` at the end.
    #[inline]
    pub(crate) fn nth(&self, kind: Kind, position: usize) -> Option<BucketId> {
        let Pool { pages, len, .. } = &self.pools[kind as usize];
        (position < *len).then(|| BucketId::numbered(pages[position / PAGE] * PAGE as u32 + (position % PAGE) as u32))
    }

    /// The numbers of the free buckets of a kind.
    pub(crate) fn all_free(&self, kind: Kind) -> impl Iterator<Item = BucketId> + Clone + '_ {
        self.pools[kind as usize].pages.iter().flat_map(move |&page| {
            let mut bits = self.vacancies[page as usize].bits;
            iter::from_fn(move || {
                let bit = bits.trailing_zeros();
                bits &= bits.checked_sub(1)?;
                Some(BucketId::numbered(page * PAGE as u32 + bit))
            })
        })
    }

    /// Bytes of all buckets, free ones too.
    #[inline]
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Bytes of memory held.
    pub(super) fn bytes_held(&self) -> usize {
        let held = |page: &Page<S, D>| with_kind!(page, |page| page.capacity()) * bucket_bytes::<S, D>(page.kind());
        let numbers = |pool: &Pool| (pool.pages.capacity() + pool.listed.capacity()) * size_of::<u32>();
        self.pages.iter().map(held).sum::<usize>()
            + self.pages.capacity() * size_of::<Page<S, D>>()
            + self.vacancies.capacity() * size_of::<Vacancy>()
            + self.pools.iter().map(numbers).sum::<usize>()
    }

    /// Releases memory after the last bucket of each kind.
    pub(super) fn shrink_to_fit(&mut self) {
        for pool in &mut self.pools {
            if let Some(&last) = pool.pages.last() {
                with_kind!(&mut self.pages[last as usize], |page| page.shrink_to_fit());
            }
            pool.pages.shrink_to_fit();
            pool.listed.shrink_to_fit();
        }
        self.pages.shrink_to_fit();
        self.vacancies.shrink_to_fit();
    }
}

/// Adds an element to a list. Returns its number.
pub(super) fn pushed<T>(list: &mut Vec<T>, element: T) -> usize {
    list.push(element);
    list.len() - 1
}

/// The data form of the pages.
#[cfg(feature = "serde")]
impl<S: Scalar, const D: usize> Buckets<S, D> {
    pub(crate) fn has(&self, number: u32) -> bool {
        let (page, number) = position_of(BucketId::numbered(number));
        self.pages.get(page).is_some_and(|page| number < with_kind!(page, |page| page.len()))
    }

    pub(super) fn pages(&self) -> &[Page<S, D>] {
        &self.pages
    }

    /// For each kind, the pages that may have free buckets. The last one is tried first.
    pub(super) fn listed(&self) -> [&[u32]; 2] {
        [0, 1].map(|kind| &self.pools[kind].listed[..])
    }

    /// Adds a page. Returns `false` if it is empty, too long, or follows one of its kind that is not full.
    pub(super) fn push_page(&mut self, page: Page<S, D>) -> bool {
        let (kind, len) = (page.kind(), with_kind!(&page, |page| page.len()));
        let pool = &mut self.pools[kind as usize];
        if len == 0 || PAGE < len || !pool.len.is_multiple_of(PAGE) || self.pages.len() == BUCKETS_MAX / PAGE {
            return false;
        }
        pool.pages.push(self.pages.len() as u32);
        pool.len += len;
        self.bytes += len * bucket_bytes::<S, D>(kind);
        self.pages.push(page);
        self.vacancies.push(Vacancy { bits: 0, is_listed: false });
        true
    }

    /// Replaces the lists of pages that may have free buckets. Returns `false` if a list names a page twice or one of
    /// the other kind, or misses one that has free buckets.
    pub(super) fn list(&mut self, lists: [Vec<u32>; 2]) -> bool {
        self.vacancies.iter_mut().for_each(|vacancy| vacancy.is_listed = false);
        let mut are_sound = true;
        for (pool, pages) in self.pools.iter_mut().zip(lists) {
            for page in &pages {
                let vacancy = self.vacancies.get_mut(*page as usize).filter(|_| pool.pages.binary_search(page).is_ok());
                are_sound &= vacancy.is_some_and(|vacancy| !mem::replace(&mut vacancy.is_listed, true));
            }
            pool.listed = pages;
        }
        are_sound && self.vacancies.iter().all(|vacancy| vacancy.bits == 0 || vacancy.is_listed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Points = Buckets<f32, 2>;

    fn numbered(number: u32) -> BucketId {
        BucketId::numbered(number)
    }

    #[test]
    fn what_is_freed_is_given_out_once_and_near_first() {
        let mut buckets = Points::default();
        (0..3 * PAGE).for_each(|_| _ = buckets.push(Kind::Points));
        let mut reuse = |neighbour: Option<u32>, freed: &[u32]| {
            for &number in freed {
                buckets.free(numbered(number));
            }
            let reused = buckets.reuse(Kind::Points, neighbour.map(numbered)).map(BucketId::number);
            (reused, buckets.all_free(Kind::Points).map(BucketId::number).collect::<Vec<_>>())
        };
        assert_eq!(reuse(Some(5), &[]).0, None, "nothing is free");
        assert_eq!(reuse(Some(127), &[150, 70, 3, 69]), (Some(69), [3, 70, 150].to_vec()), "of the same page");
        assert_eq!(reuse(Some(64), &[]).0, Some(70));
        assert_eq!(reuse(Some(64), &[]).0, Some(3), "of the page listed last that has one");
        assert_eq!(reuse(None, &[]).0, Some(150));
        assert_eq!(reuse(None, &[]), (None, [].to_vec()));
        assert_eq!(buckets.free_len(Kind::Points), 0);
    }

    #[test]
    fn a_page_is_listed_once() {
        let mut buckets = Points::default();
        (0..PAGE).for_each(|_| _ = buckets.push(Kind::Points));
        for number in (0..100).map(|round| numbered(round % PAGE as u32)) {
            buckets.free(number);
            assert_eq!(buckets.reuse(Kind::Points, Some(numbered(0))), Some(number));
        }
        assert_eq!(buckets.pools[0].listed.len(), 1);
    }

    #[test]
    fn pages_are_of_one_kind() {
        let mut buckets = Points::default();
        let both = |number| if number % 2 == 0 { Kind::Points } else { Kind::Rects };
        for number in 0..4 * PAGE {
            let bucket = buckets.push(both(number));
            assert_eq!(buckets.kind(bucket), both(number));
            assert_eq!(buckets.nth(both(number), number / 2), Some(bucket));
        }
        assert_eq!((buckets.len(Kind::Points), buckets.nth(Kind::Rects, 2 * PAGE)), (2 * PAGE, None));
        buckets.free(numbered(0));
        assert_eq!(buckets.reuse(Kind::Rects, None), None, "the free bucket is of the other kind");
        assert_eq!(buckets.room(Kind::Rects), BUCKETS_MAX - 4 * PAGE);
    }
}
