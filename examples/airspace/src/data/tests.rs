use std::fs;

use super::*;
use crate::outlines::boxes;

const REGIONS: &str = "kind,fips,min_lon,min_lat,max_lon,max_lat,name\nstate,02,-178.2,51.3,179.7,71.3,Alaska\n";
const AIRPORTS: &str = "iata,name,city,state,lon,lat\nAAA,\"Of A, the first\",A,AK,-150,60\nBBB,B,B,HI,-155,20\n";
const FLIGHTS: &str = "departure,origin,destination,delay_min,distance_mi\n2001-01-01T23:10,AAA,BBB,95,2399\n";

/// Loads the tables; tells the error without the folder's name.
fn load(regions: &str, airports: &str, flights: &str) -> Result<Tables, String> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("regions.csv", regions), ("airports.csv", airports), ("flights.csv", flights)] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    fs::write(folder.path().join(OUTLINES), boxes::outlines(REGIONS)).unwrap();
    let prefix = format!("{}{}", folder.path().display(), std::path::MAIN_SEPARATOR);
    Tables::load(folder.path()).map_err(|error| error.to_string().replace(&prefix, ""))
}

#[test]
fn the_recorded_tables_are_whole() {
    let tables = Tables::load(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/data/us-air"))).unwrap();
    let states = tables.regions.iter().filter(|region| region.kind == RegionKind::State).count();
    assert_eq!((states, tables.regions.len() - states, tables.parts.len()), (56, 3231, 3799));
    assert_eq!((tables.airports.len(), tables.flights.len()), (3376, 20_000));
}

#[test]
fn a_flight_names_its_airports_by_number() {
    let tables = load(REGIONS, AIRPORTS, FLIGHTS).unwrap();
    let flight = &tables.flights[0];
    assert_eq!((flight.origin, flight.destination), (0, 1));
    assert_eq!(flight.departure.to_string(), "23:10");
    assert_eq!(tables.airports[1].position, [-155.0, 20.0]);
    assert_eq!(tables.airports[1].city, "B, HI");
}

#[test]
fn a_malformed_row_is_named_by_file_line_and_reason() {
    let flight = |row: &str| load(REGIONS, AIRPORTS, &format!("{FLIGHTS}{row}\n")).unwrap_err();
    let region = |row: &str| load(&format!("{REGIONS}{row}\n"), AIRPORTS, FLIGHTS).unwrap_err();
    let airport = |row: &str| load(REGIONS, &format!("{AIRPORTS}{row}\n"), FLIGHTS).unwrap_err();
    for (error, expected) in [
        (flight("2001-01-01T23:10,AAA,XYZ,95,2399"), "flights.csv:3: unknown airport \"XYZ\""),
        (flight("2001-01-01T23:10,AAA,BBB,95,far"), "flights.csv:3: distance_mi: invalid float literal"),
        (
            flight("2001-01-01T23:10,AAA,BBB,95,9600"),
            "flights.csv:3: distance_mi 9600 is not between 0 and 9600, a day's flight",
        ),
        (
            flight("2001-01-01T23:10,AAA,BBB,95,NaN"),
            "flights.csv:3: distance_mi NaN is not between 0 and 9600, a day's flight",
        ),
        (
            flight("2001-01-01T25:10,AAA,BBB,95,100"),
            "flights.csv:3: departure \"2001-01-01T25:10\" is not a date and a time as in 2001-01-31T23:59",
        ),
        (flight("2001-01-01T23:10,AAA"), "flights.csv:3: columns: 2, but 5 in the first line"),
        (region("town,02,0,0,1,1,Here"), "regions.csv:3: unknown variant `town`, expected `state` or `county`"),
        (region("state,02,0,0,1,1,Here"), "outlines.bin: it has outlines of 1, but there are 2 regions"),
        (airport("CCC,C,C,HI,NaN,20"), "airports.csv:4: longitude NaN, latitude 20 is not a place on the globe"),
        (airport("AAA,C,C,HI,0,20"), "airports.csv:4: airport \"AAA\" is listed twice"),
    ] {
        assert_eq!(error, expected);
    }
}

#[test]
fn empty_lines_and_line_ends_of_two_bytes_count_as_lines() {
    let flights = format!("{}\r\n\r\n2001-01-01T01:00,AAA,BBB,0,nil\r\n", FLIGHTS.replace('\n', "\r\n"));
    let error = load(REGIONS, AIRPORTS, &flights).unwrap_err();
    assert_eq!(error, "flights.csv:5: distance_mi: invalid float literal");
}

#[test]
fn a_missing_column_is_named() {
    let error = load(REGIONS, "iata,city,state,lon\n", FLIGHTS).unwrap_err();
    assert_eq!(error, "airports.csv:1: there is no column \"lat\"");
    let error = load(REGIONS, "", FLIGHTS).unwrap_err();
    assert_eq!(error, "airports.csv:1: there is no column \"iata\"");
}

#[test]
fn a_missing_file_is_named() {
    let error = Tables::load(Path::new("no such folder")).unwrap_err().to_string();
    assert!(error.starts_with("no such folder") && error.contains("regions.csv: cannot be read: "), "{error}");
}
