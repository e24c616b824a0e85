//! The contract of cursors, line by line, in trees of some thousand objects.

use std::collections::{BTreeMap, BTreeSet};

use quadrille::{
    Ball, Cursor, Handle, Intersecting, LayerSet, LayerSettings, Near, Polygon, Predicate, Query, Rect, Region,
    ResumeError, Segment,
};

use quadrille_support::oracle::Span;
use quadrille_support::stage::{SIDE, Stage};
use quadrille_support::{Index, Real, assert_sound, in_spaces};

in_spaces!(
    once_whatever_becomes_of_the_others,
    blocks_merged_over_the_place,
    order_of_steps_and_slices,
    removed_is_gone,
    moved_and_distinct,
    crowds_on_a_spot,
    errors,
    clones_of_the_index,
    layers_come_and_go,
    left_out_for_good,
    beginnings_and_ends,
    regions_of_all_sorts,
    a_budget_bounds_giants,
    lengths_at_the_limit_of_the_root_list,
);

fn handles<S: Real, const D: usize, P: Predicate, R: Region<S, D>>(
    index: &Index<S, D>,
    cursor: Cursor<P, S, D, R>,
) -> Vec<Handle> {
    index.resume(cursor).expect("the same index").map(|object| object.handle()).collect()
}

/// The cursor of a query after so many objects, and the objects still to come.
fn paused_after<S: Real, const D: usize, P: Predicate>(
    mut query: Query<'_, u32, P, S, D>,
    taken: usize,
) -> (Cursor<P, S, D>, Vec<Handle>) {
    query.by_ref().take(taken).for_each(drop);
    let to_come = query.clone().map(|object| object.handle()).collect();
    (query.pause(), to_come)
}

fn is_plain<T: Clone + Send + Sync + Unpin + 'static>(_: &T) {}

/// Unchanged objects come exactly once: through splits, merges, `optimize`, `optimize_step`, `shrink_to_fit`, `set_layer`
/// of others, wherever the query was paused, and paused again every so often.
fn once_whatever_becomes_of_the_others<S: Real, const D: usize>() {
    for how in 0..9 {
        for every in [1, 37, 400] {
            let mut stage = Stage::<S, D>::new(1200, 5);
            let alone: BTreeSet<_> = stage.handles.iter().copied().step_by(3).collect();
            let region = Stage::middle();
            let due = stage.index.intersecting(region).map(|object| object.handle());
            let due: BTreeSet<_> = due.filter(|handle| alone.contains(handle)).collect();
            assert!(due.len() > 30);
            let mut seen = BTreeMap::new();
            let mut cursor = stage.index.intersecting(region).pause();
            is_plain(&cursor);
            for round in 0.. {
                let mut resumed = stage.index.resume(cursor).expect("the same index");
                let mut taken = 0;
                for object in resumed.by_ref().take(every) {
                    taken += 1;
                    *seen.entry(object.handle()).or_insert(0) += 1;
                }
                cursor = resumed.pause();
                if taken < every {
                    break;
                }
                if round % (200 / every + 1) == 0 {
                    stage.disturb(how, &alone);
                }
            }
            for handle in &due {
                assert_eq!(seen.get(handle), Some(&1), "{how}, every {every}: {:?}", stage.index.object(*handle));
            }
        }
    }
}

