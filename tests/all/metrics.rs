//! `nearest_by` against a linear list that is sorted, by metrics of several kinds; and metrics that break the rules.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use proptest::prelude::*;
use quadrille::{Ball, LayerSet, Metric, NearestBy, ObjectRef, Quadtree, Rect, SearchBuffer, Segment, SpatialIndex};

use quadrille_support::measure::{How, Measure, by_list, drain};
use quadrille_support::oracle::Span;
use quadrille_support::properties::for_all;
use quadrille_support::questions::{Region, drawn_layers, region, set_of};
use quadrille_support::run::Run;
use quadrille_support::scene::{roomy_scenes, scenes};
use quadrille_support::step::{Step, many, steps};
use quadrille_support::{Dice, Real, in_spaces};

in_spaces!(of_changed, of_many, of_thin, of_segments);

#[derive(Clone, Debug)]
struct Asking {
    how: How,
    target: Region,
    layers: (u8, bool),
    excluded: Option<u16>,
    taken: usize,
}

fn asking() -> impl Strategy<Value = Asking> {
    let how = prop_oneof![Just(How::Taxi), Just(How::Weighted), Just(How::FarthestFirst), Just(How::ByValue)];
    let layers = (any::<u8>(), prop::bool::weighted(0.8));
    (how, region(), layers, prop::option::weighted(0.4, any::<u16>()), 0_usize..40)
        .prop_map(|(how, target, layers, excluded, taken)| Asking { how, target, layers, excluded, taken })
}

fn ask<S: Real, const D: usize>(run: &Run<S, D>, asking: &Asking) {
    let (index, how) = (&run.index, asking.how);
    let from = asking.target.span(&index.world());
    if (0..D).any(|axis| !from.min[axis].is_finite() || !from.max[axis].is_finite()) {
        return;
    }
    let measure = Measure::new(how, from);
    let all = by_list(run, (how, &from), |_| true);
    assert_eq!(drain(index.nearest_by(&measure)), all, "{asking:?}");
    assert!(measure.measured.borrow().values().all(|&times| times == 1), "each object is measured once");
    // Up to the distance of one of them, all at that distance included.
    let taken = asking.taken.min(all.len());
    if let Some(&(_, limit)) = all.get(taken) {
        let near = all.iter().filter(|(_, distance)| *distance <= limit).count();
        assert_eq!(drain(index.nearest_by(&measure).within(limit)), all[..near], "{asking:?}");
        let below = limit.next_down();
        let nearer = all.iter().filter(|(_, distance)| *distance <= below).count();
        assert_eq!(drain(index.nearest_by(&measure).within(limit).within(below)), all[..nearer], "{asking:?}");
    }
    assert_eq!(index.nearest_by(&measure).within(f64::NAN).within(0.0).next().map(|near| near.distance), None);
    // Filters at the start and on the way, and a lent buffer that has been left half full.
    let asked = drawn_layers(index, asking.layers.0, asking.layers.1);
    let excluded = run.handle(asking.excluded);
    let passing = by_list(run, (how, &from), |known| asked.holds(known.layer) && Some(known.handle) != excluded);
    let narrow = |query: NearestBy<'_, '_, u32, &Measure<S, D>, S, D>| {
        let query = query.in_layers(set_of(&asked));
        drain(match excluded {
            Some(excluded) => query.excluding(excluded),
            None => query,
        })
    };
    let mut buffer = SearchBuffer::new();
    for _ in 0..2 {
        assert_eq!(narrow(index.nearest_by(&measure).reusing(&mut buffer)), passing, "{asking:?}");
        assert!(index.nearest_by(&measure).reusing(&mut buffer).take(2).count() <= 2);
    }
    let mut begun = index.nearest_by(&measure);
    assert_eq!(begun.by_ref().take(taken).count(), taken);
    assert_eq!(begun.clone().exists(), taken < all.len());
    assert_eq!(drain(begun.clone()), all[taken..], "after {taken} of {asking:?}");
    assert_eq!(drain(begun.clone().reusing(&mut buffer).clone()), all[taken..], "after {taken} of {asking:?}");
    let left: Vec<_> = passing.iter().filter(|found| all[taken..].contains(found)).copied().collect();
    assert_eq!(narrow(begun.clone()), left, "filtered after {taken} of {asking:?}");
    let mut none = begun.in_layers(LayerSet::NONE);
    assert!(none.next().is_none() && none.next().is_none());
}

fn ask_after<S: Real, const D: usize>(steps: BoxedStrategy<Vec<Step>>) {
    let scenes = scenes::<S>();
    let strategy = (0..scenes.len(), steps, prop::collection::vec(asking(), 1..8));
    for_all(16, strategy, |(scene, steps, askings)| {
        let run = Run::<S, D>::of(&scenes[scene], &steps);
        for asking in &askings {
            ask(&run, asking);
        }
    });
}

