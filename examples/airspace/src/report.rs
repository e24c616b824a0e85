//! The tables on standard output.

use std::io::{self, Write};

use quadrille_gallery::grouped;

use crate::clock::MINUTES_A_DAY;
use crate::data::{Airport, RegionKind, Tables};
use crate::figures::Tally;
use crate::replay::Replay;
use crate::sectors::Sector;
use crate::sky::{AIRPORTS_AROUND, ENCOUNTER_WITHIN, Sky, TRAFFIC_AROUND, VIEWS};
use crate::survey::VISITS_A_MINUTE;
use crate::table::Table;
use crate::trouble::ONE_IN;

const COUNTIES_SHOWN: usize = 8;

/// Prints what was replayed, what each operation cost, and what came of it.
pub(crate) fn print(out: &mut dyn Write, replay: &Replay, tables: &Tables) -> io::Result<()> {
    let figures = &replay.figures;
    // Each aircraft in the air is asked for once a minute.
    let aircraft_minutes = figures.regions.count;
    writeln!(
        out,
        "{} states and counties and {} airports that stand still; {} departures in {} minutes.",
        grouped(&tables.regions.len()),
        grouped(&tables.airports.len()),
        grouped(&replay.schedule.flights()),
        grouped(&MINUTES_A_DAY),
    )?;
    writeln!(
        out,
        "In the air: {} aircraft on average, {} at most, {} encounter-minutes within {ENCOUNTER_WITHIN} degrees.\n",
        grouped(&(aircraft_minutes / usize::from(MINUTES_A_DAY))),
        grouped(&figures.airborne_max),
        grouped(&figures.encounters.results),
    )?;
    writeln!(out, "{}", operations(replay))?;
    print_lines(out, replay, tables)?;
    writeln!(out, "The sectors:\n{}\n", sectors(replay.sectors.all()))?;
    writeln!(out, "The busiest counties:\n{}\n", busiest_counties(replay, tables))?;
    writeln!(out, "The closest encounters of flights without an airport in common:\n{}", closest_encounters(replay))
}

/// Where in the index aircraft moved, how far those in trouble had to go, and how far the survey came.
fn print_lines(out: &mut dyn Write, replay: &Replay, tables: &Tables) -> io::Result<()> {
    let figures = &replay.figures;
    let elsewhere = figures.move_to.count - figures.moves_in_place;
    writeln!(out, "Moves: {} in place, {} to another node.", grouped(&figures.moves_in_place), grouped(&elsewhere))?;
    write!(out, "In trouble: one aircraft in {ONE_IN} each minute")?;
    if let Some(longest) = figures.longest_diversion {
        let (flight, airport) = (replay.schedule.name(longest.flight), &tables.airports[longest.airport as usize]);
        let miles = format!("{:.0}", longest.miles);
        let (miles, minute) = (grouped(&miles), longest.minute);
        let Airport { iata, city, .. } = airport;
        write!(out, "; the longest way to the nearest airport: {flight} at {minute}, {miles} miles to {iata} {city}")?;
    }
    let rounds = replay.survey.rounds;
    writeln!(out, ".\nThe survey: {} times round all there is, {VISITS_A_MINUTE} visits a minute.\n", grouped(&rounds))
}

fn operations(replay: &Replay) -> Table {
    let figures = &replay.figures;
    let mut table = Table::new(["operation", "how many", "results", "ns each", "ns / (1 + results)", "ms in all"], 1);
    let views = VIEWS.len();
    for (name, tally) in [
        ("insert an aircraft".to_owned(), figures.insert),
        ("move an aircraft".to_owned(), figures.move_to),
        ("remove an aircraft".to_owned(), figures.remove),
        ("states and counties below".to_owned(), figures.regions),
        (format!("airports around, {AIRPORTS_AROUND} degrees each way"), figures.airports),
        (format!("aircraft around, {TRAFFIC_AROUND} degrees each way"), figures.aircraft),
        ("nearest airport, if in trouble".to_owned(), figures.nearest_airport),
        (format!("all encounters within {ENCOUNTER_WITHIN} degrees"), figures.encounters),
        (format!("changes in a sector, {} sectors", replay.sectors.all().len()), figures.sectors),
        (format!("survey goes on, {VISITS_A_MINUTE} visits"), figures.survey),
        (format!("count in view, {views} views, 4 layers"), figures.view_counts),
        (format!("any aircraft in view, {views} views"), figures.view_exists),
        (format!("near view, {views} views"), figures.view_near),
    ] {
        table.add(row(name, &tally));
    }
    table
}

