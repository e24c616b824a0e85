//! Watches of regions and of pairs. Of a removed object only the handle is left, so the ids are kept beside the answers.

use quadrille::{Ball, Contacts, Handle, Watch};

use crate::export::export;
use crate::full::among;
#[cfg(not(feature = "space"))]
use crate::full::{Area, cap, polygon};
use crate::{D, S, Shape, World, set};

/// The watches of a world by number; those that were freed are empty.
#[derive(Default)]
pub(crate) struct Zones(Vec<Option<Zone>>);

struct Zone {
    watched: Watched,
    layers: u32,
}

enum Watched {
    Area(Region, Watch, Names<Handle, u32>),
    Pairs { between: u32, within: S, contacts: Contacts, names: Names<[Handle; 2], [u32; 2]> },
}

enum Region {
    Box(Shape),
    Ball(Ball<S, D>),
    #[cfg(not(feature = "space"))]
    Area(Area),
}

/// The items of the last answer with their ids, in ascending order.
struct Names<H, N>(Vec<(H, N)>);

impl<H: Copy + Ord, N: Copy> Names<H, N> {
    /// Takes the items that have come and gone, both in ascending order, and passes on the ids: first of those that have come.
    fn update(&mut self, come: &[H], gone: &[H], name: impl Fn(H) -> N, mut tell: impl FnMut(N)) {
        if come.is_empty() && gone.is_empty() {
            return;
        }
        for &item in come {
            tell(name(item));
        }
        let mut gone = gone.iter().peekable();
        self.0.retain(|&(item, named)| {
            let is_gone = gone.next_if_eq(&&item).is_some();
            if is_gone {
                tell(named);
            }
            !is_gone
        });
        // Merged from the end, in place.
        let (mut from, mut to) = (self.0.len(), self.0.len() + come.len());
        self.0.extend(come.iter().map(|&item| (item, name(item))));
        for &item in come.iter().rev() {
            while from > 0 && item < self.0[from - 1].0 {
                (from, to) = (from - 1, to - 1);
                self.0[to] = self.0[from];
            }
            to -= 1;
            self.0[to] = (item, name(item));
        }
    }
}

impl Zones {
    fn add(&mut self, watched: Watched, layers: u32) -> u32 {
        let number = self.0.iter().position(Option::is_none).unwrap_or(self.0.len());
        if number == self.0.len() {
            self.0.push(None);
        }
        self.0[number] = Some(Zone { watched, layers });
        number as u32
    }
}

/// The region in `numbers_in`: 0 is a box, 1 a ball, the largest number a cap, another one that of a polygon's rings and one
/// more.
fn region(world: &World, kind: u32) -> Region {
    let corner = |at: usize| core::array::from_fn(|axis| world.numbers_in[at + axis]);
    match kind {
        0 => Region::Box(Shape::new(corner(0), corner(D))),
        #[cfg(not(feature = "space"))]
        u32::MAX => Region::Area(cap(corner(0), world.numbers_in[D])),
        #[cfg(not(feature = "space"))]
        rings @ 2.. => Region::Area(polygon(world, rings - 1)),
        _ => Region::Ball(Ball::new(corner(0), world.numbers_in[D])),
    }
}

export! {
    fn watch_new(world, layers: u32, kind: u32) -> u32 {
        let region = region(world, kind);
        world.zones.add(Watched::Area(region, Watch::new(), Names(Vec::new())), layers)
    }

    fn watch_set(world, zone: u32, kind: u32) {
        let region = region(world, kind);
        if let Some(Zone { watched: Watched::Area(old, ..), .. }) = &mut world.zones.0[zone as usize] { *old = region; }
    }

    fn contacts_new(world, layers: u32, between: u32, within: S) -> u32 {
        world.zones.add(Watched::Pairs { between, within, contacts: Contacts::new(), names: Names(Vec::new()) }, layers)
    }

    fn watch_free(world, zone: u32) { world.zones.0[zone as usize] = None; }

    /// The ids of those inside, or of the pairs.
    fn watch_inside(world, zone: u32) -> u32 {
        world.ids.clear();
        match &world.zones.0[zone as usize] {
            Some(Zone { watched: Watched::Area(_, _, names), .. }) => world.ids.extend(names.0.iter().map(|known| known.1)),
            Some(Zone { watched: Watched::Pairs { names, .. }, .. }) => world.ids.extend(names.0.iter().flat_map(|known| known.1)),
            None => {}
        }
        world.answer()
    }

    /// The ids of those that one object touches, as they were at the last poll.
    fn contacts_of(world, zone: u32, id: u32) -> u32 {
        let handle = world.handle(id);
        world.ids.clear();
        if let Some(Zone { watched: Watched::Pairs { contacts, names, .. }, .. }) = &mut world.zones.0[zone as usize] {
            for other in contacts.of(handle) {
                let pair = [handle.min(other), handle.max(other)];
                let at = names.0.binary_search_by_key(&pair, |known| known.0);
                world.ids.extend(at.ok().map(|at| names.0[at].1[usize::from(handle < other)]));
            }
        }
        world.answer()
    }

    /// The ids of those that came, then of those that are gone; returns how many ids are of those that came, and
    /// `head.position` is the number of all.
    fn watch_poll(world, zone: u32) -> u32 {
        poll(world, zone, None)
    }

    /// The same, told which objects have moved: the first `n` of `ids_in`.
    fn contacts_poll_moved(world, zone: u32, n: u32) -> u32 {
        let moved = world.ids_in[..n as usize].iter().map(|&id| world.handle(id)).collect();
        poll(world, zone, Some(moved))
    }
}

fn poll(world: &mut World, zone: u32, moved: Option<Vec<Handle>>) -> u32 {
    let Some(zone) = &mut world.zones.0[zone as usize] else { return 0 };
    let (layers, ids) = (set(zone.layers), &mut world.ids);
    ids.clear();
    let name = |handle: Handle| world.handles.id(handle);
    let mut come = 0;
    match &mut zone.watched {
        Watched::Area(region, watch, names) => {
            let (index, torus) = (&world.index, world.torus);
            let changes = match region {
                Region::Box(shape) => watch.poll(torus.region(index, *shape, layers)),
                Region::Ball(ball) => watch.poll(torus.region(index, *ball, layers)),
                #[cfg(not(feature = "space"))]
                Region::Area(area @ Area::Cap(_)) => watch.poll(index.intersecting(&*area).in_layers(layers)),
                #[cfg(not(feature = "space"))]
                Region::Area(area) => watch.poll(torus.region(index, &*area, layers)),
            };
            if let Ok(changes) = changes {
                come = changes.entered.len();
                names.update(changes.entered, changes.left, name, |id| ids.push(id));
            }
        }
        Watched::Pairs { between, within, contacts, names } => {
            let among = |pairs| among(world.torus, pairs, (zone.layers, *between), *within);
            let changes = match moved {
                Some(mut moved) => {
                    // Removed objects need not be named.
                    let dead = contacts.pairs().flatten().filter(|&handle| !world.index.contains(handle));
                    moved.extend(dead);
                    contacts.poll_moved(&moved, among(world.index.pairs_of(&moved)))
                }
                None => contacts.poll(among(world.index.pairs())),
            };
            if let Ok(changes) = changes {
                come = 2 * changes.begun.len();
                names.update(changes.begun, changes.ended, |pair| pair.map(name), |pair| ids.extend(pair));
            }
        }
    }
    world.head.position = world.ids.len();
    world.answer();
    come as u32
}
