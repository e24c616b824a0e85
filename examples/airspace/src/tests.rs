//! The whole program, on tables of a few rows.

use std::{fs, io, mem};

use super::*;
use crate::questions::Answers;
use crate::sectors::Sectors;
use crate::survey::Survey;

const REGIONS: &str = "\
kind,fips,min_lon,min_lat,max_lon,max_lat,name
state,02,-178.2321,51.3485,179.7677,71.3419,Alaska
state,48,-106.65,25.84,-93.51,36.5,Texas
county,48113,-97.04,32.55,-96.52,32.99,\"Dallas, Texas\"
";
const AIRPORTS: &str = "\
iata,name,city,state,lon,lat
DFW,Dallas,Dallas,TX,-97.0372,32.89595
ANC,Anchorage,Anchorage,AK,-149.9961,61.17432
LGA,\"La Guardia, New York\",New York,NY,-73.87261,40.77724
";
const FLIGHTS: &str = "\
departure,origin,destination,delay_min,distance_mi
2001-01-01T08:30,DFW,LGA,95,1389
2001-01-02T08:31,DFW,LGA,-3,1389
2001-01-01T21:15,DFW,ANC,0,3043
2001-01-01T23:59,LGA,DFW,0,1389
";

#[path = "outlines/boxes.rs"]
mod boxes;

