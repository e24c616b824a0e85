//! The rules of the grid as they show from outside: nothing is missed, cells hold what they say, size sets the depth.

use std::collections::{BTreeMap, HashSet};

use proptest::prelude::*;
use quadrille::{CellKind, LayerSettings, Moved, Rect};

use quadrille_support::agreement::{assert_agrees, is_inside, levels};
use quadrille_support::filled::Filled;
use quadrille_support::inside::{Inside, UnitRange};
use quadrille_support::oracle::{Model, Span};
use quadrille_support::properties::for_all;
use quadrille_support::questions::{Question, ask, region, units_of};
use quadrille_support::scene::{roomy_scenes, scenes, side_of};
use quadrille_support::spot::{Outline, Spot, awkward, awkward_outline};
use quadrille_support::{AnyLayer, Dice, Index, Real, UNITS, assert_sound, in_spaces};

in_spaces!(
    nothing_is_missed,
    cells_know_their_coordinates,
    bounds_are_tight,
    outside_the_world,
    covered_cells,
    size_sets_the_depth,
    depth_is_limited,
    wobbling_changes_nothing,
    cells_are_a_tree,
    a_cell_for_every_point,
    keys_name_squares,
    squares_are_finite,
);

/// Closed intervals that meet are found to meet, at the edges of cells of all sizes, in all worlds.
fn nothing_is_missed<S: Real, const D: usize>() {
    let scenes = scenes::<S>();
    let strategy = (
        0..scenes.len(),
        0_u32..4,
        prop::collection::vec(awkward_outline(), 1..40),
        prop::collection::vec(region(), 1..6),
    );
    for_all(64, strategy, |(scene, split_above, outlines, regions)| {
        let (mut index, mut model) = (scenes[scene].index::<D>(), Model::new());
        let layers = [false, true].map(|rects| {
            let settings = LayerSettings::new().split_above(split_above.max(u32::from(!rects)));
            AnyLayer::add(&mut index, rects, settings)
        });
        for (value, outline) in (0..).zip(&outlines) {
            for layer in layers {
                let span = outline.span(&index.world());
                layer.insert_in_both(&mut index, &mut model, span, value);
            }
        }
        assert_sound(&index, "awkward shapes");
        assert_agrees(&index, &model, &layers);
        let own_shapes: Vec<_> = model.objects.iter().map(|known| known.span).collect();
        let regions = regions.iter().map(|region| region.span(&index.world()));
        for region in own_shapes.into_iter().step_by(7).chain(regions) {
            ask(&index, &model, &Question::about(region));
        }
    });
}

/// A coordinate lies within the bounds of the cell that its unit lies in, and of no cell far from it.
fn cells_know_their_coordinates<S: Real, const D: usize>() {
    let scenes = scenes::<S>();
    let strategy = (0..scenes.len(), prop::collection::vec([awkward(), awkward(), awkward()], 1..60));
    for_all(64, strategy, |(scene, corners)| {
        let mut index = scenes[scene].index::<D>();
        let layer = index.add_point_layer_with(LayerSettings::new().split_above(1)).expect("a layer");
        let world = index.world();
        let points: Vec<[S; D]> =
            corners.iter().map(|corner| Outline { corner: *corner, opposite: *corner }.span(&world).min).collect();
        for point in &points {
            index.insert(layer, *point, 0).expect("finite");
        }
        for cell in index.cells(layer.id()) {
            let (units, bounds) = (cell.units(), cell.bounds());
            for point in &points {
                let (unit, _) = units_of(&index, &Span::at(*point)).expect("finite");
                let within = is_inside(&UnitRange { min: unit, max: unit }, &units);
                assert!(!within || bounds.contains_point(*point), "{point:?} of {units:?} outside {bounds:?}");
            }
        }
    });
}

/// Bounds are rounded outward, but not by more than rounding can explain.
fn bounds_are_tight<S: Real, const D: usize>() {
    for scene in scenes::<S>() {
        let mut index = scene.index::<D>();
        let layer = index.add_point_layer_with(LayerSettings::new().split_above(1)).expect("a layer");
        let (world, mut dice) = (index.world(), Dice::new(4));
        let side = side_of(&world);
        for value in 0..200 {
            let point = core::array::from_fn(|axis| {
                Spot::finite(world.min()[axis].value() + side.value() * (dice.fraction() * 0.5))
            });
            index.insert(layer, point, value).expect("finite");
        }
        for cell in index.cells(layer.id()) {
            let (units, bounds) = (cell.units(), cell.bounds());
            for axis in 0..D {
                let (origin, edges) = (world.min()[axis], [bounds.min()[axis], bounds.max()[axis]]);
                let magnitude = origin.value().abs().max((origin.value() + side.value()).abs());
                let slack = 24.0 * (S::of(magnitude).up().value() - magnitude).abs() + side.value() / f64::from(UNITS);
                let [below, above] = edges.map(|edge| edge.value().is_finite());
                let inward = Spot::finite::<S>(edges[0].value() + slack);
                assert!(!below || units.min[axis] <= inward.unit(origin, side) + 1, "{bounds:?} of {units:?}");
                let inward = Spot::finite::<S>(edges[1].value() - slack);
                assert!(!above || inward.unit(origin, side) <= units.max[axis] + 1, "{bounds:?} of {units:?}");
            }
        }
    }
}

