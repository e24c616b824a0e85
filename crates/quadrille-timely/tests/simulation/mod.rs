//! Worlds on simulated disks, connections over simulated ways, and whole dataflows, each played from a seed.

pub(crate) mod disk;
mod flow;
mod kept;
mod links;
mod stage;

use std::collections::BTreeMap;
use std::env;
use std::time::Instant;

use disk::plant;

/// As many as a run has time for; connections are played faster.
const KEPT: u64 = 240;
const LINKS: u64 = 60;
const FLOW: u64 = 160;

/// The counts of plays.
#[derive(Debug, Default)]
struct Played(BTreeMap<&'static str, u64>);

impl Played {
    fn count(&mut self, what: &'static str, by: u64) {
        *self.0.entry(what).or_default() += by;
    }
}

/// The seeds of a run; `PLAY_SEEDS=from..to` for others.
fn seeds(most: u64) -> std::ops::Range<u64> {
    let Ok(text) = env::var("PLAY_SEEDS") else { return 0..most };
    let (from, to) = text.split_once("..").expect("PLAY_SEEDS=from..to");
    from.parse().expect("a number")..to.parse().expect("a number")
}

/// Plays one seed after the other until the time is up.
fn play_all(most: u64, play: impl Fn(u64) -> Result<Played, String>) {
    let begin = Instant::now();
    let limit = env::var("PLAY_SECONDS").map_or(20, |limit| limit.parse().expect("a number of seconds"));
    let mut all = Played::default();
    for seed in seeds(most).take_while(|_| begin.elapsed().as_secs() < limit) {
        let played =
            play(seed).unwrap_or_else(|error| panic!("PLAY_SEEDS={seed}..{} plays it again: {error}", seed + 1));
        played.0.into_iter().chain([("seeds", 1)]).for_each(|(what, by)| all.count(what, by));
    }
    println!("{all:?}");
}

/// The planted faults that no seed finds.
fn missed(
    faults: &[&'static str],
    most: u64,
    play: impl Fn(u64, &'static str) -> Result<(), String>,
) -> Vec<&'static str> {
    let mut missed = Vec::new();
    for &fault in faults {
        let begin = Instant::now();
        match seeds(most).find_map(|seed| play(seed, fault).err().map(|error| (seed, error))) {
            Some((seed, error)) => println!("{fault}: seed {seed}, {:?}: {error:.150}", begin.elapsed()),
            None => missed.push(fault),
        }
    }
    println!("not found: {missed:?}");
    missed
}

#[test]
fn kept_worlds_survive_all_that_is_played() {
    play_all(KEPT, |seed| kept::play(seed, 40));
}

#[test]
fn planted_faults_are_found() {
    let missed = missed(&kept::FAULTS, KEPT, |seed, fault| {
        plant(fault);
        let played = kept::play(seed, 40);
        plant("");
        played.map(drop)
    });
    assert!(missed.len() + 10 <= kept::FAULTS.len(), "{missed:?}");
}

#[test]
fn links_deliver_all_in_order_or_say_why_in_time() {
    play_all(LINKS, |seed| links::play(seed, ""));
}

#[test]
fn workers_answer_as_one_list_whatever_comes_when() {
    play_all(FLOW, |seed| flow::play(seed, ""));
}

#[test]
fn planted_faults_of_the_dataflow_are_found() {
    let missed = missed(&flow::FAULTS, FLOW, |seed, fault| flow::play(seed, fault).map(drop));
    assert!(missed.is_empty(), "{missed:?}");
}

/// It closed its connections in silence.
#[test]
fn a_process_that_ends_while_another_one_stops_says_why() {
    links::play(5790, "").unwrap();
}

#[test]
fn planted_faults_of_links_are_found() {
    let missed = missed(&links::FAULTS, LINKS, |seed, fault| links::play(seed, fault).map(drop));
    assert!(missed.is_empty(), "{missed:?}");
}

#[test]
fn a_seed_plays_the_same_each_time() {
    let play = |seed| {
        let connections = (seed < 10).then(|| (links::play(seed, ""), flow::play(seed, "")));
        format!("{:?} {connections:?}", kept::play(seed, 40))
    };
    for seed in 0..30 {
        assert_eq!(play(seed), play(seed));
    }
}
