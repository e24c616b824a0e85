//! Every argument of every public function, and bad input for it. `bad_input/outcomes.csv` lists the outcomes, and
//! refused input leaves the index as it was. `docs/guarantees.md` sums the table up by rules and says how to read it.
//!
//! Each outcome is tried in 2D with `f32` and in 3D with `f64`, or with `other-spaces` the other way round; functions of the plane with
//! both scalars. The answers of boxes are compared with a linear scan here; `regions` and `ordered_edges` compare other regions and
//! ordered queries.

mod elsewhere;
mod outcome;
#[cfg(feature = "std")]
mod plane;
mod questions;
mod rows;
mod setting;
mod shapes;
mod torus;

use std::collections::BTreeMap;
#[cfg(feature = "std")]
use std::collections::BTreeSet;
use std::fmt::Write;
#[cfg(feature = "std")]
use std::path::Path;

use quadrille::Rect;

use quadrille_support::agreement::snapshot;
use quadrille_support::{Real, assert_sound};

#[cfg(feature = "std")]
use crate::architecture::public_functions;

use outcome::Outcome;
use rows::{Row, Take};
use setting::Setting;

/// Arguments that nothing can be wrong with, and what takes their place.
#[cfg(feature = "std")]
const SOUND: [(&str, &str); 27] = [
    ("SpatialIndex::insert(value)", "any value"),
    ("SpatialIndex::insert_any(value)", "any value"),
    ("SpatialIndex::retain(keep)", "it says yes or no; it may panic: `panic_matrix`"),
    ("Cursor::run(each)", "it says nothing; it may panic: `panic_matrix`"),
    ("SpatialIndex::sort_by_place(items)", "any items"),
    ("SpatialIndex::query_batch(ask)", "it adds to the answer; it may panic: `panic_matrix`"),
    ("Answers::fill(ask)", "it adds to the answer; it may panic: `panic_matrix`"),
    ("Answers::fill(index)", "any index: it is asked for its grid alone"),
    ("Nearest::reusing(buffer)", "memory"),
    ("Cast::reusing(buffer)", "memory"),
    ("NearestBy::reusing(buffer)", "memory"),
    ("Periodic::on_axes(axes)", "yes or no for each axis"),
    ("Query::handles_into(handles)", "a collection that handles are added to"),
    ("Query::periodic(torus)", "checked when it was made"),
    ("Nearest::periodic(torus)", "checked when it was made"),
    ("Cast::periodic(torus)", "checked when it was made"),
    ("Join::periodic(torus)", "checked when it was made"),
    ("Neighbors::periodic(torus)", "checked when it was made"),
    ("Neighbors::for_each(tell)", "it says nothing; it may panic: `panic_matrix`"),
    ("Neighbors::map(tell)", "any answer; it may panic: `panic_matrix`"),
    ("Neighbors::par_map(tell)", "any answer"),
    ("Neighbors::matching(condition)", "it says yes or no; it may panic: `panic_matrix`"),
    ("Query::matching(condition)", "it says yes or no; it may panic: `panic_matrix`"),
    ("Clusters::map_reduce(map)", "any answer; it may panic: `panic_matrix`"),
    ("Clusters::map_reduce(reduce)", "it says nothing; it may panic: `panic_matrix`"),
    ("Clusters::par_map_reduce(map)", "any answer"),
    ("Clusters::par_map_reduce(reduce)", "it says nothing"),
];

/// The outcomes of a column's inputs, for each row.
type Table = Vec<(&'static str, BTreeMap<usize, Outcome>)>;

/// The kinds of arguments.
const CLASSES: [&str; 10] = [
    "point",
    "box",
    "number",
    "handle of a box",
    "layer of boxes",
    "set of layers",
    "list",
    "whole number",
    "index",
    "no room",
];

fn class<S, const D: usize>(take: &Take<S, D>) -> usize {
    match take {
        Take::Point(_) => 0,
        Take::Rect(_) => 1,
        Take::Number(_) => 2,
        Take::Handle(_) => 3,
        Take::Layer(_) => 4,
        Take::Layers(_) => 5,
        Take::List(_) => 6,
        Take::Count(_) => 7,
        Take::Index(_) => 8,
        Take::Room(_) => 9,
    }
}

fn all_rows<S: Real, const D: usize>() -> Vec<Row<S, D>> {
    let parts = [
        rows::shapes_of_objects(),
        rows::worlds(),
        rows::layers(),
        rows::names(),
        questions::questions(),
        questions::pages(),
        questions::motions(),
        questions::neighbors(),
        questions::clusters(),
        shapes::regions(),
        shapes::corridors(),
        shapes::boxes(),
        rows::no_room(),
        elsewhere::elsewhere(),
        torus::torus_rows(),
        elsewhere::told(),
    ];
    parts.into_iter().flatten().collect()
}

/// The outcomes of a row, by column.
struct Filled<'a, S, const D: usize> {
    setting: &'a Setting<S, D>,
    names: &'static str,
    columns: &'a mut Vec<&'static str>,
    cells: BTreeMap<usize, Outcome>,
}

