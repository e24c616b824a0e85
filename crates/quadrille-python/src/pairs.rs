//! Pairs of objects: all at once, as neighbors of each, between two indexes, and their changes from poll to poll.

use std::sync::atomic::Ordering;

use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use quadrille as library;
use quadrille::{Handle, Join, LayerSet, Neighbors, Rect};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::arrays::{Arg, Number, Object, Objects, Opt, array, distance_of, number};
use crate::batch::offsets;
use crate::errors::value_error;
use crate::handles::{Handles, Naming, handle_of, moved_of, pairs};
use crate::index::{Index, This};
use crate::layers::{Among, SomeLayers, layer_set};
use crate::lock::Lock;
use crate::rows::Namer;
use crate::signals::Signals;
use crate::space::{Followed, Space, Tree, with};

/// A distance, and the layers of the first and of the second of each pair.
#[derive(Clone, Copy)]
struct PairFilter {
    within: Option<f64>,
    between: [LayerSet; 2],
}

type Between<'py> = (SomeLayers<'py>, SomeLayers<'py>);

impl PairFilter {
    fn new(index: &Bound<'_, Index>, within: Opt, layers: Among, between: Option<Between>) -> PyResult<Self> {
        let layers = layer_set(index, layers)?;
        let mut sets = [layers; 2];
        if let Some((first, second)) = between {
            let index = index.as_unbound();
            sets = [layers & first.set(index)?, layers & second.set(index)?];
        }
        Self::of(within, sets)
    }

    /// Of two indexes.
    fn across(index: This, other: This, within: Opt, between: Option<Between>) -> PyResult<Self> {
        let sets = between
            .map(|(mine, theirs)| Ok::<_, PyErr>([mine.set(index.as_unbound())?, theirs.set(other.as_unbound())?]));
        Self::of(within, sets.transpose()?.unwrap_or([LayerSet::ALL; 2]))
    }

    fn of(within: Opt, between: [LayerSet; 2]) -> PyResult<Self> {
        let within = within.map(|within| distance_of("within", within)).transpose()?;
        Ok(Self { within, between })
    }

    /// How the first and the second of each pair are named.
    fn namers<S: Number, const D: usize>(
        self, out: Naming, [first, second]: [&Followed<S, D>; 2],
    ) -> PyResult<[Namer<'_>; 2]> {
        Ok([first.namer(out, self.between[0])?, second.namer(out, self.between[1])?])
    }

    /// The pairs of a query that it takes, in the world of an index.
    fn apply<'a, 'b, S: Number, const D: usize>(
        self, space: &Space<S, D>, pairs: Join<'a, 'b, (), (), S, D>,
    ) -> Join<'a, 'b, (), (), S, D> {
        let pairs = pairs.between(self.between[0], self.between[1]);
        let pairs = match self.within {
            Some(distance) => pairs.within(number(distance)),
            None => pairs,
        };
        space.in_world(pairs, Join::periodic)
    }
}

type Pair = [Handle; 2];

/// The pairs of a query as a list.
fn collect<S: Number, const D: usize>(signals: &Signals, query: Join<'_, '_, (), (), S, D>) -> Vec<Pair> {
    let mut pairs = Vec::new();
    signals.each(query, |(one, other)| pairs.push([one.handle(), other.handle()]));
    pairs
}

