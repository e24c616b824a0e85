//! One worker's part of the world: an index in which each of the world's layers is two, of own objects and of ghosts.
//!
//! Several workers may see the same object, window or pair. Each answer has one *reference point*, which all compute alike,
//! and only the owner of that point reports it: see [`answers`]. (The technique is that of J.-P. Dittrich and B. Seeger, *Data
//! Redundancy and Duplicate Detection in Spatial Join Processing*, 2000.)

mod answers;
mod changes;
mod standing;
mod step;

use std::rc::Rc;

use quadrille::{Handle, Kind as LayerKind, Layer, LayerId, LayerSet, Rect, Rects, SearchBuffer, SpatialIndex};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ids::Ids;
use crate::partition::Partition;
use crate::question::{Layers, Question};
use crate::route::Router;
use crate::row::{Role, Row};
use crate::world::World;
use crate::{Coordinate, answer::Answer};

use standing::Standing;

/// Moves that are made together.
const GROUP: usize = 4096;

/// The two layers of a shard's index for a layer of the world.
#[derive(Clone, Copy, Debug)]
struct LayerPair {
    own: LayerId,
    ghost: LayerId,
    kind: LayerKind,
    /// Whether its own objects are moved here.
    local: bool,
}

/// An object that rows speak of.
#[derive(Clone, Copy, Debug)]
struct Known {
    handle: Handle,
    layer: u8,
    role: Role,
}

/// One worker's part of the world.
pub(crate) struct Shard<S: Coordinate, const D: usize> {
    me: u16,
    partition: Rc<Partition<S, D>>,
    index: SpatialIndex<u64, S, D>,
    layers: Vec<LayerPair>,
    /// The layers of own points, each of which is reported here.
    own_points: LayerSet,
    /// All objects but the own ones of local layers.
    known: Ids<Known>,
    ghosts: usize,
    /// Of this tick: what moved, came or went, and the ids of those that went.
    moved: Vec<Handle>,
    gone: FxHashMap<Handle, u64>,
    /// Objects that another worker may have reported before, or may report now: those that came, went or changed their role
    /// in this tick, and boxes near a border, now or in the last tick.
    shared: FxHashSet<u64>,
    /// Boxes near a border.
    bordering: FxHashSet<u64>,
    /// Whether the partition is new in this tick.
    repartition: bool,
    standing: Standing<S, D>,
    router: Router,
    workers: Vec<u16>,
    buffer: SearchBuffer,
    moves: Vec<(Handle, Rect<S, D>)>,
    fresh: Vec<Row<S, D>>,
    second_rounds: u64,
}

impl<S: Coordinate, const D: usize> Shard<S, D> {
    pub(crate) fn new(world: &World<S, D>, partition: Rc<Partition<S, D>>, me: u16) -> Self {
        let mut index = SpatialIndex::new(world.bounds()).expect("checked when the world was made");
        let mut add = |kind| match kind {
            LayerKind::Points => index.add_point_layer().map(Layer::id),
            LayerKind::Rects => index.add_rect_layer().map(Layer::id),
        };
        let mut layer = |kind| add(kind).expect("32 layers, twice, fit into an index");
        let layers: Vec<LayerPair> = world
            .layers
            .iter()
            .map(|of| LayerPair { own: layer(of.kind), ghost: layer(of.kind), kind: of.kind, local: of.local })
            .collect();
        let own_points = layers.iter().filter(|pair| pair.kind == LayerKind::Points).map(|pair| pair.own);
        Self {
            me,
            partition,
            own_points: own_points.fold(LayerSet::NONE, |set, layer| set | LayerSet::from(layer)),
            standing: Standing::new(world.bounds()),
            index,
            layers,
            known: Ids::default(),
            ghosts: 0,
            moved: Vec::new(),
            gone: FxHashMap::default(),
            shared: FxHashSet::default(),
            bordering: FxHashSet::default(),
            repartition: false,
            router: Router::default(),
            workers: Vec::new(),
            buffer: SearchBuffer::new(),
            moves: Vec::new(),
            fresh: Vec::new(),
            second_rounds: 0,
        }
    }

    /// The number of own objects, and of ghosts.
    pub(crate) fn len(&self) -> [usize; 2] {
        [self.index.len() - self.ghosts, self.ghosts]
    }

    /// How many questions for the nearest needed a second round.
    pub(crate) fn second_rounds(&self) -> u64 {
        self.second_rounds
    }

    /// How many own objects there are in each cell, in Morton order.
    pub(crate) fn census(&self) -> Vec<u64> {
        let mut weights = vec![0; Partition::<S, D>::CELLS];
        for object in self.objects() {
            weights[self.partition.code_at(object.shape.min()) as usize] += 1;
        }
        weights
    }

