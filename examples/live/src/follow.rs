//! A region of a layer that is asked about again and again: a watch, unless there is too much in it.

use quadrille::{Intersecting, IntoRegion, LayerId, Query, Region, Watch};

use crate::globe::Index;

/// A region of a layer that is followed.
#[derive(Clone, Debug)]
pub struct Follow<R> {
    layer: LayerId,
    region: R,
    watch: Option<Watch>,
}

/// The state of a region after a tick.
#[derive(Debug)]
pub enum Seen<'w, A> {
    /// There are too many objects to list them.
    Crowd {
        /// How many.
        count: usize,
    },
    /// There is a list.
    List {
        /// Whether nothing has been reported yet, so the list begins anew.
        fresh: bool,
        /// The objects that were inside, to be polled.
        watch: &'w mut Watch,
        /// Those that are inside now.
        answer: A,
    },
}

impl<R: Region<f32, 2> + IntoRegion<f32, 2, Region = R> + Clone> Follow<R> {
    /// Follows a region of a layer.
    #[must_use]
    pub fn new(layer: LayerId, region: R) -> Self {
        Self { layer, region, watch: None }
    }

    /// Follows another region from now on.
    pub fn set_region(&mut self, region: R) {
        self.region = region;
    }

    /// Counts, which reads counters; and gives the watch and its next answer if there are no more objects than the limit.
    pub fn look<'i>(&mut self, index: &'i Index, limit: usize) -> Seen<'_, Query<'i, u32, Intersecting, f32, 2, R>> {
        let answer = index.intersecting(self.region.clone()).in_layers(self.layer);
        let count = answer.clone().count();
        if limit < count {
            self.watch = None;
            return Seen::Crowd { count };
        }
        Seen::List { fresh: self.watch.is_none(), watch: self.watch.get_or_insert_default(), answer }
    }
}
