//! Several excluded objects, by one call or by several: every kind of query leaves all of them out.

use quadrille::{Handle, Metric, ObjectRef, Periodic, Quadtree, Ray, Rect, Watch};
use quadrille_support::oracle::sorted;

/// How far an object is from a place in the row.
#[derive(Clone)]
struct Across(f32);

impl Metric<u16> for Across {
    fn bound(&self, rect: &Rect) -> f64 {
        (rect.min()[0] - self.0).max(self.0 - rect.max()[0]).max(0.0).into()
    }

    fn distance(&self, object: &ObjectRef<'_, u16>) -> f64 {
        self.bound(&object.shape())
    }
}

/// Objects in a row, more than a bucket holds, and one of a second kind of layer.
fn row() -> (Quadtree<u16>, Vec<Handle>) {
    let mut index: Quadtree<u16> = Quadtree::new(Rect::new([0.0, 0.0], [100.0, 100.0])).unwrap();
    let (units, walls) = (index.add_point_layer().unwrap(), index.add_rect_layer().unwrap());
    let mut handles = index.insert_batch(units, (0..90_u16).map(|n| ([f32::from(n), 50.0], n))).unwrap();
    handles.push(index.insert(walls, Rect::new([0.0, 50.0], [90.0, 51.0]), 90).unwrap());
    (index, handles)
}

/// All handles but those of some rows, sorted.
fn all_but(handles: &[Handle], out: &[usize]) -> Vec<Handle> {
    let rows = (0..handles.len()).filter(|row| !out.contains(row));
    let mut rest: Vec<_> = rows.map(|row| handles[row]).collect();
    rest.sort_unstable();
    rest
}

/// In one bucket, in two, in two layers, and one of them twice.
const OUT: [[usize; 3]; 4] = [[3, 5, 4], [2, 88, 40], [7, 90, 7], [90, 0, 89]];

#[test]
fn region_queries_leave_out_several() {
    let (index, handles) = row();
    for out in OUT {
        let [a, b, c] = out.map(|row| handles[row]);
        let rest = all_but(&handles, &out);
        let query = || index.iter().excluding(a).excluding(b).excluding(c);
        assert_eq!(sorted(query().map(|object| object.handle())), rest, "{out:?}");
        assert_eq!(query().count(), rest.len(), "{out:?}");
        let mut folded = Vec::new();
        query().for_each(|object| folded.push(object.handle()));
        assert_eq!(sorted(folded.into_iter()), rest, "{out:?}");
        #[cfg(feature = "rayon")]
        {
            use rayon::prelude::*;
            let found: Vec<_> = query().into_par_iter().map(|object| object.handle()).collect();
            assert_eq!(sorted(found.into_iter()), rest, "{out:?}");
        }
        // Of a query that has begun, those yielded before stay yielded.
        for taken in [1, 30, 80] {
            let mut begun = index.iter().excluding(a);
            let mut seen: Vec<_> = begun.by_ref().take(taken).map(|object| object.handle()).collect();
            seen.retain(|&handle| handle != b && handle != c);
            let rest_of = begun.excluding(b).excluding(c);
            assert_eq!(rest_of.clone().count() + seen.len(), rest.len(), "{out:?} after {taken}");
            seen.extend(rest_of.map(|object| object.handle()));
            assert_eq!(sorted(seen.into_iter()), rest, "{out:?} after {taken}");
        }
    }
    let object = index.object(handles[90]).unwrap();
    assert_eq!(object.intersecting().excluding(handles[3]).count(), 89, "an object leaves itself out too");
    assert_eq!(index.iter().excluding(handles[3]).excluding(Handle::default()).count(), 90, "nothing more");
    let (most, query) = (&handles[..80], index.iter().excluding(handles.iter().skip(89)));
    assert_eq!(query.excluding(most).excluding(Vec::<Handle>::new()).excluding([handles[88]]).count(), 8);
}