    /// Begins a tick: forgets what moved in the last one.
    pub(crate) fn begin(&mut self, partition: &Rc<Partition<S, D>>) {
        self.repartition = !Rc::ptr_eq(&self.partition, partition);
        self.partition = Rc::clone(partition);
        self.moved.clear();
        self.gone.clear();
        self.shared.clone_from(&self.bordering);
        if self.repartition {
            self.place_fences();
        }
    }

    /// Takes in the state after a tick: objects of all workers, and the standing questions. Reports nothing.
    pub(crate) fn restore(&mut self, objects: &[Row<S, D>], standing: &[(u32, Question<S, D>)]) {
        for (number, question) in standing {
            self.set_standing(*number, question);
        }
        let me = self.me;
        let mut workers = Vec::new();
        let held = objects.iter().filter_map(|row| {
            workers.clear();
            self.partition.holders(&row.shape, &mut workers);
            let role = if self.partition.owner(row.shape.min()) == me { Role::Own } else { Role::Ghost };
            workers.contains(&me).then_some(Row { to: me, role, ..*row })
        });
        let mut held: Vec<_> = held.collect();
        // Those of local layers come in the order of their index, which is that of space.
        held.sort_by_key(|row| {
            let is_local = self.layers[usize::from(row.layer)].local;
            (row.layer, row.role as u8, if is_local { 0 } else { row.id })
        });
        self.insert_all(&held);
        let (mut answers, mut ignore) = (Vec::new(), |_| ());
        self.report_changes(&mut Sinks { answers: &mut answers, tentative: &mut ignore, follow: &mut |_| () });
    }

