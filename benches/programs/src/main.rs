//! Whole programs on quadrille and on other indexes: each tick does all of the work, and every answer is compared.

#![expect(clippy::cast_precision_loss, reason = "figures are rounded for people, and coordinates are on a lattice")]
#![expect(clippy::cast_sign_loss, reason = "coordinates are not negative")]

mod places;
mod measure;
mod flock;
mod broad_phase;
mod server;

use measure::{Plan, Scene, Threads};

fn main() {
    let n: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    for distribution in places::DISTRIBUTIONS {
        for threads in [Threads::One, Threads::All] {
            let scene = Scene { program: "flock", objects: n, distribution };
            let plan = Plan { threads, rounds: 3, ticks: 3 };
            let mut rows = if std::env::args().nth(2).is_some() { vec![] } else { flock::run(&scene, plan) };
            rows.extend(server::run(&Scene { program: "server", ..scene.clone() }, plan));
            if false { for program in broad_phase::PROGRAMS { rows.extend(broad_phase::run(&Scene { program, ..scene.clone() }, plan)); }}
            for row in rows {
                println!("{} {} {} {} {} {:.2} {:.2} {}", row.scene.program, row.scene.objects, distribution, row.threads, row.contender, row.median, row.least, row.is_right);
            }
        }
    }
}
