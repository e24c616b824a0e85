//! Numbers as bytes, checksums over them.

use twox_hash::XxHash3_64;

/// The checksum of `bytes`. The seed makes that of another file or place differ.
pub(crate) fn sum(seed: u64, bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot_with_seed(seed, bytes)
}

/// The number `at` words from the start.
pub(crate) fn word(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[8 * at..8 * at + 8]);
    u64::from_le_bytes(word)
}

/// The numbers in sequence, then their checksum.
pub(crate) fn sealed<const N: usize>(seed: u64, words: [u64; N]) -> Vec<u8> {
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.extend(sum(seed, &bytes).to_le_bytes());
    bytes
}

/// The numbers that [`sealed`] wrote; `None` if the checksum differs.
pub(crate) fn unsealed<const N: usize>(seed: u64, bytes: &[u8]) -> Option<[u64; N]> {
    let (words, rest) = bytes.split_at_checked(8 * N)?;
    let intact = rest.len() >= 8 && word(rest, 0) == sum(seed, words);
    intact.then(|| std::array::from_fn(|at| word(words, at)))
}

/// A number that is practically unique, to distinguish files and attempts. It is no secret.
pub(crate) fn unlike_any_other() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    RandomState::new().hash_one((now.as_nanos(), std::process::id()))
}
