//! Regions that break the rules of `Region`: queries by them yield wrong objects, but none twice, and they end.

use std::cell::Cell;
use std::collections::BTreeSet;

use quadrille::{Ball, IntoRegion, KnownShape, LayerSettings, Periodic, Quadtree, Rect, Region, Segment, Watch};

use quadrille_support::Dice;

/// The number of an answer in; whether the box meets the region and lies inside it out.
type Answers = fn(u32) -> [bool; 2];

/// A region that answers by how often it was asked.
#[derive(Clone)]
struct Odd {
    bounds: Rect,
    answers: Answers,
    asked: Cell<u32>,
    /// It says now and then that it is one of these, if at all.
    shapes: Option<(Ball, Segment)>,
}

impl Odd {
    fn answer(&self, which: usize) -> bool {
        self.asked.set(self.asked.get() + 1);
        (self.answers)(self.asked.get())[which]
    }
}

impl Region<f32, 2> for Odd {
    fn bounds(&self) -> Rect {
        self.bounds
    }

    fn intersects(&self, _: &Rect) -> bool {
        self.answer(0)
    }

    fn contains(&self, _: &Rect) -> bool {
        self.answer(1)
    }

    fn shape(&self) -> KnownShape<'_> {
        let Some((ball, segment)) = &self.shapes else { return KnownShape::Other };
        self.answer(0);
        match self.asked.get() % 4 {
            0 => KnownShape::Box,
            1 => KnownShape::Ball(ball),
            2 => KnownShape::Segment(segment),
            _ => KnownShape::Other,
        }
    }
}

impl IntoRegion<f32, 2> for Odd {
    type Region = Self;

    fn into_region(self) -> Self {
        self
    }
}

fn scattered(objects: u32) -> Quadtree<u32> {
    let mut index = Quadtree::new(Rect::new([0.0; 2], [64.0; 2])).unwrap();
    let settings = LayerSettings::new().split_above(4);
    let (points, rects) = (index.add_point_layer_with(settings).unwrap(), index.add_rect_layer_with(settings).unwrap());
    let mut dice = Dice::new(11);
    let mut place = || [dice.fraction(), dice.fraction()].map(|part| (part * 64.0) as f32);
    for value in 0..objects / 2 {
        index.insert(points, place(), value).unwrap();
        let min = place();
        index.insert(rects, Rect::new(min, min.map(|end| end + 2.0)), value).unwrap();
    }
    index
}

/// Asks a query in all ways. Each yields what there is at most, and nothing twice.
macro_rules! assert_ends {
    ($index:expr, $query:expr, $what:expr) => {{
        let (index, all, what) = ($index, $index.len(), $what);
        let mut seen = BTreeSet::new();
        let query = $query;
        for object in query.clone() {
            assert!(seen.insert(object.handle()), "twice: {what}");
        }
        let mut seen = BTreeSet::new();
        query.clone().for_each(|object| assert!(seen.insert(object.handle()), "twice in a fold: {what}"));
        let _ = query.clone().exists();
        assert!(query.clone().count() <= all, "counted: {what}");
        let (mut seen, mut cursor) = (BTreeSet::new(), query.clone().pause());
        let slices = (0..20 * all).take_while(|_| {
            let run = cursor.run(index, 3, |object| assert!(seen.insert(object.handle()), "twice in slices: {what}"));
            !run.expect("the same index").done
        });
        assert!(slices.count() < 20 * all, "no end: {what}");
        let mut watch = Watch::new();
        for _ in 0..3 {
            let changes = watch.poll(query.clone()).expect("the same index");
            let entered: BTreeSet<_> = changes.entered.iter().collect();
            assert_eq!(entered.len(), changes.entered.len(), "entered twice: {what}");
        }
    }};
}

#[test]
fn queries_by_broken_regions_end() {
    let index = scattered(2000);
    let torus = Periodic::new(index.world()).unwrap();
    let answers: [Answers; 7] = [
        |_| [false, true],
        |_| [true, false],
        |_| [true, true],
        |asked| [asked % 2 == 0, asked % 3 == 0],
        |asked| [asked % 5 != 0, asked % 7 != 0],
        |asked| [asked % 64 < 32, asked % 64 >= 32],
        |asked| [asked < 40, asked > 40],
    ];
    let all = f32::INFINITY;
    let bounds = [Rect::from_point([9.0; 2]), Rect::new([10.0; 2], [30.0; 2]), Rect::new([-all; 2], [all; 2])];
    for (number, answers) in answers.into_iter().enumerate() {
        for bounds in bounds {
            for shapes in [None, Some((Ball::new([20.0; 2], 9.0), Segment::new([50.0, 5.0], [5.0, 60.0])))] {
                let odd = || Odd { bounds, answers, asked: Cell::new(0), shapes };
                let what = format!("answers {number} in {bounds:?}, {shapes:?}");
                assert_ends!(&index, index.intersecting(odd()), &what);
                assert_ends!(&index, index.contained_in(odd()), &what);
                assert_ends!(&index, index.containing(odd()), &what);
                assert_ends!(&index, index.near(odd()), &what);
                if bounds.max()[0] < all {
                    assert_ends!(&index, index.intersecting(odd()).periodic(&torus), &what);
                }
            }
        }
    }
}
