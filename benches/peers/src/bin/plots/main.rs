//! Draws the figures of `quadrille-peers --json` as SVG, and makes a table of them.
//!
//! Modules in reading order: the rows of the files, the table, the looks of each contender, axes, then the two kinds of
//! pictures.

mod rows;
mod ratios;
mod looks;
mod axes;
mod strips;
mod growth;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use plotters::coord::Shift;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::prelude::{DrawingArea, IntoDrawingArea, SVGBackend, WHITE};

use looks::Cast;
use rows::{Row, grows, unseen};

/// Draws the figures of one or more runs of `quadrille-peers --json` as SVG, and writes quadrille's ratios to ratios.csv.
#[derive(Debug, Parser)]
#[command(name = "plots", about)]
struct Arguments {
    /// Files of figures; of those that share a scene the first counts
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The directory to draw into
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("cannot read {path:?}: {source}")]
    Read { path: PathBuf, source: io::Error },
    #[error("{path:?} holds no figures: {source}")]
    Figures { path: PathBuf, source: serde_json::Error },
    #[error("cannot draw: {0}")]
    Draw(#[from] DrawingAreaErrorKind<io::Error>),
    #[error("cannot write {path:?}: {source}")]
    Write { path: PathBuf, source: io::Error },
}

type Canvas<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), DrawingAreaErrorKind<io::Error>>;

/// The width of all pictures, in pixels: that of a page of text.
const WIDTH: u32 = 1000;

/// Draws into memory first: a failure leaves no half of a picture behind.
fn save(path: &Path, height: u32, draw: impl FnOnce(&Canvas<'_>) -> Drawn) -> Result<(), Failure> {
    let mut svg = String::new();
    {
        let canvas = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
        canvas.fill(&WHITE)?;
        draw(&canvas)?;
        canvas.present()?;
    }
    write(path, &svg)
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text).map_err(|source| Failure::Write { path: path.to_owned(), source })?;
    println!("{}", path.display());
    Ok(())
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { files, out } = arguments;
    fs::create_dir_all(out).map_err(|source| Failure::Write { path: out.clone(), source })?;
    let files = files.iter().map(|file| rows::read(file)).collect::<Result<Vec<_>, _>>()?;
    let cast = Cast::new(files.iter().flatten());
    // A run of many sizes is drawn as lines, any other as strips of dots.
    let (growth, compared): (Vec<Vec<Row>>, Vec<_>) = files.into_iter().partition(|rows| grows(rows));
    let (growth, compared) = (unseen(growth), unseen(compared));
    if !compared.is_empty() {
        write(&out.join("ratios.csv"), &ratios::table(&compared))?;
    }
    for strips in strips::all(&compared) {
        save(&out.join(strips.file()), strips.height(), |canvas| strips.draw(canvas, &cast))?;
    }
    let panels = growth::panels(&growth);
    if !panels.is_empty() {
        save(&out.join("growth.svg"), growth::height(&panels), |canvas| growth::draw(&panels, canvas, &cast))?;
    }
    Ok(())
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::from(2)
        }
    }
}