/// Objects outside the world are stored in the cells at its edge and found like all others.
fn outside_the_world<S: Real, const D: usize>() {
    for scene in scenes::<S>() {
        let mut filled = Filled::<S, D>::new(scene.index(), 4);
        let (side, mut dice) = (scene.side::<D>().value(), Dice::new(5));
        let mut around = |width: f64| {
            let min: [S; D] = core::array::from_fn(|axis| {
                Spot::finite(scene.min(axis).value() + side * (dice.fraction() * 5.0 - 2.0))
            });
            Span { min, max: min.map(|min| Spot::finite(min.value() + side * width)) }
        };
        for number in 0..120 {
            filled.insert(number % 2 == 1, around(0.25));
        }
        assert_sound(&filled.index, "objects outside the world");
        for _ in 0..20 {
            ask(&filled.index, &filled.model, &Question::about(around(0.5)));
        }
    }
}

/// Cells well inside a large region need no test of their objects, unless those stick out of the region.
fn covered_cells<S: Real, const D: usize>() {
    for (scene, longest) in scenes::<S>().into_iter().zip([0.01, 0.1, 0.3].into_iter().cycle()) {
        let mut filled = Filled::<S, D>::new(scene.index(), 3);
        let (side, mut dice) = (scene.side::<D>().value(), Dice::new(14));
        let mut inside = |width: f64| {
            let along = |axis, part: f64| Spot::finite::<S>(scene.min(axis).value() + side * part);
            let parts: [f64; D] = core::array::from_fn(|_| dice.fraction());
            let min = core::array::from_fn(|axis| along(axis, parts[axis]));
            let max = core::array::from_fn(|axis| along(axis, parts[axis] + width));
            Span { min, max }
        };
        for number in 0..400 {
            filled.insert(number % 2 == 1, inside(longest * f64::from(number / 2 % 10) / 10.0));
        }
        for step in 1..12 {
            ask(&filled.index, &filled.model, &Question::about(inside(f64::from(step) / 12.0)));
        }
    }
}

/// By size alone: a rectangle lies as deep as two cells of a node can still hold it.
fn size_sets_the_depth<S: Real, const D: usize>() {
    let scene = &scenes::<S>()[1];
    let mut index = scene.index::<D>();
    let layer = index.add_rect_layer_with(LayerSettings::new().split_above(0)).expect("a layer");
    for extent_log2 in 0..=20_u32 {
        for extent in [(1 << extent_log2) - 1, 1_u32 << extent_log2, (1 << extent_log2) + 1] {
            let unit = 1.0 / f64::from(UNITS);
            let min = [S::of(0.0); D];
            let max = core::array::from_fn(|axis| S::of(if axis == 0 { f64::from(extent) * unit } else { 0.0 }));
            let span = Span { min, max };
            let (_, end) = units_of(&index, &span).expect("finite");
            assert_eq!(end[0], extent, "the scene has units of a power of two");
            let handle = index.insert(layer, span.rect(), extent).expect("finite");
            let cell = index.cell_of(handle).expect("a cell");
            assert_eq!(u32::from(cell.depth()), deepest::<D>(extent), "{extent} units long");
            index.remove(handle);
        }
    }
    assert_sound(&index, "rectangles of all sizes");
}

/// The depth of the deepest node of which two cells are longer than that by more than a unit.
fn deepest<const D: usize>(extent: u32) -> u32 {
    let depth_max = 30 / levels::<D>() - 1;
    let cell_at = |depth: u32| UNITS >> (levels::<D>() * (depth + 1));
    (0..=depth_max).rev().find(|depth| extent + 1 < 2 * cell_at(*depth)).unwrap_or(0)
}

