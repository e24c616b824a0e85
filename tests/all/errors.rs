//! Errors say what was wrong: the exact error, a message with the value and the limit. Which input leads to which error is in
//! `bad_input`.

use std::error::Error;

use quadrille::{AddLayerError, Handle, LayerError, LayerSettings, ObjectError, Rect, SpatialIndex};

use quadrille_support::agreement::snapshot;
use quadrille_support::oracle::Span;
use quadrille_support::scene::roomy_scenes;
use quadrille_support::{AnyLayer, Dice, Index, Real, assert_sound, in_spaces};

in_spaces!(
    rectangles_out_of_order,
    worlds_without_extent,
    worlds_too_small_so_far_from_zero,
    shapes_that_are_not_finite,
    layers_that_are_dead,
    layers_that_are_foreign,
    too_many_layers,
    settings_out_of_range,
);

/// A game loop has nothing to do with what a tick's `update` returns.
#[test]
#[deny(unused_must_use, reason = "this is the test")]
fn a_loop_may_ignore_what_update_returns() {
    let mut index = roomy_scenes::<f32>()[0].index::<2>();
    let units = index.add_point_layer().unwrap();
    index.update(units, |_, _, shape| shape.min()).unwrap();
}

/// The commonest mistakes are answered by what to do.
#[test]
fn messages_say_what_to_do() {
    let world = SpatialIndex::<(), f32, 2>::new(Rect::new([0.0, 0.0], [0.0, 0.0])).unwrap_err().to_string();
    assert!(world.starts_with("give the world a size: on axis 0 it begins and ends at 0.0"), "{world}");
    let mut index = roomy_scenes::<f32>()[0].index::<2>();
    let walls = index.add_rect_layer().unwrap();
    let wall = index.insert(walls, Rect::new([1.0, 1.0], [2.0, 2.0]), 0).unwrap();
    let kind = index.move_to(wall, [5.0, 5.0]).unwrap_err().to_string();
    assert!(kind.contains("`Rect::from_point`"), "{kind}");
}

/// An index of two layers, of points and of rectangles, with some objects in each.
struct Furnished<S, const D: usize> {
    index: Index<S, D>,
    layers: [AnyLayer; 2],
    handles: [Handle; 2],
}

impl<S: Real, const D: usize> Furnished<S, D> {
    fn new() -> Self {
        let mut index = roomy_scenes::<S>()[0].index();
        let layers = [false, true].map(|rects| AnyLayer::add(&mut index, rects, LayerSettings::new().split_above(2)));
        let mut dice = Dice::new(3);
        let mut handles = [Handle::default(); 2];
        for value in 0..30 {
            let min: [S; D] = core::array::from_fn(|_| S::of(dice.fraction() * 60.0));
            let span = Span { min, max: min.map(|min| S::of(min.value() + 1.0)) };
            handles = layers.map(|layer| layer.insert(&mut index, span, value).expect("finite"));
        }
        Self { index, layers, handles }
    }

    /// Does something that must fail and must leave the index as it was.
    fn refused<E: Error>(&mut self, what: impl FnOnce(&mut Self) -> Result<(), E>) -> E {
        let before = snapshot(&self.index);
        let Err(error) = what(self) else { panic!("was accepted") };
        assert_eq!(snapshot(&self.index), before, "changed by what failed: {error}");
        assert_sound(&self.index, "a refusal");
        assert_reads_well(&error);
        error
    }
}

/// A message is a lower-case phrase, and no part of a chain says again what another part says.
fn assert_reads_well(error: &dyn Error) {
    let message = error.to_string();
    assert!(!message.is_empty() && !message.ends_with('.'), "{message}");
    assert!(message.starts_with(|first: char| !first.is_uppercase()), "{message}");
    if let Some(source) = error.source() {
        assert!(!message.contains(&source.to_string()), "said twice: {message}");
        assert_reads_well(source);
    }
}

fn assert_says(error: &impl Error, parts: &[String]) {
    let message = error.to_string();
    for part in parts {
        assert!(message.contains(part.as_str()), "{message:?} does not say {part:?}");
    }
}

fn not_finite<S: Real>() -> [S; 3] {
    [f64::NAN, f64::INFINITY, f64::NEG_INFINITY].map(S::of)
}

