//! Numbers as bytes, checksums over them, and a directory made durable.

use std::fs::File;
use std::io;
use std::path::Path;
use twox_hash::XxHash3_64;

/// The checksum of `bytes`. Bytes of another file or place, which have another seed, do not pass.
pub(super) fn sum(seed: u64, bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot_with_seed(seed, bytes)
}

/// The number that stands `at` so many words from the start.
pub(super) fn word(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[8 * at..8 * at + 8]);
    u64::from_le_bytes(word)
}

/// The numbers one behind the other, and behind them their checksum.
pub(super) fn sealed<const N: usize>(seed: u64, words: [u64; N]) -> Vec<u8> {
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.extend(sum(seed, &bytes).to_le_bytes());
    bytes
}

/// The numbers that [`sealed`] wrote; none where the checksum is another.
pub(super) fn unsealed<const N: usize>(seed: u64, bytes: &[u8]) -> Option<[u64; N]> {
    let (words, rest) = bytes.split_at_checked(8 * N)?;
    let intact = rest.len() >= 8 && word(rest, 0) == sum(seed, words);
    intact.then(|| std::array::from_fn(|at| word(words, at)))
}

/// A number that hardly comes twice: it tells files and attempts apart, and keeps no secret.
pub(super) fn unlike_any_other() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    RandomState::new().hash_one((now.as_nanos(), std::process::id()))
}

/// Makes names durable: what was created, renamed or removed in `dir`.
pub(super) fn sync_dir(dir: &Path) -> io::Result<()> {
    // Elsewhere a directory cannot be opened, and names are the file system's affair.
    if cfg!(unix) { File::open(dir)?.sync_all() } else { Ok(()) }
}
