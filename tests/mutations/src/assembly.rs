//! Builds the tests, or the program of random operations, with all mutations in the crate.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::ops::RangeInclusive;
use std::path::Path;
use std::time::Duration;

use crate::checkout::{self, Binary, Wanted};
use crate::report;
use crate::schemata::{self, Mutant};
use crate::table::{Row, Source};

/// Where the sources with mutations are while tests run that read the sources.
const COMPOSED: &str = "src.composed";

/// The sources of the crate, as they are and to be searched.
pub(crate) fn sources(files: &BTreeMap<String, Vec<u8>>) -> impl Iterator<Item = (String, (String, Source))> {
    let of_crate = files.iter().filter(|(name, _)| name.starts_with("src/") && !name.ends_with("tests.rs"));
    of_crate.map(|(name, content)| {
        let text = String::from_utf8_lossy(content).into_owned();
        let source = Source::new(&text);
        (name.clone(), (text, source))
    })
}

/// Builds what is wanted with all mutations in the crate but those that do not apply or compile, and gives those too.
pub(crate) fn build(
    wanted: Wanted,
    rows: &[Row],
    files: &BTreeMap<String, Vec<u8>>,
    copy: &Path,
    target: &Path,
) -> Result<(Vec<Binary>, BTreeSet<usize>), Box<dyn Error>> {
    let sources: BTreeMap<_, _> = sources(files).collect();
    let mut mistakes = BTreeSet::new();
    let composed = copy.join(COMPOSED);
    if composed.exists() {
        fs::remove_dir_all(copy.join("src"))?;
        fs::rename(&composed, copy.join("src"))?;
    }
    loop {
        let mut mutants: BTreeMap<&str, Vec<Mutant<'_>>> = BTreeMap::new();
        for (number, row) in rows.iter().enumerate().filter(|(_, row)| row.is_compiled) {
            let places =
                sources.get(&row.file).map_or(Err("no such file".to_owned()), |(_, source)| row.places(source));
            match places {
                _ if mistakes.contains(&number) => {}
                Ok(places) => mutants.entry(&row.file).or_default().extend(row.mutants(number, places)),
                Err(why) => {
                    report(&row.id, "DOES NOT APPLY", Duration::ZERO);
                    println!("    {}: {why}", row.file);
                    mistakes.insert(number);
                }
            }
        }
        let mut mutated = files.clone();
        let lines = insert(&sources, mutants, &mut mutated)?;
        let selector = schemata::selector(rows.iter().map(|row| row.id.as_str()));
        mutated.get_mut("src/lib.rs").ok_or("no crate")?.extend(selector.bytes());
        fs::create_dir_all(copy)?;
        checkout::sync(copy, &mutated)?;
        let messages = match checkout::build(wanted, copy, target) {
            Ok(binaries) => {
                fs::rename(copy.join("src"), &composed)?;
                for (name, content) in files.iter().filter(|(name, _)| name.starts_with("src/")) {
                    fs::create_dir_all(copy.join(name).parent().expect("a folder"))?;
                    fs::write(copy.join(name), content)?;
                }
                return Ok((binaries, mistakes));
            }
            Err(messages) => messages,
        };
        // The rows that the compiler complains about are left out.
        let before = mistakes.len();
        for message in messages.lines().filter(|message| message.contains(": error")) {
            let mut parts = message.split(':');
            let at = (parts.next().unwrap_or_default(), parts.next().and_then(|line| line.parse::<usize>().ok()));
            for (number, file, lines) in &lines {
                if at.0 == *file && at.1.is_some_and(|line| lines.contains(&line)) && mistakes.insert(*number) {
                    report(&rows[*number].id, "DOES NOT COMPILE", Duration::ZERO);
                    println!("    {message}");
                }
            }
        }
        if mistakes.len() == before {
            return Err(messages.into());
        }
    }
}

/// The lines of a file that a row's mutation takes.
type Lines = (usize, String, RangeInclusive<usize>);

/// Puts mutations into the sources, and says on which lines they are.
fn insert(
    sources: &BTreeMap<String, (String, Source)>,
    mutants: BTreeMap<&str, Vec<Mutant<'_>>>,
    files: &mut BTreeMap<String, Vec<u8>>,
) -> Result<Vec<Lines>, String> {
    let mut lines = Vec::new();
    for (file, mutants) in mutants {
        let text = &sources[file].0;
        let line_at = |offset| text[..offset].matches('\n').count() + 1;
        for Mutant { range, number, .. } in &mutants {
            lines.push((*number, file.to_owned(), line_at(range.start)..=line_at(range.end)));
        }
        let composed = schemata::compose(text, mutants).map_err(|why| format!("{file}: {why}"))?;
        files.insert(file.to_owned(), composed.into_bytes());
    }
    Ok(lines)
}
