//! A world without edges as a plain one that repeats: an index with all images of all objects, each an object of its own.

use std::collections::BTreeSet;

use quadrille::{Handle, LayerSettings, ObjectRef, SpatialIndex};

use quadrille_support::images::{Scene, moved, offsets};
use quadrille_support::oracle::Span;
use quadrille_support::{AnyLayer, Index, Real};

/// Values are numbers of images.
pub(super) struct Unrolled<S, const D: usize> {
    pub(super) index: Index<S, D>,
    images: Vec<Image<D>>,
}

/// An image of an object.
#[derive(Clone, Copy)]
pub(super) struct Image<const D: usize> {
    pub(super) handle: Handle,
    pub(super) by: [f64; D],
}

impl<S: Real, const D: usize> Unrolled<S, D> {
    /// With images so many periods away. Objects come in the order of their handles, and so do those of their images. An
    /// image that the question is moved to first has the lowest handle.
    pub(super) fn new(scene: &Scene<S, D>, far: i32) -> Self {
        let mut index = SpatialIndex::new(scene.torus.world()).expect("a world");
        let layers =
            [false, true, true].map(|rects| AnyLayer::add(&mut index, rects, LayerSettings::new().split_above(8)));
        let mut list: Vec<_> = scene.list.iter().collect();
        list.sort_by_key(|known| known.handle);
        let mut offsets = offsets(&scene.torus, far);
        offsets.sort_by(|a, b| b.partial_cmp(a).expect("numbers"));
        let mut images = Vec::new();
        for known in list {
            for &by in &offsets {
                let (span, value) = (Span::of_rect(&moved(&known.shape, &by)), u32::try_from(images.len()));
                layers[known.layer].insert(&mut index, span, value.expect("few")).expect("finite");
                images.push(Image { handle: known.handle, by });
            }
        }
        Self { index, images }
    }

    /// The answer of an ordered query, each object where it comes first.
    pub(super) fn firsts<'a, I: 'a>(
        &self,
        answer: impl Iterator<Item = I>,
        object: impl Fn(&I) -> ObjectRef<'a, u32, S, D>,
    ) -> Vec<(Image<D>, I)> {
        let mut seen = BTreeSet::new();
        let named = answer.map(|item| (self.images[*object(&item).value() as usize], item));
        named.filter(|(image, _)| seen.insert(image.handle)).collect()
    }
}
