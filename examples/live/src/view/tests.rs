use std::path::Path;
use std::time::Duration;

use quadrille::{Ball, Polygon};
use quadrille_airspace::clock::Minute;
use quadrille_airspace::data::Tables;
use quadrille_airspace::schedule::Schedule;

use super::*;
use crate::fleet::Fleet;
use crate::globe::project;
use crate::message::{self, Shape};
use crate::reader::{Listed, Mirror};
use crate::scan::{Found, Scan};
use crate::survey::Allowance;

fn tables() -> Tables {
    Tables::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../airspace/data/us-air")).unwrap()
}

fn with_sky(play: impl FnOnce(&mut Sky<'_>, &mut Fleet)) {
    let tables = tables();
    let schedule = Schedule::new(&tables, 1);
    let mut sky = Sky::new(&tables, &schedule).unwrap();
    // Seven minutes a tick, so that many land, depart, enter and leave.
    let mut fleet = Fleet::new(&mut sky, Minute::wrapping(12 * 60), 7.0).unwrap();
    play(&mut sky, &mut fleet);
}

fn frame_of(view: &mut View, sky: &Sky<'_>, fleet: &Fleet, limit: usize) -> Vec<u8> {
    let mut frame = Frame::new(fleet.tick(), 0.0, fleet.len() as u32, view.rect());
    let mut allowance = Allowance::new(Duration::from_secs(60), 1);
    view.write(sky, limit, true, &mut allowance, &mut frame);
    frame.finish()
}

fn assert_listed<'a>(listed: impl Iterator<Item = (&'a u32, &'a Listed)>, found: &[Found], tolerance: [f32; 2]) {
    let listed: Vec<_> = listed.map(|(&id, listed)| (id, listed.number, listed.place)).collect();
    let names = |objects: &[Found]| objects.iter().map(|&(id, number, _)| (id, number)).collect::<Vec<_>>();
    assert_eq!(names(&listed), names(found));
    for (&(.., [x, y]), &(.., [found_x, found_y])) in listed.iter().zip(found) {
        let off = [(x - found_x).abs(), (y - found_y).abs()];
        assert!(off[0] <= tolerance[0] && off[1] <= tolerance[1], "{off:?} off, at most {tolerance:?}");
    }
}

/// A view that wanders over the map, larger and smaller.
fn wandering(tick: u16) -> Rect {
    let turn = f32::from(tick) * 0.4;
    let center = [-95.0 - 15.0 * (turn + 1.0).sin(), 42.0 + 5.0 * (turn * 1.7).sin()];
    Rect::from_center_half(center, [4.0 + 3.0 * turn.sin(), 2.5 + 2.0 * turn.sin()])
}

#[test]
fn the_mirror_of_a_view_is_what_a_scan_finds() {
    with_sky(|sky, fleet| {
        let mut view = View::new(wandering(0), [true; 4], sky);
        let mut mirror = Mirror::default();
        let (mut seen, mut moved) = (0, 0);
        for tick in 0..60 {
            fleet.advance(sky).unwrap();
            // Every third tick it stands still, and only the aircraft change.
            if tick % 3 != 0 {
                view.follow(Request::View(wandering(tick)), sky);
                moved += 1;
            }
            mirror.follow(&frame_of(&mut view, sky, fleet, 20_000)).unwrap();
            let scan = Scan::of(sky, fleet, &Shape::Rect(view.rect()));
            let half_a_step = view.rect().size().map(|size| size / f32::from(u16::MAX));
            assert_listed(mirror.layers[0].iter(), &scan.aircraft, half_a_step);
            assert_listed(mirror.layers[1].iter(), &scan.airports, [0.0; 2]);
            let mut regions: Vec<_> = mirror.layers[2..].iter().flatten().map(|(_, region)| region.number).collect();
            regions.sort_unstable();
            assert_eq!(regions, scan.regions);
            seen += scan.aircraft.len();
        }
        assert!(1000 < seen && 30 < moved, "{seen} aircraft in {moved} views");
    });
}

#[test]
fn what_stands_still_is_sent_once() {
    with_sky(|sky, fleet| {
        let mut view = View::new(wandering(0), [false, true, true, true], sky);
        let first = frame_of(&mut view, sky, fleet, 20_000);
        fleet.advance(sky).unwrap();
        let second = frame_of(&mut view, sky, fleet, 20_000);
        assert!(1000 < first.len());
        assert_eq!(second.len(), 4 * crate::frame::HEAD_WORDS);
    });
}

