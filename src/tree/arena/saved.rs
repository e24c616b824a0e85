//! The data form of an arena: the directory of each node, pages of buckets with their entries, the members of each knot of
//! a crowd, and the free lists in order. Everything else is recomputed from the directories, from the roots down.
//!
//! A node is saved with all its cells, a bucket with all its positions, used or not. Each takes at least one byte, so
//! no input can demand more than some sixty times its own length of memory.
//!
//! Keeps T1 to T3, T7 and T9 of `docs/invariants.md` for bytes of any origin: all links of a restored arena are valid.
//! The caller checks that entries lie where they belong and that none is missing.

use alloc::vec;
use alloc::vec::Vec;
use core::mem;

use serde::de::Error;
use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};

use super::buckets::{Buckets, PAGE, Page};
use super::knot::{Knot, Knots, Seat};
use super::{Arena, Head, Node, OWN_LIST, Slot};
use crate::geometry::{Array, ExactRect, Scalar};
use crate::grid::{CELLS, END_MAX, shift_at};
use crate::key::{BucketId, Handle, Kind, NodeId, Place};
use crate::tree::bucket::{BUCKET_SLOTS, Bucket, OfKind, SavedEntry, map_kind, positions, with_kind};
use crate::tree::rules::Rules;

/// The most nodes that can be saved. The code of a cell has 32 bits.
const NODES_MAX: usize = 1 << 30;

/// The most levels of a crowd's knots. A knot is divided once it has 64 members, so no crowd grows higher.
const KNOT_LEVELS: u8 = 8;

/// An arena as it was read: unchecked.
#[derive(Deserialize)]
#[serde(rename = "Arena", bound(deserialize = "S: Scalar + Deserialize<'de>"))]
pub(crate) struct SavedArena<S: Scalar, const D: usize> {
    nodes: Vec<SavedNode>,
    pages: Vec<LoadedPage<S, D>>,
    knots: Vec<SavedKnot>,
    free_nodes: Vec<u32>,
    free_knots: Vec<u32>,
    /// For each kind, the pages that may have free buckets. The last one is tried first.
    listed_pages: [Vec<u32>; 2],
}

type LoadedPage<S, const D: usize> = OfKind<Vec<LoadedBucket<S, D, 1>>, Vec<LoadedBucket<S, D, 2>>>;

/// The parts of a node that do not follow from its position in the tree.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Node")]
struct SavedNode {
    /// The number of the own list's first bucket plus 1, or 0.
    own: u32,
    reach: u32,
    /// For each cell, twice the number of its bucket plus 1, twice the number of its child plus 2, or 0.
    cells: Array<u32, CELLS>,
}

/// The parts of a bucket that do not follow from its block.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Bucket")]
#[serde(bound(serialize = "S: Scalar + Serialize", deserialize = "S: Scalar + Deserialize<'de>"))]
struct SavedBucket<S: Scalar, const D: usize, const ENDS: usize> {
    /// The number of the top knot of its crowd plus 1, or 0.
    crowd: u32,
    reach: u32,
    /// By position.
    entries: Array<Option<SavedEntry<S, D, ENDS>>, BUCKET_SLOTS>,
}

/// The parts of a bucket beside its entries, as they were read.
#[derive(Clone, Copy, Default)]
struct SavedHead {
    crowd: u32,
    reach: u32,
    used: u64,
}

/// A knot of a crowd: its members in order. Their boxes follow from the entries.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Knot")]
struct SavedKnot {
    is_upper: bool,
    members: Vec<u32>,
}

/// A list computed while it is written.
struct Each<F>(F);

impl<I: Iterator<Item: Serialize>, F: Fn() -> I> Serialize for Each<F> {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        serializer.collect_seq(self.0())
    }
}

impl<S: Scalar + Serialize, const D: usize> Serialize for Arena<S, D> {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        if NODES_MAX < self.nodes.len() {
            return Err(serde::ser::Error::custom("there are too many nodes"));
        }
        let free_nodes = self.all_free_nodes();
        let mut is_free = vec![false; self.nodes.len()];
        for node in &free_nodes {
            is_free[node.index()] = true;
        }
        let node = |(node, is_free)| if is_free { SavedNode::FREE } else { SavedNode::of(node) };
        let nodes = || self.nodes.iter().zip(is_free.iter().copied()).map(node);
        let saved = |(number, page): (usize, &Page<S, D>)| map_kind!(page, |page| self.saved_buckets(number, page));
        let pages = || self.buckets.pages().iter().enumerate().map(saved);
        let knots = || self.knots.list.iter().map(SavedKnot::of);
        let mut parts = serializer.serialize_struct("Arena", 6)?;
        parts.serialize_field("nodes", &Each(nodes))?;
        parts.serialize_field("pages", &Each(pages))?;
        parts.serialize_field("knots", &Each(knots))?;
        parts.serialize_field("free_nodes", &Each(|| free_nodes.iter().map(|node| node.number())))?;
        parts.serialize_field("free_knots", &self.knots.free)?;
        parts.serialize_field("listed_pages", &self.buckets.listed())?;
        parts.end()
    }
}

