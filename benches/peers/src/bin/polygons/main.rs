//! How many of 200 000 points lie in a polygon of many corners:
//! `cargo run --release -p quadrille-peers --features polygons --bin polygons`.
//!
//! Quadrille asks its index of the points; the others are asked about each point. All are built and asked in turns, the
//! median of several rounds counts, by the time of the thread, and all must come to the same number.

mod contenders;
mod outlines;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use rustix::time::{ClockId, clock_gettime};

use contenders::{CONTENDERS, Contender};
use outlines::{OUTLINES, Outline, SIDE};

const POINTS: usize = 200_000;

/// An odd number, so that the median is one of them.
const ROUNDS: usize = 5;

fn main() {
    let mut random = Pcg64Mcg::seed_from_u64(1);
    let points: Vec<[f64; 2]> = (0..POINTS).map(|_| [(); 2].map(|()| random.random_range(0.0..SIDE))).collect();
    let crowd = contenders::Crowd::new(points);
    println!(
        "corners, outline, contender, building: ns a corner, {POINTS} points: ms, of the user-made way: built and asked"
    );
    for outline in OUTLINES {
        let rings = outline.rings(&mut random);
        measure(&outline, &rings, &crowd);
    }
}

fn measure(outline: &Outline, rings: &[Vec<[f64; 2]>], crowd: &contenders::Crowd) {
    let corners: usize = rings.iter().map(Vec::len).sum();
    let able: Vec<&Contender> = CONTENDERS.iter().filter(|contender| corners <= contender.corners_at_most).collect();
    let mut times = vec![([0.0; ROUNDS], [0.0; ROUNDS]); able.len()];
    let mut inside = None;
    for round in 0..ROUNDS {
        for (contender, times) in able.iter().zip(&mut times) {
            let (found, [building, asking]) = (contender.run)(rings, crowd);
            (times.0[round], times.1[round]) = (building, asking);
            assert_eq!(*inside.get_or_insert(found), found, "{} of {}", contender.name, outline.name);
        }
    }
    let medians: Vec<[f64; 2]> =
        times.iter_mut().map(|(building, asking)| [median(building), median(asking)]).collect();
    let user = able.iter().position(|contender| contender.name == contenders::USER_MADE).expect("it takes any number");
    let whole = |[building, asking]: [f64; 2]| building + asking;
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    for (contender, &median @ [building, asking]) in able.iter().zip(&medians) {
        let (ratio, building, asking) = (whole(median) / whole(medians[user]), building / corners as f64, asking / 1e6);
        println!("{corners}, {}, {}, {building:.0}, {asking:.2}, {ratio:.4}", outline.name, contender.name);
    }
}

fn median(times: &mut [f64; ROUNDS]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[ROUNDS / 2]
}

/// The result of some work, and the nanoseconds that this thread ran meanwhile.
#[expect(clippy::cast_precision_loss, reason = "less than days")]
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let now = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
    };
    let before = now();
    let result = work();
    (result, now() - before)
}
