//! Which mutation a message of the compiler is about.

use std::collections::{BTreeMap, BTreeSet};

use crate::mutation::Mutation;
use crate::schemata::Composed;

/// A place in a file, as `file:line:column: error…` gives it; lines and columns are counted from one.
fn place(message: &str) -> Option<(&str, usize, usize)> {
    let mut parts = message.splitn(4, ':');
    let (file, line, column) = (parts.next()?, parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    parts.next()?.trim_start().starts_with("error").then_some((file, line, column))
}

/// The offset of a line and column, which count letters.
pub(crate) fn offset(text: &str, line: usize, column: usize) -> Option<usize> {
    let start = text.split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum::<usize>();
    let rest = text.get(start..)?;
    let letters = rest.char_indices().map(|(offset, _)| offset).chain([rest.len()]);
    Some(start + letters.take(column).last()?)
}

/// How far away a mutation may be that is to blame, as a guard of an arm is for the whole `match`.
const FAR: usize = 20;

/// The mutations that are to blame for a message: the one whose replacement it points at, or else those of the fewest lines
/// around it, or else the nearest.
pub(crate) fn blamed(
    message: &str,
    composed: &BTreeMap<String, Composed>,
    texts: &BTreeMap<String, String>,
    mutations: &[Mutation],
) -> BTreeSet<usize> {
    let Some((file, line, column)) = place(message) else { return BTreeSet::new() };
    let (Some(composed), Some(text)) = (composed.get(file), texts.get(file)) else { return BTreeSet::new() };
    let at = offset(&composed.text, line, column).unwrap_or_default();
    let direct = composed.replacements.iter().find(|(range, _)| range.contains(&at));
    if let Some((_, number)) = direct {
        return BTreeSet::from([*number]);
    }
    let line_at = |offset| text[..offset].matches('\n').count() + 1;
    let mut near = BTreeMap::<(usize, usize), BTreeSet<usize>>::new();
    for (_, number) in &composed.replacements {
        for (range, _) in &mutations[*number].edits {
            let (first, last) = (line_at(range.start), line_at(range.end));
            let distance = first.saturating_sub(line).max(line.saturating_sub(last));
            if distance <= FAR {
                near.entry((distance, last - first)).or_default().insert(*number);
            }
        }
    }
    near.into_values().next().unwrap_or_default()
}
