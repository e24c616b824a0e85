//! The memory that bytes of any origin may take, for each kind of saved thing: the table of `docs/guarantees.md`.

use quadrille::{
    AnyOf, Compact, Contacts, Corridor, Cursor, Intersecting, LayerSettings, Polygon, Rect, SpatialIndex, Watch,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::format::FORMATS;
use crate::hostile::mutate;
use crate::most_bytes_while;
use crate::play::{Dice, Play};

/// The memory taken whatever the bytes are, a page of buckets; and where they lie about a length: serde makes room for a
/// mebibyte of a list whose length is said beforehand, and lists stand in lists.
const BASE: [usize; 2] = [1 << 18, 1 << 21];

/// Loads a large thing as it was saved, then as mutations make it: it takes no more than so many times its bytes.
fn take_at_most<A: DeserializeOwned>(times: usize, name: &str, saved: &impl Serialize) {
    let mut dice = Dice::new(3);
    for format in FORMATS {
        let saved = format.save(saved);
        for round in 0..6 {
            let mut bytes = saved.clone();
            if 0 < round {
                mutate(&mut bytes, &mut dice);
            }
            let (loaded, taken) = most_bytes_while(|| format.load::<A>(&bytes).map(drop));
            assert!(0 < round || loaded.is_ok(), "{name} in {format:?}: {loaded:?}");
            let limit = times * bytes.len() + BASE[usize::from(0 < round)];
            let said = format!("{name} in {format:?}: {taken} bytes of {}", bytes.len());
            assert!(taken <= limit, "{said}");
            if round == 0 {
                println!("{said}, {} times as many", taken.div_ceil(bytes.len()));
            }
        }
    }
}

/// Indexes as they mostly are, and the largest for their bytes: one object in each bucket of the dearest kind.
#[test]
fn indexes() {
    let index = Play::<f32, 2>::of_rects(&mut Dice::new(1), 20_000).index;
    take_at_most::<SpatialIndex<u32>>(4, "index", &index);
    take_at_most::<Compact<SpatialIndex<u32>>>(6, "compact index", &Compact(&index));
    let world = Rect::new([0.0; 3], [1000.0; 3]);
    let mut sparse: SpatialIndex<u8, f64, 3> = SpatialIndex::new(world).expect("a world");
    let layer = sparse.add_rect_layer_with(LayerSettings::new().split_above(1)).expect("there is room");
    let mut dice = Dice::new(5);
    sparse.insert_batch(layer, (0..4000).map(|_| (dice.rect(), 0)).collect::<Vec<_>>()).expect("finite");
    take_at_most::<SpatialIndex<u8, f64, 3>>(60, "sparse index", &sparse);
    take_at_most::<Compact<SpatialIndex<u8, f64, 3>>>(120, "sparse compact index", &Compact(&sparse));
}

#[test]
fn cursors_watches_and_contacts() {
    let index = Play::<f32, 2>::of_rects(&mut Dice::new(2), 20_000).index;
    let all = Rect::new([-1e9, -1e9], [1e9, 1e9]);
    let mut cursor = index.intersecting(all).pause().distinct();
    let _ = cursor.run(&index, 19_000, |_| {}).expect("its index");
    take_at_most::<Cursor<Intersecting>>(8, "cursor", &cursor);
    let mut watch = Watch::new();
    watch.poll(index.iter()).expect("its index");
    take_at_most::<Watch>(4, "watch", &watch);
    let mut contacts = Contacts::new();
    contacts.poll(index.pairs().take(20_000)).expect("its index");
    take_at_most::<Contacts>(8, "contacts", &contacts);
}

#[test]
fn regions() {
    let mut dice = Dice::new(4);
    let mut ring = |corners: usize| (0..corners).map(|_| dice.point::<f32, 2>()).collect::<Vec<_>>();
    let lakes = (0..2000).fold(Polygon::new(ring(5000)), |lakes, _| lakes.with_ring(ring(1)));
    take_at_most::<Polygon>(12, "polygon", &lakes);
    take_at_most::<Corridor>(4, "corridor", &Corridor::new(ring(8000), 1.0));
    let ponds: Vec<_> = (0..4000).map(|_| Polygon::new(ring(3))).collect();
    take_at_most::<AnyOf<Polygon>>(32, "any of polygons", &AnyOf::<Polygon>::new(ponds));
}