/// The names of pairs, two by two.
fn named(namers: [Namer<'_>; 2], pairs: Vec<Pair>) -> Vec<i64> {
    pairs.into_iter().flat_map(|[one, other]| [namers[0].name(one), namers[1].name(other)]).collect()
}

impl<S: Number, const D: usize> Space<S, D> {
    /// All pairs, by all processors if they are to be.
    fn all_pairs(
        &self, (tree, signals): (&Tree<S, D>, &Signals), filter: PairFilter, threads: bool,
    ) -> PyResult<Vec<Pair>> {
        let query = filter.apply(self, tree.pairs());
        if !threads {
            return Ok(collect(signals, query));
        }
        signals.beside(|is_over| {
            let pairs = query.into_par_iter().take_any_while(|_| !is_over.load(Ordering::Relaxed));
            pairs.map(|(one, other)| [one.handle(), other.handle()]).collect()
        })
    }

    fn pairs(
        &self, py: Python<'_>, filter: PairFilter, (of, threads): (Option<&[Handle]>, bool), out: Naming,
    ) -> PyResult<Vec<i64>> {
        self.read_longer(py, |tree, signals| {
            let namers = filter.namers(out, [tree, tree])?;
            Ok(named(
                namers,
                match of {
                    Some(objects) => collect(signals, filter.apply(self, tree.pairs_of(objects))),
                    None => self.all_pairs((tree, signals), filter, threads)?,
                },
            ))
        })?
    }

    /// The neighbors of each row, as they are to be told, by all processors if they are to be.
    fn neighbors<A: Copy + Default + Send>(
        &self, py: Python<'_>, filter: PairFilter, threads: bool,
        tell: impl Fn(Namer<'_>, &Rect<S, D>, &library::Object<&(), S, D>) -> A + Send + Sync,
    ) -> PyResult<(Vec<usize>, Vec<A>)> {
        self.read_longer(py, |tree, signals| {
            let [namer, _] = filter.namers(Naming::Rows, [tree, tree])?;
            let query = tree.neighbors().between(filter.between[0], filter.between[1]);
            let query = self.in_world(query, Neighbors::periodic);
            let query = if let Some(distance) = filter.within { query.within(number(distance)) } else { query };
            let mut told = Told { lens: Vec::new(), neighbors: Vec::new() };
            if threads {
                let lists: Vec<_> = signals.beside(|is_over| {
                    let lists = query.par_map(|object, others| {
                        (object.handle, others.map(|other| tell(namer, &object.shape, &other)).collect::<Vec<_>>())
                    });
                    lists.take_any_while(|_| !is_over.load(Ordering::Relaxed)).collect()
                })?;
                for (handle, list) in lists {
                    told.add(namer.name(handle), list.into_iter());
                }
            } else {
                let lens = query.map(|object, others| {
                    let len = others.len();
                    told.add(namer.name(object.handle), others.map(|other| tell(namer, &object.shape, &other)));
                    len
                });
                for len in lens {
                    if !signals.let_pass(len + 1) {
                        break;
                    }
                }
            }
            Ok(told.by_row(tree.capacity(tree.one_of(filter.between[0])?), signals))
        })?
    }

    /// The distance of two boxes, on each axis that wraps around by the shorter way.
    fn distance(&self, from: &Rect<S, D>, to: &Rect<S, D>) -> S {
        let Some(torus) = &self.torus else { return root(from.distance_squared(to)) };
        let square = (0..D).map(|axis| {
            let side = |rect: &Rect<S, D>| [rect.min()[axis].to_f64(), rect.max()[axis].to_f64()];
            let ([begin, end], [other_begin, other_end], [low, high]) = (side(from), side(to), side(&torus.world()));
            let worlds = (other_begin + other_end - begin - end) / (2.0 * (high - low));
            let moved = if torus.axes()[axis] { worlds.round() * (high - low) } else { 0.0 };
            (other_begin - moved - end).max(begin + moved - other_end).max(0.0).powi(2)
        });
        root(square.sum())
    }

    /// Asks something about the pairs with another index.
    fn join<A: Send>(
        &self, py: Python<'_>, other: &Index, filter: PairFilter,
        ask: impl FnOnce(Join<'_, '_, (), (), S, D>, [&Followed<S, D>; 2], &Signals) -> PyResult<A> + Send,
    ) -> PyResult<A> {
        let other = other.0.of_kind::<S, D>();
        let other = other.ok_or_else(|| PyValueError::new_err("the indexes differ in dim or in dtype"))?;
        if self.torus != other.torus {
            return Err(PyValueError::new_err("other: its world does not wrap around as this one does"));
        }
        self.read_both(py, other, |tree, others, signals| {
            ask(filter.apply(self, tree.join(others)), [tree, others], signals)
        })?
    }

    /// The pairs that have begun and ended since the last poll.
    fn poll(
        &self, py: Python<'_>, filter: PairFilter, contacts: &Lock<library::Contacts>, moved: Option<&[Handle]>,
    ) -> PyResult<[Vec<Pair>; 2]> {
        self.read_longer(py, |tree, signals| {
            let mut contacts = contacts.write()?;
            let changes = signals.or_unwind(|signals| {
                let passed = |_: &_| signals.let_pass_or_unwind(1);
                let changes = if let Some(moved) = moved {
                    contacts.poll_moved(moved, filter.apply(self, tree.pairs_of(moved)).inspect(passed))
                } else {
                    contacts.poll(filter.apply(self, tree.pairs()).inspect(passed))
                };
                changes.map(|changes| [changes.begun.to_vec(), changes.ended.to_vec()]).map_err(value_error)
            });
            changes.unwrap_or_else(|| Ok([Vec::new(), Vec::new()]))
        })?
    }
}

/// The root of a square, rounded up as the distance of an object that is nearest: a limit that includes it.
fn root<S: Number>(square: f64) -> S {
    let root: S = number(square.sqrt());
    if root.to_f64() * root.to_f64() < square { root.next_up() } else { root }
}

/// The neighbors of objects, one object after the other.
struct Told<A> {
    /// The place of each object among the rows, and the number of its neighbors.
    lens: Vec<(usize, usize)>,
    neighbors: Vec<A>,
}

impl<A: Copy + Default> Told<A> {
    fn add(&mut self, row: i64, neighbors: impl ExactSizeIterator<Item = A>) {
        self.lens.push((usize::try_from(row).unwrap_or_default(), neighbors.len()));
        self.neighbors.extend(neighbors);
    }

    /// The same as a list of lists, in the order of rows.
    fn by_row(&self, rows: usize, signals: &Signals) -> (Vec<usize>, Vec<A>) {
        let mut begins = vec![0; rows + 1];
        for &(row, len) in &self.lens {
            begins[row + 1] = len;
        }
        let mut sum = 0;
        for begin in &mut begins {
            sum += *begin;
            *begin = sum;
        }
        let (mut sorted, mut left) = (vec![A::default(); sum], &self.neighbors[..]);
        for &(row, len) in &self.lens {
            let (list, rest) = left.split_at(len);
            sorted[begins[row]..][..len].copy_from_slice(list);
            left = rest;
            if !signals.let_pass(1) {
                break;
            }
        }
        (begins, sorted)
    }
}

/// A new array (P, 2) of the names of pairs.
fn table_of(py: Python<'_>, out: Naming, names: Vec<i64>) -> Object<'_> {
    let shape = [names.len() / 2, 2];
    out.array(py, names)?.call_method1("reshape", (shape,))
}

#[pymethods]
impl Index {
    /// All pairs of objects that touch, or are at most `within` apart: (P, 2), each pair once.
    ///
    /// `between` two sets of layers: the first of each pair is in the first one. `of` are handles: then only pairs
    /// with at least one of these; removed objects have none. With `threads` on all processors.
    #[pyo3(signature = (within=None, layers=None, *, between=None, of=None, threads=false, out="rows"))]
    fn pairs<'py>(
        slf: This<'_, 'py>, within: Opt, layers: Among, between: Option<Between>, of: Opt, threads: bool, out: &str,
    ) -> Object<'py> {
        let (py, filter, out) = (slf.py(), PairFilter::new(slf, within, layers, between)?, Naming::named(out)?);
        let of = of.map(|of| Ok::<_, PyErr>(Handles::new("of", of)?.to_vec())).transpose()?;
        table_of(py, out, with!(&slf.get().0, space => space.pairs(py, filter, (of.as_deref(), threads), out))?)
    }

    /// For each row the rows of all objects at most `within` apart, itself left out.
    ///
    /// Returns offsets (capacity + 1,) and rows (K,) as `windows` does; with `distances`, also how far these are, (K,).
    /// Faster than asking for each point.
    #[pyo3(signature = (within, layers=None, *, distances=false, threads=false))]
    fn neighbors<'py>(
        slf: This<'_, 'py>, within: Arg<'_, 'py>, layers: Among, distances: bool, threads: bool,
    ) -> Objects<'py> {
        let (py, filter) = (slf.py(), PairFilter::new(slf, Some(within), layers, None)?);
        with!(&slf.get().0, space => {
            if !distances {
                let (begins, rows) = space.neighbors(py, filter, threads, |namer, _, other| namer.name(other.handle))?;
                return (offsets(py, begins), array(py, rows)).into_pyobject(py);
            }
            let (begins, told) = space.neighbors(py, filter, threads, |namer, shape, other| {
                (namer.name(other.handle), space.distance(shape, &other.shape))
            })?;
            let (rows, far): (Vec<_>, Vec<_>) = told.into_iter().unzip();
            (offsets(py, begins), array(py, rows), array(py, far)).into_pyobject(py)
        })
    }

    /// All pairs of an object here and one in another index that touch, or are at most `within` apart: (P, 2).
    ///
    /// `between` are layers here and layers there. Both must have the same dimensions and dtype. Both
    /// wrap around in the same world, or neither does.
    #[pyo3(signature = (other, within=None, *, between=None, out="rows"))]
    fn join<'py>(
        slf: This<'_, 'py>, other: &Bound<'py, Self>, within: Opt, between: Option<Between>, out: &str,
    ) -> Object<'py> {
        let (py, filter, out) = (slf.py(), PairFilter::across(slf, other, within, between)?, Naming::named(out)?);
        let pairs = with!(&slf.get().0, space => space.join(py, other.get(), filter, |pairs, trees, signals| {
            Ok(named(filter.namers(out, trees)?, collect(signals, pairs)))
        }));
        table_of(py, out, pairs?)
    }

    /// How many pairs `join` finds. Where two parts of the indexes are close as a whole, their pairs are counted at once.
    #[pyo3(signature = (other, within=None, *, between=None))]
    fn count_join(slf: This, other: &Bound<Self>, within: Opt, between: Option<Between>) -> PyResult<usize> {
        let filter = PairFilter::across(slf, other, within, between)?;
        with!(&slf.get().0, space => space.join(slf.py(), other.get(), filter, |pairs, _, signals| {
            let mut count = 0;
            signals.each(pairs.counts(), |part| count += part);
            Ok(count)
        }))
    }

    /// Remembers which objects touch, or are at most `within` apart, from poll to poll.
    #[pyo3(signature = (within=None, layers=None, *, between=None))]
    fn contacts(slf: This, within: Opt, layers: Among, between: Option<Between>) -> PyResult<Contacts> {
        let filter = PairFilter::new(slf, within, layers, between)?;
        Ok(Contacts { index: slf.clone().unbind(), filter, last: Lock::new(library::Contacts::new()) })
    }
}

