//! The recorded tables: three files of comma-separated values, checked row by row, and the outlines of the regions.
//!
//! A mistake in them is one [`LoadError`] of one line: the file, the line, the reason. All positions are finite and on
//! the globe, every part of a region has an outline, and every flight names two airports of the table.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::clock::{MINUTES_A_DAY, Minute};
use crate::flight::MILES_A_MINUTE;
use crate::outlines::{self, Part};

/// Longitude and latitude in degrees.
pub type Position = [f64; 2];

/// The file with the outlines of the regions.
pub const OUTLINES: &str = "outlines.bin";

/// Which map a region belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RegionKind {
    /// A state, or the District of Columbia, or Puerto Rico.
    State,
    /// A county, or its equivalent.
    County,
}

/// A state or a county.
#[derive(Debug, Deserialize)]
pub struct Region {
    /// Which map it belongs to.
    pub kind: RegionKind,
    /// Its name; that of a county with its state.
    pub name: String,
}

/// A part of a region. Alaska has dozens, on both sides of the antimeridian: a box around all of it would span the globe.
#[derive(Debug)]
pub struct RegionPart {
    /// Which region, by its place in the table.
    pub region: usize,
    /// Its outline.
    pub outline: Part,
}

/// An airport.
#[derive(Debug)]
pub struct Airport {
    /// Its code of three letters or digits.
    pub iata: String,
    /// The city it serves, and its state.
    pub city: String,
    /// Where it is.
    pub position: Position,
}

/// A departure as it was recorded, on whatever day of the year.
#[derive(Debug)]
pub struct Recorded {
    /// When it was due to leave.
    pub departure: Minute,
    /// From which airport, by its place in the table.
    pub origin: usize,
    /// To which airport, by its place in the table.
    pub destination: usize,
    /// How far that is, in statute miles: more than nothing, less than a day's flight.
    pub miles: f64,
}

/// Everything the folder holds.
#[derive(Debug)]
pub struct Tables {
    /// States and counties, in the order of the file.
    pub regions: Vec<Region>,
    /// Their parts, in the order of the regions.
    pub parts: Vec<RegionPart>,
    /// Airports, in the order of the file.
    pub airports: Vec<Airport>,
    /// Departures, in the order of the file.
    pub flights: Vec<Recorded>,
}

/// Why a table was not read.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file as a whole could not be read.
    #[error("{}: {reason}", .file.display())]
    File {
        /// Which file.
        file: PathBuf,
        /// Why not.
        reason: String,
    },
    /// One row of it is not what it should be.
    #[error("{}:{line}: {reason}", .file.display())]
    Row {
        /// Which file.
        file: PathBuf,
        /// The line the row begins on, from 1.
        line: usize,
        /// The fault in it.
        reason: String,
    },
}

impl Tables {
    /// Reads the tables of a folder.
    ///
    /// # Errors
    /// The first file that is missing or malformed, and else the first row that is malformed or names an unknown airport.
    pub fn load(folder: &Path) -> Result<Self, LoadError> {
        let regions = Table::<Region>::open(&folder.join("regions.csv"))?.read(Ok)?;
        let parts = parts(&folder.join(OUTLINES), regions.len())?;
        let mut numbers = HashMap::new();
        let airports = Table::<AirportRow>::open(&folder.join("airports.csv"))?.read(|row: AirportRow| {
            let airport = row.check()?;
            match numbers.insert(airport.iata.clone(), numbers.len()) {
                None => Ok(airport),
                Some(_) => Err(format!("airport {:?} is listed twice", airport.iata)),
            }
        })?;
        let flights =
            Table::<FlightRow>::open(&folder.join("flights.csv"))?.read(|row: FlightRow| row.check(&numbers))?;
        Ok(Self { regions, parts, airports, flights })
    }

    /// How many recorded flights depart from each airport.
    #[must_use]
    pub fn departures(&self) -> Vec<usize> {
        let mut departures = vec![0; self.airports.len()];
        self.flights.iter().for_each(|flight| departures[flight.origin] += 1);
        departures
    }

    /// All airports by their places in the table, those with the most departures first.
    #[must_use]
    pub fn busiest_airports(&self) -> Vec<usize> {
        let departures = self.departures();
        let mut airports: Vec<_> = (0..departures.len()).collect();
        airports.sort_by_key(|&airport| std::cmp::Reverse(departures[airport]));
        airports
    }

    /// The states, which come before the counties.
    pub fn states(&self) -> impl Iterator<Item = &Region> {
        self.regions.iter().filter(|region| region.kind == RegionKind::State)
    }
}

/// Reads the outlines of so many regions.
fn parts(file: &Path, regions: usize) -> Result<Vec<RegionPart>, LoadError> {
    let refused = |reason| LoadError::File { file: file.to_owned(), reason };
    let outlines = outlines::read(&read(file)?).map_err(|error| refused(error.to_string()))?;
    if outlines.len() != regions {
        return Err(refused(format!("it has outlines of {}, but there are {regions} regions", outlines.len())));
    }
    let parts = outlines.into_iter().enumerate();
    Ok(parts.flat_map(|(region, parts)| parts.into_iter().map(move |outline| RegionPart { region, outline })).collect())
}