/// A query is paused deep in a cell, and the blocks of the cell merge: at the first cell of all, and at the last of a
/// node that stays.
fn blocks_merged_over_the_place<S: Real, const D: usize>() {
    let cell = if D == 2 { 8.0 } else { 16.0 };
    for (corner, others) in [(1.0, 0_u16), (cell - 0.05, 12)] {
        for taken in [20, 100, 180] {
            for budget in [1, usize::MAX] {
                let mut index = Index::<S, D>::new(Rect::new([S::of(0.0); D], [S::of(SIDE); D])).expect("a world");
                let layer = index.add_point_layer_with(LayerSettings::new().split_above(6)).expect("a layer");
                let crowd = (0..200_u16).map(|number| corner + f64::from(number) * 0.0002);
                let around = (0..others).map(|number| f64::from(number) * cell / 13.0);
                let places = crowd.chain(around).map(|place| ([S::of(place); D], 0));
                index.insert_batch(layer, places.collect::<Vec<_>>()).expect("finite");
                let mut query = index.iter();
                let first: Vec<_> = query.by_ref().take(taken).map(|object| object.handle()).collect();
                let to_come: Vec<_> = query.clone().map(|object| object.handle()).collect();
                let cursor = query.pause();
                let crowd = 200 - taken;
                let (some, rest) = to_come.split_at(crowd);
                for gone in first[2..].iter().chain(&some[1..crowd - 1]) {
                    index.remove(*gone).expect("it was there");
                }
                let due: BTreeSet<_> = [some[0], some[crowd - 1]].into_iter().chain(rest.iter().copied()).collect();
                let (mut cursor, mut seen) = (cursor, Vec::new());
                while !cursor.run(&index, budget, |object| seen.push(object.handle())).expect("the same index").done {}
                assert_eq!(seen.len(), due.len(), "from {corner}, after {taken}, a budget of {budget}");
                assert_eq!(seen.into_iter().collect::<BTreeSet<_>>(), due);
            }
        }
    }
}

/// All ways to go on give the same objects on an index that stays; and slices of every size end.
fn order_of_steps_and_slices<S: Real, const D: usize>() {
    let stage = Stage::<S, D>::new(1200, 11);
    let index = &stage.index;
    let all: BTreeSet<_> = index.intersecting(Stage::middle()).map(|object| object.handle()).collect();
    let stats = index.stats();
    let fresh = index.intersecting(Stage::middle()).pause();
    for budget in [0, 1, 2, 3, 10, 100, usize::MAX] {
        let (mut cursor, mut seen, mut calls) = (fresh.clone(), Vec::new(), 0);
        loop {
            let run = cursor.run(index, budget, |object| seen.push(object.handle())).expect("the same index");
            assert!(run.done || run.visited >= budget.max(1), "{run:?} of {budget}");
            calls += 1;
            if run.done {
                assert!(budget > 3 || calls > 10, "{calls} calls with a budget of {budget}");
                assert!(budget < usize::MAX || calls == 1 && run.visited <= stats.nodes + stats.buckets);
                assert_eq!(cursor.run(index, budget, |_| panic!("it was done")).map(|run| run.done), Ok(true));
                break;
            }
            assert!(calls <= 2 * (stats.nodes + stats.buckets), "no end with a budget of {budget}");
        }
        assert_eq!(seen.len(), all.len(), "a budget of {budget}");
        assert_eq!(seen.into_iter().collect::<BTreeSet<_>>(), all, "a budget of {budget}");
    }
    let (mut cursor, mut seen) = (fresh.clone(), BTreeSet::new());
    while let Some(object) = cursor.step(index).expect("the same index") {
        assert!(seen.insert(object.handle()));
    }
    assert_eq!(seen, all);
    // A budget limits what is done at once, where there are no own lists and no chains.
    let mut cursor = index.iter().in_layers(stage.layers[0].id()).pause();
    while !cursor.run(index, 4, |_| ()).expect("the same index").done {
        let run = cursor.clone().run(index, 4, |_| ()).expect("the same index");
        assert!(run.visited <= 4 + stats.depths.len(), "{run:?}");
    }
}

/// Removed objects do not come any more, be they owed, in the bucket at hand, or yet to be found.
fn removed_is_gone<S: Real, const D: usize>() {
    for taken in [0, 1, 5, 50, 300] {
        let mut stage = Stage::<S, D>::new(1200, 23);
        let (cursor, to_come) = paused_after(stage.index.intersecting(Stage::middle()), taken);
        assert_eq!(handles(&stage.index, cursor.clone()).len(), to_come.len());
        let (gone, left): (Vec<_>, Vec<_>) = to_come.iter().enumerate().partition(|(number, _)| number % 2 == 0);
        for (_, handle) in gone {
            stage.index.remove(*handle).expect("it was there");
        }
        // Their places are taken by others.
        (0..300).for_each(|_| _ = stage.insert());
        let seen: BTreeSet<_> = handles(&stage.index, cursor).into_iter().collect();
        for (_, handle) in left {
            assert!(seen.contains(handle));
        }
        assert!(seen.iter().all(|handle| stage.index.contains(*handle)));
    }
}

