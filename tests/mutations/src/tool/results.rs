//! The verdict on each mutation, in a file, so that a run can go on where another was stopped.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Mutex;

pub(crate) const CAUGHT: &str = "caught";
pub(crate) const SURVIVED: &str = "survived";
/// No test reaches the place.
pub(crate) const UNREACHED: &str = "unreached";
/// Some tests that reach the place have not been run.
pub(crate) const UNDECIDED: &str = "undecided";
/// The compiler refuses it.
pub(crate) const REFUSED: &str = "refused";

/// The verdicts so far, with a file to which others are appended.
pub(crate) struct Results {
    verdicts: Mutex<BTreeMap<String, String>>,
    file: Mutex<File>,
}

impl Results {
    /// Reads what is there; each line is a verdict, an id, and what else there is to say, with tabs between.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let text = fs::read_to_string(path).unwrap_or_default();
        let mut verdicts = BTreeMap::new();
        for line in text.lines() {
            let mut parts = line.split('\t');
            if let (Some(verdict), Some(id)) = (parts.next(), parts.next()) {
                verdicts.insert(id.to_owned(), verdict.to_owned());
            }
        }
        let file = File::options().append(true).create(true).open(path)?;
        Ok(Self { verdicts: Mutex::new(verdicts), file: Mutex::new(file) })
    }

    /// Whether a run with or without patience has nothing to do for a mutation.
    pub(crate) fn knows(&self, id: &str, patience: bool) -> bool {
        self.verdicts.lock().expect("no panic").get(id).is_some_and(|verdict| patience || verdict != UNDECIDED)
    }

    pub(crate) fn add(&self, verdict: &str, id: &str, more: &str) -> io::Result<()> {
        self.verdicts.lock().expect("no panic").insert(id.to_owned(), verdict.to_owned());
        let line = format!("{verdict}\t{id}\t{}\n", more.replace('\n', " "));
        self.file.lock().expect("no panic").write_all(line.as_bytes())
    }

    /// How many of these mutations have each verdict, by folder.
    pub(crate) fn summary<'a>(&self, ids: impl Iterator<Item = &'a str>) -> String {
        let verdicts = self.verdicts.lock().expect("no panic");
        let mut folders = BTreeMap::<&str, BTreeMap<&str, usize>>::new();
        for id in ids {
            let verdict = verdicts.get(id).map_or("not run", String::as_str);
            *folders.entry(folder(id)).or_default().entry(verdict).or_default() += 1;
        }
        let line = |(folder, counts): (&&str, &BTreeMap<&str, usize>)| {
            let counts: Vec<_> = counts.iter().map(|(verdict, count)| format!("{count} {verdict}")).collect();
            format!("{folder}: {}\n", counts.join(", "))
        };
        folders.iter().map(line).collect()
    }
}

/// The folder, or the file right below `src`, that an id begins with.
fn folder(id: &str) -> &str {
    let name = id.split([' ']).next().unwrap_or_default();
    let end = name.match_indices('/').nth(1).map_or(name.len(), |(at, _)| at);
    name[..end].trim_end_matches(".rs")
}
