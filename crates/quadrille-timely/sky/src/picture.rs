//! Draws who owned which part of the sky at noon, and the shares of the workers over the day.

use quadrille::Rect;
use quadrille_airspace::data::RegionKind;
use quadrille_gallery::palette::{ALARM, GOLD, LEAF, PAPER, STONE, TREE, VIOLET, WHITE};
use quadrille_gallery::{Ink, Mark, Panel, Picture};
use quadrille_timely::Partition;

use crate::day::{Day, ENCOUNTER_WITHIN, bounds};
use crate::fleet::Fleet;
use crate::tally::Tally;

const WIDTH: f64 = 1600.0;
const MARGIN: f64 = 16.0;
const MAP: f64 = 880.0;
const CHART: f64 = 200.0;
/// One color of each worker, again from the first one if there are more.
const COLORS: [&str; 6] = [TREE, VIOLET, LEAF, ALARM, STONE, GOLD];
/// Squares on a side of the map: the cells of the partition.
const SIDE: usize = 512;
/// More aircraft would hide the map.
const DOTS: usize = 2000;

/// Draws the picture as the text of an SVG.
pub(crate) fn draw(day: &Day, tally: &Tally) -> anyhow::Result<String> {
    let shares = tally.shares.range(..=day.noon()).next_back().or_else(|| tally.shares.first_key_value());
    let (tick, shares) = shares.ok_or_else(|| anyhow::anyhow!("no worker has reported where the aircraft were"))?;
    let partition = Partition::<f64, 2>::from_starts(bounds(), ENCOUNTER_WITHIN, shares.starts.clone());
    let title = format!("Who owned the sky at {}, and the shares of the workers over the day", day.minute(*tick));
    let mut picture = Picture::new(title, [WIDTH, MAP + CHART + 2.0 * MARGIN]);

    let place = Rect::new([MARGIN, MARGIN], [WIDTH - MARGIN, MAP]);
    let mut map = picture.panel(place, Rect::new(project(bounds().min()), project(bounds().max())));
    map.frame();
    draw_partition(&mut map, &partition);
    draw_states(&mut map, day);
    let flying = Fleet::at(day, day.minute(*tick), |flight| flight % day.traffic == 0);
    let step = (flying.flying().count() / DOTS).max(1);
    map.dots(&Ink::fill(GOLD), 1.3, flying.flying().step_by(step).map(|(_, at)| project(at)));
    picture.add(map);

    let place = Rect::new([MARGIN, MAP + MARGIN], [WIDTH - MARGIN, MAP + MARGIN + CHART]);
    let mut chart = picture.panel(place, Rect::new([0.0, 0.0], place.size()));
    chart.frame();
    draw_shares(&mut chart, day, tally, place.size());
    picture.add(chart);

    for worker in 0..partition.workers() {
        picture.legend(Mark::Box, &area(worker), format!("worker {worker}"));
    }
    picture.legend(Mark::Dot, &Ink::fill(GOLD), "some of the aircraft");
    picture.legend(Mark::Line, &in_the_air(), "how many there were");
    picture.legend(Mark::Line, &repartitioned(), "the sky was partitioned anew");
    Ok(picture.into_svg())
}

fn area(worker: usize) -> Ink {
    Ink::fill(COLORS[worker % COLORS.len()]).opacity(0.4)
}

/// From degrees to a plane that is true to shape in its middle.
fn project([longitude, latitude]: [f64; 2]) -> [f64; 2] {
    [longitude * 37.0_f64.to_radians().cos(), latitude]
}

/// The parts of the workers, as few boxes.
fn draw_partition(map: &mut Panel, partition: &Partition<f64, 2>) {
    let boxes = boxes(|column, row| partition.owner(corner([column, row], 0.5)));
    for worker in 0..partition.workers() {
        let own = boxes.iter().filter(|(owner, _)| usize::from(*owner) == worker);
        let shape = |[from, to]: &[[usize; 2]; 2]| Rect::new(project(corner(*from, 0.0)), project(corner(*to, 0.0)));
        map.boxes(&area(worker), own.map(|(_, ends)| shape(ends)));
    }
}