/// Moved objects may come again at their new places, but not to a distinct cursor; and never at the old ones.
fn moved_and_distinct<S: Real, const D: usize>() {
    // At once as many, or by slices.
    for (distinct, at_once) in [(false, 1), (true, 1), (true, 5), (true, 0)] {
        let mut stage = Stage::<S, D>::new(400, 31);
        let fresh = stage.index.iter().pause();
        let mut cursor = if distinct { fresh.distinct() } else { fresh };
        let (mut seen, mut again) = (BTreeSet::new(), 0);
        loop {
            let mut some = Vec::new();
            let is_done = if at_once == 0 {
                cursor.run(&stage.index, 3, |object| some.push(object.handle())).expect("the same index").done
            } else {
                let mut resumed = stage.index.resume(cursor).expect("the same index");
                some.extend(resumed.by_ref().take(at_once).map(|object| object.handle()));
                cursor = resumed.pause();
                some.len() < at_once
            };
            for &handle in &some {
                if seen.insert(handle) {
                    // To where the cursor comes last.
                    let corner = Span::at([S::of(0.0); D]);
                    stage.layer_of(handle).move_to(&mut stage.index, handle, corner).expect("finite");
                } else {
                    again += 1;
                }
            }
            if is_done {
                break;
            }
        }
        assert_eq!(seen.len(), 400);
        assert_eq!(again > 0, !distinct, "{again} came again");
    }
    // Owed or still to be found, out of the region, or into a layer that is not asked for.
    for taken in [0, 1, 20, 100] {
        let mut stage = Stage::<S, D>::new(1200, 53);
        let (cursor, to_come) = paused_after(stage.index.intersecting(Stage::middle()), taken);
        for &handle in &to_come {
            let outside = Span::at([S::of(SIDE - 1.0); D]);
            stage.layer_of(handle).move_to(&mut stage.index, handle, outside).expect("finite");
        }
        assert_eq!(handles(&stage.index, cursor), [], "after {taken}");

        let mut stage = Stage::<S, D>::new(1200, 59);
        let asked = stage.layers[0].id() | stage.layers[1].id();
        let (cursor, to_come) = paused_after(stage.index.intersecting(Stage::middle()).in_layers(asked), taken);
        for handle in to_come {
            stage.transfer(handle);
        }
        assert_eq!(handles(&stage.index, cursor), [], "after {taken}");
    }
}

/// Chains of buckets: no room runs out, nothing is lost in the middle of one.
fn crowds_on_a_spot<S: Real, const D: usize>() {
    for rects in [false, true] {
        let mut stage = Stage::<S, D>::new(50, 41);
        let layer = stage.layers[usize::from(rects)];
        let spot = Span::at([S::of(7.0); D]);
        let large = Span { min: [S::of(1.0); D], max: [S::of(60.0); D] };
        let crowd: BTreeSet<_> = (0..3000)
            .map(|number| {
                let span = if rects && number % 2 == 0 { large } else { spot };
                layer.insert(&mut stage.index, layer.trimmed(span), 0).expect("finite")
            })
            .collect();
        for taken in [0, 1, 63, 64, 65, 1000, 2999] {
            let mut query = stage.index.containing([S::of(7.0); D]).in_layers(layer.id());
            let mut seen: Vec<_> = query.by_ref().take(taken).map(|object| object.handle()).collect();
            let mut cursor = query.pause();
            let mut calls = 0;
            while !cursor.run(&stage.index, 1, |object| seen.push(object.handle())).expect("the same index").done {
                calls += 1;
                assert!(calls < 200);
                if calls % 7 == 0 {
                    stage.index.optimize();
                }
            }
            let distinct: BTreeSet<_> = seen.iter().copied().filter(|handle| crowd.contains(handle)).collect();
            assert_eq!(distinct.len(), crowd.len());
            assert_eq!(seen.iter().filter(|handle| crowd.contains(handle)).count(), crowd.len());
        }
    }
}

