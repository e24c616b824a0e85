//! Watches of regions and of pairs. Of a removed object only the handle is left, so the ids are kept beside the answers.

#[cfg(not(feature = "space"))]
use quadrille::Polygon;
use quadrille::{Ball, Contacts, Handle, Watch};

use crate::export::export;
#[cfg(not(feature = "space"))]
use crate::full::polygon;
use crate::{D, S, Shape, World, over, set};

/// The watches of a world by number; those that were freed are empty.
#[derive(Default)]
pub(crate) struct Zones(Vec<Option<Zone>>);

struct Zone {
    what: What,
    layers: u32,
}

enum What {
    Area(Region, Watch, Names<Handle, u32>),
    Pairs { between: u32, within: S, contacts: Contacts, names: Names<[Handle; 2], [u32; 2]> },
}

enum Region {
    Box(Shape),
    Ball(Ball<S, D>),
    #[cfg(not(feature = "space"))]
    Polygon(Polygon<S>),
}

/// The items of the last answer with their ids, in ascending order.
struct Names<H, N> {
    known: Vec<(H, N)>,
    next: Vec<(H, N)>,
}

impl<H: Copy + Ord, N: Copy> Names<H, N> {
    const fn new() -> Self {
        Self { known: Vec::new(), next: Vec::new() }
    }

    /// Takes what has come and gone, both in ascending order, and passes on the ids: first of those that have come.
    fn update(&mut self, come: &[H], gone: &[H], name: impl Fn(H) -> N, mut tell: impl FnMut(N)) {
        self.next.clear();
        let (mut come, mut gone, mut left) = (come.iter().copied().peekable(), gone.iter().peekable(), Vec::new());
        for &(item, named) in &self.known {
            while let Some(new) = come.next_if(|new| *new < item) {
                self.next.push((new, name(new)));
                tell(name(new));
            }
            if gone.next_if(|gone| **gone == item).is_some() {
                left.push(named);
            } else {
                self.next.push((item, named));
            }
        }
        for new in come {
            self.next.push((new, name(new)));
            tell(name(new));
        }
        left.into_iter().for_each(tell);
        core::mem::swap(&mut self.known, &mut self.next);
    }
}

impl Zones {
    fn add(&mut self, what: What, layers: u32) -> u32 {
        let number = self.0.iter().position(Option::is_none).unwrap_or(self.0.len());
        if number == self.0.len() {
            self.0.push(None);
        }
        self.0[number] = Some(Zone { what, layers });
        number as u32
    }
}

/// The region in `numbers_in`: 0 is a box, 1 a ball, another number that of a polygon's rings and one more.
fn region(world: &World, kind: u32) -> Region {
    let corner = |at: usize| core::array::from_fn(|axis| world.numbers_in[at + axis]);
    match kind {
        0 => Region::Box(Shape::new(corner(0), corner(D))),
        #[cfg(not(feature = "space"))]
        rings @ 2.. => Region::Polygon(polygon(world, rings - 1)),
        _ => Region::Ball(Ball::new(corner(0), world.numbers_in[D])),
    }
}

export! {
    fn watch_new(world, layers: u32, kind: u32) -> u32 {
        let region = region(world, kind);
        world.zones.add(What::Area(region, Watch::new(), Names::new()), layers)
    }

    fn watch_set(world, zone: u32, kind: u32) {
        let region = region(world, kind);
        if let Some(Zone { what: What::Area(old, ..), .. }) = &mut world.zones.0[zone as usize] { *old = region; }
    }

    fn contacts_new(world, layers: u32, between: u32, within: S) -> u32 {
        world.zones.add(What::Pairs { between, within, contacts: Contacts::new(), names: Names::new() }, layers)
    }

    fn watch_free(world, zone: u32) { world.zones.0[zone as usize] = None; }

    /// The ids of those inside, or of the pairs.
    fn watch_inside(world, zone: u32) -> u32 {
        world.ids.clear();
        match &world.zones.0[zone as usize] {
            Some(Zone { what: What::Area(_, _, names), .. }) => world.ids.extend(names.known.iter().map(|known| known.1)),
            Some(Zone { what: What::Pairs { names, .. }, .. }) => world.ids.extend(names.known.iter().flat_map(|known| known.1)),
            None => {}
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
    let mut ids = core::mem::take(&mut world.ids);
    ids.clear();
    let Some(mut zone_) = world.zones.0[zone as usize].take() else { return 0 };
    let layers = set(zone_.layers);
    let name = |handle: Handle| world.index.get(handle).copied().unwrap_or(crate::full::NONE);
    let mut come = 0;
    match &mut zone_.what {
        What::Area(region, watch, names) => {
            let changes = over!(world, index => match region {
                Region::Box(shape) => watch.poll(index.intersecting(*shape).in_layers(layers)),
                Region::Ball(ball) => watch.poll(index.intersecting(*ball).in_layers(layers)),
                #[cfg(not(feature = "space"))]
                Region::Polygon(polygon) => watch.poll(index.intersecting(&*polygon).in_layers(layers)),
            });
            if let Ok(changes) = changes {
                come = changes.entered.len();
                names.update(changes.entered, changes.left, name, |id| ids.push(id));
            }
        }
        What::Pairs { between, within, contacts, names } => {
            let changes = match moved {
                Some(mut moved) if !world.wraps() => {
                    // Removed objects need not be named.
                    let dead =
                        contacts.pairs().iter().flatten().copied().filter(|&handle| !world.index.contains(handle));
                    moved.extend(dead);
                    let pairs = world.index.pairs_of(&moved).within(*within);
                    let pairs =
                        if *between == 0 { pairs.in_layers(layers) } else { pairs.between(layers, set(*between)) };
                    contacts.poll_moved(&moved, pairs)
                }
                // `pairs_of` knows no world that wraps around.
                _ => over!(world, index => {
                    let pairs = index.pairs().within(*within);
                    contacts.poll(if *between == 0 { pairs.in_layers(layers) } else { pairs.between(layers, set(*between)) })
                }),
            };
            if let Ok(changes) = changes {
                come = 2 * changes.begun.len();
                names.update(changes.begun, changes.ended, |pair| pair.map(name), |pair| ids.extend(pair));
            }
        }
    }
    world.zones.0[zone as usize] = Some(zone_);
    world.head.position = ids.len();
    world.ids = ids;
    world.answer();
    come as u32
}