/// No node is deeper than the settings say; what would have to go deeper makes chains.
fn depth_is_limited<S: Real, const D: usize>() {
    let limit = if D == 2 { 9 } else { 14 };
    for depth_max in 0..=limit {
        let mut index = scenes::<S>()[0].index::<D>();
        let settings = LayerSettings::new().split_above(1).depth_max(depth_max);
        let layers = [false, true].map(|rects| AnyLayer::add(&mut index, rects, settings));
        let mut handles = Vec::new();
        for layer in layers {
            for value in 0..5 {
                let span = Span::at([S::of(1.0); D]);
                handles.push(layer.insert(&mut index, span, value).expect("finite"));
            }
            let depths = index.cells(layer.id()).map(|cell| cell.depth());
            assert_eq!(depths.max(), Some(depth_max), "equal points sink as deep as they may");
        }
        assert_sound(&index, "equal points");
        for handle in handles {
            assert!(index.remove(handle).is_some());
        }
        assert_eq!(index.stats().objects, 0);
        assert_sound(&index, "their removal");
    }
}

/// Rounding lets an extent change by a unit while a rectangle only translates: it stays in place all the same.
fn wobbling_changes_nothing<S: Real, const D: usize>() {
    for scene in scenes::<S>() {
        let mut index = scene.index::<D>();
        let layer = index.add_rect_layer_with(LayerSettings::new().split_above(0)).expect("a layer");
        let side = scene.side::<D>().value();
        let mut seen = Vec::new();
        for level in 2..20 {
            let width = side / f64::from(1_u32 << level);
            let at = |step: u32| {
                let along = side * 0.3 + width * (f64::from(step) / 64.0);
                let min = core::array::from_fn(|axis| Spot::finite(scene.min(axis).value() + along));
                Span { min, max: min.map(|min: S| Spot::finite(min.value() + width)) }
            };
            let handle = index.insert(layer, at(0).rect(), level).expect("finite");
            let node_of = |index: &Index<S, D>| index.cell_of(handle).expect("a cell").depth();
            let translations: Vec<_> = (0..40).map(|step| at(step % 4)).collect();
            // Two rounds to settle; then the same four places over and over move nothing.
            for span in translations.iter().take(8) {
                index.move_to(handle, span.rect()).expect("finite");
            }
            let settled = node_of(&index);
            for span in translations.iter().skip(8) {
                seen.push(index.move_to(handle, span.rect()).expect("finite"));
                assert_eq!(node_of(&index), settled, "{span} in {}", scene.name);
            }
        }
        assert!(seen.contains(&Moved::InPlace));
        assert_sound(&index, "translations");
    }
}

/// Cells come parents first, and `skip_children` skips exactly what lies below.
fn cells_are_a_tree<S: Real, const D: usize>() {
    let (mut index, mut model) = (scenes::<S>()[0].index::<D>(), Model::new());
    let layer = AnyLayer::add(&mut index, true, LayerSettings::new().split_above(2));
    let mut dice = Dice::new(6);
    for value in 0..150 {
        let min = core::array::from_fn(|_| S::of(dice.fraction() * dice.fraction() * 64.0));
        let width = dice.fraction() * dice.fraction() * 8.0;
        let span = Span { min, max: min.map(|min| S::of(min.value() + width)) };
        layer.insert_in_both(&mut index, &mut model, span, value);
    }
    assert_agrees(&index, &model, &[layer]);
    let mut cells = index.cells(layer.id());
    let mut nodes = 0;
    while let Some(cell) = cells.next() {
        let mut skipping = cells.clone();
        skipping.skip_children();
        let below = cells.clone().take_while(|below| {
            let parent_depth = below.depth() + u8::from(below.kind() == CellKind::Block);
            cell.kind() == CellKind::Node && cell.depth() < parent_depth
        });
        let below: Vec<_> = below.map(|below| below.units()).collect();
        assert!(below.iter().all(|units| is_inside(units, &cell.units())));
        let expected: Vec<_> = cells.clone().skip(below.len()).map(|cell| cell.units()).collect();
        assert_eq!(skipping.map(|cell| cell.units()).collect::<Vec<_>>(), expected);
        nodes += usize::from(cell.kind() == CellKind::Node);
    }
    assert!(cells.next().is_none(), "cells stay at their end");
    assert_eq!(nodes, index.stats().nodes);
    assert!(nodes > 1, "a tree of one node shows nothing");
}

