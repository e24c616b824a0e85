//! Plain exports over worlds: numbers in, numbers out, lists through buffers in linear memory.
//!
//! Objects have the ids that the caller gives; a table leads from an id to its handle. The glue has checked the types of all
//! numbers; here is checked what only the index knows, always before anything changes. Answers lie in `World::ids` and
//! `World::numbers`, whose addresses are in the `Head` of the world.
#![expect(unsafe_code, reason = "exports have fixed names, and the glue names a world by its address")]

#[cfg(feature = "full")]
mod clusters;
mod export;
#[cfg(feature = "full")]
mod full;
mod handles;
#[cfg(feature = "markers")]
mod markers;
mod torus;
#[cfg(feature = "full")]
mod watches;

use core::hint::black_box;

use export::export;
use handles::{Handles, IDS_MAX, Listed};
use quadrille::{
    Answers, Handle, Intersecting, Kind, Layer, LayerId, LayerSet, ObjectError, Query, Rect, Region, SpatialIndex,
};
use torus::Torus;

#[cfg(feature = "f32")]
type S = f32;
#[cfg(not(feature = "f32"))]
type S = f64;

#[cfg(feature = "space")]
const D: usize = 3;
#[cfg(not(feature = "space"))]
const D: usize = 2;

/// Ids are in `Handles`, by the slots of objects: a list of them is made of whole blocks of handles.
type Index = SpatialIndex<(), S, D>;
type Shape = Rect<S, D>;

/// An object takes no more while a batch of them is inserted. In 2D, with coordinates of 64 bits, 200 bytes were seen for points, and
/// 276 for long boxes.
const BYTES_MAX: usize = 5 * size_of::<Shape>() + 140;

/// The outcomes of changes, as `windows.js` lists them.
const DONE: u32 = 0;
const NO_OBJECT: u32 = 1;
const NOT_FINITE: u32 = 2;
const IN_USE: u32 = 3;
const WRONG_KIND: u32 = 4;
const BAD_ID: u32 = 5;
const FULL: u32 = 6;
const TWICE: u32 = 7;

/// Addresses of the lists of the last answer, and a number that says where a batch is wrong.
#[repr(C)]
struct Head {
    ids: *const u32,
    ends: *const usize,
    numbers: *const S,
    position: usize,
    normals: *const S,
    touching: *const u32,
    centers: *const u32,
}

/// An index with the names of its objects.
#[repr(C)]
pub struct World {
    head: Head,
    index: Index,
    torus: Torus,
    layers: Vec<LayerId>,
    handles: Handles,
    ids_in: Vec<u32>,
    numbers_in: Vec<S>,
    ids: Vec<u32>,
    numbers: Vec<S>,
    answers: Answers<u32>,
    #[cfg(feature = "full")]
    hits: full::Hits,
    #[cfg(feature = "full")]
    clustered: clusters::Clustered,
    #[cfg(feature = "markers")]
    markers: Vec<quadrille::Markers<S, D>>,
    #[cfg(feature = "full")]
    zones: watches::Zones,
}

impl World {
    fn handle(&self, id: u32) -> Handle {
        self.handles.get(id)
    }

    fn has(&self, id: u32) -> bool {
        self.index.contains(self.handle(id))
    }

    /// Says where the answer lies, and returns its length.
    fn answer(&mut self) -> u32 {
        self.head.ids = self.ids.as_ptr();
        self.head.numbers = self.numbers.as_ptr();
        self.ids.len() as u32
    }

    /// The same for a shape, whose corners are the answer. Returns 1.
    fn answer_shape(&mut self, shape: Shape) -> u32 {
        self.numbers.clear();
        self.numbers.extend(shape.min().into_iter().chain(shape.max()));
        self.answer();
        1
    }

    /// The same for the answers to a batch.
    fn answer_batch(&mut self) -> u32 {
        self.head.ids = self.answers.items.as_ptr();
        self.head.ends = self.answers.offsets.as_ptr();
        self.answers.items.len() as u32
    }