#[test]
fn layers_are_switched_off_and_on() {
    with_sky(|sky, fleet| {
        let mut view = View::new(wandering(0), [true; 4], sky);
        let mut mirror = Mirror::default();
        let counts = |mirror: &Mirror| [0, 1, 2, 3].map(|layer: usize| mirror.layers[layer].len());
        mirror.follow(&frame_of(&mut view, sky, fleet, 20_000)).unwrap();
        let all = counts(&mirror);
        view.follow(Request::Layers([false, true, false, true]), sky);
        mirror.follow(&frame_of(&mut view, sky, fleet, 20_000)).unwrap();
        assert_eq!(counts(&mirror), [0, all[1], 0, all[3]]);
        // Off and on between two frames: the list begins anew.
        view.follow(Request::Layers([true, false, false, false]), sky);
        view.follow(Request::Layers([true; 4]), sky);
        mirror.follow(&frame_of(&mut view, sky, fleet, 20_000)).unwrap();
        assert_eq!(counts(&mirror), all);
        assert!(all.iter().all(|&count| 0 < count), "{all:?}");
    });
}

#[test]
fn too_many_are_counted_not_cut_off() {
    with_sky(|sky, fleet| {
        let everything = Rect::new(project([-179.9, 0.0]), project([-40.0, 75.0]));
        let mut view = View::new(everything, [true; 4], sky);
        let mut mirror = Mirror::default();
        let count = Scan::of(sky, fleet, &Shape::Rect(everything)).aircraft.len();
        mirror.follow(&frame_of(&mut view, sky, fleet, count - 1)).unwrap();
        assert_eq!((mirror.crowds[0], mirror.layers[0].len()), (Some([count as u32; 2]), 0));
        mirror.follow(&frame_of(&mut view, sky, fleet, count)).unwrap();
        assert_eq!((mirror.crowds[0], mirror.layers[0].len()), (None, count));
        // And back: the list is not kept for later.
        fleet.advance(sky).unwrap();
        mirror.follow(&frame_of(&mut view, sky, fleet, 10)).unwrap();
        assert!(mirror.crowds[0].is_some() && mirror.layers[0].is_empty());
        fleet.advance(sky).unwrap();
        mirror.follow(&frame_of(&mut view, sky, fleet, 20_000)).unwrap();
        assert_eq!(mirror.layers[0].len(), Scan::of(sky, fleet, &Shape::Rect(everything)).aircraft.len());
    });
}

#[test]
fn zones_of_all_shapes_have_the_members_that_a_scan_finds() {
    let star = [[-100.0, 30.0], [-75.0, 35.0], [-95.0, 45.0], [-88.0, 28.0], [-80.0, 50.0]];
    let shapes = [
        Shape::Rect(Rect::new([-100.0, 30.0], [-80.0, 45.0])),
        Shape::Circle(Ball::new([-90.0, 40.0], 7.5)),
        Shape::Polygon(Polygon::new(star)),
    ];
    with_sky(|sky, fleet| {
        let mut view = View::new(wandering(0), [false; 4], sky);
        let mut mirror = Mirror::default();
        for (shape, number) in shapes.into_iter().zip(0..) {
            view.follow(Request::Zone(Some(message::Zone { number, shape: shape.clone() })), sky);
            let mut members = 0;
            for _ in 0..12 {
                fleet.advance(sky).unwrap();
                mirror.follow(&frame_of(&mut view, sky, fleet, 20_000)).unwrap();
                let found: Vec<_> = Scan::of(sky, fleet, &shape).aircraft;
                let zone: Vec<_> = mirror.zone.iter().map(|(&id, &flight)| (id, flight)).collect();
                assert_eq!(zone, found.iter().map(|&(id, flight, _)| (id, flight)).collect::<Vec<_>>());
                members += found.len();
            }
            assert!(1000 < members, "{members} members");
            // More than the limit: the count alone.
            mirror.follow(&frame_of(&mut view, sky, fleet, 5)).unwrap();
            assert!(mirror.zone.is_empty() && 5 < mirror.zone_count);
        }
        view.follow(Request::Zone(None), sky);
        assert_eq!(frame_of(&mut view, sky, fleet, 20_000).len(), 4 * crate::frame::HEAD_WORDS);
    });
}

#[test]
fn the_cells_are_those_of_the_view() {
    with_sky(|sky, fleet| {
        let mut view = View::new(wandering(3), [false; 4], sky);
        view.follow(Request::Cells(true), sky);
        let mut mirror = Mirror::default();
        mirror.follow(&frame_of(&mut view, sky, fleet, 20_000)).unwrap();
        let blocks = sky.index.cells(sky.aircraft).filter(|cell| cell.kind() == quadrille::CellKind::Block);
        let met = blocks.filter(|block| block.bounds_with_reach().intersects(&view.rect())).count();
        assert_eq!(mirror.cells, met);
        assert!(2 < met, "{met} blocks");
    });
}
