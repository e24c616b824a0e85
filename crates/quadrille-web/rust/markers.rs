//! Clusters by radius, with a memory for each zoom.

use core::cell::RefCell;
use core::{iter, mem};

use quadrille::{Ball, CellSizeError, Cluster, LayerSet, Markers, Rect};

use crate::export::export;
use crate::{D, S};

/// The numbers of markers as the glue has them.
#[expect(clippy::cast_precision_loss, reason = "nobody counts as far")]
fn numbers(markers: &[(u64, Option<u64>)]) -> impl Iterator<Item = f64> {
    markers.iter().flat_map(|&(one, other)| [one as f64, other.map_or(-1.0, |other| other as f64)])
}

export! {
    /// The number of a new memory.
    fn markers_new(world, radius: S) -> u32 {
        world.markers.push(Markers::new(radius));
        world.markers.len() as u32 - 1
    }

    /// The markers whose means lie in a window, with all their ids if they are wanted, else with one. Behind their bounds are how many
    /// are gone, their numbers, each with one more, the same of those that are new and of those that are gone: the one that it came from
    /// or went into. `head.position` is how many are new.
    fn markers_poll(world, memory: u32, members: u32; min, max) -> i32 {
        let mut markers = mem::replace(&mut world.markers[memory as usize], Markers::new(0.0));
        // The members of each group are a chain of places in a list: the first and the last.
        let chained: RefCell<Vec<(u32, u32)>> = RefCell::default();
        let join = |known: &mut (u32, u32), more: (u32, u32)| {
            chained.borrow_mut().get_mut(known.1 as usize).into_iter().for_each(|last| last.1 = more.0);
            known.1 = more.1;
        };
        let ask = |window, size: S| {
            // Halves of the radius in place of thirds take 0.8 of the time. None are smaller than the index has them.
            let size = (1.5 * size).max(world.index.world().size()[0] * (0.5_f64).powi(30));
            let cells = world.torus.region(&world.index, window, LayerSet::ALL).clusters(size)?;
            if members == 0 { return Ok(cells.map(|cell| (cell, (0, 0))).collect()) }
            let one = |id| {
                let mut list = chained.borrow_mut();
                list.push((id, u32::MAX));
                (list.len() as u32 - 1, list.len() as u32 - 1)
            };
            Ok::<Vec<(Cluster<S, D>, _)>, CellSizeError>(cells.map_reduce(|object| one(world.handles.id(object.handle())), join))
        };
        let found = markers.poll_reduced(Rect::new(min, max), ask, join).unwrap_or_default();
        world.ids.clear();
        world.clustered.clear();
        let list = chained.take();
        for (_, cluster, (first, _)) in &found {
            let chain = iter::successors(list.get(*first as usize), |(_, next)| list.get(*next as usize));
            world.ids.extend(chain.map(|(id, _)| *id));
            if members == 0 { world.ids.push(world.handles.id(cluster.handle)) }
            world.clustered.push(cluster);
        }
        let known: Vec<_> = found.iter().map(|found| (found.0, None)).collect();
        let boxes = &mut world.clustered.boxes;
        boxes.push(f64::from(markers.gone.len() as u32));
        boxes.extend(numbers(&known).chain(numbers(&markers.come)).chain(numbers(&markers.gone)));
        world.head.position = markers.come.len();
        world.markers[memory as usize] = markers;
        world.answer_clusters()
    }

    #[expect(clippy::cast_sign_loss, reason = "the glue has it from here")]
    /// Writes a box in which the mean of a marker was at the last poll; 0 if there is none.
    fn markers_box(world, memory: u32, one: f64) -> u32 {
        let known = world.markers[memory as usize].known().iter().filter(|known| known.0 == one as u64);
        let around = |ball: &Ball<S, D>| Rect::from_point(ball.center()).expanded(ball.radius());
        known.map(|known| around(&known.1)).reduce(|one, other| one.union(&other)).map_or(0, |shape| world.answer_shape(shape))
    }
}
