//! Partitions, compared with all cells one by one.

use proptest::prelude::*;
use quadrille::Rect;

use super::Partition;

fn world() -> Rect<f64, 2> {
    Rect::new([-10.0, 20.0], [90.0, 70.0])
}

/// The workers with a cell that a box meets, cell by cell.
fn meeting_slowly(partition: &Partition<f64, 2>, shape: &Rect<f64, 2>) -> Vec<u16> {
    let [low, high] = [partition.cell(shape.min()), partition.cell(shape.max())];
    let mut workers: Vec<u16> = (low[0]..=high[0])
        .flat_map(|x| (low[1]..=high[1]).map(move |y| [x, y]))
        .map(|cell| partition.owner_of_code(super::code_of_cell(cell)))
        .collect();
    workers.sort_unstable();
    workers.dedup();
    workers
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_box_stands_where_its_cells_are(
        workers in 1_usize..9,
        reach in 0.0..3.0,
        sample in prop::collection::vec([-10.0..90.0, 20.0..70.0], 0..40),
        boxes in prop::collection::vec(([-30.0..120.0, 0.0..90.0], [0.0..9.0, 0.0..9.0]), 50),
    ) {
        let partition = Partition::of_sample(world(), reach, workers, sample);
        prop_assert_eq!(partition.workers(), workers);
        for (from, size) in boxes {
            let shape = Rect::new(from, [from[0] + size[0], from[1] + size[1]]);
            let stretched = partition.stretched(&shape);
            prop_assert!(stretched.contains(&shape));
            let mut holders = Vec::new();
            partition.holders(&shape, &mut holders);
            let slowly = meeting_slowly(&partition, &stretched);
            prop_assert_eq!(&holders, &slowly);
            let owner = partition.owner(from);
            prop_assert!(holders.contains(&owner));
            if let Some(alone) = partition.sole_holder(&shape) {
                prop_assert_eq!(slowly, [alone]);
            }
            for worker in 0..workers as u16 {
                prop_assert_eq!(partition.is_sole(worker, &shape), partition.sole_holder(&shape) == Some(worker));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn a_home_is_held_by_its_worker_alone(
        workers in 1_usize..9,
        reach in 0.0..3.0,
        samples in prop::collection::vec(prop::collection::vec([-10.0..90.0, 20.0..70.0], 0..40), 2),
        points in prop::collection::vec([-30.0..120.0, 0.0..90.0], 40),
    ) {
        let [one, other] = [0, 1].map(|n| Partition::of_sample(world(), reach, workers, samples[n].clone()));
        let inside = points.iter().copied();
        // Corners of cells, and their neighbours.
        let corners = points.iter().flat_map(|at: &[f64; 2]| {
            let corner = [-10.0 + (at[0] * 5.12).round() / 5.12, 20.0 + (at[1] * 10.24).round() / 10.24];
            [corner, corner.map(f64::next_down), corner.map(f64::next_up)]
        });
        let all: Vec<_> = inside.chain(corners).collect();
        for at in &points {
            for worker in 0..workers as u16 {
                let is_alone = |at| one.is_sole_at(worker, at) && other.is_sole_at(worker, at);
                let home = one.home(&other, worker, *at);
                prop_assert_eq!(home.holds(*at), is_alone(*at));
                for near in all.iter().filter(|near| home.holds(**near)) {
                    prop_assert!(is_alone(*near), "{:?} in {:?}", near, home);
                }
            }
        }
    }
}

#[test]
fn a_home_is_as_large_as_it_can_be() {
    let whole = Partition::of_sample(world(), 0.5, 1, []);
    let home = whole.home(&whole, 0, [3.0, 30.0]);
    assert!(home.holds([f64::NEG_INFINITY, f64::INFINITY]) && !home.holds([3.0, f64::NAN]));
    // Of four quarters one has its own, less what is within reach of the others.
    let quarters = Partition::of_sample(world(), 0.5, 4, []);
    let home = quarters.home(&quarters, 0, [-9.0, 21.0]);
    assert!(home.holds([14.0, 32.0]) && !home.holds([16.0, 21.0]));
    assert!(!quarters.home(&quarters, 1, [-9.0, 21.0]).holds([-9.0, 21.0]));
    // Far from zero, where a cell has few coordinates.
    let far = Rect::new([1e7_f32, 1e7], [1e7 + 512.0, 1e7 + 512.0]);
    let coarse = Partition::of_sample(far, 0.25, 4, []);
    for x in (0..512).map(|x| 1e7 + x as f32) {
        let home = coarse.home(&coarse, 0, [x, 1e7]);
        for near in (0..512).map(|near| [1e7 + near as f32, 1e7]).filter(|near| home.holds(*near)) {
            assert!(coarse.is_sole_at(0, near), "{x}");
        }
    }
}

/// A step is at home if it begins there, and ends there as a point.
#[test]
fn a_home_holds_steps_from_point_to_point() {
    let quarters = Partition::of_sample(world(), 0.5, 4, []);
    let home = quarters.home(&quarters, 0, [-9.0, 21.0]);
    let some = [-30.0, -9.0, 14.0, 21.0, 32.0, 60.0, f64::INFINITY, f64::NAN];
    let corners: Vec<[f64; 2]> = some.into_iter().flat_map(|x| some.map(|y| [x, y])).collect();
    let mut held = 0;
    for old in corners.iter().filter(|old| !old[0].is_nan() && !old[1].is_nan()) {
        for min in &corners {
            for max in &corners {
                let new = Rect::new(*min, *max);
                let expected = home.holds(*old) && new == Rect::from_point(new.min()) && home.holds(new.min());
                assert_eq!(home.holds_step(*old, &new), expected, "{old:?} to {new:?}");
                held += usize::from(expected);
            }
        }
    }
    assert!(10 < held && held < 1000, "{held}");
}

#[test]
fn each_worker_has_its_share_of_the_sample() {
    let crowd = (0..10_000).map(|n| [f64::from(n % 100) / 50.0, 21.0 + f64::from(n / 100) / 50.0]);
    let partition = Partition::of_sample(world(), 0.5, 4, crowd.clone());
    let mut shares = [0; 4];
    crowd.for_each(|at| shares[usize::from(partition.owner(at))] += 1);
    assert!(shares.iter().all(|share| (2000..3000).contains(share)), "{shares:?}");
    // Without a sample each has as much space.
    let even = Partition::of_sample(world(), 0.5, 4, []);
    let corners = [[-9.0, 21.0], [89.0, 21.0], [-9.0, 69.0], [89.0, 69.0]];
    assert_eq!(corners.map(|at| even.owner(at)), [0, 1, 2, 3]);
}

#[test]
fn a_cut_is_what_its_starts_say() {
    let sample = (0..100).map(|n| [f64::from(n), 30.0 + f64::from(n % 7)]);
    let partition = Partition::of_sample(world(), 1.0, 5, sample);
    let again = Partition::from_starts(world(), 1.0, partition.starts().to_vec());
    assert_eq!(partition.table, again.table);
    // A worker without cells is allowed.
    let lonely = Partition::from_starts(world(), 1.0, vec![0, 0]);
    assert_eq!(lonely.owner([0.0, 30.0]), 2);
    let mut weights = vec![0; Partition::<f64, 2>::CELLS];
    weights[7] = 9;
    assert!((lonely.fullest_share(&weights) - 3.0).abs() < 1e-12);
}

#[test]
fn cells_in_three_dimensions_are_as_monotone() {
    assert_eq!([Partition::<f32, 2>::CELLS, Partition::<f32, 3>::CELLS], [512_usize.pow(2), 64_usize.pow(3)]);
    let partition = Partition::of_sample(Rect::new([0.0_f32; 3], [64.0; 3]), 0.5, 3, []);
    let mut holders = Vec::new();
    partition.holders(&Rect::new([0.0; 3], [64.0; 3]), &mut holders);
    assert_eq!(holders, [0, 1, 2]);
    for code in [0, 1, 77, 4095, 262_143] {
        assert_eq!(super::code_of_cell(cell_of_code::<3>(code)), code);
    }
    // Far from zero a coordinate is coarse, and the reach takes that in.
    let far = Partition::of_sample(Rect::new([1e7_f32, 1e7], [1e7 + 512.0, 1e7 + 512.0]), 0.25, 2, []);
    assert!(far.cells_of_reach() >= 2);
}

fn cell_of_code<const D: usize>(code: u32) -> [u32; D] {
    let bits = super::BITS / D as u32;
    std::array::from_fn(|axis| {
        (0..bits).fold(0, |cell, bit| cell | (code >> (bit * D as u32 + axis as u32) & 1) << bit)
    })
}