    /// Rows of the own objects.
    pub(crate) fn objects(&self) -> impl Iterator<Item = Row<S, D>> + '_ {
        let (to, role) = (self.me, Role::Own);
        self.layers.iter().zip(0..).flat_map(move |(pair, layer)| {
            let objects = self.index.iter().in_layers(pair.own);
            objects.map(move |object| Row { to, role, layer, id: *object.value(), shape: object.shape() })
        })
    }

    /// Applies rows, in their order.
    pub(crate) fn apply(&mut self, rows: impl IntoIterator<Item = Row<S, D>>) {
        for row in rows {
            match (row.role, self.known.get(row.id)) {
                (Role::Gone, _) => {
                    self.flush();
                    self.forget(row.id);
                }
                (_, Some(known)) => self.change(known, row),
                (_, None) => self.fresh.push(row),
            }
            if self.moves.len() == GROUP {
                self.flush_moves();
            }
        }
        self.flush();
    }

    /// A row about a known object.
    #[inline]
    fn change(&mut self, known: Known, row: Row<S, D>) {
        if (known.layer, known.role) != (row.layer, row.role) {
            return self.change_layer(known, row);
        }
        self.note(row.layer, row.id, &row.shape);
        self.moves.push((known.handle, row.shape));
    }

    #[cold]
    fn change_layer(&mut self, known: Known, row: Row<S, D>) {
        self.flush();
        let pair = self.layers[usize::from(row.layer)];
        if self.layers[usize::from(known.layer)].kind != pair.kind {
            self.forget(row.id);
            self.fresh.push(row);
            return self.flush();
        }
        self.index.set_layer(known.handle, pair.of(row.role)).expect("a layer of the same kind");
        self.ghosts += usize::from(row.role == Role::Ghost);
        self.ghosts -= usize::from(known.role == Role::Ghost);
        if pair.local && row.role == Role::Own {
            self.known.remove(row.id);
        } else {
            self.known.insert(row.id, Known { layer: row.layer, role: row.role, ..known });
        }
        self.shared.insert(row.id);
        self.note(row.layer, row.id, &row.shape);
        self.moves.push((known.handle, row.shape));
    }

    /// Notes whether a box is near a border.
    #[inline]
    fn note(&mut self, layer: u8, id: u64, shape: &Rect<S, D>) {
        if self.layers[usize::from(layer)].kind == LayerKind::Points {
            return;
        }
        if self.partition.sole_holder(shape) == Some(self.me) {
            self.bordering.remove(&id);
        } else {
            self.bordering.insert(id);
            self.shared.insert(id);
        }
    }

    fn flush(&mut self) {
        self.flush_moves();
        self.flush_fresh();
    }

    fn flush_moves(&mut self) {
        let outcome = self.index.move_batch::<Rects, _>(self.moves.iter().copied());
        assert!(outcome.refused.is_empty(), "shapes are checked where they come in");
        if self.standing.asks_what_moved() {
            self.moved.extend(self.moves.iter().map(|(handle, _)| *handle));
        }
        self.moves.clear();
    }

    /// Inserts what is new. Of several rows about one object, the last one counts.
    fn flush_fresh(&mut self) {
        if self.fresh.is_empty() {
            return;
        }
        let mut fresh = std::mem::take(&mut self.fresh);
        fresh.reverse();
        fresh.sort_by_key(|row| row.id);
        fresh.dedup_by_key(|row| row.id);
        // A step goes through space, and reads ids as they came. (Rows of a feed come by id, and so do reads.)
        fresh.sort_by_cached_key(|row| {
            let is_local = self.layers[usize::from(row.layer)].local;
            (row.layer, row.role as u8, if is_local { self.partition.code_at(row.shape.min()) } else { 0 })
        });
        self.insert_all(&fresh);
        fresh.clear();
        // A whole world may have come.
        fresh.shrink_to(GROUP);
        self.fresh = fresh;
    }

    /// Inserts objects, sorted by layer and role: one batch each.
    fn insert_all(&mut self, rows: &[Row<S, D>]) {
        for rows in rows.chunk_by(|a, b| (a.layer, a.role) == (b.layer, b.role)) {
            self.insert(rows);
        }
    }

    /// Inserts objects of one layer and role.
    fn insert(&mut self, rows: &[Row<S, D>]) {
        let Row { layer, role, .. } = rows[0];
        let pair = self.layers[usize::from(layer)];
        let id = pair.of(role);
        let handles = match (pair.kind, rows) {
            (_, [row]) => vec![self.index.insert_any(id, row.shape, row.id).expect(CHECKED)],
            (LayerKind::Points, _) => {
                let layer = self.index.point_layer(id).expect("a layer of points");
                let objects = rows.iter().map(|row| (row.shape.min(), row.id));
                self.index.insert_batch(layer, objects).expect(CHECKED)
            }
            (LayerKind::Rects, _) => {
                let layer = self.index.rect_layer(id).expect("a layer of boxes");
                self.index.insert_batch(layer, rows.iter().map(|row| (row.shape, row.id))).expect(CHECKED)
            }
        };
        self.ghosts += if role == Role::Ghost { rows.len() } else { 0 };
        for (row, handle) in rows.iter().zip(handles) {
            if role == Role::Ghost || !pair.local {
                self.known.insert(row.id, Known { handle, layer, role });
            }
            if self.standing.asks_what_moved() {
                self.moved.push(handle);
                self.shared.insert(row.id);
            }
            self.note(layer, row.id, &row.shape);
        }
    }

    /// Takes an object out.
    fn forget(&mut self, id: u64) {
        if let Some(known) = self.known.remove(id) {
            self.ghosts -= usize::from(known.role == Role::Ghost);
            self.take_out(known.handle, id);
        }
    }

    fn take_out(&mut self, handle: Handle, id: u64) {
        self.index.remove(handle);
        self.bordering.remove(&id);
        if self.standing.asks_what_moved() {
            self.moved.push(handle);
            self.gone.insert(handle, id);
            self.shared.insert(id);
        }
    }

    /// The index's layers, of own objects and of ghosts, for some of the world's.
    fn layers_of(&self, layers: Layers) -> LayerSet {
        let pairs = self.layers.iter().enumerate().filter(|(number, _)| layers.contains(*number as u8));
        pairs.fold(LayerSet::NONE, |set, (_, pair)| set | pair.own | pair.ghost)
    }

    /// For some of the world's layers: those of own points, and those of boxes, ghosts included. A ghost of a point is reported
    /// elsewhere.
    fn reported_layers(&self, layers: Layers) -> [LayerSet; 2] {
        let pairs = self.layers.iter().enumerate().filter(|(number, _)| layers.contains(*number as u8));
        pairs.fold([LayerSet::NONE; 2], |[points, boxes], (_, pair)| match pair.kind {
            LayerKind::Points => [points | pair.own, boxes],
            LayerKind::Rects => [points, boxes | pair.own | pair.ghost],
        })
    }

    /// Whether another worker may have reported an object in the last tick, or may report it in this one.
    fn is_shared(&self, id: u64) -> bool {
        self.repartition || self.shared.contains(&id)
    }
}

const CHECKED: &str = "shapes and layers are checked where they come in";

impl LayerPair {
    fn of(self, role: Role) -> LayerId {
        if role == Role::Own { self.own } else { self.ghost }
    }
}

/// The places to which answers go.
pub(crate) struct Sinks<'a, S, const D: usize> {
    /// Answers that are complete.
    pub(crate) answers: &'a mut Vec<Answer>,
    /// Changes whose opposite another worker may report.
    pub(crate) tentative: &'a mut dyn FnMut(Answer),
    /// Questions for other workers.
    pub(crate) follow: &'a mut dyn FnMut(crate::question::Asked<S, D>),
}