/// Which pairs have begun and which have ended. `Index.contacts` makes it.
#[pyclass(frozen, weakref, module = "pyquadrille")]
pub(crate) struct Contacts {
    index: Py<Index>,
    filter: PairFilter,
    last: Lock<library::Contacts>,
}

#[pymethods]
impl Contacts {
    /// Asks for the pairs again. Returns the handles of those that have begun, (P, 2), and of those that have ended.
    ///
    /// `moved` are the handles of all objects that were inserted, moved, removed or put into another layer since the
    /// last poll. Then only their pairs are looked at.
    #[pyo3(signature = (moved=None))]
    fn poll<'py>(&self, py: Python<'py>, moved: Opt) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let moved = moved_of(moved)?;
        let [begun, ended] =
            with!(&self.index.get().0, space => space.poll(py, self.filter, &self.last, moved.as_deref()))?;
        Ok((pairs(py, begun)?, pairs(py, ended)?))
    }

    /// The pairs of the last poll, (P, 2), ascending.
    fn pairs<'py>(&self, py: Python<'py>) -> Object<'py> {
        let all = self.last.read_attached(py)?.pairs().collect();
        pairs(py, all)
    }
    /// The handles of all that an object touched at the last poll, ascending: the way through an island.
    #[pyo3(name = "of")]
    fn partners<'py>(
        &self, py: Python<'py>, #[pyo3(from_py_with = handle_of)] handle: u64,
    ) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let partners = self.last.write_attached(py)?.of(Handle::from_bits(handle)).map(Handle::to_bits).collect();
        Ok(array(py, partners))
    }
}