    /// Whether a batch can be inserted: each shape, each id, none of them in use, none twice.
    fn check_batch(&mut self, n: usize, kind: Kind) -> u32 {
        if let Some(position) = position_of_bad(corners(&self.numbers_in, n, kind)) {
            self.head.position = position;
            return NOT_FINITE;
        }
        let max = self.ids_in[..n].iter().copied().max().unwrap_or_default();
        let mut seen = vec![0_u64; max.min(IDS_MAX - 1) as usize / 64 + 1];
        for position in 0..n {
            let id = self.ids_in[position];
            self.head.position = position;
            if id >= IDS_MAX {
                return BAD_ID;
            }
            if self.has(id) {
                return IN_USE;
            }
            let (word, bit) = (&mut seen[id as usize / 64], 1 << (id % 64));
            if *word & bit != 0 {
                return TWICE;
            }
            *word |= bit;
            if !self.handles.make_room(id) {
                return FULL;
            }
        }
        DONE
    }
}

fn set(layers: u32) -> LayerSet {
    LayerSet::from_bits(u64::from(layers))
}

fn kind_of(boxes: u32) -> Kind {
    if boxes == 0 { Kind::Points } else { Kind::Rects }
}

/// The number of coordinates of a shape.
const fn numbers_of(kind: Kind) -> usize {
    match kind {
        Kind::Points => D,
        Kind::Rects => 2 * D,
    }
}

/// The corners of the first `n` points or boxes in a list. Those of a point are the same.
fn corners(numbers: &[S], n: usize, kind: Kind) -> impl Iterator<Item = [[S; D]; 2]> + Clone {
    let per = numbers_of(kind);
    numbers[..per * n].chunks_exact(per).map(move |numbers| {
        let corner = |at: usize| core::array::from_fn(|axis| numbers[(at + axis) % per]);
        [corner(0), corner(D)]
    })
}

fn is_finite([min, max]: [[S; D]; 2]) -> bool {
    min.iter().chain(&max).all(|at| at.is_finite())
}

/// The position of the first shape that no object can have.
fn position_of_bad(mut shapes: impl Iterator<Item = [[S; D]; 2]>) -> Option<usize> {
    shapes.position(|[min, max]| !is_finite([min, max]) || Shape::try_new(min, max).is_err())
}

/// The outcome of a change of one object.
fn status<T>(outcome: &Result<T, ObjectError>) -> u32 {
    match outcome {
        Ok(_) => DONE,
        Err(ObjectError::NotFinite(_)) => NOT_FINITE,
        Err(ObjectError::NoSuchObject { .. }) => NO_OBJECT,
        Err(ObjectError::WrongKind { .. }) => WRONG_KIND,
        Err(_) => FULL,
    }
}

/// Lists the ids of all that a query finds.
fn list<R: Region<S, D>>(ids: &mut Vec<u32>, handles: &Handles, found: Query<'_, (), Intersecting, S, D, R>) {
    ids.clear();
    found.handles_into(&mut Listed { ids, handles });
}

/// A world with this extent, or null; bits of `wraps` name the axes on which it wraps around.
#[unsafe(no_mangle)]
#[cfg(not(feature = "space"))]
pub extern "C" fn world_new(wraps: u32, x: S, y: S, u: S, v: S) -> *mut World {
    new(wraps, Rect::new([x, y], [u, v]))
}

/// A world with this extent, or null; bits of `wraps` name the axes on which it wraps around.
#[unsafe(no_mangle)]
#[cfg(feature = "space")]
pub extern "C" fn world_new(wraps: u32, x: S, y: S, z: S, u: S, v: S, w: S) -> *mut World {
    new(wraps, Rect::new([x, y, z], [u, v, w]))
}

fn new(wraps: u32, extent: Shape) -> *mut World {
    let (Ok(index), Some(torus)) = (Index::new(extent), Torus::new(wraps, extent)) else {
        return core::ptr::null_mut();
    };
    Box::into_raw(Box::new(World {
        head: Head {
            ids: core::ptr::null(),
            ends: core::ptr::null(),
            numbers: core::ptr::null(),
            position: 0,
            normals: core::ptr::null(),
            touching: core::ptr::null(),
            centers: core::ptr::null(),
        },
        index,
        torus,
        layers: Vec::new(),
        handles: Handles::default(),
        ids_in: Vec::new(),
        numbers_in: Vec::new(),
        ids: Vec::new(),
        numbers: Vec::new(),
        answers: Answers::new(),
        #[cfg(feature = "full")]
        hits: full::Hits::default(),
        #[cfg(feature = "full")]
        clustered: clusters::Clustered::default(),
        #[cfg(feature = "markers")]
        markers: Vec::new(),
        #[cfg(feature = "full")]
        zones: watches::Zones::default(),
    }))
}

