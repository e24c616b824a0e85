//! The tables on standard output.

use std::io::{self, Write};

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, Table};
use quadrille_gallery::grouped;
use quadrille_gallery::text::duration;
use quadrille_timely::Kind;

use crate::day::{AIRPORTS_ASKING, Day, ENCOUNTER_WITHIN, NEAREST};
use crate::options::Options;
use crate::tally::Tally;
use crate::watch::Watched;

const REGIONS_SHOWN: usize = 10;

/// Prints what was played, and what came of it.
pub(crate) fn print(out: &mut dyn Write, day: &Day, options: &Options, seen: &Watched) -> io::Result<()> {
    let tally = &seen.tally;
    let aircraft = tally.shares.values().map(|shares| shares.own.iter().sum::<u32>()).max().unwrap_or(0);
    writeln!(
        out,
        "{} minutes on {} workers in {} processes: {} departures a day, {} aircraft in the air at most, {} answers.\n",
        grouped(&day.minutes),
        options.workers * options.threads,
        options.workers,
        grouped(&day.schedule.flights()),
        grouped(&aircraft),
        grouped(&tally.sums.values().map(|sum| sum.count).sum::<u64>()),
    )?;
    writeln!(
        out,
        "By the hour: encounters within {ENCOUNTER_WITHIN} degrees, states and counties entered and left, aircraft handed \
         over from state to state, and the {NEAREST} nearest to each of {AIRPORTS_ASKING} airports, told each minute:\n{}\n",
        hours(day, tally)
    )?;
    let state = |region: usize| day.is_state(region);
    writeln!(out, "The busiest states, which hand over aircraft:\n{}\n", states(day, tally))?;
    let counties = busiest(tally, |region| !state(region));
    let mut table = table(["county", "entered"]);
    for region in counties {
        table.add_row([day.tables.regions[region].name.clone(), grouped(&tally.regions[region].entered)]);
    }
    writeln!(out, "The busiest of {} fences around counties:\n{table}\n", grouped(&day.counties()))?;
    writeln!(out, "The shares of the workers:\n{}\n", shares(tally))?;
    print_costs(out, seen)
}

/// Prints what the processes cost.
pub(crate) fn print_costs(out: &mut dyn Write, seen: &Watched) -> io::Result<()> {
    let mut table = table(["process", "processor time, s", "memory at most, MB"]);
    for (number, cost) in &seen.costs {
        let seconds = format!("{:.1}", cost.cpu().as_secs_f64());
        table.add_row([number.to_string(), seconds, grouped(&(cost.memory / 1_000_000))]);
    }
    let ticks = seen.tally.sums.len();
    let pace = ticks as f64 / seen.elapsed.as_secs_f64();
    writeln!(
        out,
        "{} minutes were played in {}, {pace:.1} a second:\n{table}\n",
        grouped(&ticks),
        duration(seen.elapsed)
    )
}

/// Prints what became of the death.
pub(crate) fn print_death(out: &mut dyn Write, day: &Day, seen: &Watched) -> anyhow::Result<()> {
    let death = seen.death.filter(|death| death.recovery.is_some());
    let Some(death) = death else {
        anyhow::bail!("the day was over before a process could be killed; ask for more minutes, or for more traffic");
    };
    let from = match death.again {
        Some((1, _)) => "the beginning".into(),
        Some((first, _)) => format!("the snapshot of {}", day.minute(first - 1)),
        None => format!("the snapshot of {}", day.minute(death.done)),
    };
    writeln!(
        out,
        "Process {} was killed when all minutes up to {} were told. All went on from {from}: {} minutes were told once \
         more, with the same answers, and the first new one came {} after the death.\n",
        death.process,
        day.minute(death.done),
        grouped(&death.again.map_or(0, |(_, count)| count)),
        duration(death.recovery.unwrap_or_default()),
    )?;
    Ok(())
}

/// Prints that all answers are the same.
pub(crate) fn print_equal(out: &mut dyn Write, alone: &Watched) -> io::Result<()> {
    let sums = &alone.tally.sums;
    let answers = sums.values().map(|sum| sum.count).sum::<u64>();
    writeln!(
        out,
        "One process gives the same: {} answers, compared by a checksum of each of {} minutes.",
        grouped(&answers),
        grouped(&sums.len())
    )
}

fn hours(day: &Day, tally: &Tally) -> Table {
    let mut table = table(["hour", "aircraft", "encounters", "entered", "left", "handed over", "nearest"]);
    for (hour, seen) in (0_u16..).zip(&tally.hours) {
        if seen.kinds.iter().all(|count| *count == 0) {
            continue;
        }
        let counts = tally.shares.iter().filter(|(tick, _)| day.minute(**tick).number() / 60 == hour);
        let counts: Vec<u32> = counts.map(|(_, shares)| shares.own.iter().sum()).collect();
        let mean = counts.iter().sum::<u32>().checked_div(u32::try_from(counts.len()).unwrap_or(0));
        let of = |kind: Kind| grouped(&seen.kinds[kind as usize]);
        table.add_row([
            format!("{hour:02}"),
            mean.map_or("–".into(), |mean| grouped(&mean)),
            of(Kind::Begun),
            of(Kind::Entered),
            of(Kind::Left),
            grouped(&seen.handed_over),
            of(Kind::Near),
        ]);
    }
    table
}

fn states(day: &Day, tally: &Tally) -> Table {
    let mut table = table(["state", "entered", "left", "handed over", "of these most to"]);
    let name = |region: usize| &day.tables.regions[region].name;
    for region in busiest(tally, |region| day.is_state(region)) {
        let seen = &tally.regions[region];
        let most = seen.handed_over.iter().max_by_key(|(_, count)| **count);
        table.add_row([
            name(region).clone(),
            grouped(&seen.entered),
            grouped(&seen.left),
            grouped(&seen.handed_over.values().sum::<u64>()),
            most.map_or("–".into(), |(to, count)| format!("{}: {}", name(usize::from(*to)), grouped(count))),
        ]);
    }
    table
}

/// The regions that most aircraft have entered.
fn busiest(tally: &Tally, is_wanted: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut regions: Vec<usize> = (0..tally.regions.len()).filter(|region| is_wanted(*region)).collect();
    regions.sort_by_key(|region| std::cmp::Reverse(tally.regions[*region].entered));
    regions.truncate(REGIONS_SHOWN);
    regions
}

fn shares(tally: &Tally) -> Table {
    let mut table = table(["worker", "least share", "mean share", "largest share", "mean ghosts"]);
    let workers = tally.shares.values().next().map_or(0, |shares| shares.own.len());
    for worker in 0..workers {
        let share = |own: &[u32]| f64::from(own[worker]) / f64::from(own.iter().sum::<u32>().max(1));
        let all: Vec<f64> = tally.shares.values().map(|shares| share(&shares.own)).collect();
        let count = all.len() as f64;
        let ghosts: u64 = tally.shares.values().map(|shares| u64::from(shares.ghosts[worker])).sum();
        let percent = |share: f64| format!("{:.1} %", share * 100.0);
        table.add_row([
            worker.to_string(),
            percent(all.iter().copied().fold(1.0, f64::min)),
            percent(all.iter().sum::<f64>() / count),
            percent(all.iter().copied().fold(0.0, f64::max)),
            grouped(&(ghosts / all.len() as u64)),
        ]);
    }
    table
}

fn table<const N: usize>(columns: [&str; N]) -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED.with_rounded_corners()).set_header(columns);
    table.column_iter_mut().skip(1).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    table
}
