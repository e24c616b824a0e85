//! Random numbers, and places on a coarse lattice.

use quadrille_bevy::quadrille::Scalar;

pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        usize::try_from(self.0 >> 33).expect("31 bits") % limit
    }

    /// A coordinate on a coarse lattice, so that edges coincide; a quarter is outside the world.
    pub(crate) fn coordinate<S: Scalar>(&mut self) -> S {
        S::from(u16::try_from(self.below(20)).expect("small"))
    }

    pub(crate) fn place<const D: usize, S: Scalar>(&mut self) -> [S; D] {
        [(); D].map(|()| self.coordinate())
    }
}
