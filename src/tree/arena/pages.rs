//! A list in pages of 64 elements. Growth copies no element, and freed elements are reused near their neighbours.
//!
//! Keeps its part of T9 of `docs/invariants.md`: which elements are free.

use alloc::vec::Vec;
use core::iter;
use core::mem;
use core::ops::{Index, IndexMut};

/// The number of elements in a page: one for each bit of a word.
const PAGE: usize = 64;

/// A list whose elements can be freed and reused.
#[derive(Clone, Debug)]
pub(super) struct Pages<B> {
    /// All pages but the last are full. The first page grows as it fills; the others are allocated whole.
    elements: Vec<Vec<B>>,
    vacancies: Vec<Vacancy>,
    /// The pages that may have free elements. A page stays listed until it is found to have none.
    listed: Vec<u32>,
    free: usize,
}

/// The free elements of a page.
#[derive(Clone, Copy, Debug)]
struct Vacancy {
    bits: u64,
    is_listed: bool,
}

impl<B> Pages<B> {
    pub(super) fn new() -> Self {
        Self { elements: Vec::new(), vacancies: Vec::new(), listed: Vec::new(), free: 0 }
    }

    pub(super) fn push(&mut self, element: B) {
        if self.elements.last().is_none_or(|last| last.len() == PAGE) {
            let capacity = if self.elements.is_empty() { 1 } else { PAGE };
            self.elements.push(Vec::with_capacity(capacity));
            self.vacancies.push(Vacancy { bits: 0, is_listed: false });
        }
        self.elements.last_mut().expect("there is a page with room").push(element);
    }

    fn is_free(&self, number: usize) -> bool {
        self.vacancies[number / PAGE].bits >> (number % PAGE) & 1 == 1
    }

    /// Exchanges two elements together with their free bits.
    pub(super) fn swap(&mut self, one: usize, other: usize) {
        let are_free = [one, other].map(|number| self.is_free(number));
        let [element, other_element] = self.two_mut(one, other);
        mem::swap(element, other_element);
        if are_free[0] != are_free[1] {
            let (given, taken) = if are_free[0] { (other, one) } else { (one, other) };
            self.vacancies[taken / PAGE].bits &= !(1 << (taken % PAGE));
            self.free -= 1;
            self.free(given);
        }
    }

    /// Two different elements.
    pub(super) fn two_mut(&mut self, one: usize, other: usize) -> [&mut B; 2] {
        let pages = [one / PAGE, other / PAGE];
        let [in_one, in_other] = [one % PAGE, other % PAGE];
        if pages[0] == pages[1] {
            self.elements[pages[0]].get_disjoint_mut([in_one, in_other]).expect("the elements differ")
        } else {
            let [page, others] = self.elements.get_disjoint_mut(pages).expect("there are such pages");
            [&mut page[in_one], &mut others[in_other]]
        }
    }

    pub(super) fn free_len(&self) -> usize {
        self.free
    }

    pub(super) fn free(&mut self, number: usize) {
        let page = &mut self.vacancies[number / PAGE];
        page.bits |= 1 << (number % PAGE);
        self.free += 1;
        if !page.is_listed {
            page.is_listed = true;
            self.listed.push((number / PAGE) as u32);
        }
    }

    /// Takes a free element if there is one, preferably from the page of `neighbour`, otherwise from the last listed
    /// page.
    pub(super) fn reuse(&mut self, neighbour: Option<usize>) -> Option<usize> {
        let beside = neighbour.map(|number| number / PAGE).filter(|&page| self.vacancies[page].bits != 0);
        let page = beside.or_else(|| self.page_listed_last())?;
        let bits = &mut self.vacancies[page].bits;
        let bit = bits.trailing_zeros() as usize;
        *bits &= *bits - 1;
        self.free -= 1;
        Some(page * PAGE + bit)
    }

