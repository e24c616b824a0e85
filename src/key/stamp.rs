//! Stamps: numbers that are unique in the process, and the counter that gives them out.
//!
//! Keeps its share of L1 of `docs/invariants.md`.

/// A number that is unique in the process. Indexes, worlds, calls of `clear` and layers have one. Later stamps are
/// larger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Stamp(#[cfg_attr(feature = "serde", serde(deserialize_with = "kept"))] u64);

impl Stamp {
    /// A new stamp.
    pub(crate) fn next() -> Self {
        Self(counter::next())
    }
}

/// Reads a stamp, which another process may have given out, and raises the counter past it, so that all new stamps differ
/// from it.
///
/// A stamp so large that this process cannot live to reach it can only come from forged data. It is ignored, since it would
/// nearly exhaust the counter.
#[cfg(feature = "serde")]
fn kept<'de, R: serde::Deserializer<'de>>(deserializer: R) -> Result<u64, R::Error> {
    let stamp = serde::Deserialize::deserialize(deserializer)?;
    if stamp < 1 << 62 {
        counter::raise(stamp + 1);
    }
    Ok(stamp)
}

/// A 64-bit counter. It never wraps: at a billion calls a second it lasts 580 years.
#[cfg(target_has_atomic = "64")]
mod counter {
    use core::sync::atomic::{AtomicU64, Ordering};

    static NEXT: AtomicU64 = AtomicU64::new(0);

    pub(super) fn next() -> u64 {
        NEXT.fetch_add(1, Ordering::Relaxed)
    }

    /// Makes the next number at least this one.
    #[cfg(feature = "serde")]
    pub(super) fn raise(least: u64) {
        NEXT.fetch_max(least, Ordering::Relaxed);
    }
}

/// The same for processors without 64-bit atomics: two halves behind a lock that is held for a few instructions.
#[cfg(any(test, not(target_has_atomic = "64")))]
mod counter_of_halves {
    use core::hint;
    use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

    pub(super) static LOW: AtomicU32 = AtomicU32::new(0);
    static HIGH: AtomicU32 = AtomicU32::new(0);
    static IS_LOCKED: AtomicBool = AtomicBool::new(false);

    pub(super) fn next() -> u64 {
        change(|next| next + 1)
    }

    /// Makes the next number at least this one.
    #[cfg(any(test, feature = "serde"))]
    pub(super) fn raise(least: u64) {
        change(|next| next.max(least));
    }

    /// Changes the next number; returns the previous one.
    fn change(to: impl Fn(u64) -> u64) -> u64 {
        while IS_LOCKED.swap(true, Ordering::Acquire) {
            hint::spin_loop();
        }
        let [low, high] = [&LOW, &HIGH].map(|half| u64::from(half.load(Ordering::Relaxed)));
        let number = high << 32 | low;
        let next = to(number);
        LOW.store(next as u32, Ordering::Relaxed);
        HIGH.store((next >> 32) as u32, Ordering::Relaxed);
        IS_LOCKED.store(false, Ordering::Release);
        number
    }
}

#[cfg(not(target_has_atomic = "64"))]
use counter_of_halves as counter;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_of_halves_carries() {
        use core::sync::atomic::Ordering;
        assert_eq!(counter_of_halves::next(), 0);
        counter_of_halves::LOW.store(u32::MAX, Ordering::Relaxed);
        assert_eq!([(); 2].map(|()| counter_of_halves::next()), [0xFFFF_FFFF, 0x1_0000_0000]);
        for (least, next) in [(5, 0x1_0000_0001), (0x2_0000_0003, 0x2_0000_0003)] {
            counter_of_halves::raise(least);
            assert_eq!(counter_of_halves::next(), next);
        }
    }

    #[test]
    fn later_stamps_are_larger() {
        assert!(Stamp::next() < Stamp::next());
    }
}
