//! A region of a layer that is asked about again and again: a watch, unless there is too much in it.

use quadrille::{Intersecting, IntoRegion, LayerId, Region, Watch};

use crate::globe::Index;

/// The watch of a region.
type WatchOf<R> = Watch<Intersecting, f32, 2, R>;

/// A region of a layer that is followed.
#[derive(Clone, Debug)]
pub struct Follow<R> {
    layer: LayerId,
    region: R,
    watch: Option<WatchOf<R>>,
}

/// The state of a region after a tick.
#[derive(Debug)]
pub enum Seen<'w, R> {
    /// There are too many objects to list them.
    Crowd {
        /// How many.
        count: usize,
    },
    /// There is a list.
    List {
        /// Whether nothing has been reported yet, so the list begins anew.
        fresh: bool,
        /// The watch, to be polled.
        watch: &'w mut WatchOf<R>,
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
        if let Some(watch) = &mut self.watch {
            watch.set_region(region.clone());
        }
        self.region = region;
    }

    /// Counts, which reads counters; and gives the watch to be polled if there are no more objects than the limit.
    pub fn look(&mut self, index: &Index, limit: usize) -> Seen<'_, R> {
        let query = index.intersecting(self.region.clone()).in_layers(self.layer);
        let count = query.clone().count();
        if limit < count {
            self.watch = None;
            return Seen::Crowd { count };
        }
        let fresh = self.watch.is_none();
        Seen::List { fresh, watch: self.watch.get_or_insert_with(|| query.watch()) }
    }
}