impl<S: Scalar, const D: usize> Arena<S, D> {
    fn saved_buckets<const ENDS: usize>(
        &self,
        page: usize,
        buckets: &[Bucket<S, D, ENDS>],
    ) -> Vec<SavedBucket<S, D, ENDS>> {
        let saved = |(id, bucket): (BucketId, &Bucket<S, D, ENDS>)| {
            let used = self.head(id).used;
            let entry = |position| (bucket.handle(position).slot_number(), ExactRect(bucket.shape(position)));
            let entries = core::array::from_fn(|at| (used >> at & 1 == 1).then(|| entry(at as u8)));
            // A free bucket's fields are meaningless.
            let crowd = || self.crowd_of(id).map_or(0, |top| top + 1);
            let [crowd, reach] = if used == 0 { [0; 2] } else { [crowd(), self.head(id).reach] };
            SavedBucket { crowd, reach, entries: Array(entries) }
        };
        ids_of_page(page).zip(buckets).map(saved).collect()
    }
}

/// The numbers of the buckets of a page.
fn ids_of_page(page: usize) -> impl Iterator<Item = BucketId> {
    (page * PAGE..(page + 1) * PAGE).map(|number| BucketId::numbered(number as u32))
}

/// A bucket as it was read, and its head. The handles have the right slot numbers but no valid generation.
#[derive(Deserialize)]
#[serde(from = "SavedBucket<S, D, ENDS>", bound(deserialize = "S: Scalar + Deserialize<'de>"))]
struct LoadedBucket<S: Scalar, const D: usize, const ENDS: usize>(Bucket<S, D, ENDS>, SavedHead);

impl<S: Scalar, const D: usize, const ENDS: usize> From<SavedBucket<S, D, ENDS>> for LoadedBucket<S, D, ENDS> {
    fn from(SavedBucket { crowd, reach, entries }: SavedBucket<S, D, ENDS>) -> Self {
        let (mut bucket, mut used) = (Bucket::vacant(), 0);
        for (position, entry) in (0..BUCKET_SLOTS as u8).zip(entries.0) {
            if let Some((number, ExactRect(shape))) = entry {
                bucket.set(position, &shape, Handle::new(number, 1));
                used |= 1 << position;
            }
        }
        Self(bucket, SavedHead { crowd, reach, used })
    }
}

impl SavedKnot {
    fn of<S: Scalar, const D: usize>(knot: &Knot<S, D>) -> Self {
        Self { is_upper: knot.is_upper, members: knot.members().iter().map(|member| member.number).collect() }
    }
}

impl SavedNode {
    const FREE: Self = Self { own: 0, reach: 0, cells: Array([0; CELLS]) };

    fn of<const D: usize>(node: &Node<D>) -> Self {
        let code = |cell| match node.slot(cell as u8) {
            Slot::Vacant => 0,
            Slot::Bucket(first) => 2 * first.number() + 1,
            Slot::Child(child) => 2 * child.number() + 2,
        };
        let own = node.own.map_or(0, |first| first.number() + 1);
        Self { own, reach: node.reach, cells: Array(core::array::from_fn(code)) }
    }

    fn slot(&self, cell: usize) -> Slot {
        match self.cells.0[cell].checked_sub(1) {
            None => Slot::Vacant,
            Some(code) if code % 2 == 0 => Slot::Bucket(BucketId::numbered(code / 2)),
            Some(code) => Slot::Child(NodeId::numbered(code / 2)),
        }
    }

    /// The blocks and children, each with its first cell and its span. If a bucket's cells form no block, the largest block
    /// from its first cell on counts. The others become vacant, so the caller finds entries there that lie nowhere (T4).
    fn parts(&self) -> Vec<(u8, u8, Slot)> {
        let (mut parts, mut cell) = (Vec::new(), 0);
        while cell < CELLS {
            let slot = self.slot(cell);
            let cells = match slot {
                Slot::Bucket(_) => (cell..CELLS).take_while(|&other| self.slot(other) == slot).count(),
                Slot::Vacant | Slot::Child(_) => 1,
            };
            let span = cells.ilog2().min(cell.trailing_zeros());
            parts.push((cell as u8, span as u8, slot));
            cell += cells;
        }
        parts
    }
}

