//! Work shared out to the threads of rayon's current pool, part by part.
//!
//! rayon's own way to divide work nests: a thread that waits for one half begins another piece on top of its stack, waits
//! there too, and so on. Here each thread takes one part after the other and waits for none, so a stack holds one part at
//! most. The parts do not depend on the number of threads, and outcomes are joined in their order.

use alloc::vec::Vec;
use core::iter;
use core::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rayon::iter::plumbing::{Folder, Reducer, UnindexedConsumer};

/// The parallel form of a query. `into_par_iter` of rayon's `IntoParallelIterator` returns it.
///
/// It yields the same as the query; collected, in the same order. It pays off if there is work to do for each of many
/// results, or if a region is slow to test. One thread first lists the buckets that are met, in up to 40 bytes for each 64
/// objects. Then all threads share the tests and the results.
///
/// Many small queries need no parallel iterator: an index is `Sync`, so share out the *queries*.
///
/// ```
/// use quadrille::{Quadtree, Rect};
/// use rayon::prelude::*;
///
/// let mut index: Quadtree<f32> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0]))?;
/// let units = index.add_point_layer()?;
/// index.insert_batch(units, (0..100_u8).map(|x| ([f32::from(x), 50.0], f32::from(x))))?;
///
/// // One large question, and all pairs.
/// let view = Rect::new([0.0, 0.0], [100.0, 100.0]);
/// let sum: f32 = index.intersecting(view).into_par_iter().map(|unit| unit.value().sqrt()).sum();
/// assert_eq!(sum.round(), 661.0);
/// assert_eq!(index.pairs().within(1.0).into_par_iter().count(), 99);
///
/// // Many small ones; the answers come in the order of the questions.
/// let counts: Vec<usize> = (0..10_u8)
///     .into_par_iter()
///     .map(|x| index.within_distance([f32::from(x) * 10.0, 50.0], 2.0).count())
///     .collect();
/// assert_eq!(counts, [3, 5, 5, 5, 5, 5, 5, 5, 5, 5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "a query does nothing until it is iterated"]
pub struct Par<Q>(pub(crate) Q);

/// The most parts: enough to keep many threads busy to the end.
pub(crate) const PARTS: usize = 256;

/// Divides some pieces of work, by number, into parts that follow each other. The first one may be empty.
pub(crate) fn parts_of(pieces: Range<usize>) -> Vec<Range<usize>> {
    let (len, end) = (pieces.len().div_ceil(PARTS).max(1), pieces.end);
    let others = (pieces.start + len..end).step_by(len);
    iter::once(pieces.start).chain(others).map(|first| first..end.min(first + len)).collect()
}

/// Waking other threads takes about half as long.
const ALONE: Duration = Duration::from_micros(30);

/// Does work piece by piece, for as long as it is not worth waking other threads. Returns the outcomes.
pub(crate) fn alone<O>(mut work: impl FnMut() -> Option<O>) -> Vec<O> {
    // There is no clock in a browser.
    if cfg!(target_family = "wasm") {
        return Vec::new();
    }
    let begun = Instant::now();
    iter::from_fn(|| if begun.elapsed() < ALONE { work() } else { None }).collect()
}

/// Does the work of each part, with what its thread has begun with. Returns the outcomes in the order of the parts.
pub(crate) fn each_part<P: Send, B, O: Send>(
    parts: Vec<P>,
    new: impl Fn() -> B + Sync,
    work: impl Fn(&mut B, P) -> O + Sync,
) -> Vec<O> {
    let threads = rayon::current_num_threads().min(parts.len());
    let done = Mutex::new(Vec::with_capacity(parts.len()));
    let left = Mutex::new(parts.into_iter().enumerate());
    let take = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
    let run = || {
        let Some(first) = take() else { return };
        let mut begun = new();
        for (number, part) in iter::once(first).chain(iter::from_fn(take)) {
            let outcome = work(&mut begun, part);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((number, outcome));
        }
    };
    if threads <= 1 {
        run();
    } else {
        rayon::scope(|scope| {
            (1..threads).for_each(|_| scope.spawn(|_| run()));
            run();
        });
    }
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|&(number, _)| number);
    done.into_iter().map(|(_, outcome)| outcome).collect()
}

/// Passes what `fold` finds in each part on to a consumer, in the order of the parts. There must be one.
pub(crate) fn drive<P: Send, B, I, C: UnindexedConsumer<I>>(
    parts: Vec<P>,
    consumer: C,
    new: impl Fn() -> B + Sync,
    fold: impl Fn(&mut B, P, C::Folder) -> C::Folder + Sync,
) -> C::Result {
    let (mut consumers, mut reducers) = (Vec::with_capacity(parts.len()), Vec::with_capacity(parts.len()));
    divide(consumer, parts.len(), &mut consumers, &mut reducers);
    let parts: Vec<_> = parts.into_iter().zip(consumers).collect();
    let (count, results) = (
        parts.len(),
        each_part(parts, new, |begun, (part, consumer): (P, C)| {
            let folder = consumer.into_folder();
            if folder.full() { folder.complete() } else { fold(begun, part, folder).complete() }
        }),
    );
    reduce(count, &mut results.into_iter(), &mut reducers.into_iter())
}

/// Divides a consumer by halves.
fn divide<I, C: UnindexedConsumer<I>>(
    consumer: C,
    parts: usize,
    consumers: &mut Vec<C>,
    reducers: &mut Vec<C::Reducer>,
) {
    if parts == 1 {
        return consumers.push(consumer);
    }
    let left = consumer.split_off_left();
    divide(left, parts / 2, consumers, reducers);
    reducers.push(consumer.to_reducer());
    divide(consumer, parts - parts / 2, consumers, reducers);
}

/// Joins the results of as many parts, as `divide` has divided them.
fn reduce<R, D: Reducer<R>>(
    parts: usize,
    results: &mut impl Iterator<Item = R>,
    reducers: &mut impl Iterator<Item = D>,
) -> R {
    if parts == 1 {
        return results.next().expect("each part has a result");
    }
    let left = reduce(parts / 2, results, reducers);
    let reducer = reducers.next().expect("each division has a reducer");
    let right = reduce(parts - parts / 2, results, reducers);
    reducer.reduce(left, right)
}