/// How many numbers a point has.
#[unsafe(no_mangle)]
pub extern "C" fn dimensions() -> u32 {
    D as u32
}

/// The size of a coordinate.
#[unsafe(no_mangle)]
pub extern "C" fn scalar_bytes() -> u32 {
    size_of::<S>() as u32
}

/// # Safety
/// As for `export`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn world_free(world: *mut World) {
    // SAFETY: see `export`.
    drop(unsafe { Box::from_raw(world) });
}

export! {
    /// The number of the new layer, or -1.
    fn layer_add(world, boxes: u32) -> i32 {
        let made = match kind_of(boxes) {
            Kind::Points => world.index.add_point_layer().map(Layer::id),
            Kind::Rects => world.index.add_rect_layer().map(Layer::id),
        };
        let Ok(layer) = made else { return -1 };
        world.layers.push(layer);
        i32::from(layer.number())
    }

    fn size(world, layers: u32) -> u32 { world.index.len_in(set(layers)) as u32 }

    fn clear(world, layers: u32) { world.index.clear_in(set(layers)); }

    fn has(world, id: u32) -> u32 { u32::from(world.has(id)) }

    /// Where to write ids, or null.
    fn ids_room(world, n: u32) -> *mut u32 {
        let more = (n as usize).saturating_sub(world.ids_in.len());
        if world.ids_in.try_reserve(more).is_err() { return core::ptr::null_mut() }
        world.ids_in.resize(world.ids_in.len() + more, 0);
        world.ids_in.as_mut_ptr()
    }

    /// Where to write coordinates, or null.
    fn numbers_room(world, n: u32) -> *mut S {
        let more = (n as usize).saturating_sub(world.numbers_in.len());
        if world.numbers_in.try_reserve(more).is_err() { return core::ptr::null_mut() }
        world.numbers_in.resize(world.numbers_in.len() + more, 0.0);
        world.numbers_in.as_mut_ptr()
    }

    /// Whether there is memory for so many objects more in a layer, with the lists that are needed meanwhile. Memory that is
    /// got here is used then.
    fn has_room(world, layer: u32, n: u32) -> u32 {
        let len = world.index.len_in(world.layers[layer as usize]);
        // For more than it has, a layer is built anew.
        let built = if len <= n as usize { len } else { 0 } + n as usize;
        // No list may be longer than 2 GB. The compiler would leave out memory that nobody uses.
        let parts: [Vec<u8>; 5] = Default::default();
        let got = parts.map(|mut part| part.try_reserve_exact(built.saturating_mul(BYTES_MAX / 5)).map(|()| black_box(part)));
        u32::from(got.iter().all(Result::is_ok))
    }

    fn insert(world, layer: u32, id: u32; min, max) -> u32 {
        if !is_finite([min, max]) { return NOT_FINITE }
        if world.has(id) { return IN_USE }
        if !world.handles.make_room(id) { return FULL }
        let shape = world.torus.wrap(Rect::new(min, max));
        let made = world.index.insert_any(world.layers[layer as usize], shape, ());
        if let Ok(handle) = made { world.handles.set(id, handle) }
        status(&made)
    }

    /// The batch in `ids_in` and `numbers_in`: all or none.
    fn insert_many(world, layer: u32, n: u32, boxes: u32) -> u32 {
        let (n, kind, layer) = (n as usize, kind_of(boxes), world.layers[layer as usize]);
        if world.index.layer_kind(layer) != Some(kind) { return WRONG_KIND }
        let refused = world.check_batch(n, kind);
        if refused != DONE { return refused }
        let (torus, ids) = (world.torus, world.ids_in[..n].iter().copied());
        let shapes = corners(&world.numbers_in, n, kind).map(|[min, max]| torus.wrap(Rect::new(min, max)));
        let made = match (world.index.point_layer(layer), world.index.rect_layer(layer)) {
            (Some(points), _) => world.index.insert_batch(points, shapes.map(|shape| (shape.min(), ()))),
            (_, Some(rects)) => world.index.insert_batch(rects, shapes.map(|shape| (shape, ()))),
            _ => return WRONG_KIND,
        };
        let Ok(handles) = made else { return FULL };
        for (id, handle) in ids.zip(handles) {
            world.handles.set(id, handle);
        }
        DONE
    }

    fn move_to(world, id: u32; min, max) -> u32 {
        status(&world.index.move_to(world.handle(id), world.torus.wrap(Rect::new(min, max))))
    }

    /// How many were refused; -1 if a shape is none, -2 if there is no memory, and then nothing has moved.
    fn move_many(world, n: u32, boxes: u32) -> i32 {
        let (n, kind, torus) = (n as usize, kind_of(boxes), world.torus);
        let shapes = corners(&world.numbers_in, n, kind);
        if let Some(position) = position_of_bad(shapes.clone()) {
            world.head.position = position;
            return -1;
        }
        // Apart: inside the loop over moves the look-ups take several times as long.
        let mut handles = Vec::new();
        if handles.try_reserve_exact(n).is_err() { return -2 }
        handles.extend(world.ids_in[..n].iter().map(|&id| world.handles.get(id)));
        let moves = handles.into_iter().zip(shapes.map(|[min, max]| torus.wrap(Rect::new(min, max))));
        let outcome = match kind {
            Kind::Points => world.index.move_batch(moves.map(|(handle, shape)| (handle, shape.min()))),
            Kind::Rects => world.index.move_batch(moves),
        };
        (outcome.refused.len() as u32).cast_signed()
    }

    fn remove(world, id: u32) -> u32 { u32::from(world.index.remove(world.handle(id)).is_some()) }

    fn remove_many(world, n: u32) -> u32 {
        (0..n as usize).filter(|&at| world.index.remove(world.handle(world.ids_in[at])).is_some()).count() as u32
    }

    /// Writes the corners of an object's shape.
    fn shape(world, id: u32) -> u32 {
        let Some(shape) = world.index.shape(world.handle(id)) else { return 0 };
        world.answer_shape(shape)
    }

    /// Writes the corners of the world itself.
    fn extent(world) -> u32 { world.answer_shape(world.index.world()) }

    /// The ids of a layer's objects and their corners, one of a point: neighbours in space one after the other.
    fn objects(world, layer: u32) -> u32 {
        let World { index, torus, layers, handles, ids, numbers, .. } = world;
        let per = index.layer_kind(layers[layer as usize]).map_or(0, numbers_of);
        ids.clear();
        numbers.clear();
        // By the query and the method that are there already: others would be as long again.
        let found = torus.region(index, torus.everything(), layers[layer as usize].into());
        for object in found {
            ids.push(handles.id(object.handle()));
            numbers.extend(object.shape().min().into_iter().chain(object.shape().max()).take(per));
        }
        world.answer()
    }

    fn window(world, layers: u32; min, max) -> u32 {
        list(&mut world.ids, &world.handles, world.torus.region(&world.index, Rect::new(min, max), set(layers)));
        world.answer()
    }

    fn some(world, layers: u32, limit: u32; min, max) -> u32 {
        let found = world.torus.region(&world.index, Rect::new(min, max), set(layers)).take(limit as usize);
        world.ids.clear();
        world.ids.extend(found.map(|object| world.handles.id(object.handle())));
        world.answer()
    }

    fn any(world, layers: u32; min, max) -> u32 {
        u32::from(world.torus.region(&world.index, Rect::new(min, max), set(layers)).exists())
    }

    fn count(world, layers: u32; min, max) -> u32 {
        world.torus.region(&world.index, Rect::new(min, max), set(layers)).count() as u32
    }

    /// The windows in `numbers_in`; -1 if one is no box.
    fn window_many(world, layers: u32, n: u32) -> i32 {
        let windows = corners(&world.numbers_in, n as usize, Kind::Rects).map(|[min, max]| Shape::try_new(min, max));
        if let Some(position) = windows.clone().position(|window| window.is_err()) {
            world.head.position = position;
            return -1;
        }
        world.answers.fill(&world.index, windows.flatten(), |window: &Shape, answer| {
            let found = world.torus.region(&world.index, *window, set(layers));
            found.handles_into(&mut Listed { ids: answer, handles: &world.handles });
        });
        world.answer_batch().cast_signed()
    }

    /// A little of the work of putting memory in order; whether a pass is done.
    fn optimize_step(world, budget: u32) -> u32 { u32::from(world.index.optimize_step(budget as usize).done) }
}