/// Another index, another world and a clearing are noticed, and said.
fn errors<S: Real, const D: usize>() {
    fn refusal<S: Real, const D: usize>(index: &Index<S, D>, cursor: &Cursor<Near, S, D>) -> ResumeError {
        let resumed = index.resume(cursor.clone()).map(drop).expect_err("refused");
        assert_eq!(cursor.clone().step(index).map(drop), Err(resumed));
        assert_eq!(cursor.clone().run(index, 1, |_| panic!("refused")).map(drop), Err(resumed));
        resumed
    }
    let mut stage = Stage::<S, D>::new(100, 3);
    let cursor = stage.index.iter().pause();
    let other = Stage::<S, D>::new(100, 3);
    assert_eq!(refusal(&other.index, &cursor), ResumeError::OtherIndex);
    assert_eq!(refusal(&other.index, &cursor).to_string(), "the cursor is of another index");

    assert!(stage.index.set_world(Rect::new([S::of(0.0); D], [S::of(0.0); D])).is_err());
    assert_eq!(handles(&stage.index, cursor.clone()).len(), 100, "what was refused changed nothing");
    let world = stage.index.world();
    stage.index.set_world(world).expect("a world");
    assert_eq!(refusal(&stage.index, &cursor), ResumeError::WorldSet);
    assert!(refusal(&stage.index, &cursor).to_string().contains("the world was set"));

    let cursor = stage.index.iter().pause();
    stage.index.clear();
    assert_eq!(refusal(&stage.index, &cursor), ResumeError::Cleared);
    assert!(refusal(&stage.index, &cursor).to_string().contains("cleared"));
    assert_eq!(handles(&stage.index, stage.index.iter().pause()), []);
}

/// A clone of the index counts as the same, until one of the two gets another world, or is cleared.
fn clones_of_the_index<S: Real, const D: usize>() {
    let mut stage = Stage::<S, D>::new(300, 13);
    let (cursor, _) = paused_after(stage.index.iter(), 100);
    let mut clone = stage.index.clone();
    assert_eq!(handles(&clone, cursor.clone()), handles(&stage.index, cursor.clone()));
    let larger = Rect::new([S::of(0.0); D], [S::of(2.0 * SIDE); D]);
    let largest = Rect::new([S::of(0.0); D], [S::of(4.0 * SIDE); D]);
    stage.index.set_world(larger).expect("a world");
    assert_eq!(handles(&clone, cursor).len(), 200);
    let cursor = stage.index.iter().pause();
    clone.set_world(largest).expect("a world");
    assert_eq!(clone.resume(cursor).map(drop), Err(ResumeError::WorldSet));
}

/// Layers that go take their objects along; one that comes may be asked.
fn layers_come_and_go<S: Real, const D: usize>() {
    for which in 0..4 {
        let mut stage = Stage::<S, D>::new(400, 17);
        let wanted = !stage.layers[3].id() & LayerSet::ALL;
        let mut query = stage.index.iter().in_layers(wanted);
        let taken = query.by_ref().take(120).map(|object| object.layer()).collect::<Vec<_>>();
        let cursor = query.pause();
        let gone = stage.layers[which].id();
        let lost = taken.iter().filter(|layer| **layer == gone).count();
        if which % 2 == 0 {
            stage.index.remove_layer(gone).expect("a layer");
        } else {
            stage.index.clear_in(gone);
        }
        let left = stage.index.iter().in_layers(wanted).count();
        assert_eq!(handles(&stage.index, cursor.clone()).len(), left - (120 - lost), "without layer {which}");
        for object in stage.index.resume(cursor).expect("no error") {
            assert!(object.layer() != gone && wanted.contains(object.layer()));
        }
    }
    // A number is given to another kind of layer.
    let mut stage = Stage::<S, D>::new(100, 19);
    let (cursor, _) = paused_after(stage.index.iter(), 1);
    stage.index.remove_layer(stage.layers[0].id()).expect("a layer");
    let mut last = None;
    while let Ok(layer) = stage.index.add_rect_layer() {
        last = Some(layer);
    }
    let layer = last.expect("there was room");
    assert_eq!(layer.id().number(), stage.layers[0].id().number());
    let rest = stage.index.iter().in_layers(!layer).count();
    stage.index.insert(layer, Span::at([S::of(1.0); D]).rect(), 0).expect("finite");
    let seen = handles(&stage.index, cursor);
    assert!(seen.len() == rest || seen.len() == rest + 1, "a new object may come or not");
}

