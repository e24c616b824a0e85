//! A known workload (tidwall/tile38#491): a circle of 5 km around each of 23 000 shops in the United States, and 23 000
//! points that are set one after the other: first where the shops are, then there again, then with longitude
//! and latitude exchanged. Each answer says which fences the point has entered and left.

use quadrille::{GreatCircle, Handle, Layer, Points, Quadtree, Rect, Watch};
use quadrille_gallery::text::float;
use quadrille_gallery::{Show, Stopwatch, grouped};
use rand::{Rng, RngExt};

const SHOPS: usize = 23_000;
/// In meters.
const RADIUS: f64 = 5000.0;
/// Meters of a degree of latitude, a little less than it has.
const DEGREE: f64 = 111_000.0;
/// From the southwest to the northeast, in degrees.
const COUNTRY: [[f64; 2]; 2] = [[-122.0, 28.0], [-72.0, 47.0]];
const CITIES: usize = 300;

type Place = [f64; 2];

/// The points that are set, with what each is in.
struct Fleet {
    index: Quadtree<(), f64>,
    layer: Layer<Points>,
    known: Vec<Option<(Handle, Watch)>>,
}

pub(crate) fn play(show: &mut Show) -> anyhow::Result<()> {
    let places = shops(show.objects().min(SHOPS), &mut show.dice());
    let world = Rect::new(COUNTRY[0], COUNTRY[1]);
    let mut fences: Quadtree<Place, f64> = Quadtree::new(world)?;
    let circles = fences.add_rect_layer()?;
    fences.insert_batch(circles, places.iter().map(|&shop| (bounds(shop), shop)))?;
    let mut index = Quadtree::new(world)?;
    let layer = index.add_point_layer()?;
    let mut fleet = Fleet { index, layer, known: vec![None; places.len()] };
    let turned = places.iter().map(|&[x, y]| [y, x]).collect();
    for (name, points) in [
        ("SETs a second, of new points in fences", places.clone()),
        ("SETs a second, of the same points again", places.clone()),
        ("SETs a second, to places elsewhere", turned),
    ] {
        let mut setting = Stopwatch::default();
        let events = setting.time(|| {
            let mut events = 0;
            for (id, &at) in points.iter().enumerate() {
                events += fleet.set(id, at, &fences)?;
            }
            anyhow::Ok(events)
        })?;
        let rate = float(points.len()) / setting.mean().as_secs_f64();
        show.figure(name, format!("{:.0} ({} entered or left)", rate, grouped(&events)));
        if show.verify() {
            for (at, known) in points.iter().zip(&fleet.known).step_by(50) {
                let inside = known.iter().flat_map(|(_, inside)| inside.inside().iter().copied());
                let all = fences.iter().filter(|fence| is_near(*at, *fence.value())).map(|fence| fence.handle());
                show.same("fences around a point", inside, all)?;
            }
        }
    }
    Ok(())
}

impl Fleet {
    /// Puts a point somewhere; says how many fences it has entered and left.
    fn set(&mut self, id: usize, at: Place, fences: &Quadtree<Place, f64>) -> anyhow::Result<usize> {
        let Self { index, layer, known } = self;
        if let Some((handle, _)) = known[id] {
            index.move_to(handle, at)?;
        } else {
            known[id] = Some((index.insert(*layer, at, ())?, Watch::new()));
        }
        let Some((_, inside)) = &mut known[id] else { unreachable!("it was just put there") };
        let changes = inside.poll(fences.containing(at).filter(|fence| is_near(at, *fence.value())))?;
        Ok(changes.entered.len() + changes.left.len())
    }
}

fn is_near(at: Place, shop: Place) -> bool {
    GreatCircle::new(shop).distance_to(&Rect::from_point(at)) <= RADIUS
}

/// A box around a circle.
fn bounds(shop: Place) -> Rect<f64, 2> {
    let north = RADIUS / DEGREE;
    let east = north / (shop[1].abs() + north).to_radians().cos();
    Rect::from_center_half(shop, [east, north])
}

/// Places around cities, of which few are large.
fn shops(count: usize, dice: &mut impl Rng) -> Vec<Place> {
    let [from, to] = COUNTRY;
    let cities: Vec<Place> = (0..CITIES).map(|_| [0, 1].map(|axis| dice.random_range(from[axis]..to[axis]))).collect();
    let mut shop = || {
        let rank = float(CITIES).powf(dice.random_range(0.0..1.0));
        let city = cities.iter().zip(1_u16..).find(|(_, number)| rank < f64::from(*number) + 1.0);
        let ([x, y], number) = city.unwrap_or((&cities[0], 1));
        let reach = 0.6 / f64::from(number).sqrt() + 0.1;
        let mut off = || reach * (0..3).map(|_| dice.random_range(-1.0..1.0)).sum::<f64>();
        [x + off(), y + off()]
    };
    (0..count).map(|_| shop()).collect()
}
