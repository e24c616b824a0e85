//! Answers: into an array, to a function, in slices, in order, many at once, in clusters, in pairs, and as changes since the last one.

use std::cell::RefCell;
use std::ffi::c_void;

use quadrille::{Answers, Cluster, Handle, Pairs, Predicate, Query, Ray, Rect, Region, ResumeError, SearchBuffer};

use crate::error::{Outcome, Status, refuse};
use crate::gate::{Each, Kept, Lent, Output, Thing, callback};
use crate::question::{Area, Asked, Question, ask, layer_set, not_nan, point};
use crate::stamp::stamp;
use crate::{Index, Number};

/// A paused query: fills a list with objects that come next.
type Paused<S, const D: usize> =
    Box<dyn FnMut(&Index<S, D>, &mut Output<u64>) -> Result<(), ResumeError> + Send + Sync>;

/// Passes on objects that lie side by side, up to 64 at once, until it is told to stop. Behind a pointer is whatever is done
/// with them, so that a query is compiled once.
fn tell<P: Predicate, S: Number, R: Region<S, D>, const D: usize>(
    query: Query<'_, (), P, S, D, R>, stops: &mut dyn FnMut(&[u64]) -> bool,
) {
    for block in query.blocks() {
        let (mut bits, mut list, mut len) = (block.bits(), [0; 64], 0);
        while bits != 0 {
            list[len] = block.handles()[bits.trailing_zeros() as usize].to_bits();
            (bits, len) = (bits & (bits - 1), len + 1);
        }
        if stops(&list[..len]) {
            return;
        }
    }
}

/// `qd_hit`, `qdf_hit`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Hit<S> {
    handle: u64,
    at: S,
    normal: [S; 3],
}

/// `qd_cluster`, `qdf_cluster`.
#[repr(C)]
struct Group<S> {
    handle: u64,
    count: usize,
    mean: [S; 3],
    bounds: [[S; 3]; 2],
    cell: [i32; 3],
}

/// Three numbers, of which the last is 0 in 2D.
fn three<N: Copy + Default, const D: usize>(numbers: [N; D]) -> [N; 3] {
    std::array::from_fn(|axis| numbers.get(axis).copied().unwrap_or_default())
}

/// Gives the answers to many questions: where each begins and the last one ends, and all items.
fn give<A>(
    lent: &Lent, (offsets, list, capacity, found): (*mut usize, *mut A, usize, *mut usize), answers: Answers<A>,
) -> Outcome {
    let mut ends = lent.output("offsets", offsets, answers.offsets.len())?;
    lent.fill("answers", (list, capacity, found), answers.items)?;
    ends.put(answers.offsets);
    Ok(())
}

/// The objects near to the target of a question.
fn near<'t, S: Number, const D: usize>(
    index: &'t Index<S, D>, question: &Question<S, D>, target: Rect<S, D>, within: S, buffer: &'t mut SearchBuffer,
) -> impl Iterator<Item = Hit<S>> + use<'t, S, D> {
    let nearest = index.nearest(target).within(within).in_layers(question.layers).excluding(&question.excluded);
    let normal = [S::default(); 3];
    nearest.reusing(buffer).map(move |near| Hit { handle: near.object.handle().to_bits(), at: near.distance(), normal })
}

thread_local! {
    /// It knows how many objects the last search was for.
    static BUFFER: RefCell<SearchBuffer> = RefCell::default();
}

/// Pairs within a set of layers; with `between` not 0, those with one object of each set.
fn pairs_of<S: Number, const D: usize>(
    index: &Index<S, D>, layers: u64, between: u64, within: S,
) -> Outcome<Pairs<'_, (), S, D>> {
    not_nan("within", &[within])?;
    let (pairs, layers) = (index.pairs().within(within), layer_set(layers)?);
    Ok(if between == 0 { pairs.in_layers(layers) } else { pairs.between(layers, layer_set(between)?) })
}

fn tell_of(handles: &[Handle], mut each: impl FnMut(&[u64]) -> bool) {
    if !handles.is_empty() {
        each(&handles.iter().map(|handle| handle.to_bits()).collect::<Vec<_>>());
    }
}