fn read(words: &[&'static str]) -> Result<Option<Options>, lexopt::Error> {
    Options::read(lexopt::Parser::from_iter(words.to_vec()))
}

/// A folder with tables, and the options to replay them.
struct Stage {
    folder: tempfile::TempDir,
    options: Options,
}

impl Stage {
    fn new(regions: &str, airports: &str, flights: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [("regions.csv", regions), ("airports.csv", airports), ("flights.csv", flights)] {
            fs::write(folder.path().join(name), text).unwrap();
        }
        fs::write(folder.path().join(data::OUTLINES), boxes::outlines(regions)).unwrap();
        let (data, out) = (folder.path().to_owned(), folder.path().join("drawn/sky.svg"));
        let arguments = ["airspace", "--traffic", "20", "--at", "08:45", "--verify"];
        let options = Options { data, out, ..read(&arguments).unwrap().unwrap() };
        Self { folder, options }
    }

    /// Runs the program; gives the line for standard error, and the exit code.
    fn fail(&self) -> (String, u8) {
        let error = run(&self.options, &mut io::sink()).unwrap_err();
        let prefix = format!("{}{}", self.folder.path().display(), std::path::MAIN_SEPARATOR);
        (format!("{error:#}").replace(&prefix, ""), exit_code(&error))
    }
}

#[test]
fn a_small_day_is_replayed_verified_and_drawn() {
    let stage = Stage::new(REGIONS, AIRPORTS, FLIGHTS);
    let mut out = Vec::new();
    run(&stage.options, &mut out).unwrap();
    let out = String::from_utf8(out).unwrap();
    for expected in [
        "80 departures",
        "aircraft around, 0.1 degrees each way",
        "nearest airport, if in trouble",
        "all encounters within 0.1 degrees",
        "changes in a sector, 12 sectors",
        "survey goes on, 4 visits",
        "miles to ",
        "Fort Worth",
        "Dallas, Texas",
        "DFW Dallas, TX",
        "Verified: ",
        "sky.svg",
    ] {
        assert!(out.contains(expected), "{expected:?} is not in {out}");
    }
    let svg = fs::read_to_string(&stage.options.out).unwrap();
    assert!(svg.contains("The sky at 08:45"));
}

/// The tables of a small day.
fn small_day() -> Tables {
    Tables::load(&Stage::new(REGIONS, AIRPORTS, FLIGHTS).options.data).unwrap()
}

/// Plays a day whose answers are verified after something was done to them; the first thing that is wrong.
fn first_error(
    tables: &Tables,
    mut verifier: Verifier,
    mut meddle: impl FnMut(&mut Replay, &mut Answers),
) -> anyhow::Error {
    let schedule = Schedule::new(tables, 1);
    let mut replay = Replay::new(tables, &schedule).unwrap();
    let wrong = |minute| {
        let mut answers = replay.play(minute).unwrap();
        meddle(&mut replay, &mut answers);
        verifier.verify(&replay, minute, answers).err()
    };
    Minute::all().find_map(wrong).unwrap()
}

#[test]
fn a_wrong_answer_is_one_line_and_exit_code_1() {
    let [tables, mut others] = [small_day(), small_day()];
    // The scan believes that the county ends south of its airport; the index does not.
    others.parts[2].outline.rings[0].iter_mut().for_each(|corner| corner[1] = corner[1].min(32.8));
    let error = first_error(&tables, Verifier::new(&others), |_, _| {});
    let line = error.to_string();
    assert!(line.contains("DFW, the states and counties below: the index gives "), "{line}");
    assert_eq!((line.lines().count(), exit_code(&error)), (1, 1));
}

#[test]
fn an_object_that_was_lost_is_noticed() {
    let tables = small_day();
    let error = first_error(&tables, Verifier::new(&tables), |replay, _| {
        replay.sky.index.remove(replay.sky.airport_handles[1]);
    });
    assert_eq!(error.to_string(), "00:00, objects: the index gives 7, a linear scan 8");
}

#[test]
fn an_airport_that_is_not_the_nearest_is_noticed() {
    let [tables, mut others] = [small_day(), small_day()];
    // So little that all squares hold what they held.
    others.airports.iter_mut().for_each(|airport| airport.position[0] += 1e-9);
    let line = first_error(&tables, Verifier::new(&others), |_, _| {}).to_string();
    assert!(line.contains(", the nearest airport: the index gives Some("), "{line}");
}

#[test]
fn encounters_missed_and_made_up_are_noticed() {
    let tables = small_day();
    let schedule = Schedule::new(&tables, 20);
    let mut replay = Replay::new(&tables, &schedule).unwrap();
    let answers = Minute::all().take(540).map(|minute| replay.play(minute).unwrap()).last().unwrap();
    let mut verifier = Verifier::new(&tables);
    verifier.look_at(&replay.fleet);
    let mut scanned = Answers::default();
    verifier.verify_encounters(&replay.sky, &replay.fleet, &mut scanned).unwrap();
    assert!(scanned.encounters > 0);
    assert_eq!(scanned.encounters, answers.encounters);

    let [one, other] = replay.sky.encounters().map(|(one, other)| [one.handle(), other.handle()]).next().unwrap();
    let place = replay.sky.index.shape(one).unwrap().min();
    let mut fails = |replay: &Replay| {
        let line = verifier.verify_encounters(&replay.sky, &replay.fleet, &mut scanned).unwrap_err().to_string();
        assert!(line.contains(", an encounter: the index gives "), "{line}");
    };
    let ghost = replay.sky.index.insert(replay.sky.aircraft, place, 0).unwrap();
    fails(&replay);
    replay.sky.index.remove(ghost);
    replay.sky.index.move_to(other, [place[0], place[1] + 0.2]).unwrap();
    fails(&replay);
}

#[test]
fn an_encounter_drawn_twice_is_noticed() {
    let tables = small_day();
    let line = first_error(&tables, Verifier::new(&tables), |_, answers| answers.encounters += 1).to_string();
    assert!(line.starts_with("00:00, the numbers drawn: "), "{line}");
}

#[test]
fn aircraft_that_change_sectors_untold_are_noticed() {
    let any = |told: &dyn Fn(usize) -> bool| (0..sectors::sectors().count()).any(told);
    let entered = |sectors: &Sectors| any(&|sector| sectors.entered(sector).next().is_some());
    let left = |sectors: &Sectors| any(&|sector| sectors.left(sector).next().is_some());
    let tables = small_day();
    for (verb, enters) in [("entered", true), ("left", false)] {
        let line = first_error(&tables, Verifier::new(&tables), |replay, _| {
            if entered(&replay.sectors) == enters && left(&replay.sectors) != enters {
                // Somebody else is told in between.
                replay.sectors.poll(&replay.sky, &mut replay.figures).unwrap();
            }
        });
        let line = line.to_string();
        assert!(line.contains(&format!(", the aircraft that have {verb} ")), "{line}");
    }
}

#[test]
fn a_survey_that_leaves_something_out_is_noticed() {
    let tables = small_day();
    let mut is_first = true;
    let line = first_error(&tables, Verifier::new(&tables), |replay, _| {
        // The first minute's part is lost.
        if mem::take(&mut is_first) {
            replay.survey.go_on(&replay.sky, &mut replay.figures).unwrap();
        }
    });
    assert!(line.to_string().contains(", the regions and airports surveyed in a round: "), "{line}");
}

#[test]
fn a_survey_that_repeats_itself_is_noticed() {
    let tables = small_day();
    let mut minutes = 0;
    let line = first_error(&tables, Verifier::new(&tables), |replay, _| {
        minutes += 1;
        if minutes == 2 {
            replay.survey = Survey::new(&replay.sky);
            replay.survey.go_on(&replay.sky, &mut replay.figures).unwrap();
        }
    });
    assert!(line.to_string().starts_with("00:01, the objects surveyed twice in a round: "), "{line}");
}

#[test]
fn a_survey_of_what_has_landed_is_noticed() {
    let tables = small_day();
    let schedule = Schedule::new(&tables, 1);
    let mut replay = Replay::new(&tables, &schedule).unwrap();
    let aircraft_seen = Minute::all().find(|&minute| {
        replay.play(minute).unwrap();
        replay.survey.seen().iter().any(|handle| replay.fleet.handles().contains(handle))
    });
    assert!(aircraft_seen.is_some());
    let mut verifier = Verifier::new(&tables);
    verifier.verify_survey(&replay.survey, &replay.sky, &replay.fleet).unwrap();
    while replay.fleet.len() > 0 {
        replay.fleet.advance(&mut Vec::new());
    }
    let line = verifier.verify_survey(&replay.survey, &replay.sky, &replay.fleet).unwrap_err().to_string();
    assert!(line.contains(", the objects surveyed that are not there: "), "{line}");
}

#[test]
fn an_empty_sky_is_no_error() {
    let first_line = |text: &str| text.lines().next().unwrap().to_owned();
    let stage = Stage::new(&first_line(REGIONS), &first_line(AIRPORTS), &first_line(FLIGHTS));
    run(&stage.options, &mut io::sink()).unwrap();
}

#[test]
fn a_mistake_in_the_tables_is_one_line_and_exit_code_2() {
    let unknown = format!("{FLIGHTS}2001-01-01T23:10,DFW,XYZ,95,2399\n");
    let malformed = format!("{REGIONS}town,02,0,0,1,1,Here\n");
    assert_eq!(
        Stage::new(REGIONS, AIRPORTS, &unknown).fail(),
        ("flights.csv:6: unknown airport \"XYZ\"".to_owned(), 2)
    );
    assert_eq!(
        Stage::new(&malformed, AIRPORTS, FLIGHTS).fail(),
        ("regions.csv:5: unknown variant `town`, expected `state` or `county`".to_owned(), 2)
    );
    let stage = Stage::new(REGIONS, AIRPORTS, FLIGHTS);
    fs::remove_file(stage.options.data.join("airports.csv")).unwrap();
    let (line, code) = stage.fail();
    assert!(line.starts_with("airports.csv: cannot be read: ") && line.lines().count() == 1, "{line}");
    assert_eq!(code, 2);
}

#[test]
fn a_picture_that_cannot_be_written_is_refused_before_the_replay() {
    let mut stage = Stage::new(REGIONS, AIRPORTS, FLIGHTS);
    fs::create_dir(stage.folder.path().join("folder.svg")).unwrap();
    stage.options.out = stage.folder.path().join("folder.svg");
    let (line, code) = stage.fail();
    assert!(line.starts_with("cannot write folder.svg: ") && line.lines().count() == 1, "{line}");
    assert_eq!(code, 2);
}

#[test]
fn a_closed_standard_output_is_an_error_of_one_line() {
    struct Closed;
    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let stage = Stage::new(REGIONS, AIRPORTS, FLIGHTS);
    let error = run(&stage.options, &mut Closed).unwrap_err();
    assert_eq!(format!("{error:#}"), "cannot write to standard output: broken pipe");
    assert_eq!(exit_code(&error), 2);
}

#[test]
fn options_are_checked() {
    let plain = read(&["airspace"]).unwrap().unwrap();
    assert!(plain.data.join("flights.csv").exists());
    assert!(USAGE.contains(&format!("[default: {}]", plain.at)));
    assert!(read(&["airspace", "-h"]).unwrap().is_none());
    for wrong in [["--at", "25:00"], ["--traffic", "0"], ["--traffic", "many"], ["--out", "sky.png"], ["--all", ""]] {
        assert!(read(&["airspace", wrong[0], wrong[1]]).is_err(), "{wrong:?}");
    }
}
