//! Rows: the numbers of objects in arrays of the user's. Each layer counts its own, from 0.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::{Deref, DerefMut};

use pyo3::prelude::*;
use quadrille::{Handle, LayerId, LayerSet, SpatialIndex};

use crate::arrays::Number;
use crate::errors::value_error;
use crate::handles::{Naming, bits_or_none};

/// The index of the library. Objects have no values: arrays of the user's do, by row.
pub(crate) type Tree<S, const D: usize> = SpatialIndex<(), S, D>;

/// The rows of an index. Until a second layer has objects they are the library's slots, and nothing is kept.
#[derive(Clone, Default)]
pub(crate) struct Rows {
    /// The first layer that had objects.
    first: Option<LayerId>,
    counted: Option<Counted>,
}

#[derive(Clone)]
struct Counted {
    /// The row of each slot.
    rows: Vec<u32>,
    /// By the number of the layer.
    columns: Vec<Column>,
}

#[derive(Clone)]
struct Column {
    /// The slot of each row; 0 for none.
    slots: Vec<u32>,
    /// The rows without an object. The lowest is taken first, so that a saved index goes on alike.
    free: BinaryHeap<Reverse<u32>>,
}

/// Rows as they are saved: the first layer, and the slots of each layer by row.
pub(crate) type Saved = (Option<LayerId>, Option<Vec<Vec<u32>>>);

impl Column {
    fn new(slots: Vec<u32>) -> Self {
        let free = (0..).zip(&slots).filter(|&(_, &slot)| slot == 0).map(|(row, _)| Reverse(row)).collect();
        Self { slots, free }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a slot has 32 bits")]
impl Counted {
    fn new(columns: Vec<Vec<u32>>) -> Self {
        let mut counted = Self { rows: Vec::new(), columns: columns.into_iter().map(Column::new).collect() };
        for column in &counted.columns {
            for (row, &slot) in (0..).zip(&column.slots) {
                set(&mut counted.rows, slot, row);
            }
        }
        counted
    }

    fn column(&mut self, layer: LayerId) -> &mut Column {
        let number = usize::from(layer.number());
        self.columns.resize_with(self.columns.len().max(number + 1), || Column::new(Vec::new()));
        &mut self.columns[number]
    }

    fn add(&mut self, layer: LayerId, slot: u32) {
        let column = self.column(layer);
        let row = column.free.pop().map_or(column.slots.len() as u32, |Reverse(row)| row);
        set(&mut column.slots, row, slot);
        set(&mut self.rows, slot, row);
    }

    /// Does nothing for an object that is gone.
    fn remove(&mut self, layer: LayerId, slot: u32) {
        let row = self.rows[slot as usize];
        let column = self.column(layer);
        if column.slots[row as usize] == slot {
            column.slots[row as usize] = 0;
            column.free.push(Reverse(row));
        }
    }
}

/// 0 for that of no object.
#[expect(clippy::cast_possible_truncation, reason = "a slot has 32 bits")]
fn slot(handle: Handle) -> u32 {
    handle.slot() as u32
}

/// Writes to a list, which grows as needed.
fn set(list: &mut Vec<u32>, at: u32, value: u32) {
    let at = at as usize;
    list.resize(list.len().max(at + 1), 0);
    list[at] = value;
}

impl Rows {
    /// The row of an object that is there; -1 for the default handle.
    #[inline]
    pub(crate) fn row(&self, handle: Handle) -> i64 {
        match &self.counted {
            Some(counted) if handle != Handle::default() => counted.rows[handle.slot()].into(),
            _ => i64::from(slot(handle)) - 1,
        }
    }

    pub(crate) fn saved(&self) -> Saved {
        let slots = |counted: &Counted| counted.columns.iter().map(|column| column.slots.clone()).collect();
        (self.first, self.counted.as_ref().map(slots))
    }

    /// Saved rows, if they are those of the objects of an index.
    pub(crate) fn loaded<S: Number, const D: usize>((first, columns): Saved, tree: &Tree<S, D>) -> PyResult<Self> {
        let is_of = |slot: u32, number: usize| {
            let layer = tree.handle_at(slot as usize).and_then(|handle| tree.layer(handle));
            layer.is_some_and(|layer| usize::from(layer.number()) == number)
        };
        let Some(columns) = columns else { return Ok(Self { first, counted: None }) };
        let taken = |column: &[u32]| column.iter().filter(|&&slot| slot != 0).count();
        let are_there = columns
            .iter()
            .enumerate()
            .all(|(number, column)| column.iter().all(|&slot| slot == 0 || is_of(slot, number)));
        if !are_there || columns.iter().map(|column| taken(column)).sum::<usize>() != tree.len() {
            return Err(value_error("rows of other objects"));
        }
        let counted = Counted::new(columns);
        let is_once = |(row, &slot): (u32, &u32)| slot == 0 || counted.rows[slot as usize] == row;
        if !counted.columns.iter().all(|column| (0..).zip(&column.slots).all(is_once)) {
            return Err(value_error("an object in two rows"));
        }
        Ok(Self { first, counted: Some(counted) })
    }
}

/// Names objects of an answer: by rows, or by handles.
#[derive(Clone, Copy)]
pub(crate) struct Namer<'a>(Option<&'a Rows>);

impl Namer<'_> {
    /// The row, or the bits of the handle. The default handle has row -1 and bits 0.
    #[inline]
    pub(crate) fn name(self, handle: Handle) -> i64 {
        self.0.map_or_else(|| bits_or_none(handle).cast_signed(), |rows| rows.row(handle))
    }