/// An excluded object stays excluded, wherever it is in memory by then.
fn left_out_for_good<S: Real, const D: usize>() {
    let mut stage = Stage::<S, D>::new(600, 29);
    for number in [0, 1, 200, 599] {
        let out = stage.handles[number];
        for taken in [0, 1, 100] {
            let mut query = stage.index.iter().excluding(out);
            let mut seen: BTreeSet<_> = query.by_ref().take(taken).map(|object| object.handle()).collect();
            let cursor = query.pause();
            stage.teleport(out);
            stage.index.shrink_to_fit();
            seen.extend(handles(&stage.index, cursor));
            assert!(seen.len() == 599 && !seen.contains(&out));
        }
    }
}

/// Fresh, exhausted, and paused over and over.
fn beginnings_and_ends<S: Real, const D: usize>() {
    let mut stage = Stage::<S, D>::new(300, 37);
    let mut cursor = stage.index.iter().pause();
    for _ in 0..3 {
        cursor = stage.index.resume(cursor).expect("the same index").pause();
    }
    assert_eq!(handles(&stage.index, cursor).len(), 300);
    let mut query = stage.index.iter();
    query.by_ref().for_each(drop);
    let mut done = query.pause();
    (0..50).for_each(|_| _ = stage.insert());
    assert!(done.step(&stage.index).expect("the same index").is_none(), "what is over stays over");
    assert_eq!(done.run(&stage.index, 5, |_| ()).map(|run| (run.done, run.visited)), Ok((true, 0)));
    let mut resumed = stage.index.resume(done).expect("the same index");
    assert!(resumed.next().is_none() && resumed.next().is_none());
    assert!(handles(&stage.index, resumed.pause()).is_empty());
    let nowhere = stage.index.intersecting([S::of(f64::NAN); D]).pause();
    assert!(handles(&stage.index, nowhere).is_empty());
    let nothing = stage.index.iter().in_layers(LayerSet::NONE).pause();
    assert!(handles(&stage.index, nothing).is_empty());
    // Nothing is looked at before the first step, so what comes before that comes too.
    let empty = Stage::<S, D>::new(0, 1);
    let mut index = empty.index;
    let cursor = index.iter().pause();
    assert!(format!("{cursor:?}").contains("Cursor") && format!("{cursor:?}").contains("Near"));
    empty.layers[1].insert(&mut index, Span::at([S::of(1.0); D]), 0).expect("finite");
    assert_eq!(handles(&index, cursor).len(), 1);
}

/// Regions that are not boxes, users' points borrowed included.
fn regions_of_all_sorts<S: Real, const D: usize>() {
    fn compare<S, const D: usize, P, R>(stage: &mut Stage<S, D>, query: impl Fn(&Index<S, D>) -> Cursor<P, S, D, R>)
    where
        S: Real,
        P: Predicate,
        R: Region<S, D> + Clone,
    {
        let all: BTreeSet<_> = handles(&stage.index, query(&stage.index)).into_iter().collect();
        let (mut cursor, mut seen) = (query(&stage.index), BTreeSet::new());
        while let Some(object) = cursor.step(&stage.index).expect("the same index") {
            assert!(seen.insert(object.handle()));
            if seen.len() % 16 == 1 {
                stage.index.optimize();
            }
        }
        assert!(!all.is_empty());
        assert_eq!(seen, all);
    }
    let mut stage = Stage::<S, D>::new(1000, 43);
    // The answers of `near` depend on how the tree is split: that is to stay.
    stage.index.optimize();
    let center = [S::of(30.0); D];
    let ball = Ball::new(center, S::of(20.0));
    compare(&mut stage, |index| index.within_distance(center, S::of(20.0)).pause());
    compare(&mut stage, |index| index.contained_in(ball).pause());
    compare(&mut stage, |index| index.near(ball).excluding(Handle::default()).pause());
    compare(&mut stage, |index| index.intersecting(Segment::new([S::of(1.0); D], center)).pause());
    compare(&mut stage, |index| index.containing(center).pause());
    let cursor: Cursor<Intersecting, S, D, Ball<S, D>> = stage.index.intersecting(ball).pause();
    is_plain(&cursor);
    assert!(handles(&stage.index, cursor).len() > 10);
    let corners = [[10.0, 10.0], [50.0, 20.0], [20.0, 60.0]];
    let mut plane = Stage::<f32, 2>::new(500, 47);
    compare(&mut plane, |index| index.intersecting(Polygon::new(corners)).pause());
}

