//! A stream of bytes from which operations are decoded: given ones, followed by nothing but zeros, or random ones without end.

/// Numbers that look random; the same for the same seed (`SplitMix64`).
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ bits >> 31
    }

    /// A number below `end`, which is not 0.
    pub fn below(&mut self, end: u64) -> u64 {
        self.bits() % end
    }
}

/// Where bytes come from.
#[derive(Clone, Debug)]
pub enum Bytes<'a> {
    Given(&'a [u8]),
    Random(Dice),
}

impl Bytes<'_> {
    /// Random bytes.
    pub fn of_seed(seed: u64) -> Self {
        Self::Random(Dice::new(seed))
    }

    /// Whether given bytes have come to an end.
    pub fn is_over(&self) -> bool {
        matches!(self, Self::Given([]))
    }

    pub fn byte(&mut self) -> u8 {
        match self {
            Self::Given([first, rest @ ..]) => {
                let first = *first;
                *self = Self::Given(rest);
                first
            }
            Self::Given([]) => 0,
            Self::Random(dice) => (dice.bits() >> 56) as u8,
        }
    }

    /// A number below `end`, which is not 0.
    pub fn below(&mut self, end: u8) -> u8 {
        self.byte() % end
    }

    pub fn word(&mut self) -> u16 {
        u16::from_le_bytes([self.byte(), self.byte()])
    }
}