    pub(crate) fn names(self, handles: &[Handle]) -> Vec<i64> {
        handles.iter().map(|&handle| self.name(handle)).collect()
    }
}

/// An index of the library, and the rows of its objects.
#[derive(Clone)]
pub(crate) struct Followed<S: Number, const D: usize> {
    pub(crate) tree: Tree<S, D>,
    pub(crate) rows: Rows,
    /// How many objects may be inserted and moved until the world is compared with their bounds.
    pub(crate) changes_left: usize,
}

impl<S: Number, const D: usize> Deref for Followed<S, D> {
    type Target = Tree<S, D>;

    fn deref(&self) -> &Tree<S, D> {
        &self.tree
    }
}

impl<S: Number, const D: usize> DerefMut for Followed<S, D> {
    fn deref_mut(&mut self) -> &mut Tree<S, D> {
        &mut self.tree
    }
}

impl<S: Number, const D: usize> Followed<S, D> {
    /// The only one of some layers that there is; an error if there are several.
    pub(crate) fn one_of(&self, layers: LayerSet) -> PyResult<Option<LayerId>> {
        let mut layers = self.layers().filter(|&layer| layers.contains(layer));
        match (layers.next(), layers.count()) {
            (layer, 0) => Ok(layer),
            _ => Err(value_error("each layer counts rows of its own: name one layer, or take handles")),
        }
    }

    /// How objects of some layers are named. Rows are those of one layer.
    pub(crate) fn namer(&self, out: Naming, layers: LayerSet) -> PyResult<Namer<'_>> {
        Ok(Namer(match out {
            Naming::Handles => None,
            Naming::Rows => self.one_of(layers).map(|_| Some(&self.rows))?,
        }))
    }

    /// How many rows a layer has.
    pub(crate) fn capacity(&self, layer: Option<LayerId>) -> usize {
        let Some(layer) = layer else { return 0 };
        match &self.rows.counted {
            Some(counted) => counted.columns.get(usize::from(layer.number())).map_or(0, |column| column.slots.len()),
            // Slot 0 is that of no object.
            None if self.rows.first == Some(layer) => self.slots() - 1,
            None => 0,
        }
    }

    /// The object in a row below the capacity.
    pub(crate) fn in_row(&self, layer: Option<LayerId>, row: usize) -> Option<Handle> {
        self.handle_at(match &self.rows.counted {
            Some(counted) => counted.columns[usize::from(layer?.number())].slots[row] as usize,
            None => row + 1,
        })
    }

    /// Is to be called before objects come into a layer.
    pub(crate) fn begin(&mut self, layer: LayerId) {
        let first = *self.rows.first.get_or_insert(layer);
        if first != layer && self.rows.counted.is_none() {
            let mut columns = vec![Vec::new(); usize::from(first.number()) + 1];
            let slots = (1..).take(self.slots() - 1);
            columns.push(slots.map(|slot| self.handle_at(slot as usize).map_or(0, |_| slot)).collect());
            columns.swap_remove(usize::from(first.number()));
            self.rows.counted = Some(Counted::new(columns));
        }
    }

    /// Objects have come into a layer.
    pub(crate) fn have_come(&mut self, layer: LayerId, handles: &[Handle]) {
        if let Some(counted) = &mut self.rows.counted {
            for &handle in handles {
                counted.add(layer, slot(handle));
            }
        }
    }

    /// The layers of objects that are about to leave these, as `have_left` wants them.
    pub(crate) fn homes(&self, handles: &[u64]) -> Vec<(LayerId, Handle)> {
        let handles = if self.rows.counted.is_some() { handles } else { &[] };
        let handles = handles.iter().map(|&bits| Handle::from_bits(bits));
        handles.filter_map(|handle| Some((self.layer(handle)?, handle))).collect()
    }

    /// Objects have left their layers.
    pub(crate) fn have_left(&mut self, homes: Vec<(LayerId, Handle)>) {
        if let Some(counted) = &mut self.rows.counted {
            for (layer, handle) in homes {
                counted.remove(layer, slot(handle));
            }
        }
    }

    /// Layers have lost all objects.
    pub(crate) fn are_clear(&mut self, layers: LayerSet) {
        for (number, column) in self.rows.counted.iter_mut().flat_map(|counted| counted.columns.iter_mut().enumerate())
        {
            if layers.to_bits() >> number & 1 == 1 {
                *column = Column::new(Vec::new());
            }
        }
    }
}