/// After random changes.
fn of_changed<S: Real, const D: usize>() {
    ask_after::<S, D>(steps());
}

/// Among many objects, in layers of all settings.
fn of_many<S: Real, const D: usize>() {
    ask_after::<S, D>(many(200));
}

/// Among boxes that are long and thin, some of them outside the world.
fn of_thin<S: Real, const D: usize>() {
    let mut run = Run::<S, D>::new(&roomy_scenes::<S>()[0]);
    let mut dice = Dice::new(3);
    for number in 0..2000 {
        let longest = number % D;
        let min: [S; D] = core::array::from_fn(|_| S::of(dice.fraction() * 80.0 - 8.0));
        let max = core::array::from_fn(|axis| {
            let side = if axis == longest { 20.0 } else { 0.01 };
            S::of(min[axis].value() + dice.fraction() * side)
        });
        run.insert_rect(Span { min, max });
    }
    for how in [How::Taxi, How::Weighted, How::FarthestFirst] {
        for _ in 0..8 {
            let from = Span::at(core::array::from_fn(|_| S::of(dice.fraction() * 80.0 - 8.0)));
            let all = by_list(&run, (how, &from), |_| true);
            assert_eq!(drain(run.index.nearest_by(Measure::new(how, from))), all);
        }
    }
}

/// The nearest of many roads, some of which are points; far away, every one is as far as its box, and none is nearer than it.
fn of_segments<S: Real, const D: usize>() {
    let mut dice = Dice::new(9);
    let mut place = |reach: f64| core::array::from_fn::<S, D, _>(|_| S::of((dice.fraction() * reach).round() / 4.0));
    let mut index =
        SpatialIndex::<Segment<S, D>, S, D>::new(Rect::new(place(0.0), place(0.0).map(|_| S::of(64.0)))).unwrap();
    let roads = index.add_rect_layer().unwrap();
    for number in 0..600 {
        let (from, by) = (place(320.0), place(if number % 9 == 0 { 0.0 } else { 60.0 }));
        let to = core::array::from_fn(|axis| S::of(from[axis].value() + by[axis].value() - 7.0));
        let road = Segment::new(from, if number % 9 == 0 { from } else { to });
        index.insert(roads, road.bounds(), road).unwrap();
    }
    for number in 0..60 {
        let point = place(if number % 5 == 0 { 1e7 } else { 400.0 });
        let found: Vec<_> = index.nearest_by(point).map(|found| (found.distance, *found.object.value())).collect();
        let mut all: Vec<_> = index.values().map(|road| road.distance(point)).collect();
        all.sort_by(|a, b| a.value().total_cmp(&b.value()));
        assert!(found.is_sorted_by(|a, b| a.0 <= b.0));
        let up =
            |distance: f64| if S::of(distance).value() < distance { S::of(distance).up() } else { S::of(distance) };
        assert!(found.iter().all(|(distance, road)| up(*distance) == road.distance(point)));
        assert!(found.iter().map(|(distance, _)| up(*distance)).eq(all));
        assert!(index.values().all(|road| road.bounds().distance(point) <= road.distance(point)));
        narrowed(&index, point, number);
    }
}

/// The nearest roads up to a distance, but for one, with a lent buffer, and on the way, beside a list in order.
fn narrowed<S: Real, const D: usize>(index: &SpatialIndex<Segment<S, D>, S, D>, point: [S; D], taken: usize) {
    let handles = |query: NearestBy<'_, '_, Segment<S, D>, [S; D], S, D>| {
        query.map(|found| found.object.handle()).collect::<Vec<_>>()
    };
    let mut all: Vec<_> = index.iter().map(|road| (Metric::distance(&point, &road), road.handle())).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let (list, limit) = (all.iter().map(|found| found.1).collect::<Vec<_>>(), all[taken].0);
    assert_eq!(handles(index.nearest_by(point)), list);
    let mut buffer = SearchBuffer::new();
    for limit in [limit, limit.next_down(), f64::INFINITY] {
        let near = all.iter().filter(|found| found.0 <= limit).count();
        assert_eq!(handles(index.nearest_by(point).within(limit).reusing(&mut buffer)), list[..near]);
    }
    assert!(!index.nearest_by(point).within(-1.0).exists() && !index.nearest_by(point).within(f64::NAN).exists());
    let mut begun = index.nearest_by(point);
    assert_eq!(begun.by_ref().take(taken).count(), taken);
    assert_eq!(handles(begun.clone().reusing(&mut buffer)), list[taken..]);
    assert_eq!(handles(begun.clone().excluding(list[taken])), list[taken + 1..]);
    assert!(!begun.in_layers(LayerSet::NONE).exists());
}

