//! Which mutations of a list are asked for.

use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use crate::mutation::Mutation;

/// The arguments after `--tool`.
#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) list: PathBuf,
    pub(crate) results: PathBuf,
    /// The number of the shard, from zero, and how many there are.
    shard: (usize, usize),
    pub(crate) workers: usize,
    pub(crate) patience: Option<Duration>,
    /// The beginnings of files; none asks for all.
    files: Vec<String>,
}

impl Options {
    pub(crate) fn parse(asked: &[String]) -> Result<Self, String> {
        let mut asked = asked.iter();
        let list = PathBuf::from(asked.next().ok_or("no list")?);
        let workers = thread::available_parallelism().map_or(1, usize::from);
        let results = list.with_extension("results");
        let mut options = Self { list, results, shard: (0, 1), workers, patience: None, files: Vec::new() };
        while let Some(option) = asked.next() {
            let mut value = || asked.next().ok_or_else(|| format!("{option} says nothing"));
            match option.as_str() {
                "--results" => options.results = value()?.into(),
                "--workers" => options.workers = value()?.parse().map_err(|_| "how many workers?")?,
                "--patience" => {
                    let seconds = value()?.parse().map_err(|_| "how many seconds of patience?")?;
                    options.patience = Some(Duration::from_secs(seconds));
                }
                "--shard" => options.shard = shard(value()?).ok_or("a shard is K/N, from 1/N to N/N")?,
                _ => options.files.push(option.clone()),
            }
        }
        Ok(options)
    }

    /// The mutations that are asked for, shuffled, so that a part of them, and each shard, is a fair sample.
    pub(crate) fn chosen(&self, mutations: Vec<Mutation>) -> Vec<Mutation> {
        let is_asked = |mutation: &Mutation| {
            self.files.is_empty() || self.files.iter().any(|file| mutation.file.starts_with(file.as_str()))
        };
        let (number, count) = self.shard;
        let is_of_shard =
            |mutation: &Mutation| usize::try_from(hash(&mutation.id) % count as u64).is_ok_and(|shard| shard == number);
        let mut chosen: Vec<_> = mutations.into_iter().filter(is_asked).filter(is_of_shard).collect();
        chosen.sort_by_cached_key(|mutation| hash(&mutation.id).rotate_left(32));
        chosen
    }
}

fn shard(text: &str) -> Option<(usize, usize)> {
    let (number, count) = text.split_once('/')?;
    let (number, count) = (number.parse::<usize>().ok()?.checked_sub(1)?, count.parse().ok()?);
    (number < count).then_some((number, count))
}

/// FNV-1a, which is the same everywhere, with its bits mixed once more, as ids differ little.
fn hash(id: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = id.bytes().fold(0xcbf2_9ce4_8422_2325, step);
    let mixed = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    mixed ^ (mixed >> 33)
}