/// Equal as numbers, or neither is one.
fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// `try_new` refuses corners that `new` would sort, and those with a NaN.
fn rectangles_out_of_order<S: Real, const D: usize>() {
    let (one, two, nan) = (S::of(1.0), S::of(2.0), S::of(f64::NAN));
    for axis in 0..D {
        for (least, most) in [(two, one), (one.up(), one), (nan, one), (one, nan), (nan, nan)] {
            let mut span = Span::<S, D>::cube(one, two);
            (span.min[axis], span.max[axis]) = (least, most);
            let error = Rect::try_new(span.min, span.max).expect_err("out of order");
            assert_eq!(error.axis, axis);
            assert!(same(error.min, least.value()) && same(error.max, most.value()), "{error:?}");
            assert_says(&error, &[least.value().to_string(), most.value().to_string()]);
            assert_reads_well(&error);
            if least > most {
                let sorted = Rect::new(span.min, span.max);
                assert_eq!((sorted.min()[axis], sorted.max()[axis]), (most, least));
                assert_eq!(Rect::try_new(sorted.min(), sorted.max()), Ok(sorted));
            }
        }
    }
    let infinite = Span::of_rect(&Rect::<S, D>::everything());
    assert_eq!(Rect::try_new(infinite.min, infinite.max), Ok(Rect::everything()), "regions may be infinite");
}

/// On each axis: ends of a world that has no positive, finite extent, and the extent.
fn extents_refused<S: Real>() -> Vec<(S, S, f64)> {
    let [nan, endless, bottomless] = not_finite();
    let (one, most, least) = (S::of(1.0), S::LARGEST, S::of(-S::LARGEST.value()));
    vec![
        (one, one, 0.0),
        (S::of(-0.0), S::of(0.0), 0.0),
        (most, most, 0.0),
        (nan, one, f64::NAN),
        (one, nan, f64::NAN),
        (nan, nan, f64::NAN),
        (one, endless, f64::INFINITY),
        (bottomless, one, f64::INFINITY),
        (bottomless, endless, f64::INFINITY),
        (endless, endless, f64::NAN),
        (least, most, f64::INFINITY),
        (S::of(S::LARGEST.value() * -0.75), S::of(S::LARGEST.value() * 0.75), f64::INFINITY),
    ]
}

/// `new` and `set_world` refuse the same worlds, and `set_world` leaves the objects where they were.
fn worlds_without_extent<S: Real, const D: usize>() {
    let mut furnished = Furnished::<S, D>::new();
    for axis in 0..D {
        for (min, max, extent) in extents_refused::<S>() {
            let mut world = Span::<S, D>::cube(S::of(-2.0), S::of(2.0));
            (world.min[axis], world.max[axis]) = (min, max);
            let refused = SpatialIndex::<u32, S, D>::new(world.rect());
            let refused = refused.map(|index| index.world()).expect_err("no extent");
            for error in [refused, furnished.refused(|furnished| furnished.index.set_world(world.rect()))] {
                assert_eq!(error.axis, axis);
                assert!(same(error.extent, extent), "{error:?} for {world}");
                assert_says(&error, &[extent.to_string()]);
                assert_reads_well(&error);
            }
        }
    }
}

/// Far from zero, the two ends of a small world are the same number. The error says how far apart numbers are there.
fn worlds_too_small_so_far_from_zero<S: Real, const D: usize>() {
    for far in [1e30, -1e30, 1e20] {
        let (low, high) = (S::of(far), S::of(far + 1.0));
        assert_eq!(low, high);
        let mut world = Span::<S, D>::cube(S::of(0.0), S::of(1.0));
        (world.min[D - 1], world.max[D - 1]) = (low, high);
        let error = SpatialIndex::<u32, S, D>::new(world.rect()).map(drop).expect_err("no extent");
        assert_eq!((error.axis, error.min), (D - 1, low.value()));
        let step = low.value().abs() - S::of(low.value().abs()).down().value();
        assert!(same(error.step, step) && 1000.0 < step, "{error:?}");
        assert_says(&error, &[format!("{:?}", low.value()), format!("{step:?} apart")]);
        assert_reads_well(&error);
        // As far apart as that, they are a world.
        world.max[D - 1] = low.up();
        assert_eq!(SpatialIndex::<u32, S, D>::new(world.rect()).map(drop), Ok(()));
    }
}

