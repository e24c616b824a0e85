//! The tables from the ids of objects to their handles, and back.

use quadrille::Handle;

/// Ids are below this.
pub(crate) const IDS_MAX: u32 = 1 << 26;

/// Of the ids of a page there are so many: 8 KiB, which an id far from all others costs.
const PAGE: usize = 1 << 10;
/// So many ids are dense from the beginning.
const DENSE: usize = 1 << 16;

/// Handles by id: the dense ones in one list, those far above in pages. (With pages alone moves take 1.3 times as long.)
#[derive(Default)]
pub(crate) struct Handles {
    /// Whole pages.
    dense: Vec<Handle>,
    /// By number; empty where there is no id, or where they are dense.
    pages: Vec<Vec<Handle>>,
    /// By the slots of objects.
    ids: Vec<u32>,
}

impl Handles {
    /// A handle of no object, if the id has none.
    #[inline]
    pub(crate) fn get(&self, id: u32) -> Handle {
        match self.dense.get(id as usize) {
            Some(&handle) => handle,
            None => self.get_far(id as usize),
        }
    }

    #[cold]
    #[inline(never)]
    fn get_far(&self, id: usize) -> Handle {
        self.pages.get(id / PAGE).and_then(|page| page.get(id % PAGE)).copied().unwrap_or_default()
    }

    /// Makes room for an id, if there is memory.
    #[inline]
    pub(crate) fn make_room(&mut self, id: u32) -> bool {
        (id as usize) < self.dense.len() || self.make_page(id as usize / PAGE).is_some()
    }

    #[cold]
    #[inline(never)]
    fn make_page(&mut self, number: usize) -> Option<()> {
        let dense = self.dense.len();
        if number * PAGE < 2 * dense.max(DENSE) {
            let len = (number + 1) * PAGE;
            self.dense.try_reserve(len - dense).ok()?;
            self.dense.resize(len, Handle::default());
            // Ids of pages that are dense now.
            let pages = self.pages.iter_mut().skip(dense / PAGE).zip(self.dense[dense..].chunks_mut(PAGE));
            for (page, room) in pages.filter(|(page, _)| !page.is_empty()) {
                room.copy_from_slice(page);
                *page = Vec::new();
            }
            return Some(());
        }
        if number >= self.pages.len() {
            self.pages.try_reserve(number + 1 - self.pages.len()).ok()?;
            self.pages.resize_with(number + 1, Vec::new);
        }
        if self.pages[number].is_empty() {
            self.pages[number].try_reserve_exact(PAGE).ok()?;
            self.pages[number].resize(PAGE, Handle::default());
        }
        Some(())
    }

    /// The id of an object.
    #[inline]
    pub(crate) fn id(&self, handle: Handle) -> u32 {
        self.ids.get(handle.slot()).copied().unwrap_or_default()
    }

    /// For an id that has room.
    #[inline]
    pub(crate) fn set(&mut self, id: u32, handle: Handle) {
        if self.ids.len() <= handle.slot() {
            self.ids.resize(handle.slot() + 1, 0);
        }
        self.ids[handle.slot()] = id;
        let id = id as usize;
        match self.dense.get_mut(id) {
            Some(place) => *place = handle,
            None => self.pages[id / PAGE][id % PAGE] = handle,
        }
    }
}

/// A list of ids, to which handles are added.
pub(crate) struct Listed<'w, L> {
    pub(crate) ids: &'w mut L,
    pub(crate) handles: &'w Handles,
}

impl<'h, L: Extend<u32>> Extend<&'h Handle> for Listed<'_, L> {
    fn extend<I: IntoIterator<Item = &'h Handle>>(&mut self, handles: I) {
        self.ids.extend(handles.into_iter().map(|&handle| self.handles.id(handle)));
    }
}
