use std::collections::BTreeMap;
use std::path::Path;

use quadrille_airspace::data::Tables;

use super::*;

fn tables() -> Tables {
    Tables::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../airspace/data/us-air")).unwrap()
}

#[test]
fn every_flight_departs_once_a_day() {
    let tables = tables();
    let schedule = Schedule::new(&tables, 1);
    let mut departures: BTreeMap<FlightNumber, usize> = BTreeMap::new();
    let moment = |tick: u32| 700.0 + f64::from(tick) * 0.3;
    for tick in 0..4800 {
        for (flight, _) in departing(&schedule, moment(tick), moment(tick + 1)) {
            *departures.entry(flight).or_default() += 1;
        }
    }
    assert_eq!(departures.len(), schedule.flights());
    assert!(departures.values().all(|&times| times == 1));
}

#[test]
fn the_index_holds_the_fleet() {
    let tables = tables();
    let schedule = Schedule::new(&tables, 1);
    let mut sky = Sky::new(&tables, &schedule).unwrap();
    let mut fleet = Fleet::new(&mut sky, Minute::wrapping(13 * 60), 0.5).unwrap();
    for _ in 0..20 {
        fleet.advance(&mut sky).unwrap();
        assert_eq!(sky.index.len_in(sky.aircraft), fleet.len());
        for (handle, flight, place) in fleet.everyone() {
            assert_eq!((sky.place(handle), sky.number(handle)), (Some(place), flight));
        }
    }
    sky.index.check_integrity().unwrap();
}

#[test]
fn who_starts_in_the_air_has_flown_there() {
    // The same moment, from the start of a day and by flying on to it: the same flights.
    let tables = tables();
    let schedule = Schedule::new(&tables, 1);
    let flights = |start: i32, ticks: u32| {
        let mut sky = Sky::new(&tables, &schedule).unwrap();
        let mut fleet = Fleet::new(&mut sky, Minute::wrapping(start), 1.0).unwrap();
        (0..ticks).for_each(|_| fleet.advance(&mut sky).unwrap());
        let mut flights = fleet.flights.clone();
        flights.sort_unstable();
        flights
    };
    let (there, flown) = (flights(720, 0), flights(660, 60));
    assert_eq!(there, flown);
    assert!(500 < there.len());
}