impl<S: Real, const D: usize> Filled<'_, S, D> {
    fn row(mut self, take: &Take<S, D>) -> BTreeMap<usize, Outcome> {
        let setting = self.setting;
        match take {
            Take::Point(call) => self.each(setting::points(), *call),
            Take::Rect(call) => self.each(setting::rects(), *call),
            Take::Number(call) => self.each(setting::numbers(), *call),
            Take::Handle(call) => self.each(setting.handles, *call),
            Take::Layer(call) => self.each(setting::layers(setting), *call),
            Take::Layers(call) => self.each(setting::sets(setting), *call),
            Take::List(call) => self.each(setting::hints(), *call),
            Take::Count(call) => self.each(setting::counts(), *call),
            Take::Index(call) => self.each(elsewhere::indexes(setting), |on, index| call(on, &index)),
            Take::Room(call) => self.each([("the 65th layer", ())], |on, ()| call(on)),
        }
        self.cells
    }

    fn each<I>(
        &mut self,
        inputs: impl IntoIterator<Item = (&'static str, I)>,
        call: impl Fn(&mut Setting<S, D>, I) -> Outcome,
    ) {
        for (column, input) in inputs {
            let what = format!("{} with {column}", self.names);
            let outcome = try_out(self.setting, |on| call(on, input), &what);
            let known = self.columns.iter().position(|name| *name == column);
            let place = known.unwrap_or_else(|| {
                self.columns.push(column);
                self.columns.len() - 1
            });
            let merged = match self.cells.remove(&place) {
                Some(before) => before.merged(&outcome, &what),
                None => outcome,
            };
            self.cells.insert(place, merged);
        }
    }
}

/// Calls; the index is sound then, and as it was if nothing was to be done.
fn try_out<S: Real, const D: usize>(
    setting: &Setting<S, D>,
    call: impl FnOnce(&mut Setting<S, D>) -> Outcome,
    what: &str,
) -> Outcome {
    let mut on = setting.clone();
    let outcome = call(&mut on);
    assert_sound(&on.index, what);
    if outcome.leaves_the_index_as_it_was() {
        let now = snapshot(&on.index);
        let differs = now.iter().zip(&*setting.shown).find(|(now, before)| now != before);
        assert!(*now == *setting.shown, "{what}: {outcome}, and the index has changed: {differs:?}");
    }
    let everywhere = on.index.intersecting(Rect::everything()).inspect(|object| {
        assert!(
            object.shape().min().into_iter().chain(object.shape().max()).all(|at| at.value().is_finite()),
            "{what}"
        );
    });
    assert_eq!(everywhere.count(), on.index.len(), "{what}");
    outcome
}

/// All tables, by class: their columns and rows.
fn tables<S: Real, const D: usize>(rows: &[Row<S, D>]) -> Vec<(Vec<&'static str>, Table)> {
    let setting = Setting::<S, D>::cloned();
    let mut tables = vec![(Vec::new(), Table::new()); CLASSES.len()];
    for row in rows {
        let (columns, table) = &mut tables[class(&row.take)];
        let filled = Filled { setting: &setting, names: row.names, columns, cells: BTreeMap::new() };
        table.push((row.names, filled.row(&row.take)));
    }
    tables
}

