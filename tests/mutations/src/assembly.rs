//! Builds the tests, or the program of random operations, with all mutations in the crate.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;

use crate::blame::blamed;
use crate::checkout::{self, Binary, Wanted};
use crate::mutation::{Mutation, by_file};
use crate::schemata::{self, Composed};
use crate::sources::Sources;

/// Where the sources with mutations are while tests run that read the sources.
const COMPOSED: &str = "src.composed";

/// The sources of the crate by their names.
pub(crate) fn texts(files: &BTreeMap<String, Vec<u8>>) -> BTreeMap<String, String> {
    let of_crate = files.iter().filter(|(name, _)| name.starts_with("src/") && !name.ends_with("tests.rs"));
    of_crate.map(|(name, content)| (name.clone(), String::from_utf8_lossy(content).into_owned())).collect()
}

/// The sources of the crate, to be searched.
pub(crate) fn sources(files: &BTreeMap<String, Vec<u8>>) -> Result<Sources, syn::Error> {
    Sources::new(&texts(files))
}

/// The outcome of a build.
pub(crate) struct Assembly {
    pub(crate) binaries: Vec<Binary>,
    /// The mutations that were left out, as the compiler refuses them, with its messages.
    pub(crate) refused: BTreeMap<usize, String>,
    /// The number by which the place of each mutation asks.
    pub(crate) places: BTreeMap<usize, usize>,
}

/// Builds what is wanted, one after the other, with all mutations in the crate but those that do not compile.
pub(crate) fn build(
    wanted: &[Wanted],
    mutations: &[Mutation],
    files: &BTreeMap<String, Vec<u8>>,
    copy: &Path,
    target: &Path,
) -> Result<Assembly, Box<dyn Error>> {
    let texts = texts(files);
    bring_back(copy)?;
    let mut assembly = Assembly { binaries: Vec::new(), refused: BTreeMap::new(), places: BTreeMap::new() };
    for &wanted in wanted {
        loop {
            let composed = compose(&texts, mutations, &assembly.refused)?;
            let mut mutated = files.clone();
            for (file, composed) in &composed {
                mutated.insert(file.clone(), composed.text.clone().into_bytes());
            }
            let selector = schemata::selector(mutations.iter().map(|mutation| mutation.id.as_str()));
            mutated.get_mut("src/lib.rs").ok_or("no crate")?.extend(selector.bytes());
            fs::create_dir_all(copy)?;
            checkout::sync(copy, &mutated)?;
            let messages = match checkout::build(wanted, copy, target) {
                Ok(binaries) => {
                    assembly.binaries = binaries;
                    assembly.places = composed.into_values().flat_map(|composed| composed.places).collect();
                    break;
                }
                Err(messages) => messages,
            };
            let before = assembly.refused.len();
            for message in messages.lines() {
                let numbers = blamed(message, &composed, &texts, mutations);
                assembly.refused.extend(numbers.into_iter().map(|number| (number, message.to_owned())));
            }
            if assembly.refused.len() == before {
                return Err(messages.into());
            }
            println!("{} do not compile", assembly.refused.len());
        }
    }
    put_aside(files, copy)?;
    Ok(assembly)
}

/// The sources with all mutations but those that were refused.
fn compose(
    texts: &BTreeMap<String, String>,
    mutations: &[Mutation],
    refused: &BTreeMap<usize, String>,
) -> Result<BTreeMap<String, Composed>, String> {
    let files = by_file(mutations, |number| !refused.contains_key(&number)).into_iter();
    let composed = files.map(|(file, mutants)| {
        let composed = schemata::compose(&texts[file], mutants).map_err(|why| format!("{file}: {why}"))?;
        Ok((file.to_owned(), composed))
    });
    composed.collect()
}

/// Takes the sources with mutations back from where they are while tests run.
fn bring_back(copy: &Path) -> std::io::Result<()> {
    let composed = copy.join(COMPOSED);
    if composed.exists() {
        fs::remove_dir_all(copy.join("src"))?;
        fs::rename(&composed, copy.join("src"))?;
    }
    Ok(())
}

/// Puts the sources without mutations where tests read them.
fn put_aside(files: &BTreeMap<String, Vec<u8>>, copy: &Path) -> std::io::Result<()> {
    fs::rename(copy.join("src"), copy.join(COMPOSED))?;
    for (name, content) in files.iter().filter(|(name, _)| name.starts_with("src/")) {
        fs::create_dir_all(copy.join(name).parent().expect("a folder"))?;
        fs::write(copy.join(name), content)?;
    }
    Ok(())
}