#[test]
fn ordered_queries_leave_out_several() {
    let (index, handles) = row();
    for out in OUT {
        let [a, b, c] = out.map(|row| handles[row]);
        let rest = all_but(&handles, &out);
        macro_rules! each {
            ($($query:expr),+) => {$(
                let found = $query.excluding(a).excluding(b).excluding(c);
                assert_eq!(sorted(found.map(|found| found.object.handle())), rest, "{out:?}");
                let mut begun = $query.excluding(a);
                let first = begun.next().expect("objects").object.handle();
                let after = begun.excluding(b).excluding(c).map(|found| found.object.handle());
                let wanted = rest.iter().copied().filter(|&handle| handle != first);
                assert_eq!(sorted(after), sorted(wanted), "{out:?}");
            )+};
        }
        each!(index.nearest([30.0, 50.0]), index.raycast(Ray::new([0.0, 50.0], [100.0, 0.0])));
        each!(index.cast([0.0, 50.0], [100.0, 0.0]), index.nearest_by(Across(7.0)));
    }
    let first = |row: f32| index.nearest([row, 50.0]).excluding(handles[90]).excluding(handles[7]);
    assert_eq!(first(7.0).next().map(|near| *near.object.value()), Some(6), "one object alone");
    assert!(first(7.0).any_first().is_some_and(|near| [6, 8].contains(near.object.value())));
    assert!(!first(7.0).within(0.5).exists());
}

#[test]
fn periodic_queries_leave_out_several() {
    let (index, handles) = row();
    let torus = Periodic::new(index.world()).unwrap();
    let around = Rect::new([80.0, 0.0], [110.0, 100.0]);
    let met: Vec<_> = (0..91).filter(|&n| !(11..80).contains(&n)).map(|n| handles[n]).collect();
    for out in OUT {
        let [a, b, c] = out.map(|row| handles[row]);
        let rest = all_but(&handles, &out);
        let found = index.intersecting(around).periodic(&torus).excluding(a).excluding(b).excluding(c);
        assert_eq!(found.clone().count(), found.clone().fold(0, |count, _| count + 1));
        let wanted = rest.iter().copied().filter(|handle| met.contains(handle));
        assert_eq!(sorted(found.map(|object| object.handle())), sorted(wanted), "{out:?}");
        macro_rules! each {
            ($($query:expr),+) => {$(
                let found = $query.excluding(a).excluding(b).excluding(c);
                assert_eq!(sorted(found.map(|found| found.object.handle())), rest, "{out:?}");
            )+};
        }
        each!(index.nearest([99.0, 50.0]).periodic(&torus), index.cast([90.0, 50.0], [100.0, 0.0]).periodic(&torus));
        each!(index.raycast(Ray::new([90.0, 50.0], [100.0, 0.0])).periodic(&torus));
    }
}

#[test]
fn cursors_and_watches_leave_out_several() {
    for out in OUT {
        let (mut index, handles) = row();
        let [a, b, c] = out.map(|row| handles[row]);
        let rest = all_but(&handles, &out);
        let query = |index: &Quadtree<u16>| index.iter().excluding(a).excluding(b).excluding(c).pause();
        let mut cursor = query(&index);
        let mut stepped = Vec::new();
        while let Some(object) = cursor.step(&index).unwrap() {
            stepped.push(object.handle());
        }
        assert_eq!(sorted(stepped.into_iter()), rest, "{out:?}");
        for taken in [0, 1, 50] {
            let mut begun = index.iter().excluding(a).excluding(b).excluding(c);
            let mut seen: Vec<_> = begun.by_ref().take(taken).map(|object| object.handle()).collect();
            let cursor = begun.pause();
            // They lie elsewhere in memory by then.
            index.optimize();
            seen.extend(index.resume(cursor).unwrap().map(|object| object.handle()));
            assert_eq!(sorted(seen.into_iter()), rest, "{out:?} after {taken}");
        }
        let mut watch = Watch::new();
        let changes = watch.poll(index.iter().excluding(a).excluding(b).excluding(c)).unwrap();
        assert_eq!(changes.entered.len(), rest.len(), "{out:?}");
    }
}

/// Of several excluded objects in a bucket, the first search for one object left out the first only: nearer ones hid the answer.
#[test]
fn the_nearest_is_found_beside_several_that_are_excluded() {
    let mut index = Quadtree::<u32>::new(Rect::new([0.0, 0.0], [100.0, 100.0])).unwrap();
    let points = index.add_point_layer().unwrap();
    let handles = index.insert_batch(points, (0..90_u8).map(|x| ([f32::from(x), 50.0], x.into()))).unwrap();
    let out = [handles[7], handles[8]];
    assert_eq!(index.nearest([7.3, 50.0]).excluding(out).next().map(|near| *near.object.value()), Some(6));
    assert!(index.nearest([7.3, 50.0]).excluding(out).within(2.0).exists());
    let of_one = index.object(handles[7]).unwrap().nearest().excluding(handles[8]).next();
    assert_eq!(of_one.map(|near| *near.object.value()), Some(6));
}
