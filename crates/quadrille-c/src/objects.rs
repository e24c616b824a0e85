//! Indexes, layers and objects: made, changed, looked up, saved, freed.

use quadrille::{Contacts, Handle, LayerId, ObjectError, Points, Rect, Rects, Watch};

use crate::error::{Outcome, Status, refuse};
use crate::gate::{Kept, Lent, Thing, gate};
use crate::question::{handles_of, layer_set, point};
use crate::stamp::stamp;
use crate::{Index, Number};

fn new<S: Number, const D: usize>(lent: &Lent, world: *const S) -> Outcome<Index<S, D>> {
    let world = lent.input("world", world, 2 * D)?;
    Ok(Index::new(Rect::try_new(point(world, 0), point(world, D))?)?)
}

fn load<S: Number, const D: usize>(lent: &Lent, bytes: *const u8, len: usize) -> Outcome<Index<S, D>> {
    match postcard::take_from_bytes(lent.input("bytes", bytes, len)?) {
        Ok((loaded, [])) => Ok(loaded),
        _ => refuse(Status::BadBytes, format!("{len} bytes: not as they were saved, or of another kind of index")),
    }
}

macro_rules! made {
    ($($name:ident($($arg:ident: $type:ty),*) = $thing:expr;)+) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($arg: $type,)* made: *mut *mut Kept) -> Status {
            let thing = $thing;
            // SAFETY: the header says what the caller vouches for.
            unsafe { gate(|lent| lent.give(made, thing(lent)?)) }
        }
    )+};
}
made! {
    qd_new(dimensions: u32, world: *const f64) =
        |lent: &Lent| in_space(dimensions, || Ok(Thing::D2(new(lent, world)?)), || Ok(Thing::D3(new(lent, world)?)));
    qdf_new(dimensions: u32, world: *const f32) =
        |lent: &Lent| in_space(dimensions, || Ok(Thing::F2(new(lent, world)?)), || Ok(Thing::F3(new(lent, world)?)));
    qd_load(dimensions: u32, bytes: *const u8, len: usize) =
        |lent: &Lent| in_space(dimensions, || Ok(Thing::D2(load(lent, bytes, len)?)), || Ok(Thing::D3(load(lent, bytes, len)?)));
    qdf_load(dimensions: u32, bytes: *const u8, len: usize) =
        |lent: &Lent| in_space(dimensions, || Ok(Thing::F2(load(lent, bytes, len)?)), || Ok(Thing::F3(load(lent, bytes, len)?)));
    qd_watch_new() = |_: &Lent| Outcome::Ok(Thing::Watch(Watch::new()));
    qd_contacts_new() = |_: &Lent| Outcome::Ok(Thing::Contacts(Contacts::new()));
}

fn in_space(dimensions: u32, flat: impl Fn() -> Outcome<Thing>, solid: impl Fn() -> Outcome<Thing>) -> Outcome<Thing> {
    match dimensions {
        2 => flat(),
        3 => solid(),
        _ => refuse(Status::BadChoice, format!("{dimensions} dimensions: there are 2 and 3")),
    }
}

/// Frees whatever the library has made.
#[unsafe(no_mangle)]
unsafe extern "C" fn qd_free(made: *mut Kept) -> Status {
    // SAFETY: the header says what the caller vouches for.
    unsafe { gate(|lent| if made.is_null() { Ok(()) } else { lent.take(made) }) }
}

fn layer_of<S: Number, const D: usize>(index: &Index<S, D>, number: u32) -> Outcome<LayerId> {
    let layer = index.layers().find(|layer| u32::from(layer.number()) == number);
    layer.map_or_else(|| refuse(Status::NoLayer, format!("there is no layer {number}")), Ok)
}

fn points<S: Number, const D: usize>(
    lent: &Lent, shapes: *const S, len: usize,
) -> Outcome<impl Iterator<Item = [S; D]>> {
    Ok(lent.input("shapes", shapes, len.saturating_mul(D))?.chunks_exact(D).map(|shape| point(shape, 0)))
}

