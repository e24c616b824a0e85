//! Several threads change an index into the same bytes as one.

use quadrille::{BatchMoved, Scalar};
use rayon::ThreadPoolBuilder;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::format::Format;
use crate::play::{Dice, Play};

/// Saved after each `par_update` by 1, 2 and 8 threads, and after `update`: from few objects that leave their blocks to all.
fn bytes<S: Scalar + Serialize + DeserializeOwned, const D: usize>() {
    let pools = [1, 2, 8].map(|threads| ThreadPoolBuilder::new().num_threads(threads).build().expect("a few threads"));
    let mut dice = Dice::new(5000);
    let mut alone = Play::<S, D>::new();
    let (points, rects) = (alone.index.add_point_layer().unwrap(), alone.index.add_rect_layer().unwrap());
    alone.index.insert_batch(points, (0..6000).map(|value| (dice.point(), value))).unwrap();
    alone.index.insert_batch(rects, (0..6000).map(|value| (dice.rect(), value))).unwrap();
    let mut others = [(); 3].map(|()| alone.index.clone());
    let mut stored = 0;
    for (round, share) in (0..).zip([0, 2, 5, 20, 0, 50, 100, 1, 10]) {
        let to = |value: u32| {
            let mut dice = Dice::new(u64::from(round * 100_000 + value));
            (dice.below(100), dice)
        };
        let point = |value: u32, at: [S; D]| match to(value) {
            (0, _) => [S::from_f64(f64::INFINITY); D],
            (jump, mut dice) if jump <= share => dice.point(),
            (_, mut dice) => at.map(|end| end + S::from_f64(dice.share() - 0.5)),
        };
        let moved: [BatchMoved; 2] = [
            alone.index.update(points, |_, value, at| point(*value, at.min())).unwrap(),
            alone.index.update(rects, |_, value, at| at.translated(point(*value, [S::from(0); D]))).unwrap(),
        ];
        stored += moved[0].elsewhere + moved[1].elsewhere;
        let saved = Format::Postcard.save(&alone.index);
        for (pool, index) in pools.iter().zip(&mut others) {
            let of_pool: [BatchMoved; 2] = pool.install(|| {
                [
                    index.par_update(points, |_, &value, at| point(value, at.min())).unwrap(),
                    index.par_update(rects, |_, &value, at| at.translated(point(value, [S::from(0); D]))).unwrap(),
                ]
            });
            assert_eq!(of_pool, moved);
            assert_eq!(index.check_integrity(), Ok(()));
            assert!(Format::Postcard.save(index) == saved, "round {round}, {} threads", pool.current_num_threads());
        }
    }
    assert!(6000 < stored, "{stored}");
}

#[test]
fn bytes_of_f32_in_2d() {
    bytes::<f32, 2>();
}

#[test]
fn bytes_of_f64_in_3d() {
    bytes::<f64, 3>();
}

#[test]
fn bytes_of_f64_in_2d() {
    bytes::<f64, 2>();
}

#[test]
fn bytes_of_f32_in_3d() {
    bytes::<f32, 3>();
}