/// Neither `insert` nor `move_to` takes a NaN or an infinity, whichever corner and axis it is on.
fn shapes_that_are_not_finite<S: Real, const D: usize>() {
    let mut furnished = Furnished::<S, D>::new();
    for axis in 0..D {
        for bad in not_finite::<S>() {
            let sound = Span::cube(S::of(1.0), S::of(2.0));
            let (mut at_min, mut at_max, mut at_both) = (sound, sound, sound);
            at_min.min[axis] = bad;
            at_max.max[axis] = bad;
            (at_both.min[axis], at_both.max[axis]) = (bad, bad);
            refuse_shape(&mut furnished, 0, at_min, axis, bad);
            for span in [at_min, at_max, at_both] {
                refuse_shape(&mut furnished, 1, span, axis, bad);
            }
        }
    }
}

fn refuse_shape<S: Real, const D: usize>(
    furnished: &mut Furnished<S, D>,
    kind: usize,
    span: Span<S, D>,
    axis: usize,
    bad: S,
) {
    let (layer, handle) = (furnished.layers[kind], furnished.handles[kind]);
    let inserted = furnished.refused(|furnished| layer.insert(&mut furnished.index, span, 0).map(drop));
    let moved = furnished.refused(|furnished| layer.move_to(&mut furnished.index, handle, span).map(drop));
    let (ObjectError::NotFinite(in_insert), ObjectError::NotFinite(in_move)) = (inserted, moved) else {
        panic!("{inserted:?} and {moved:?} for {span}");
    };
    let sound = Span::cube(S::of(1.0), S::of(2.0));
    let batch = furnished
        .refused(|furnished| layer.insert_batch(&mut furnished.index, &[(sound, 0), (span, 0), (span, 0)]).map(drop));
    assert_eq!(batch.position, 1, "the first that is refused");
    let ObjectError::NotFinite(in_batch) = batch.reason else { panic!("{batch:?} for {span}") };
    assert!(batch.to_string().contains("object 1 of the batch"), "{batch}");
    for error in [in_insert, in_move, in_batch] {
        assert_eq!(error.axis, axis);
        assert!(same(error.value, bad.value()), "{error:?} for {span}");
    }
    for error in [&inserted as &dyn Error, &moved, &batch] {
        assert!(error.to_string().contains(&bad.value().to_string()), "{error}");
    }
}

/// A bad name of a layer is refused everywhere, with the same error.
fn refuse_layer<S: Real, const D: usize>(
    furnished: &mut Furnished<S, D>,
    bad: AnyLayer,
    expected: impl Fn(&LayerError) -> bool,
) {
    let span = Span::cube(S::of(1.0), S::of(2.0));
    let handle = furnished.handles[usize::from(bad.holds_rects())];
    let inserted = furnished.refused(|furnished| bad.insert(&mut furnished.index, span, 0).map(drop));
    assert!(matches!(&inserted, ObjectError::Layer(error) if expected(error)), "{inserted:?}");
    let taken = furnished.refused(|furnished| bad.take(&mut furnished.index, handle));
    assert!(matches!(&taken, ObjectError::Layer(error) if expected(error)), "{taken:?}");
    let removed = furnished.refused(|furnished| furnished.index.remove_layer(bad.id()).map(drop));
    assert!(expected(&removed), "{removed:?}");
    let batch = furnished.refused(|furnished| bad.insert_batch(&mut furnished.index, &[(span, 0)]).map(drop));
    assert!(matches!(&batch.reason, ObjectError::Layer(error) if expected(error)), "{batch:?}");
    let updated = furnished.refused(|furnished| bad.update(&mut furnished.index, |_, _, span| span).map(drop));
    assert!(expected(&updated), "{updated:?}");
    let number = bad.id().number().to_string();
    for error in [&inserted as &dyn Error, &taken, &removed, &batch, &updated] {
        assert!(error.to_string().contains(&number), "{error} does not say {number}");
    }
    assert_eq!(furnished.index.cells(bad.id()).count(), 0);
    assert!(furnished.index.cell_at(bad.id(), span.min).is_none());
    assert!(furnished.index.layers().all(|layer| layer != bad.id()));
}