/// One space's tables with those of another: the same inputs have the same outcomes.
fn merged(
    tables: Vec<(Vec<&'static str>, Table)>,
    others: Vec<(Vec<&'static str>, Table)>,
) -> Vec<(Vec<&'static str>, Table)> {
    let pairs = tables.into_iter().zip(others);
    pairs
        .map(|((columns, table), (other_columns, other))| {
            assert_eq!(columns, other_columns);
            let rows = table.into_iter().zip(other);
            let merged = rows.map(|((names, cells), (_, other))| {
                let both = cells.into_iter().zip(other);
                let cells = both.map(|((column, one), (_, other))| (column, one.merged(&other, names)));
                (names, cells.collect())
            });
            let merged = merged.collect();
            (columns, merged)
        })
        .collect()
}

/// A line for each argument and each outcome, with the inputs that have it.
fn lines(tables: &[(Vec<&'static str>, Table)]) -> String {
    let mut lines = HEAD.to_owned();
    for (class, (columns, table)) in CLASSES.iter().zip(tables) {
        for (names, cells) in table {
            let mut by_outcome: Vec<(String, Vec<&str>)> = Vec::new();
            for (&column, outcome) in cells {
                let outcome = outcome.to_string();
                match by_outcome.iter_mut().find(|(known, _)| *known == outcome) {
                    Some((_, inputs)) => inputs.push(columns[column]),
                    None => by_outcome.push((outcome, vec![columns[column]])),
                }
            }
            for name in names.split(", ") {
                for (outcome, inputs) in &by_outcome {
                    writeln!(lines, "{class},{name},{outcome},\"{}\"", inputs.join("; ")).expect("text");
                }
            }
        }
    }
    lines
}

const HEAD: &str = "class,argument,outcome,inputs\n";

/// The outcomes are those of the table.
#[test]
fn outcomes_are_those_of_the_file() {
    #[cfg(not(feature = "other-spaces"))]
    let tables = merged(tables(&all_rows::<f32, 2>()), tables(&all_rows::<f64, 3>()));
    #[cfg(feature = "other-spaces")]
    let tables = merged(tables(&all_rows::<f32, 3>()), tables(&all_rows::<f64, 2>()));
    #[cfg(feature = "std")]
    assert_file(&lines(&with_plane(tables)));
    #[cfg(not(feature = "std"))]
    assert!(lines(&tables).len() > HEAD.len());
}

#[cfg(feature = "std")]
fn with_plane(mut tables_of_all: Vec<(Vec<&'static str>, Table)>) -> Vec<(Vec<&'static str>, Table)> {
    let plane = merged(tables(&plane::plane::<f32>()), tables(&plane::plane::<f64>()));
    for ((_, table), (_, of_plane)) in tables_of_all.iter_mut().zip(plane) {
        table.extend(of_plane);
    }
    tables_of_all
}

#[cfg(feature = "std")]
fn assert_file(text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("all/bad_input/outcomes.csv");
    if std::env::var_os("WRITE_PAGES").is_some() {
        std::fs::write(&path, text).expect("the file is written");
    }
    let file = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = file.lines().zip(text.lines()).find(|(old, new)| old != new);
    assert!(
        file == text,
        "{} differs from what the tests computed ({differs:?}); WRITE_PAGES=1 writes it",
        path.display()
    );
}

/// There is a row for each argument of each public function.
#[test]
#[cfg(feature = "std")]
fn each_argument_has_a_row() {
    let (rows, plane) = (all_rows::<f32, 2>(), plane::plane::<f32>());
    let mut named: BTreeSet<String> =
        rows.iter().chain(&plane).flat_map(|row| row.names.split(", ")).map(str::to_owned).collect();
    named.retain(|name| !name.ends_with("()"));
    named = named.into_iter().map(|name| name.replace(" on a torus", "")).collect();
    named.extend(SOUND.iter().map(|(name, _)| (*name).to_owned()));
    let mut needed = BTreeSet::new();
    for function in public_functions() {
        for argument in &function.arguments {
            let name = argument.split(':').next().expect("a name").trim_start_matches("mut ");
            needed.insert(format!("{}({name})", function.name));
        }
    }
    let missing: Vec<_> = needed.difference(&named).collect();
    assert!(missing.is_empty(), "no row: {missing:?}");
    let stale: Vec<_> = named.difference(&needed).collect();
    assert!(stale.is_empty(), "no such argument: {stale:?}");
}