    fn page_listed_last(&mut self) -> Option<usize> {
        while let Some(&page) = self.listed.last() {
            let vacancy = &mut self.vacancies[page as usize];
            if vacancy.bits != 0 {
                return Some(page as usize);
            }
            // All its free elements have been reused as neighbours.
            vacancy.is_listed = false;
            self.listed.pop();
        }
        None
    }

    /// The numbers of free elements.
    pub(super) fn free_numbers(&self) -> impl Iterator<Item = usize> + '_ {
        self.vacancies.iter().enumerate().flat_map(|(page, vacancy)| {
            let mut bits = vacancy.bits;
            iter::from_fn(move || {
                let bit = bits.trailing_zeros() as usize;
                bits &= bits.checked_sub(1)?;
                Some(page * PAGE + bit)
            })
        })
    }

    /// The pages that may have free elements. The last one is tried first.
    #[cfg(feature = "serde")]
    pub(super) fn listed(&self) -> &[u32] {
        &self.listed
    }

    /// Replaces the list of pages that may have free elements. Returns `false` if the new list names a page twice, or
    /// misses one that has free elements.
    #[cfg(feature = "serde")]
    pub(super) fn list(&mut self, pages: &[u32]) -> bool {
        self.vacancies.iter_mut().for_each(|vacancy| vacancy.is_listed = false);
        self.listed = pages.to_vec();
        let mut are_new = pages.iter().map(|&page| match self.vacancies.get_mut(page as usize) {
            Some(vacancy) => !mem::replace(&mut vacancy.is_listed, true),
            None => false,
        });
        are_new.all(|is_new| is_new) && self.vacancies.iter().all(|vacancy| vacancy.bits == 0 || vacancy.is_listed)
    }

    /// Bytes of memory held.
    pub(super) fn bytes(&self) -> usize {
        self.elements.iter().map(|page| page.capacity() * size_of::<B>()).sum::<usize>()
            + self.elements.capacity() * size_of::<Vec<B>>()
            + self.vacancies.capacity() * size_of::<Vacancy>()
            + self.listed.capacity() * size_of::<u32>()
    }

    /// Releases memory after the last element.
    pub(super) fn shrink_to_fit(&mut self) {
        if let Some(last) = self.elements.last_mut() {
            last.shrink_to_fit();
        }
        self.elements.shrink_to_fit();
        self.vacancies.shrink_to_fit();
        self.listed.shrink_to_fit();
    }
}

impl<B> Index<usize> for Pages<B> {
    type Output = B;
    #[inline]
    fn index(&self, number: usize) -> &B {
        &self.elements[number / PAGE][number % PAGE]
    }
}

impl<B> IndexMut<usize> for Pages<B> {
    #[inline]
    fn index_mut(&mut self, number: usize) -> &mut B {
        &mut self.elements[number / PAGE][number % PAGE]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_freed_is_given_out_once_and_near_first() {
        let mut pages = Pages::new();
        (0..3 * PAGE).for_each(|number| pages.push(number));
        assert_eq!(pages.reuse(Some(5)), None, "nothing is free");
        let freed = [150, 70, 3, 69];
        for number in freed {
            pages.free(number);
        }
        assert_eq!(pages.free_numbers().collect::<Vec<_>>(), [3, 69, 70, 150]);
        assert_eq!(pages.reuse(Some(127)), Some(69), "of the same page");
        assert_eq!(pages.reuse(Some(64)), Some(70));
        assert_eq!(pages.reuse(Some(64)), Some(3), "of the page listed last that has one");
        assert_eq!(pages.reuse(None), Some(150));
        assert_eq!((pages.reuse(None), pages.free_len()), (None, 0));
    }

    #[test]
    fn a_page_is_listed_once() {
        let mut pages = Pages::new();
        (0..PAGE).for_each(|number| pages.push(number));
        for round in 0..100 {
            pages.free(round % PAGE);
            assert_eq!(pages.reuse(Some(0)), Some(round % PAGE));
        }
        assert_eq!(pages.listed.len(), 1);
    }
}
