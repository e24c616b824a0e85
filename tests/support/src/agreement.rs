//! Compares every accessor of an index with the oracle, and its cells with their rules.

use quadrille::{Cell, CellKind, ObjectRef};

use super::oracle::{Known, Model, Span, sorted};
use super::questions::{units_beyond, units_of};
use super::{AnyLayer, Index, Real, UNITS};
use crate::inside::{Inside, UnitRange};

/// An object as a query shows it.
pub fn seen<S: Real, const D: usize>(object: ObjectRef<'_, u32, S, D>) -> Known<S, D> {
    Known {
        handle: object.handle(),
        layer: object.layer(),
        span: Span::of_rect(&object.shape()),
        value: *object.value(),
    }
}

/// The index holds what the oracle holds, by every accessor, and its cells and counts agree.
pub fn assert_agrees<S: Real, const D: usize>(index: &Index<S, D>, model: &Model<S, D>, layers: &[AnyLayer]) {
    assert_eq!(index.len(), model.objects.len());
    assert_eq!(index.is_empty(), model.objects.is_empty());
    let mut all: Vec<_> = index.iter().map(seen).collect();
    all.sort_by_key(|known| known.handle);
    let mut expected = model.objects.clone();
    expected.sort_by_key(|known| known.handle);
    assert_eq!(all, expected, "iter");
    for known in &expected {
        assert_known(index, known);
    }
    let mut live: Vec<_> = layers.iter().map(|layer| layer.id()).collect();
    live.sort_by_key(|layer| layer.number());
    assert_eq!(index.layers().collect::<Vec<_>>(), live, "the live layers, by number");
    for layer in layers {
        let of_layer = model.handles(|known| known.layer == layer.id());
        assert_eq!(index.len_in(layer.id()), of_layer.len());
        let stored = index.cells(layer.id()).flat_map(|cell| cell.objects());
        assert_eq!(sorted(stored.map(|object| object.handle())), of_layer, "stored in cells");
        assert_cells(index, *layer);
    }
    assert_stats(index, layers);
}

fn assert_known<S: Real, const D: usize>(index: &Index<S, D>, known: &Known<S, D>) {
    let handle = known.handle;
    assert!(index.contains(handle));
    assert_eq!(index.object(handle).map(seen).as_ref(), Some(known));
    assert_eq!(index.get(handle), Some(&known.value));
    assert_eq!(index.shape(handle), Some(known.span.rect()));
    assert_eq!(index.layer(handle), Some(known.layer));
    let cell = index.cell_of(handle).expect("a live object lies in a cell");
    assert!(cell.objects().any(|object| object.handle() == handle), "not where it is said to be");
    assert_eq!(cell.layer(), known.layer);
    let deepest = index.cell_at(known.layer, known.span.min).expect("a cell where an object is");
    assert!(is_inside(&deepest.units(), &cell.units()), "cell_at is the deepest");
}

/// Counts made while walking the cells, and what `stats` says.
fn assert_stats<S: Real, const D: usize>(index: &Index<S, D>, layers: &[AnyLayer]) {
    let stats = index.stats();
    assert_eq!(stats.objects, index.len());
    let by_layer: Vec<_> = layers.iter().map(|layer| index.stats_in(layer.id())).collect();
    let mut depths = [0; 15];
    for (layer, of_layer) in layers.iter().zip(&by_layer) {
        let cells = || index.cells(layer.id());
        let mut counted = [0; 15];
        for cell in cells() {
            counted[usize::from(cell.depth())] += cell.objects().count();
        }
        assert_eq!(of_layer.depths, counted, "objects by depth");
        assert_eq!(of_layer.objects, index.len_in(layer.id()));
        let nodes = cells().filter(|cell| cell.kind() == CellKind::Node).count();
        assert_eq!(of_layer.nodes, nodes);
        let longest = cells().map(|cell| cell.objects().count()).max().unwrap_or(0);
        assert!(longest.div_ceil(64) <= of_layer.chain_max, "64 objects in a bucket at most");
        let lists = cells().filter(|cell| cell.objects().next().is_some()).count();
        assert!(lists <= of_layer.buckets);
        assert!(of_layer.objects.div_ceil(64) <= of_layer.buckets);
        for (sum, count) in depths.iter_mut().zip(counted) {
            *sum += count;
        }
    }
    assert_eq!(stats.depths, depths);
    assert_eq!(stats.nodes, by_layer.iter().map(|layer| layer.nodes).sum::<usize>());
    assert_eq!(stats.buckets, by_layer.iter().map(|layer| layer.buckets).sum::<usize>());
    let chains = by_layer.iter().map(|layer| layer.chain_max);
    assert_eq!(stats.chain_max, chains.max().unwrap_or(0));
}

/// Quadtree levels in one node: 64 cells are 8×8 or 4×4×4.
pub const fn levels<const D: usize>() -> u32 {
    if D == 2 { 3 } else { 2 }
}

/// Whether the first range lies in the second.
pub fn is_inside<const D: usize>(inner: &UnitRange<D>, outer: &UnitRange<D>) -> bool {
    (0..D).all(|axis| outer.min[axis] <= inner.min[axis] && inner.max[axis] <= outer.max[axis])
}

fn is_apart<const D: usize>(a: &UnitRange<D>, b: &UnitRange<D>) -> bool {
    (0..D).any(|axis| a.max[axis] < b.min[axis] || b.max[axis] < a.min[axis])
}