/// An arena being restored, from the roots down. Each number may occur once.
struct Restoring<'a, F, S, const D: usize> {
    arena: Arena<S, D>,
    nodes: &'a [SavedNode],
    knots: &'a [SavedKnot],
    heads: &'a [SavedHead],
    is_used: Vec<bool>,
    is_knot_used: Vec<bool>,
    /// Makes an entry's handle from its slot number, and records its place.
    name: F,
}

impl<S: Scalar, const D: usize> SavedArena<S, D> {
    /// Restores the arena from the roots of these layers. `name` makes each entry's handle from its slot number.
    pub(crate) fn restore<E: Error>(
        self,
        roots: impl IntoIterator<Item = (u8, Rules, u32)>,
        name: impl FnMut(u32) -> Result<Handle, E>,
    ) -> Result<Arena<S, D>, E> {
        let Self { nodes, pages, knots, free_nodes, free_knots, listed_pages } = self;
        let (mut buckets, mut heads) = (Buckets::default(), Vec::new());
        for page in pages {
            heads.resize(buckets.pages().len() * PAGE, SavedHead::default());
            let page = map_kind!(page, |page| {
                let apart = page.into_iter().map(|LoadedBucket(bucket, head)| {
                    heads.push(head);
                    bucket
                });
                apart.collect()
            });
            if !buckets.push_page(page) {
                return Err(E::custom("T9: a page has too few or too many buckets, or there are too many pages"));
            }
        }
        let rules = Rules { kind: Kind::Points, split_above: 1, depth_max: 0 };
        let nowhere = Node::root(0, rules, shift_at::<D>(0));
        let arena = Arena {
            heads: vec![free_head(&nowhere); heads.len()],
            nodes: vec![nowhere; nodes.len()],
            seats: vec![Seat::NONE; heads.len()],
            knots: Knots { list: knots.iter().map(|knot| Knot::new(knot.is_upper)).collect(), free: Vec::new() },
            buckets,
            free_node: None,
        };
        let (is_used, is_knot_used) = (vec![false; nodes.len()], vec![false; knots.len()]);
        let (nodes, knots, heads) = (&nodes, &knots, &heads);
        let mut restoring = Restoring { arena, nodes, knots, heads, is_used, is_knot_used, name };
        for (layer, rules, root) in roots {
            restoring.subtree(NodeId::numbered(root), Node::root(layer, rules, shift_at::<D>(0)))?;
        }
        restoring.free_nodes(&free_nodes)?;
        restoring.free_knots(free_knots)?;
        restoring.free_buckets(listed_pages)?;
        Ok(restoring.arena)
    }
}

/// The head of a free bucket.
fn free_head<const D: usize>(node: &Node<D>) -> Head<D> {
    Head {
        used: 0,
        block: node.block(),
        node: NodeId::numbered(0),
        reach: 0,
        cell: 0,
        extent_max_log2: 0,
        more: false,
        is_plain: true,
    }
}