fn row(name: String, tally: &Tally) -> [String; 6] {
    let asks = tally.results > 0;
    [
        name,
        grouped(&tally.count),
        if asks { grouped(&tally.results) } else { "–".into() },
        tenths(tally.tenths_each()),
        if asks { tenths(tally.tenths_each_with_results()) } else { "–".into() },
        grouped(&tally.time.as_millis()),
    ]
}

fn sectors(sectors: &[Sector]) -> Table {
    let mut table = Table::new(["sector", "at most inside", "entered", "left", "handed over", "of these most to"], 1);
    for sector in sectors {
        let (to, most) = (0..).zip(sector.handed_over).max_by_key(|&(_, count)| count).unwrap_or_default();
        let to: &Sector = &sectors[to];
        table.add([
            sector.view.name.to_owned(),
            grouped(&sector.inside_max),
            grouped(&sector.entered),
            grouped(&sector.left),
            grouped(&sector.handed_over.iter().sum::<usize>()),
            if most > 0 { format!("{}: {}", to.view.name, grouped(&most)) } else { "–".into() },
        ]);
    }
    table
}

fn busiest_counties(replay: &Replay, tables: &Tables) -> Table {
    let minutes = &replay.figures.region_minutes;
    let mut counties: Vec<usize> = (0..minutes.len())
        .filter(|&place| tables.regions[place].kind == RegionKind::County && minutes[place] > 0)
        .collect();
    counties.sort_by_key(|&place| std::cmp::Reverse(minutes[place]));
    let departures = tables.departures();
    let mut table = Table::new(["county", "busiest airport in it", "aircraft-minutes"], 2);
    for place in counties.into_iter().take(COUNTIES_SHOWN) {
        let airport = busiest_airport(&replay.sky, tables, place, &departures);
        table.add([
            tables.regions[place].name.clone(),
            airport.unwrap_or_else(|| "–".into()),
            grouped(&minutes[place]),
        ]);
    }
    table
}

/// Most aircraft over a county begin or end there.
fn busiest_airport(sky: &Sky, tables: &Tables, county: usize, departures: &[usize]) -> Option<String> {
    let parts = tables.parts.iter().filter(|part| part.region == county);
    let inside = parts.flat_map(|part| sky.index.intersecting(part.outline.polygon()).in_layers(sky.airports));
    let in_use = inside.map(|airport| *airport.value() as usize).filter(|&airport| departures[airport] > 0);
    let airport = in_use.max_by_key(|&airport| (departures[airport], airport))?;
    let airport = &tables.airports[airport];
    Some(format!("{} {}", airport.iata, airport.city))
}

fn closest_encounters(replay: &Replay) -> Table {
    let mut table = Table::new(["flights", "time", "miles apart", "longitude", "latitude"], 1);
    for encounter in replay.figures.closest.encounters() {
        let [a, b] = encounter.flights.map(|flight| replay.schedule.name(flight));
        let [longitude, latitude] = encounter.position;
        table.add([
            format!("{a} and {b}"),
            encounter.minute.to_string(),
            format!("{:.4}", encounter.miles),
            format!("{longitude:.2}"),
            format!("{latitude:.2}"),
        ]);
    }
    table
}

fn tenths(tenths: Option<u128>) -> String {
    tenths.map_or_else(|| "–".into(), |tenths| format!("{}.{}", grouped(&(tenths / 10)), tenths % 10))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_never_done_has_no_time() {
        assert_eq!(tenths(Tally::default().tenths_each()), "–");
        assert_eq!(tenths(Some(12_345)), "1,234.5");
    }
}