/// A removed layer stays dead, even when its number is given to another.
fn layers_that_are_dead<S: Real, const D: usize>() {
    for kind in [false, true] {
        let mut furnished = Furnished::<S, D>::new();
        let dead = AnyLayer::add(&mut furnished.index, kind, LayerSettings::new());
        let inside = dead.insert(&mut furnished.index, Span::cube(S::of(1.0), S::of(2.0)), 0).expect("finite");
        assert_eq!(furnished.index.remove_layer(dead.id()), Ok(1));
        assert!(!furnished.index.contains(inside));
        refuse_layer(&mut furnished, dead, |error| matches!(error, LayerError::Dead { .. }));
        let mut heir = dead;
        for _ in 0..200 {
            heir = AnyLayer::add(&mut furnished.index, kind, LayerSettings::new());
            if heir.id().number() == dead.id().number() {
                break;
            }
            assert_eq!(furnished.index.remove_layer(heir.id()), Ok(0));
        }
        assert_eq!(heir.id().number(), dead.id().number(), "numbers are used again");
        assert_ne!(heir.id(), dead.id());
        let gone = furnished.refused(|furnished| furnished.index.remove_layer(dead.id()).map(drop));
        assert!(matches!(gone, LayerError::Dead { .. }), "{gone:?}");
        assert_eq!(furnished.index.cells(dead.id()).count(), 0);
    }
}

/// A layer of another index is told apart, although its number is in use here as well.
fn layers_that_are_foreign<S: Real, const D: usize>() {
    let mut furnished = Furnished::<S, D>::new();
    let other = Furnished::<S, D>::new();
    for layer in other.layers {
        assert!(furnished.layers.iter().any(|own| own.id().number() == layer.id().number()));
        refuse_layer(&mut furnished, layer, |error| matches!(error, LayerError::Foreign { .. }));
    }
}

/// There is room for 64 layers; the number freed first is used again first.
fn too_many_layers<S: Real, const D: usize>() {
    let mut furnished = Furnished::<S, D>::new();
    while furnished.index.layers().count() < 64 {
        let rects = furnished.index.layers().count().is_multiple_of(2);
        AnyLayer::add(&mut furnished.index, rects, LayerSettings::new());
    }
    for _ in 0..2 {
        let points = furnished.refused(|furnished| furnished.index.add_point_layer().map(drop));
        let rects = furnished.refused(|furnished| furnished.index.add_rect_layer().map(drop));
        for error in [points, rects] {
            assert_eq!(error, AddLayerError::TooMany { layers: 64, layers_max: 64 });
            assert_says(&error, &[64.to_string()]);
        }
    }
    let ids: Vec<_> = furnished.index.layers().collect();
    for freed in [9, 5, 7] {
        assert_eq!(furnished.index.remove_layer(ids[freed]), Ok(0));
    }
    for expected in [9, 5, 7] {
        let layer = furnished.index.add_point_layer().expect("a number is free");
        assert_eq!(layer.id().number(), ids[expected].number(), "freed first, used first");
        assert_ne!(layer.id(), ids[expected]);
    }
    assert!(furnished.index.add_point_layer().is_err());
}

/// Depths beyond the grid's, and points split by size.
fn settings_out_of_range<S: Real, const D: usize>() {
    let mut furnished = Furnished::<S, D>::new();
    let limit = if D == 2 { 9 } else { 14 };
    for depth_max in [limit + 1, u8::MAX] {
        let settings = LayerSettings::new().depth_max(depth_max);
        let points = furnished.refused(|furnished| furnished.index.add_point_layer_with(settings).map(drop));
        let rects = furnished.refused(|furnished| furnished.index.add_rect_layer_with(settings).map(drop));
        for error in [points, rects] {
            assert_eq!(error, AddLayerError::DepthMax { depth_max, limit });
            assert_says(&error, &[depth_max.to_string(), limit.to_string()]);
        }
    }
    let by_size = LayerSettings::new().split_above(0);
    let points = furnished.refused(|furnished| furnished.index.add_point_layer_with(by_size).map(drop));
    assert_eq!(points, AddLayerError::SplitAboveZero);
    furnished.index.add_rect_layer_with(by_size).expect("rectangles have a size");
    let deepest = LayerSettings::new().depth_max(limit);
    furnished.index.add_point_layer_with(deepest).expect("as deep as the grid");
    let shallow = LayerSettings::new().depth_max(0).split_above(u32::MAX);
    furnished.index.add_rect_layer_with(shallow).expect("one node and endless chains");
}
