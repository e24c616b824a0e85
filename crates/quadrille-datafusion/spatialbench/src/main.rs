//! Writes `SpatialBench`'s tables `trip` and `building` as CSV: `quadrille-spatialbench FOLDER [SCALE]`. The scale is 1 by
//! default: six million trips and twenty thousand buildings. Much below 1 there are no buildings.

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use spatialbench::generators::{BuildingGenerator, TripGenerator};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("which folder?")?;
    let scale = arguments.next().map_or(Ok(1.0), |scale| scale.parse())?;
    trips(&Path::new(&folder).join("trip.csv"), scale)?;
    buildings(&Path::new(&folder).join("building.csv"), scale)?;
    Ok(())
}

/// The key and the pickup of each trip.
fn trips(path: &Path, scale: f64) -> Result<(), Box<dyn Error>> {
    let mut file = BufWriter::new(File::create(path)?);
    writeln!(file, "key,x,y")?;
    for trip in TripGenerator::new(scale, 1, 1).iter() {
        let pickup = trip.t_pickuploc;
        writeln!(file, "{},{},{}", trip.t_tripkey, pickup.x(), pickup.y())?;
    }
    Ok(file.flush()?)
}

/// The key, the name and the outline of each building, as text that any reader of geometries takes; and its bounding box.
fn buildings(path: &Path, scale: f64) -> Result<(), Box<dyn Error>> {
    let mut file = BufWriter::new(File::create(path)?);
    writeln!(file, "key,name,shape,x0,y0,x1,y1")?;
    for building in &BuildingGenerator::new(scale, 1, 1) {
        let corners: Vec<_> = building.b_boundary.exterior().points().map(|corner| [corner.x(), corner.y()]).collect();
        let outline: Vec<_> = corners.iter().map(|[x, y]| format!("{x} {y}")).collect();
        let end = |axis: usize, pick: fn(f64, f64) -> f64| corners.iter().map(|corner| corner[axis]).reduce(pick);
        let ends =
            [end(0, f64::min), end(1, f64::min), end(0, f64::max), end(1, f64::max)].map(Option::unwrap_or_default);
        let [x0, y0, x1, y1] = ends;
        let outline = outline.join(",");
        let (key, name) = (building.b_buildingkey, &building.b_name);
        writeln!(file, "{key},{name},\"POLYGON(({outline}))\",{x0},{y0},{x1},{y1}")?;
    }
    Ok(file.flush()?)
}