fn scattered(objects: usize) -> Quadtree<u32> {
    let mut index = Quadtree::new(Rect::new([0.0, 0.0], [1000.0, 1000.0])).unwrap();
    let (points, rects) = (index.add_point_layer().unwrap(), index.add_rect_layer().unwrap());
    let mut dice = Dice::new(11);
    for number in 0..u32::try_from(objects).unwrap() {
        let [x, y] = core::array::from_fn(|_| f32::of(dice.fraction() * 1000.0));
        match number % 2 {
            0 => index.insert(points, [x, y], number).unwrap(),
            _ => index.insert(rects, Rect::new([x, y], [x + 1.0, y + 1.0]), number).unwrap(),
        };
    }
    index
}

/// A metric is asked about few parts of a large index.
#[test]
fn few_questions_are_asked() {
    let index = scattered(100_000);
    for from in [[500.0, 500.0], [1.0, 999.0], [-300.0, 1200.0]] {
        let measure = Measure::new(How::Taxi, Span::at(from));
        assert_eq!(index.nearest_by(&measure).take(10).count(), 10);
        let (asked, measured) = (measure.asked.get(), measure.measured.borrow().len());
        assert!(asked < 1200 && measured < 60, "{asked} and {measured} from {from:?}");
    }
}

/// Answers of some function of the number of questions before.
struct Odd<F>(F, Cell<u32>);

impl<F: Fn(u32) -> f64, S: Real, const D: usize> Metric<u32, S, D> for Odd<F> {
    fn bound(&self, _: &Rect<S, D>) -> f64 {
        self.1.set(self.1.get() + 1);
        (self.0)(self.1.get())
    }
}

/// A metric that breaks the rules gives wrong answers, but no object twice, and an end.
#[test]
fn broken_metrics_end() {
    let index = scattered(3000);
    let odd: [fn(u32) -> f64; 6] = [
        |_| f64::INFINITY,
        |_| f64::NEG_INFINITY,
        |asked| -f64::from(asked),
        |asked| if asked % 3 == 0 { f64::NAN } else { f64::from(asked % 7) - 3.0 },
        |asked| if asked % 2 == 0 { -0.0 } else { 0.0 },
        |_| f64::NAN,
    ];
    for (number, answers) in odd.into_iter().enumerate() {
        let mut handles: Vec<_> =
            index.nearest_by(Odd(answers, Cell::new(0))).map(|near| near.object.handle()).collect();
        let all = handles.len();
        assert!(if number == 5 { all == 0 } else { all <= 3000 && 1000 < all }, "{all} of {number}");
        handles.sort_unstable();
        handles.dedup();
        assert_eq!(handles.len(), all, "{number}");
        assert!(index.nearest_by(Odd(answers, Cell::new(0))).within(2.0).count() <= all);
    }
}

/// The distance from a point, found by balls that grow by a factor, until there are too many in one.
struct ByBalls<'o> {
    from: [f32; 2],
    growth: f32,
    most: usize,
    /// An index of which objects are passed on too.
    other: Option<&'o Quadtree<u32>>,
}

impl Metric<u32> for ByBalls<'_> {
    fn bound(&self, rect: &Rect) -> f64 {
        f64::from(rect.distance(self.from))
    }
    fn each_within(
        &self,
        index: &Quadtree<u32>,
        layers: LayerSet,
        beyond: Option<f64>,
        limit: f64,
        found: &mut dyn FnMut(&ObjectRef<'_, u32>),
    ) -> Option<f64> {
        let radius = beyond.map_or(16.0, |beyond| f32::of(beyond) * self.growth);
        for index in [Some(index), self.other].into_iter().flatten() {
            let mut numbers = 0..self.most;
            for object in index.intersecting(Ball::new(self.from, radius)).in_layers(layers) {
                numbers.next()?;
                found(&object);
            }
        }
        Some(limit.min(f64::from(radius)))
    }
}

