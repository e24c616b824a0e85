use std::collections::HashMap;
use std::path::Path;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::*;
use crate::data::{RegionKind, Tables};

const REGIONS: &str = "kind,fips,west,south,east,north,name\nstate,1,-10,20,0,30,A\nstate,2,0,20,5.5,21.25,B\n";

fn tables() -> Tables {
    Tables::load(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/data/us-air"))).unwrap()
}

#[test]
fn boxes_come_back() {
    let regions = read(&boxes::outlines(REGIONS)).unwrap();
    let bounds: Vec<_> = regions.iter().map(|parts| parts[0].bounds()).collect();
    let expected = [[[-10.0, 20.0], [0.0, 30.0]], [[0.0, 20.0], [5.5, 21.25]]];
    let off = bounds.as_flattened().as_flattened().iter().zip(expected.as_flattened().as_flattened());
    assert!(off.into_iter().all(|(one, other)| (one - other).abs() < 1e-9), "{bounds:?}");
    assert_eq!(regions[0][0].rings[0].len(), 4);
    assert!(regions[0][0].holds([-5.0, 25.0]) && !regions[0][0].holds([1.0, 20.5]));
}

#[test]
fn a_file_that_is_cut_off_or_goes_on_is_refused() {
    let mut bytes = boxes::outlines(REGIONS);
    for len in 0..bytes.len() {
        assert!(read(&bytes[..len]).is_err(), "cut off at {len}");
    }
    // An arc that is not there.
    *bytes.last_mut().unwrap() = 8;
    assert_eq!(read(&bytes), Err(Malformed { at: bytes.len() }));
    *bytes.last_mut().unwrap() = 4;
    bytes.push(0);
    assert_eq!(read(&bytes), Err(Malformed { at: bytes.len() - 1 }));
}

#[test]
fn a_corner_off_the_globe_is_refused() {
    let off = REGIONS.replace("21.25", "91");
    assert!(read(&boxes::outlines(&off)).is_err());
}

#[test]
fn rings_go_along_arcs_both_ways() {
    let mut bytes: Vec<u8> = [1.0, 1.0, 0.0, 0.0].iter().flat_map(|number: &f64| number.to_le_bytes()).collect();
    // Two arcs: 0,0 1,1 2,-1 and 2,-1 0,-2.
    bytes.extend([2, 3, 0, 0, 2, 2, 2, 3, 2, 0, 0, 3, 1]);
    // One region of one part, with a ring of both, and a ring of both backwards.
    bytes.extend([1, 1, 2, 2, 0, 4, 2, 6, 3]);
    let rings = &read(&bytes).unwrap()[0][0].rings;
    assert_eq!(rings[0], [[0.0, 0.0], [1.0, 1.0], [2.0, -1.0]]);
    assert_eq!(rings[1], [[0.0, -2.0], [2.0, -1.0], [1.0, 1.0]]);
}

#[test]
fn a_county_lies_in_its_state_and_in_no_other() {
    let tables = tables();
    let over = |kind, place| -> Vec<usize> {
        let parts = tables.parts.iter().filter(|part| tables.regions[part.region].kind == kind);
        parts.filter(|part| part.outline.holds(place)).map(|part| part.region).collect()
    };
    let mut random = Pcg64Mcg::seed_from_u64(29);
    let mut seen: HashMap<usize, usize> = HashMap::new();
    for _ in 0..4000 {
        let place = [random.random_range(-180.0..-60.0), random.random_range(15.0..72.0)];
        let [states, counties] = [RegionKind::State, RegionKind::County].map(|kind| over(kind, place));
        assert!(states.len() <= 1 && counties.len() == states.len(), "{place:?}: {states:?}, {counties:?}");
        if let (Some(state), Some(county)) = (states.first(), counties.first()) {
            let [state_name, county_name] = [state, county].map(|&region| &tables.regions[region].name);
            assert!(county_name.ends_with(&format!(", {state_name}")), "{county_name} in {state_name}");
            *seen.entry(*state).or_default() += 1;
        }
    }
    assert!(25 < seen.len(), "{} states", seen.len());
}

#[test]
fn places_are_where_everyone_knows_them() {
    let tables = tables();
    for (place, name) in [
        ([-73.9857, 40.7484], "New York, New York"),
        ([-87.6298, 41.8781], "Cook, Illinois"),
        ([-104.9903, 39.7392], "Denver, Colorado"),
        ([172.9, 52.9], "Aleutians West, Alaska"),
        ([-77.0366, 38.895], "District of Columbia, District of Columbia"),
    ] {
        let county = tables.parts.iter().rev().find(|part| part.outline.holds(place)).map(|part| part.region);
        assert_eq!(county.map(|region| tables.regions[region].name.as_str()), Some(name));
    }
}

#[test]
fn no_part_is_as_wide_as_the_map() {
    let tables = tables();
    let widest = tables.parts.iter().map(|part| part.outline.bounds()).map(|[min, max]| max[0] - min[0]);
    let widest = widest.fold(0.0, f64::max);
    assert!(widest < 40.0, "{widest} degrees");
}
