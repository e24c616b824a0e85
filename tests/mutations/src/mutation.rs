//! A change of the sources, wherever it comes from.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::schemata::Mutant;

/// A mutation: replacements of texts in one file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mutation {
    pub(crate) id: String,
    pub(crate) file: String,
    pub(crate) edits: Vec<(Range<usize>, String)>,
}

/// The mutants of each file. Mutations are numbered as they stand; those that `is_wanted` denies are left out, and those without
/// edits, which nobody composes.
pub(crate) fn by_file(mutations: &[Mutation], is_wanted: impl Fn(usize) -> bool) -> BTreeMap<&str, Vec<Mutant<'_>>> {
    let mut files: BTreeMap<&str, Vec<Mutant<'_>>> = BTreeMap::new();
    let is_composed = |(number, mutation): &(usize, &Mutation)| !mutation.edits.is_empty() && is_wanted(*number);
    for (number, mutation) in mutations.iter().enumerate().filter(is_composed) {
        let edits = mutation.edits.iter();
        let mutants = edits.map(|(range, replacement)| Mutant { range: range.clone(), number, replacement });
        files.entry(&mutation.file).or_default().extend(mutants);
    }
    files
}