fn boxes<S: Number, const D: usize>(lent: &Lent, shapes: *const S, len: usize) -> Outcome<Vec<Rect<S, D>>> {
    let shapes = lent.input("shapes", shapes, len.saturating_mul(2 * D))?.chunks_exact(2 * D);
    Ok(shapes.map(|shape| Rect::try_new(point(shape, 0), point(shape, D))).collect::<Result<_, _>>()?)
}

fn no_kind<T>(kind: u32) -> Outcome<T> {
    refuse(Status::BadChoice, format!("kind {kind}: there are 0 and 1"))
}

stamp! {
    fn add_layer(lent, index: write, kind: u32, layer: *mut u32) {
        let mut layer = lent.result("layer", layer)?;
        let new = match kind {
            0 => index.add_point_layer()?.id(),
            1 => index.add_rect_layer()?.id(),
            _ => return no_kind(kind),
        };
        layer.put([new.number().into()]);
    }

    fn clear(_lent, index: write, layers: u64) {
        index.clear_in(layer_set(layers)?);
    }

    fn count(lent, index: read, layers: u64, objects: *mut usize, slots: *mut usize) {
        let (mut objects, mut all) = (lent.output("objects", objects, 1)?, lent.output("slots", slots, 1)?);
        objects.put([index.len_in(layer_set(layers)?)]);
        all.put([index.slots()]);
    }

    fn insert(lent, index: write, layer: u32, shapes: *const S, len: usize, handles: *mut u64) {
        let (id, mut handles) = (layer_of(index, layer)?, lent.output("handles", handles, len)?);
        let made = match (index.point_layer(id), index.rect_layer(id)) {
            (Some(layer), _) => index.insert_batch(layer, points(lent, shapes, len)?.map(|shape| (shape, ())))?,
            (_, Some(layer)) => index.insert_batch(layer, boxes(lent, shapes, len)?.into_iter().map(|shape| (shape, ())))?,
            _ => Vec::new(),
        };
        handles.put(made.into_iter().map(Handle::to_bits));
    }

    fn move_to(lent, index: write, kind: u32, handles: *const u64, shapes: *const S, len: usize, refused: *mut usize) {
        let (handles, mut refused) = (handles_of(lent, "handles", handles, len)?, lent.output("refused", refused, 1)?);
        let outcome = match kind {
            0 => index.move_batch::<Points, _>(handles.zip(points(lent, shapes, len)?)),
            1 => index.move_batch::<Rects, _>(handles.zip(boxes(lent, shapes, len)?)),
            _ => return no_kind(kind),
        };
        refused.put([outcome.refused.len()]);
        outcome.refused.first().map_or(Ok(()), |&(_, reason)| Err(reason))?;
    }

    fn set_layer(lent, index: write, layer: u32, handles: *const u64, len: usize, refused: *mut usize) {
        let (id, mut refused) = (layer_of(index, layer)?, lent.output("refused", refused, 1)?);
        let set = handles_of(lent, "handles", handles, len)?.map(|handle| index.set_layer(handle, id));
        let errors: Vec<_> = set.filter_map(Result::err).collect();
        refused.put([errors.len()]);
        errors.into_iter().next().map_or(Ok(()), Err)?;
    }

    fn remove(lent, index: write, handles: *const u64, len: usize) {
        index.remove_batch(handles_of(lent, "handles", handles, len)?)?;
    }

    fn shapes_of(lent, index: read, handles: *const u64, len: usize, boxes: *mut S, layers: *mut u32) {
        let mut boxes = lent.output("boxes", boxes, len.saturating_mul(2 * D))?;
        let mut layers = lent.output("layers", layers, len)?;
        let objects = handles_of(lent, "handles", handles, len)?.map(|handle| index.object(handle).ok_or(ObjectError::NoSuchObject { handle }));
        for object in objects.collect::<Result<Vec<_>, _>>()? {
            boxes.put(object.shape().min().into_iter().chain(object.shape().max()));
            layers.put([object.layer().number().into()]);
        }
    }

    fn optimize(lent, index: write, budget: usize, done: *mut i32) {
        lent.output("done", done, 1)?.put([index.optimize_step(budget).done.into()]);
    }

    fn save(lent, index: read, bytes: *mut u8, capacity: usize, len: *mut usize) {
        lent.fill("bytes", (bytes, capacity, len), postcard::to_allocvec(index).expect("memory takes all"))?;
    }
}
