//! A region in a periodic world: it stands for its images too. Queries ask in one image after the other.
//!
//! Keeps Q7 of `docs/invariants.md`: the box that a region is asked about is moved back, and both additions are monotone.

use super::{Ball, Images, KnownShape, Rect, Region, Scalar};

/// A region in a [`Periodic`](crate::Periodic) world: a match in one of its images counts.
///
/// [`Query::periodic`](crate::Query::periodic) makes it. Its name is part of the query's type, to write down what a struct
/// keeps.
///
/// ```
/// # use quadrille::{Cursor, Intersecting, Periodic, Quadtree, Rect, Wrapped};
/// # let torus = Periodic::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// # let mut index: Quadtree<u16> = Quadtree::new(torus.world())?;
/// # let units = index.add_point_layer()?;
/// index.insert_batch(units, [([1.0, 50.0], 1), ([99.0, 50.0], 2)])?;
/// let across = Rect::new([95.0, 0.0], [105.0, 99.0]);
/// let waiting: Cursor<Intersecting, f32, 2, Wrapped<Rect>> = index.intersecting(across).periodic(&torus).pause();
/// assert_eq!(index.resume(waiting)?.count(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Wrapped<R, const D: usize = 2> {
    pub(super) region: R,
    pub(super) images: Images<D>,
}

impl<R, const D: usize> Wrapped<R, D> {
    pub(crate) fn new(region: R, images: Images<D>) -> Self {
        Self { region, images }
    }
}

/// The region itself, which is where it is; an `ImageOf` asks it about boxes that are moved back.
impl<S: Scalar, const D: usize, R: Region<S, D>> Region<S, D> for Wrapped<R, D> {
    const IS_BOX: bool = R::IS_BOX;
    const WRAPS: bool = true;

    fn bounds(&self) -> Rect<S, D> {
        self.region.bounds()
    }
    fn intersects(&self, rect: &Rect<S, D>) -> bool {
        self.region.intersects(rect)
    }
    fn contains(&self, rect: &Rect<S, D>) -> bool {
        self.region.contains(rect)
    }
    #[inline]
    fn shape(&self) -> KnownShape<'_, S, D> {
        self.region.shape()
    }
    fn images(&self) -> Option<&Images<D>> {
        Some(&self.images)
    }
}

/// How a region differs in one of its images.
#[derive(Debug)]
pub(crate) struct MovedImage<S, const D: usize> {
    by: [f64; D],
    bounds: Rect<S, D>,
    ball: Option<Ball<S, D>>,
}

impl<S: Scalar, const D: usize> MovedImage<S, D> {
    /// How a region with these bounds differs in an image. `None` if it is where it is.
    #[inline(always)]
    pub(crate) fn of(region: &impl Region<S, D>, bounds: &Rect<S, D>, image: usize) -> Option<Self> {
        let images = region.images().filter(|images| !images.are_at_home())?;
        let by = images.offset(image);
        let ball = region.shape().ball().map(|ball| ball.shifted(by));
        let bounds = ball.as_ref().map_or_else(|| bounds.shifted(by), Ball::surroundings);
        Some(Self { by, bounds, ball })
    }

    /// A box where the region itself sees it.
    fn seen(&self, rect: &Rect<S, D>) -> Rect<S, D> {
        rect.shifted(self.by.map(|by| -by))
    }
}

/// A region as it is, or in one of its images.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ImageOf<'a, R, S, const D: usize> {
    region: &'a R,
    /// The bounds where the region is.
    home: &'a Rect<S, D>,
    moved: Option<&'a MovedImage<S, D>>,
}

impl<'a, R: Region<S, D>, S: Scalar, const D: usize> ImageOf<'a, R, S, D> {
    #[inline(always)]
    pub(crate) fn new(region: &'a R, home: &'a Rect<S, D>, moved: Option<&'a MovedImage<S, D>>) -> Self {
        Self { region, home, moved }
    }

    /// Known to be `None` when the program is compiled, unless the region wraps. So other regions pay nothing.
    #[inline(always)]
    fn moved(&self) -> Option<&'a MovedImage<S, D>> {
        if R::WRAPS { self.moved } else { None }
    }

    #[inline(always)]
    pub(crate) fn bounds(&self) -> &'a Rect<S, D> {
        self.moved().map_or(self.home, |moved| &moved.bounds)
    }

    /// The region in the image, if it is a ball.
    #[inline(always)]
    pub(crate) fn ball(&self) -> Option<&'a Ball<S, D>> {
        self.moved().map_or_else(|| self.region.shape().ball(), |moved| moved.ball.as_ref())
    }

    /// Whether the region shares a point with a box. It is only asked about the part within its bounds.
    #[inline]
    pub(crate) fn meets(&self, rect: &Rect<S, D>) -> bool {
        let Some(part) = self.bounds().intersection(rect) else { return false };
        match self.moved() {
            None => self.region.intersects(&part),
            Some(MovedImage { ball: Some(ball), .. }) => ball.intersects(&part),
            Some(moved) => moved.seen(&part).intersection(self.home).is_some_and(|part| self.region.intersects(&part)),
        }
    }

    /// Whether a box lies wholly inside the region.
    #[inline]
    pub(crate) fn contains(&self, rect: &Rect<S, D>) -> bool {
        self.bounds().contains(rect)
            && match self.moved() {
                None => self.region.contains(rect),
                Some(MovedImage { ball: Some(ball), .. }) => ball.contains(rect),
                Some(moved) => {
                    let seen = moved.seen(rect);
                    self.home.contains(&seen) && self.region.contains(&seen)
                }
            }
    }
}
