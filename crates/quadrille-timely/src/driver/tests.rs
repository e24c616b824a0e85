//! A worker that fails ends the others.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille::Rect;

use super::{Brake, Part, Start, WorkError, work};
use crate::all::common::fed;
use crate::kept::keeper::Keeper;
use crate::kept::store::{Of, Store};
use crate::kept::writer::Writer;
use crate::simulation::disk::Simulated;
use crate::world::World;

const LAST: u64 = 3;

#[test]
fn a_worker_that_fails_at_the_very_end_keeps_nobody_waiting() {
    let world = World::new(Rect::new([0.0, 0.0], [1.0, 1.0])).unwrap();
    let (brake, disk) = (Arc::new(Brake::default()), Arc::new(Simulated::new(1)));
    let guards = timely::execute(timely::Config::process(2), move |timely| {
        let fails = (timely.index() == 1).then(|| Arc::clone(&disk));
        let part = fails.clone().map(|disk| {
            let of = Of { process: 1, processes: 2, threads: 1 };
            let writer = Writer::start(Store::create(&disk.root().join("store"), of, &[]).unwrap()).unwrap();
            let partition = world.first_partition(2);
            let start = Arc::new(Start { tick: 0, partition, objects: Vec::new(), standing: Vec::new() });
            Part { start, replay: BTreeMap::new(), keeper: Keeper::new(1, &world, Arc::new(writer), 1) }
        });
        // The disk dies in the last tick, in which nothing is read from it or synced before all has been answered.
        let program = fed(LAST, move |tick, _| {
            fails.iter().filter(|_| tick == LAST).for_each(|disk| disk.set_dead(true));
            Ok(())
        });
        work(timely, &world, Box::new(|_| Box::new(program)), part, &brake)
    });
    let results: Vec<_> = guards.unwrap().join().into_iter().map(Result::unwrap).collect();
    assert!(results[0].is_ok() || results[0] == Err(WorkError::Other), "{results:?}");
    assert!(matches!(results[1], Err(WorkError::Feed { tick: LAST, .. })), "{results:?}");
}