/// A metric may find objects itself, as long as it likes; balls that do not grow end that, and objects of another index are none.
#[test]
fn metrics_find_objects_themselves() {
    let (index, other) = (scattered(600), scattered(900));
    let points = index.layers().next().expect("two layers");
    for (number, from) in [[500.0, 500.0], [0.0, 990.0], [-300.0, 400.0]].into_iter().enumerate() {
        for (layers, most, growth) in
            (0..27).map(|case| (case % 3, [0, 40, 9000][case / 3 % 3], [1.0, 1.5, 4.0][case / 9]))
        {
            let layers = [LayerSet::ALL, points.into(), LayerSet::NONE][layers];
            let mut all: Vec<_> = index.iter().in_layers(layers).collect();
            let distance = |object: &ObjectRef<'_, u32>| f64::from(object.shape().distance(from));
            all.sort_by(|a, b| distance(a).total_cmp(&distance(b)).then(a.handle().cmp(&b.handle())));
            let handles: Vec<_> = all.iter().map(ObjectRef::handle).collect();
            let metric = ByBalls { from, growth, most, other: (number != 1).then_some(&other) };
            let found =
                |limit: f64| index.nearest_by(&metric).in_layers(layers).within(limit).map(|near| near.object.handle());
            assert!(found(f64::INFINITY).eq(handles.iter().copied()), "{from:?} {most} {growth}");
            let near = all.iter().take_while(|object| distance(object) <= 120.0).count();
            assert!(found(120.0).eq(handles[..near].iter().copied()), "{from:?} {most} {growth}");
        }
    }
}

/// Panics at one question.
struct Fragile<M> {
    metric: M,
    left: Cell<Option<u32>>,
}

impl<M> Fragile<M> {
    fn asked(&self) {
        match self.left.get() {
            Some(0) => {
                self.left.set(None);
                panic!("asked once too often, on purpose");
            }
            left => self.left.set(left.map(|left| left - 1)),
        }
    }
}

impl<M: Metric<u32>> Metric<u32> for Fragile<M> {
    fn bound(&self, rect: &Rect) -> f64 {
        self.asked();
        self.metric.bound(rect)
    }
    fn distance(&self, object: &ObjectRef<'_, u32>) -> f64 {
        self.asked();
        self.metric.distance(object)
    }
}

/// A query goes on after a panic of its metric as if nothing had happened.
#[test]
fn a_panic_loses_nothing() {
    let index = scattered(400);
    let measure = Measure::new(How::Weighted, Span::at([400.0, 300.0]));
    let all = drain(index.nearest_by(&measure));
    for left in (0..).map(|number| number * 7) {
        let metric = Fragile { metric: &measure, left: Cell::new(Some(left)) };
        let mut query = index.nearest_by(&metric);
        let mut found = Vec::new();
        let interrupted = catch_unwind(AssertUnwindSafe(|| {
            for near in query.by_ref() {
                found.push((near.object.handle(), near.distance));
            }
        }));
        if interrupted.is_ok() {
            assert!(400 < left, "every question was the last one");
            return;
        }
        found.extend(query.map(|near| (near.object.handle(), near.distance)));
        assert_eq!(found, all, "after {left}");
    }
}

/// Ties come by handle, however many there are.
#[test]
fn ties_come_by_handle() {
    let mut index: SpatialIndex<u32> = Quadtree::new(Rect::new([0.0, 0.0], [1000.0, 1000.0])).unwrap();
    let (points, rects) = (index.add_point_layer().unwrap(), index.add_rect_layer().unwrap());
    let mut handles = Vec::new();
    for number in 0..900_u16 {
        let x = f32::from(number) * 0.5;
        let at = [x, 500.0 - x];
        handles.push(match number % 2 {
            0 => index.insert(points, at, 0).unwrap(),
            _ => index.insert(rects, Rect::from_point(at), 0).unwrap(),
        });
    }
    handles.swap(7, 500);
    for handle in handles.drain(100..200) {
        index.remove(handle);
    }
    handles.sort_unstable();
    let found = drain(index.nearest_by(Measure::new(How::Taxi, Span::at([0.0, 0.0]))));
    let ties: Vec<_> = found.iter().take_while(|near| near.1 <= 500.0).map(|near| near.0).collect();
    assert_eq!(ties, handles[..ties.len()]);
    assert!(300 < ties.len() && found.len() == 800);
}

/// Says minus zero of some objects and zero of others.
struct BothZeros;

impl Metric<u32> for BothZeros {
    fn bound(&self, _: &Rect) -> f64 {
        -0.0
    }
    fn distance(&self, object: &ObjectRef<'_, u32>) -> f64 {
        if object.value().is_multiple_of(3) { -0.0 } else { 0.0 }
    }
}

/// Minus zero is as far as zero, so such objects tie.
#[test]
fn minus_zero_and_zero_tie() {
    let mut index: SpatialIndex<u32> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0])).unwrap();
    let points = index.add_point_layer().unwrap();
    let handles = index.insert_batch(points, (0..50).map(|value| ([1.0, 1.0], value))).unwrap();
    let found: Vec<_> = index.nearest_by(BothZeros).map(|near| near.object.handle()).collect();
    assert_eq!(found, handles);
}
