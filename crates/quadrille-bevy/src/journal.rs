//! The journal of an index: which objects have changed, so that a zone need not ask about all others.

use quadrille::{Handle, LayerId};

/// The objects that were moved, inserted or removed, in order, as far back as memory allows.
#[derive(Default)]
pub(crate) struct Journal {
    /// How many entries are no longer kept.
    dropped: usize,
    entries: Vec<Handle>,
}

/// A state of an index. Its first layer distinguishes it from other indexes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Version {
    index: LayerId,
    /// The number of entries before it.
    entries: usize,
}

/// A journal may be so long, however small the index is.
const ENTRIES: usize = 1024;

impl Journal {
    pub(crate) fn add(&mut self, object: Handle) {
        self.entries.push(object);
    }

    /// Drops the older half of the entries if there are more than objects: to ask about all is cheaper then.
    pub(crate) fn trim(&mut self, objects: usize) {
        if self.entries.len() > objects.max(ENTRIES) {
            let older = self.entries.len() / 2;
            self.entries.drain(..older);
            self.dropped += older;
        }
    }

    pub(crate) fn version(&self, index: LayerId) -> Version {
        Version { index, entries: self.dropped + self.entries.len() }
    }

    /// The entries since a version; `None` if some of them are no longer kept, or if it is one of another index.
    pub(crate) fn since(&self, index: LayerId, version: Version) -> Option<&[Handle]> {
        let kept = version.entries.checked_sub(self.dropped).filter(|_| version.index == index)?;
        self.entries.get(kept..)
    }
}