/// Every cell obeys the rules of the grid, and lies in the node that came before it.
fn assert_cells<S: Real, const D: usize>(index: &Index<S, D>, layer: AnyLayer) {
    let cells: Vec<_> = index.cells(layer.id()).collect();
    let mut path: Vec<Cell<'_, u32, S, D>> = Vec::new();
    for (place, cell) in cells.iter().enumerate() {
        assert_eq!(cell.layer(), layer.id());
        let depth = usize::from(cell.depth());
        let parents = if cell.kind() == CellKind::Node { depth } else { depth + 1 };
        assert!(parents <= path.len(), "a cell came before its node");
        path.truncate(parents);
        if let Some(parent) = path.last() {
            assert!(is_inside(&cell.units(), &parent.units()), "outside its node");
            assert!(cell.reach() <= parent.reach_below(), "reaches further than its node says");
        }
        assert_square(cell);
        assert_stored(index, layer, cell);
        let below = cells[place + 1..].iter().take_while(|below| is_below(below, cell));
        match cell.kind() {
            CellKind::Block => assert_eq!(cell.len(), cell.objects().count()),
            CellKind::Node => {
                let under = below.map(|below| below.objects().count()).sum::<usize>();
                assert_eq!(cell.len(), cell.objects().count() + under, "objects of the subtree");
                path.push(*cell);
            }
        }
    }
    let leaves = |cell: &&Cell<'_, u32, S, D>| cell.kind() == CellKind::Block;
    for (place, block) in cells.iter().enumerate().filter(|(_, cell)| leaves(cell)).take(32) {
        for other in cells[place + 1..].iter().filter(leaves) {
            assert!(is_apart(&block.units(), &other.units()), "blocks overlap");
        }
    }
}

/// Whether a cell that comes later is part of the subtree of a node.
fn is_below<S: Real, const D: usize>(later: &Cell<'_, u32, S, D>, node: &Cell<'_, u32, S, D>) -> bool {
    let deepest = if later.kind() == CellKind::Node { later.depth() } else { later.depth() + 1 };
    node.depth() < deepest
}

/// A node is a square, aligned; a block is made of its node's cells, twice as long as wide at most.
fn assert_square<S: Real, const D: usize>(cell: &Cell<'_, u32, S, D>) {
    let units = cell.units();
    let sides: [u32; D] = core::array::from_fn(|axis| units.max[axis] - units.min[axis] + 1);
    let node_side = UNITS >> (levels::<D>() * u32::from(cell.depth()));
    let (shortest, longest) = match cell.kind() {
        CellKind::Node => (node_side, node_side),
        CellKind::Block => (node_side >> levels::<D>(), node_side),
    };
    for (axis, side) in sides.iter().enumerate() {
        assert!(side.is_power_of_two() && units.min[axis].is_multiple_of(*side), "not aligned: {units:?}");
        assert!(shortest <= *side && *side <= longest, "{units:?} in a node of {node_side}");
        assert!(sides.iter().all(|other| *side <= other * 2), "not nearly square: {units:?}");
    }
}

/// Objects stored in a cell have their anchors there, and none is larger than the cell may hold.
fn assert_stored<S: Real, const D: usize>(index: &Index<S, D>, layer: AnyLayer, cell: &Cell<'_, u32, S, D>) {
    let (units, bounds) = (cell.units(), cell.bounds());
    for axis in 0..D {
        let is_least = bounds.min()[axis].value() == f64::NEG_INFINITY;
        assert_eq!(is_least, units.min[axis] == 0, "bounds at the edge: {bounds:?}, {units:?}");
        let is_most = bounds.max()[axis].value() == f64::INFINITY;
        assert_eq!(is_most, UNITS - 1 <= units.max[axis], "bounds at the edge: {bounds:?}, {units:?}");
    }
    let is_own_list = cell.kind() == CellKind::Node;
    let (node_side, cell_side) = {
        let node_side = u64::from(UNITS) >> (levels::<D>() * u32::from(cell.depth()));
        (node_side, node_side >> levels::<D>())
    };
    for object in cell.objects() {
        let span = Span::of_rect(&object.shape());
        let (anchor, _) = units_of(index, &span).expect("stored shapes are finite");
        let (begin, end) = units_beyond(index, &span).expect("stored shapes are finite");
        assert!(is_inside(&UnitRange { min: anchor, max: anchor }, &units), "{span} in {units:?}");
        assert!(bounds.contains_point(span.min), "{span} in {bounds:?}");
        let extent = (0..D).map(|axis| end[axis] - begin[axis]).max().expect("an axis");
        assert!(extent <= cell.reach(), "{span} reaches further than its list");
        let extent = u64::from(extent);
        if is_own_list {
            assert!(layer.holds_rects(), "a point in an own list");
            assert!(2 * cell_side <= extent + 1, "{span} is small enough for a cell of {cell_side}");
            assert!(cell.depth() == 0 || extent + 1 < 2 * node_side, "{span} sank too deep");
        } else {
            assert!(extent + 1 < 2 * cell_side, "{span} is too large for a cell of {cell_side}");
        }
    }
}

/// Everything that an index shows, in its order.
pub fn snapshot<S: Real, const D: usize>(index: &Index<S, D>) -> Vec<String> {
    let mut lines = vec![format!("{:?}", index.world()), format!("{:?}", index.stats())];
    lines.extend(index.iter().map(|object| format!("{:?}", seen(object))));
    for layer in index.layers() {
        lines.push(format!("{layer:?}: {} {:?}", index.len_in(layer), index.stats_in(layer)));
        lines.extend(index.cells(layer).map(|cell| {
            let objects: Vec<_> = cell.objects().map(|object| object.handle()).collect();
            let reach = (cell.reach(), cell.reach_below());
            format!("{:?} {:?} {reach:?} {:?} {objects:?}", cell.kind(), cell.units(), cell.bounds())
        }));
    }
    lines
}