stamp! {
    fn find(lent, index: read, query: *const Asked<S>, handles: *mut u64, capacity: usize, found: *mut usize) {
        let question = Question::new(lent, query)?;
        if lent.output("handles", handles, capacity)?.room() == 0 {
            lent.result("found", found)?.put([ask!(index, question, query => query.count())]);
            return Ok(());
        }
        ask!(index, question, query => lent.fill("handles", (handles, capacity, found), query.map(|object| object.handle().to_bits()))?);
    }

    fn each(lent, index: read, query: *const Asked<S>, each: Each, context: *mut c_void) {
        let (question, mut stops) = (Question::new(lent, query)?, callback(each, context)?);
        ask!(index, question, query => tell(query, &mut stops));
    }

    fn find_many(
        lent, index: read, queries: *const Asked<S>, len: usize, offsets: *mut usize, handles: *mut u64, capacity: usize,
        found: *mut usize,
    ) {
        let questions = Question::many(lent, queries, len)?;
        let answers = index.query_batch(questions.iter().map(|question| question.area.clone()), |_, answer| {
            let question = &questions[answer.number()];
            ask!(index, question, query => answer.extend(query.map(|object| object.handle().to_bits())));
        });
        give(lent, (offsets, handles, capacity, found), answers)?;
    }

    fn clusters(
        lent, index: read, query: *const Asked<S>, size: S, clusters: *mut Group<S>, capacity: usize, found: *mut usize,
    ) {
        let question = Question::new(lent, query)?;
        let group = |Cluster { handle, count, mean, bounds, cell }: Cluster<S, D>| {
            let bounds = [bounds.min(), bounds.max()].map(three);
            Group { handle: handle.to_bits(), count, mean: three(mean), bounds, cell: three(cell) }
        };
        ask!(index, question, query => lent.fill("clusters", (clusters, capacity, found), query.clusters(size)?.map(group))?);
    }

    fn cursor_new(lent, index: read, query: *const Asked<S>, cursor: *mut *mut Kept) {
        let question = Question::new(lent, query)?;
        let paused: Paused<S, D> = ask!(index, question, query => {
            let mut paused = query.pause();
            Box::new(move |index, list| {
                let mut found = index.resume(paused.clone())?;
                list.put(found.by_ref().take(list.room()).map(|object| object.handle().to_bits()));
                paused = found.pause();
                Ok(())
            })
        });
        lent.give(cursor, Thing::Cursor(Box::new(paused)))?;
    }

    fn next(lent, index: read, cursor: *const Kept, handles: *mut u64, capacity: usize, found: *mut usize) {
        let (mut list, mut found) = (lent.output("handles", handles, capacity)?, lent.result("found", found)?);
        let mut cursor = lent.write(cursor)?;
        let Thing::Cursor(paused) = &mut *cursor else { return refuse(Status::BadPointer, "a cursor expected") };
        let Some(paused) = paused.downcast_mut::<Paused<S, D>>() else {
            return refuse(Status::Stale, "the cursor is of another kind of index");
        };
        paused(index, &mut list)?;
        found.put([list.len]);
    }

    fn nearest(lent, index: read, query: *const Asked<S>, within: S, hits: *mut Hit<S>, capacity: usize, found: *mut usize) {
        let question = Question::<S, D>::new(lent, query)?;
        not_nan("within", &[within])?;
        BUFFER.with_borrow_mut(|buffer| {
            let nearest = near(index, &question, question.target()?, within, buffer).take(capacity);
            lent.fill("hits", (hits, capacity, found), nearest)
        })?;
    }

    fn nearest_many(
        lent, index: read, queries: *const Asked<S>, len: usize, within: S, most: usize, offsets: *mut usize, hits: *mut Hit<S>,
        capacity: usize, found: *mut usize,
    ) {
        let questions = Question::<S, D>::many(lent, queries, len)?;
        not_nan("within", &[within])?;
        let targets = questions.iter().map(Question::target).collect::<Outcome<Vec<_>>>()?;
        let answers = BUFFER.with_borrow_mut(|buffer| index.query_batch(targets, |target, answer| {
            answer.extend(near(index, &questions[answer.number()], *target, within, buffer).take(most));
        }));
        give(lent, (offsets, hits, capacity, found), answers)?;
    }

    fn raycast(lent, index: read, query: *const Asked<S>, hits: *mut Hit<S>, capacity: usize, found: *mut usize) {
        let question = Question::<S, D>::new(lent, query)?;
        let Area::Segment(ray) = question.area else { return refuse(Status::BadChoice, "shape: a segment expected") };
        let cast = index.raycast(Ray::from(ray)).in_layers(question.layers).excluding(&question.excluded);
        let met = cast.map(|met| Hit { handle: met.object.handle().to_bits(), at: met.t, normal: three(met.normal()) }).take(capacity);
        lent.fill("hits", (hits, capacity, found), met)?;
    }

    fn cast(
        lent, index: read, query: *const Asked<S>, motion: *const S, skin: S, hits: *mut Hit<S>, capacity: usize,
        found: *mut usize,
    ) {
        let (question, motion) = (Question::<S, D>::new(lent, query)?, lent.input("motion", motion, D)?);
        not_nan("motion", motion)?;
        not_nan("skin", &[skin])?;
        let cast = match question.area {
            Area::Box(body) => index.cast(body, point(motion, 0)),
            Area::Ball(body) => index.cast_ball(body, point(motion, 0)),
            _ => return refuse(Status::BadChoice, "shape: a box, a point or a ball expected"),
        };
        let cast = cast.in_layers(question.layers).excluding(&question.excluded);
        let cast = if skin < S::default() { cast } else { cast.blocking(skin) };
        let met = cast.map(|met| Hit { handle: met.object.handle().to_bits(), at: met.t, normal: three(met.normal()) }).take(capacity);
        lent.fill("hits", (hits, capacity, found), met)?;
    }

    fn pairs(
        lent, index: read, layers: u64, between: u64, within: S, handles: *mut u64, capacity: usize, found: *mut usize,
    ) {
        let pairs = pairs_of(index, layers, between, within)?;
        let pairs = pairs.flat_map(|(one, other)| [one, other].map(|object| object.handle().to_bits()));
        lent.fill("handles", (handles, capacity, found), pairs)?;
    }

    fn each_neighbors(
        _lent, index: read, layers: u64, around: u64, within: S, most: usize, each: Each, context: *mut c_void,
    ) {
        not_nan("within", &[within])?;
        let (layers, mut stops, mut list) = (layer_set(layers)?, callback(each, context)?, Vec::new());
        let around = if around == 0 { layers } else { layer_set(around)? };
        let neighbors = index.neighbors().within(within).between(layers, around);
        let neighbors = if most == 0 { neighbors } else { neighbors.nearest(most) };
        let mut told = neighbors.map(|center, around| {
            list.clear();
            list.push(center.handle.to_bits());
            list.extend(around.map(|object| object.handle.to_bits()));
            stops(&list)
        });
        told.any(|stopped| stopped);
    }

    fn poll(
        lent, index: read, watch: *const Kept, query: *const Asked<S>, came: Each, gone: Each, context: *mut c_void,
    ) {
        let question = Question::new(lent, query)?;
        let (came, gone, mut watch) = (callback(came, context)?, callback(gone, context)?, lent.write(watch)?);
        let Thing::Watch(memory) = &mut *watch else { return refuse(Status::BadPointer, "a watch expected") };
        let polled = ask!(index, question, query => memory.poll(query))?;
        tell_of(polled.entered, came);
        tell_of(polled.left, gone);
    }

    fn poll_pairs(
        lent, index: read, contacts: *const Kept, layers: u64, between: u64, within: S, came: Each, gone: Each,
        context: *mut c_void,
    ) {
        let (came, gone) = (callback(came, context)?, callback(gone, context)?);
        let mut contacts = lent.write(contacts)?;
        let Thing::Contacts(memory) = &mut *contacts else { return refuse(Status::BadPointer, "contacts expected") };
        let polled = memory.poll(pairs_of(index, layers, between, within)?)?;
        tell_of(polled.begun.as_flattened(), came);
        tell_of(polled.ended.as_flattened(), gone);
    }
}
