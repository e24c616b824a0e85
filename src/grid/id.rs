//! The names of the grids of one world. Knows no coordinates.

/// The shifts that an axis of a long grid may have: the logarithms of how much longer its units are.
pub(crate) const SHIFTS: [u8; 4] = [0, 4, 7, 10];

/// Large grids are numbered from here on; the first one has the number after it.
const LARGE: u8 = 64;

/// The number of large grids.
pub(super) const LARGE_MAX: u8 = 31;

/// The side of each large grid is `2^LARGE_LOG2` times as long as the side of the one before.
pub(super) const LARGE_LOG2: u8 = 8;

/// The name of one of the grids of a world. A long grid has two bits for each axis, which choose its shift. Numbers after
/// [`LARGE`] are large grids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct GridId(u8);

impl GridId {
    /// The main grid.
    pub(crate) const MAIN: Self = Self(0);

    /// After all grids.
    pub(crate) const LAST: Self = Self(u8::MAX);

    /// The grid whose shift on each axis is the chosen one of [`SHIFTS`].
    pub(crate) fn long<const D: usize>(chosen: [u8; D]) -> Self {
        Self((0..D).fold(0, |bits, axis| bits | chosen[axis] << (2 * axis)))
    }

    /// A large grid, counted from 1.
    pub(crate) fn large(number: u8) -> Self {
        Self(LARGE + number)
    }

    #[cfg(feature = "serde")]
    pub(crate) fn number(self) -> u8 {
        self.0
    }

    /// The grid with a number, if there is one in `D` dimensions.
    #[cfg(feature = "serde")]
    pub(crate) fn numbered<const D: usize>(number: u8) -> Option<Self> {
        (number >> (2 * D) == 0 || (LARGE + 1..=LARGE + LARGE_MAX).contains(&number)).then_some(Self(number))
    }

    #[inline(always)]
    pub(crate) fn is_main(self) -> bool {
        self == Self::MAIN
    }

    #[inline]
    pub(crate) fn is_large(self) -> bool {
        LARGE < self.0
    }

    /// How many large grids there are up to this one.
    pub(super) fn larges(self) -> u8 {
        self.0.saturating_sub(LARGE)
    }

    /// The logarithm of how much longer its units are on an axis than those of the main grid.
    pub(crate) fn shift(self, axis: usize) -> u8 {
        if self.is_large() { (self.0 - LARGE) * LARGE_LOG2 } else { SHIFTS[usize::from(self.0 >> (2 * axis) & 3)] }
    }
}
