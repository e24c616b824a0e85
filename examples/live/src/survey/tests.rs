use std::collections::BTreeSet;
use std::path::Path;

use quadrille::Rect;
use quadrille_airspace::clock::Minute;
use quadrille_airspace::data::Tables;
use quadrille_airspace::schedule::Schedule;

use super::*;
use crate::fleet::Fleet;
use crate::globe::Place;
use crate::message::CORNERS_MAX;
use crate::sky::Sky;

/// A star of crossing corners over all of the country, as costly as a zone may be.
fn star() -> Polygon {
    let corners = CORNERS_MAX as u16;
    let corner = |number: u16| -> Place {
        let turn = f32::from(number) * std::f32::consts::PI * (1.0 - 1.0 / f32::from(corners));
        [-96.0 + 30.0 * turn.cos(), 42.0 + 20.0 * turn.sin()]
    };
    Polygon::new((0..corners).map(corner))
}

fn with_sky(minutes_a_tick: f64, play: impl FnOnce(&mut Sky<'_>, &mut Fleet)) {
    let tables = Tables::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../airspace/data/us-air")).unwrap();
    let schedule = Schedule::new(&tables, 2);
    let mut sky = Sky::new(&tables, &schedule).unwrap();
    let mut fleet = Fleet::new(&mut sky, Minute::wrapping(12 * 60), minutes_a_tick).unwrap();
    play(&mut sky, &mut fleet);
}

/// Those in a polygon, by a test of everyone.
fn members(fleet: &Fleet, polygon: &Polygon) -> BTreeSet<Handle> {
    let inside = fleet.everyone().filter(|&(.., place)| polygon.intersects(&Rect::from_point(place)));
    inside.map(|(handle, ..)| handle).collect()
}

/// A tick with next to no time: the least that is done.
fn look(survey: &mut Survey, sky: &Sky<'_>, limit: usize) -> Option<(u32, Result<BTreeSet<Handle>, usize>)> {
    let seen = survey.look(&sky.index, limit, &mut Allowance::new(Duration::from_nanos(1), 1));
    seen.map(|(ticks, seen)| match seen {
        Seen::Crowd { count } => (ticks, Err(count)),
        Seen::List { watch, answer, .. } => {
            watch.poll(answer).unwrap();
            (ticks, Ok(watch.inside().iter().copied().collect()))
        }
    })
}

#[test]
fn a_costly_polygon_takes_many_ticks_and_little_of_each() {
    with_sky(0.0, |sky, fleet| {
        let polygon = star();
        let mut survey = Survey::new(sky.aircraft.id(), polygon.clone());
        assert_eq!(survey.visits, 1);
        let (mut last, mut most) = (0, 0);
        let (ticks, answer) = loop {
            let answer = look(&mut survey, sky, 20_000);
            let so_far = survey.found_so_far().unwrap_or(last);
            most = most.max(so_far - last);
            last = so_far;
            if let Some(answer) = answer {
                break answer;
            }
        };
        let expected = members(fleet, &polygon);
        assert_eq!(answer, Ok(expected.clone()));
        // A bucket of 64, and one to stop.
        assert!(10 < ticks && most <= 2 * 64, "{ticks} ticks, {most} of {} in one", expected.len());
        assert!(survey.found_so_far().is_none());
    });
}

#[test]
fn with_time_enough_the_answer_is_that_of_the_tick() {
    with_sky(3.0, |sky, fleet| {
        let polygon = star();
        let mut survey = Survey::new(sky.aircraft.id(), polygon.clone());
        for _ in 0..5 {
            fleet.advance(sky).unwrap();
            let (ticks, seen) =
                survey.look(&sky.index, 20_000, &mut Allowance::new(Duration::from_secs(60), 1)).unwrap();
            let Seen::List { watch, answer, .. } = seen else { panic!("too many") };
            watch.poll(answer).unwrap();
            assert_eq!((ticks, watch.inside().iter().copied().collect()), (1, members(fleet, &polygon)));
        }
    });
}

#[test]
fn too_many_are_counted_however_long_it_takes() {
    with_sky(0.0, |sky, fleet| {
        let polygon = star();
        let count = members(fleet, &polygon).len();
        let mut survey = Survey::new(sky.aircraft.id(), polygon);
        let mut answer = |limit| loop {
            if let Some((_, answer)) = look(&mut survey, sky, limit) {
                return answer;
            }
        };
        assert_eq!(answer(count - 1), Err(count));
        assert_eq!(answer(count).map(|members| members.len()), Ok(count));
        assert_eq!(answer(10), Err(count));
    });
}

#[test]
fn who_is_inside_all_the_while_never_leaves() {
    // Fast, so that many overtake the query.
    with_sky(4.0, |sky, fleet| {
        let everywhere = Polygon::new([[-180.0, -90.0], [180.0, -90.0], [0.0, 180.0], [-180.0, 90.0]]);
        let mut survey = Survey { visits: 12, ..Survey::new(sky.aircraft.id(), everywhere.clone()) };
        let (mut answers, mut known, mut kept, mut seen) =
            (0, BTreeSet::new(), members(fleet, &everywhere), BTreeSet::new());
        for _ in 0..150 {
            fleet.advance(sky).unwrap();
            let now = members(fleet, &everywhere);
            kept = &kept & &now;
            seen = &seen | &now;
            let Some((ticks, answer)) = look(&mut survey, sky, 20_000) else { continue };
            let answer = answer.unwrap();
            assert!(1 < ticks);
            // Of those that were told before, nobody is lost; and nobody is made up.
            assert!((&known & &kept).is_subset(&answer));
            assert!(answer.is_subset(&seen));
            (known, kept, seen) = (answer, now, BTreeSet::new());
            answers += 1;
        }
        assert!(5 < answers && 500 < known.len(), "{answers} answers, {} members", known.len());
    });
}

#[test]
fn an_allowance_is_shared_and_what_is_left_goes_to_the_others() {
    let mut allowance = Allowance::new(Duration::from_secs(60), 3);
    let thirds = allowance.spend(|share| share);
    assert_eq!(thirds, Duration::from_secs(20));
    let half = allowance.spend(|share| share);
    assert!(Duration::from_secs(29) < half && half <= Duration::from_secs(30));
    // Once all is spent, nothing is done.
    allowance.left = Duration::ZERO;
    assert_eq!(allowance.spend(|share| share), Duration::ZERO);
}
