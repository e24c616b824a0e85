//! Worlds for the rules of the grid: ordinary, tiny, huge, far away.

use super::*;

/// A scalar with its neighbours.
pub(super) trait Real: Scalar {
    const SMALLEST: Self;
    fn up(self) -> Self;
    fn down(self) -> Self;
    fn from_pattern(bits: u64) -> Self;
}

macro_rules! impl_real {
    ($float:ident, $bits:ident) => {
        impl Real for $float {
            const SMALLEST: Self = $float::from_bits(1);

            fn up(self) -> Self {
                if self == 0.0 {
                    return Self::SMALLEST;
                }
                let bits = self.to_bits();
                let next = if self > 0.0 { $float::from_bits(bits + 1) } else { $float::from_bits(bits - 1) };
                if next.is_finite() { next } else { self }
            }
            fn down(self) -> Self {
                -(-self).up()
            }
            fn from_pattern(bits: u64) -> Self {
                let value = $float::from_bits(bits as $bits);
                if value.is_finite() { value } else { 0.0 }
            }
        }
    };
}

impl_real!(f32, u32);
impl_real!(f64, u64);

/// Worlds in which a unit is far smaller, and far larger, than the distance to the next number.
pub(super) fn worlds<S: Real>() -> Vec<Grid<S, 3>> {
    let max = S::MAX.to_f64();
    let far = 1.0 / S::EPSILON.to_f64();
    let cubes = [
        [0.0, 1.0],
        [0.0, 100.0],
        [-1.0, 1.0],
        [-1.0 / 3.0, 2.0 / 3.0],
        [far, far + 64.0],
        [-far - 64.0, -far],
        [-5000.0, -1000.0],
        [1e-27, 2e-27],
        [0.0, max],
        [-max, 0.0],
        [max * -0.5, max * 0.5],
        [0.0, f64::from(1 << 30) / max * 2.0],
        [1.0, 1.0 + S::EPSILON.to_f64()],
    ];
    let oblong = [([-8.0, 0.0, 10.0], [56.0, 3.0, 11.0]), ([0.0, max * 0.5, max * -0.9], [max, max, max * -0.8])];
    let cubes = cubes.into_iter().map(|[min, max]| ([min; 3], [max; 3]));
    let grids = cubes.chain(oblong).map(|(min, max)| {
        let world = Rect::ordered(min.map(S::from_f64), max.map(S::from_f64));
        Grid::new(world).unwrap_or_else(|error| panic!("{world:?}: {error}"))
    });
    grids.collect()
}

/// Worlds in which a coordinate within holds for what rounding makes of it.
pub(super) fn ordinary_worlds<S: Real>() -> Vec<Grid<S, 3>> {
    worlds().into_iter().take(8).collect()
}