fn read(file: &Path) -> Result<Vec<u8>, LoadError> {
    std::fs::read(file)
        .map_err(|error| LoadError::File { file: file.to_owned(), reason: format!("cannot be read: {error}") })
}

/// A row as it is written; its columns have the names of its fields.
trait Row: DeserializeOwned {
    const COLUMNS: &[&str];
}

/// The box in the other columns is for whoever needs no more.
impl Row for Region {
    const COLUMNS: &[&str] = &["kind", "name"];
}

#[derive(Deserialize)]
struct AirportRow {
    iata: String,
    city: String,
    state: String,
    lon: f64,
    lat: f64,
}

impl Row for AirportRow {
    const COLUMNS: &[&str] = &["iata", "city", "state", "lon", "lat"];
}

impl AirportRow {
    fn check(self) -> Result<Airport, String> {
        let position = on_the_globe(self.lon, self.lat)?;
        Ok(Airport { iata: self.iata, city: format!("{}, {}", self.city, self.state), position })
    }
}

#[derive(Deserialize)]
struct FlightRow {
    departure: String,
    origin: String,
    destination: String,
    distance_mi: f64,
}

impl Row for FlightRow {
    const COLUMNS: &[&str] = &["departure", "origin", "destination", "distance_mi"];
}

impl FlightRow {
    fn check(self, airports: &HashMap<String, usize>) -> Result<Recorded, String> {
        let airport = |iata: &str| airports.get(iata).copied().ok_or_else(|| format!("unknown airport {iata:?}"));
        let departure =
            self.departure.split_once('T').and_then(|(_, time)| time.parse().ok()).ok_or_else(|| {
                format!("departure {:?} is not a date and a time as in 2001-01-31T23:59", self.departure)
            })?;
        // An aircraft is in the air once at most, so its flight ends before it departs again.
        let miles_max = MILES_A_MINUTE * f64::from(MINUTES_A_DAY);
        if !(0.0 < self.distance_mi && self.distance_mi < miles_max) {
            return Err(format!(
                "distance_mi {} is not between 0 and {miles_max:.0}, a day's flight",
                self.distance_mi
            ));
        }
        Ok(Recorded {
            departure,
            origin: airport(&self.origin)?,
            destination: airport(&self.destination)?,
            miles: self.distance_mi,
        })
    }
}

fn on_the_globe(longitude: f64, latitude: f64) -> Result<Position, String> {
    // Ranges hold no NaN, so that is refused here as well.
    if (-180.0..=180.0).contains(&longitude) && (-90.0..=90.0).contains(&latitude) {
        Ok([longitude, latitude])
    } else {
        Err(format!("longitude {longitude}, latitude {latitude} is not a place on the globe"))
    }
}

/// One file in memory, to be read row by row.
struct Table<R> {
    file: PathBuf,
    bytes: Vec<u8>,
    rows: std::marker::PhantomData<R>,
}

impl<R: Row> Table<R> {
    fn open(file: &Path) -> Result<Self, LoadError> {
        Ok(Self { file: file.to_owned(), bytes: read(file)?, rows: std::marker::PhantomData })
    }

    fn read<V>(&self, mut check: impl FnMut(R) -> Result<V, String>) -> Result<Vec<V>, LoadError> {
        let mut reader = csv::Reader::from_reader(self.bytes.as_slice());
        let headers = reader.headers().map_err(|error| self.malformed(&error, None))?.clone();
        if let Some(missing) = R::COLUMNS.iter().find(|&&column| headers.iter().all(|header| header != column)) {
            return Err(self.row(1, format!("there is no column {missing:?}")));
        }
        let mut values = Vec::new();
        let mut record = csv::StringRecord::new();
        while reader.read_record(&mut record).map_err(|error| self.malformed(&error, Some(&headers)))? {
            let row = record.deserialize(Some(&headers)).map_err(|error| self.malformed(&error, Some(&headers)))?;
            values.push(check(row).map_err(|reason| self.row(self.line(record.position()), reason))?);
        }
        Ok(values)
    }

    fn row(&self, line: usize, reason: String) -> LoadError {
        LoadError::Row { file: self.file.clone(), line, reason }
    }

    fn malformed(&self, error: &csv::Error, headers: Option<&csv::StringRecord>) -> LoadError {
        let reason = match error.kind() {
            csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
                format!("columns: {len}, but {expected_len} in the first line")
            }
            csv::ErrorKind::Deserialize { err, .. } => {
                let column = err.field().and_then(|field| headers?.get(usize::try_from(field).ok()?));
                column.map_or_else(|| err.kind().to_string(), |column| format!("{column}: {}", err.kind()))
            }
            csv::ErrorKind::Utf8 { err, .. } => err.to_string(),
            _ => error.to_string(),
        };
        self.row(self.line(error.position()), reason)
    }

    /// The line a record begins on. Counted here, because the reader's own count stops at the first of the empty
    /// lines before the record.
    fn line(&self, position: Option<&csv::Position>) -> usize {
        let start = position.map_or(0, |position| usize::try_from(position.byte()).unwrap_or(usize::MAX));
        let (before, after) = self.bytes.split_at(start.min(self.bytes.len()));
        let empty = after.iter().take_while(|&&byte| byte == b'\n' || byte == b'\r');
        1 + before.iter().chain(empty).filter(|&&byte| byte == b'\n').count()
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "exactly these numbers are meant")]
mod tests;