/// Objects too long for the root's cells: a slice visits none of them before their turn, and then no more than allowed.
fn a_budget_bounds_giants<S: Real, const D: usize>() {
    let mut index = Index::<S, D>::new(Rect::new([S::of(0.0); D], [S::of(SIDE); D])).expect("a world");
    let layer = index.add_rect_layer().expect("a layer");
    let cube = |at: f64, side: f64| Rect::new([S::of(at); D], [S::of(at + side); D]);
    let giants = (0..1000).map(|number| (cube(f64::from(number) * 0.02, 40.0), number));
    let small = (0..1000).map(|number| (cube(f64::from(number) * 0.06, 0.01), number));
    index.insert_batch(layer, giants.chain(small).collect::<Vec<_>>()).expect("finite");
    let out = index.iter().last().expect("there are objects").handle();
    let depths = index.stats().depths.len();
    for (budget, bound) in [(1, depths + 1), (5, depths + 5)] {
        let mut cursor = index.iter().excluding(out).pause();
        let (mut seen, mut sides, mut calls) = (BTreeSet::new(), Vec::new(), 0);
        loop {
            let run = cursor.run(&index, budget, |object| {
                assert!(seen.insert(object.handle()), "{object:?} came twice");
                sides.push(1.0 < object.shape().size()[0].value());
            });
            let run = run.expect("the same index");
            assert!(run.visited <= bound, "{run:?} with a budget of {budget}");
            calls += 1;
            if run.done {
                break;
            }
        }
        assert!((2000 / 64 + 1) / budget <= calls, "{calls} calls");
        assert!(seen.len() == 1999 && !seen.contains(&out));
        assert!(sides.is_sorted(), "giants come last");
    }
}

/// Objects about as long as two cells of the root, moved to where rounding makes them longer or shorter. Rebuilding the
/// tree must not put one that is passed where the cursor has still to come, nor the other way round.
fn lengths_at_the_limit_of_the_root_list<S: Real, const D: usize>() {
    let limit = S::of(if D == 2 { SIDE / 4.0 } else { SIDE / 2.0 });
    let lengths = [limit.down(), limit, limit.up()];
    for budget in [1, 3] {
        let mut stage = Stage::<S, D>::new(100, 61);
        let layer = stage.layers[1];
        let at = |number: usize| {
            let step = [0.0, 0.1, 7.3, 20.0, SIDE - limit.value(), SIDE - limit.value() + 1e-5][number % 6];
            let min = [S::of(step); D];
            let length = lengths[number % 7 % 3].value();
            Span { min, max: min.map(|min| S::of(min.value() + length)) }
        };
        let handles: Vec<_> =
            (0..300).map(|number| layer.insert(&mut stage.index, at(number), 0).expect("finite")).collect();
        for (number, handle) in handles.iter().enumerate() {
            layer.move_to(&mut stage.index, *handle, at(number + number / 6 + 1)).expect("finite");
        }
        assert_sound(&stage.index, "lengths at the limit");
        let (mut cursor, mut seen) = (stage.index.iter().in_layers(layer.id()).pause(), Vec::new());
        while !cursor.run(&stage.index, budget, |object| seen.push(object.handle())).expect("the same index").done {
            stage.index.optimize();
        }
        assert_eq!(seen.len(), stage.index.len_in(layer.id()));
        assert_eq!(seen.into_iter().collect::<BTreeSet<_>>().len(), stage.index.len_in(layer.id()));
    }
}