/// A place in a square of the map.
fn corner(square: [usize; 2], part: f64) -> [f64; 2] {
    let (min, size) = (bounds().min(), bounds().size());
    std::array::from_fn(|axis| min[axis] + size[axis] * (square[axis] as f64 + part) / SIDE as f64)
}

/// Boxes of squares that have one owner: runs of a row, and the same runs of the rows above.
fn boxes(owner: impl Fn(usize, usize) -> u16) -> Vec<(u16, [[usize; 2]; 2])> {
    let mut boxes: Vec<(u16, [[usize; 2]; 2])> = Vec::new();
    let mut below: Vec<usize> = Vec::new();
    for row in 0..SIDE {
        let mut runs = Vec::new();
        let owners: Vec<(usize, u16)> = (0..SIDE).map(|column| (column, owner(column, row))).collect();
        for run in owners.chunk_by(|a, b| a.1 == b.1) {
            let (left, right, own) = (run[0].0, run[run.len() - 1].0 + 1, run[0].1);
            let same = |at: &&usize| {
                let (owner, [from, to]) = boxes[**at];
                (owner, from[0], to[0]) == (own, left, right)
            };
            let at = below.iter().find(same).copied().unwrap_or_else(|| {
                boxes.push((own, [[left, row], [right, row]]));
                boxes.len() - 1
            });
            boxes[at].1[1][1] = row + 1;
            runs.push(at);
        }
        below = runs;
    }
    boxes
}

fn draw_states(map: &mut Panel, day: &Day) {
    let is_state = |region: usize| day.tables.regions[region].kind == RegionKind::State;
    let parts = day.tables.parts.iter().filter(|part| is_state(part.region));
    // Alaska and the islands are elsewhere.
    let near = parts.filter(|part| part.outline.corners().any(|at| bounds().contains_point(at)));
    let rings = near.flat_map(|part| &part.outline.rings);
    map.polygons(&Ink::line(PAPER, 1.0).opacity(0.55), rings.map(|ring| ring.iter().map(|at| project(*at))));
}

/// The shares as bands, one above the other; above them when the sky was partitioned anew, and how many aircraft there were.
fn draw_shares(chart: &mut Panel, day: &Day, tally: &Tally, [width, height]: [f64; 2]) {
    let x = |tick: u64| (tick - 1) as f64 / f64::from(day.minutes) * width;
    let workers = tally.shares.values().next().map_or(0, |shares| shares.own.len());
    // Of the workers before this one, from 0 to the height.
    let level = |own: &[u32], worker: usize| {
        let [below, all] = [&own[..worker], own].map(|counts| counts.iter().sum::<u32>());
        f64::from(below) / f64::from(all.max(1)) * height
    };
    for worker in 0..workers {
        let line =
            |worker: usize| tally.shares.iter().map(move |(tick, shares)| [x(*tick), level(&shares.own, worker)]);
        let band: Vec<[f64; 2]> = line(worker).chain(line(worker + 1).rev()).collect();
        chart.polygons(&area(worker), [band]);
    }
    let partitions: Vec<_> = tally.shares.iter().collect();
    let anew = partitions.windows(2).filter(|pair| pair[0].1.starts != pair[1].1.starts).map(|pair| x(*pair[1].0));
    chart.lines(&repartitioned(), anew.map(|x| [[x, 0.0], [x, height]]));
    let all = |own: &[u32]| f64::from(own.iter().sum::<u32>());
    let most = tally.shares.values().map(|shares| all(&shares.own)).fold(1.0, f64::max);
    let flying = tally.shares.iter().map(|(tick, shares)| [x(*tick), all(&shares.own) / most * height * 0.95]);
    chart.ways(&in_the_air(), [flying]);
    let hours = (2..day.last()).filter(|tick| day.minute(*tick).number().is_multiple_of(120));
    hours.for_each(|tick| chart.words([x(tick), 8.0], 15, &day.minute(tick).to_string()));
}

fn repartitioned() -> Ink {
    Ink::line(WHITE, 1.0).opacity(0.5)
}

fn in_the_air() -> Ink {
    Ink::line(GOLD, 2.0)
}