impl<F: FnMut(u32) -> Result<Handle, E>, E: Error, S: Scalar, const D: usize> Restoring<'_, F, S, D> {
    /// Restores a subtree. The depth of the layer limits the recursion. Returns the number of entries.
    fn subtree(&mut self, id: NodeId, node: Node<D>) -> Result<u32, E> {
        let saved = self.nodes.get(id.index()).filter(|_| take(&mut self.is_used, id.number()));
        let saved = saved.ok_or_else(|| E::custom("T1: a node does not exist, or has two parents"))?;
        let (may_have_children, rules) = (node.may_have_children(), node.rules);
        self.arena.nodes[id.index()] = node;
        self.arena.node_mut(id).reach = checked_reach(rules.kind, saved.reach)?;
        let mut len = match saved.own.checked_sub(1) {
            Some(own) => self.chain(BucketId::numbered(own), self.arena.new_head(id, OWN_LIST, 0))?,
            None => 0,
        };
        for (cell, span, slot) in saved.parts() {
            len += match slot {
                Slot::Vacant => 0,
                Slot::Bucket(first) => self.chain(first, self.arena.new_head(id, cell, span))?,
                Slot::Child(_) if !may_have_children => return Err(E::custom("T1: a node is too deep")),
                Slot::Child(child) => {
                    let below = self.arena.node(id).child(id, cell);
                    self.arena.node_mut(id).set_child(cell, child);
                    self.subtree(child, below)?
                }
            };
        }
        self.arena.node_mut(id).len = len;
        Ok(len)
    }

    /// Restores the buckets of a chain. Returns the number of entries.
    fn chain(&mut self, first: BucketId, head: Head<D>) -> Result<u32, E> {
        let crowd = self.heads.get(first.index()).map_or(0, |saved| saved.crowd);
        let len = match crowd.checked_sub(1) {
            None => self.bucket(first, head)?,
            Some(top) => {
                let len = self.knot(top, KNOT_LEVELS, Head { more: true, is_plain: false, ..head })?;
                self.arena.knots.get_mut(top).len = len;
                len
            }
        };
        self.arena.enter_in_directory(first);
        Ok(len)
    }

    /// Restores a bucket, and the handles of its entries. Returns their number.
    fn bucket(&mut self, bucket: BucketId, head: Head<D>) -> Result<u32, E> {
        let kind = self.arena.node(head.node).rules.kind;
        let saved = self.heads.get(bucket.index()).filter(|_| self.arena.head(bucket).used == 0);
        let saved = saved.filter(|saved| saved.used != 0 && self.arena.buckets().kind(bucket) == kind);
        let SavedHead { reach, used, .. } = *saved
            .ok_or_else(|| E::custom("T3: a bucket does not exist, is empty, of the other kind, or in two chains"))?;
        let reach = checked_reach(kind, reach)?;
        self.arena.heads[bucket.index()] = Head { used, reach, ..head };
        for position in positions(used) {
            let handle = (self.name)(self.arena.handle(Place::new(bucket, position)).slot_number())?;
            with_kind!(self.arena.bucket_mut(bucket), |stored| stored.set_handle(position, handle));
        }
        Ok(used.count_ones())
    }

    /// Restores a knot and all below it, down to a number of levels. Returns the number of entries.
    fn knot(&mut self, number: u32, levels: u8, head: Head<D>) -> Result<u32, E> {
        let saved = self.knots.get(number as usize).filter(|saved| (1..=BUCKET_SLOTS).contains(&saved.members.len()));
        let saved = saved.filter(|_| 0 < levels && take(&mut self.is_knot_used, number));
        let saved = saved
            .ok_or_else(|| E::custom("T3: a knot does not exist, is empty, too full, too deep, or in two others"))?;
        let mut len = 0;
        for &below in &saved.members {
            let of = if saved.is_upper {
                len += self.knot(below, levels - 1, head)?;
                self.arena.knots.get(below).summary()
            } else {
                let bucket = BucketId::numbered(below);
                len += self.bucket(bucket, head)?;
                self.arena.summary_of(bucket)
            };
            self.arena.push(number, below, &of);
        }
        Ok(len)
    }

    /// Restores the list of free nodes. None may be in use.
    fn free_nodes(&mut self, free: &[u32]) -> Result<(), E> {
        for &number in free.iter().rev() {
            if !take(&mut self.is_used, number) {
                return Err(E::custom("T9: a free node is in use"));
            }
            self.arena.free_node(NodeId::numbered(number));
        }
        Ok(())
    }

    /// Restores the list of free knots. None may be in use.
    fn free_knots(&mut self, free: Vec<u32>) -> Result<(), E> {
        if !free.iter().all(|&number| take(&mut self.is_knot_used, number)) {
            return Err(E::custom("T9: a free knot is in use"));
        }
        self.arena.knots.free = free;
        Ok(())
    }

    /// Frees the buckets that are not in use, and restores the list of pages with free buckets.
    fn free_buckets(&mut self, listed_pages: [Vec<u32>; 2]) -> Result<(), E> {
        for kind in [Kind::Points, Kind::Rects] {
            for position in 0..self.arena.buckets().len(kind) {
                if let Some(bucket) = self.arena.buckets().nth(kind, position)
                    && self.arena.head(bucket).used == 0
                {
                    self.arena.free_bucket(bucket);
                }
            }
        }
        if self.arena.buckets.list(listed_pages) { Ok(()) } else { Err(E::custom("T9: a page is not listed once")) }
    }
}

/// Marks an element as used. Returns whether it exists and was not used.
fn take(is_used: &mut [bool], number: u32) -> bool {
    is_used.get_mut(number as usize).is_some_and(|is_used| !mem::replace(is_used, true))
}

/// A reach that some shape of this kind may need.
fn checked_reach<E: Error>(kind: Kind, reach: u32) -> Result<u32, E> {
    let most = match kind {
        Kind::Points => 0,
        Kind::Rects => END_MAX + 1,
    };
    if reach <= most { Ok(reach) } else { Err(E::custom("T6: a reach is too large")) }
}