/// `cell_at` finds the deepest cell around any point, wherever it lies, and none where nothing can be.
fn a_cell_for_every_point<S: Real, const D: usize>() {
    let mut index = scenes::<S>()[0].index::<D>();
    let layer = AnyLayer::add(&mut index, false, LayerSettings::new().split_above(2));
    let centre = [S::of(20.0); D];
    assert!(index.cell_at(layer.id(), centre).is_none(), "nothing is stored yet");
    let mut dice = Dice::new(7);
    for value in 0..100 {
        let point = core::array::from_fn(|_| S::of(dice.fraction() * 64.0));
        layer.insert(&mut index, Span::at(point), value).expect("finite");
    }
    for _ in 0..200 {
        let point = core::array::from_fn(|_| S::of(dice.fraction() * 80.0 - 8.0));
        let found = index.cell_at(layer.id(), point).expect("a cell");
        let (unit, _) = units_of(&index, &Span::at(point)).expect("finite");
        let unit = UnitRange { min: unit, max: unit };
        let around = index.cells(layer.id()).filter(|cell| is_inside(&unit, &cell.units()));
        let smallest = around.last().expect("the root is around every point");
        assert_eq!((found.kind(), found.units()), (smallest.kind(), smallest.units()));
    }
    let mut nowhere = centre;
    nowhere[D - 1] = S::of(f64::NAN);
    assert!(index.cell_at(layer.id(), nowhere).is_none(), "a point that is nowhere");
}

/// A key is the same for the same square, whatever has come and gone, and no two cells have the same. Parents lead to the
/// root.
fn keys_name_squares<S: Real, const D: usize>() {
    let mut index = roomy_scenes::<S>()[0].index::<D>();
    let settings = LayerSettings::new().split_above(2);
    let layers = [false, true].map(|rects| AnyLayer::add(&mut index, rects, settings));
    let (mut dice, mut known) = (Dice::new(8), BTreeMap::new());
    let mut seen_again = 0;
    for round in 0..6 {
        for value in 0..80 {
            let min: [S; D] = core::array::from_fn(|_| S::of(dice.fraction() * 60.0));
            let span = Span { min, max: min.map(|min| S::of(min.value() + 0.5)) };
            layers[value as usize % 2].insert(&mut index, span, value).expect("finite");
        }
        let mut keys = HashSet::new();
        for cell in layers.iter().flat_map(|layer| index.cells(layer.id())) {
            assert!(keys.insert(cell.key()), "two cells have one key: {cell:?}");
            let square = (cell.layer(), cell.units().min, cell.units().max, cell.kind() == CellKind::Node);
            seen_again += usize::from(known.get(&square).is_some_and(|key| *key == cell.key()));
            assert_eq!(*known.entry(square).or_insert(cell.key()), cell.key());
            let Some(parent) = cell.parent() else {
                assert_eq!((cell.depth(), cell.kind()), (0, CellKind::Node));
                continue;
            };
            assert!(keys.contains(&parent.key()), "parents come first");
            assert_eq!((parent.kind(), parent.layer()), (CellKind::Node, cell.layer()));
            assert!(is_inside(&cell.units(), &parent.units()) && cell.len() <= parent.len());
            assert_eq!(parent.depth() + u8::from(cell.kind() == CellKind::Node), cell.depth());
        }
        assert_eq!(known.values().collect::<HashSet<_>>().len(), known.len(), "other squares have other keys");
        let gone: Vec<_> = index.iter().map(|object| object.handle()).filter(|_| dice.below(4) > 0).collect();
        for handle in gone {
            index.remove(handle);
        }
        assert!(round == 0 || seen_again > 0);
    }
}

/// Squares are finite, lie within their bounds and within those of their parents, and are as long as their units say.
fn squares_are_finite<S: Real, const D: usize>() {
    for scene in scenes::<S>() {
        let mut index = scene.index::<D>();
        let layer = index.add_point_layer_with(LayerSettings::new().split_above(1)).expect("a layer");
        let (world, mut dice) = (index.world(), Dice::new(4));
        for value in 0..100 {
            let point = core::array::from_fn(|axis| {
                Spot::finite(world.min()[axis].value() + side_of(&world).value() * dice.fraction())
            });
            index.insert(layer, point, value).expect("finite");
        }
        for cell in index.cells(layer.id()) {
            let square = cell.square();
            assert!(Rect::<S, D>::everything().contains(&square) && cell.bounds().contains(&square), "{square:?}");
            assert!(square.min().iter().chain(&square.max()).all(|at| at.value().is_finite()), "{square:?}");
            assert!(cell.parent().is_none_or(|parent| parent.square().contains(&square)), "{square:?}");
            assert!(cell.units().min != [0; D] || square.min() == world.min(), "{square:?}");
            let side = (square.max()[0].value() - square.min()[0].value()) / side_of(&world).value();
            let units = f64::from(cell.units().max[0] - cell.units().min[0] + 1) / f64::from(UNITS);
            let rounding = (world.min()[0].value().abs() / side_of(&world).value() + 2.0) * 1e-6;
            assert!((side - units).abs() <= rounding, "{side} {units}");
        }
    }
}
