//! Makes mutations that are chosen at run time of a tool's list.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::blame::offset;
use crate::mutation::Mutation;
use crate::tool::list::Entry;
use crate::tool::syntax::Syntax;

/// How many letters of an expression stand in an id on each side of what is changed.
const CONTEXT: usize = 40;

/// The mutations of a list, and how many entries are left out, by reason.
#[derive(Debug, Default)]
pub(crate) struct Converted {
    pub(crate) mutations: Vec<Mutation>,
    /// The tool's line of each.
    pub(crate) lines: Vec<usize>,
    pub(crate) left_out: BTreeMap<&'static str, usize>,
}

/// Converts a list for these sources.
pub(crate) fn convert(entries: &[Entry], texts: &BTreeMap<String, String>) -> Result<Converted, String> {
    let mut syntaxes = BTreeMap::new();
    for (file, text) in texts {
        syntaxes.insert(file.as_str(), Syntax::of(text).map_err(|error| format!("{file}: {error}"))?);
    }
    let absent = absent(&syntaxes);
    let (mut converted, mut seen) = (Converted::default(), BTreeMap::<String, usize>::new());
    for entry in entries {
        let is_absent = absent.iter().any(|path| entry.file.starts_with(path.as_str()));
        let one = match (texts.get(&entry.file), syntaxes.get(entry.file.as_str())) {
            _ if is_absent => Err("not compiled with the features of these tests"),
            (Some(text), Some(syntax)) => one(entry, text, syntax),
            _ => Err("no such source: the list is of other files"),
        };
        match one {
            Ok(mut mutation) => {
                let count = seen.entry(mutation.id.clone()).or_default();
                *count += 1;
                if *count > 1 {
                    mutation.id = format!("{} #{count}", mutation.id);
                }
                converted.mutations.push(mutation);
                converted.lines.push(entry.span[0].0);
            }
            Err(why) => *converted.left_out.entry(why).or_default() += 1,
        }
    }
    Ok(converted)
}

/// The beginnings of the paths of modules that are not compiled.
fn absent(syntaxes: &BTreeMap<&str, Syntax>) -> Vec<String> {
    let of_file = |(file, syntax): (&&str, &Syntax)| {
        let folder = file.trim_end_matches(".rs").trim_end_matches("/mod").trim_end_matches("/lib").to_owned();
        let paths = |name: &String| [format!("{folder}/{name}.rs"), format!("{folder}/{name}/")];
        syntax.absent.iter().flat_map(paths).collect::<Vec<_>>()
    };
    syntaxes.iter().flat_map(of_file).collect()
}

/// The mutation of an entry, or why there is none.
fn one(entry: &Entry, text: &str, syntax: &Syntax) -> Result<Mutation, &'static str> {
    let [start, end] = entry.span.map(|(line, column)| offset(text, line, column));
    let (Some(start), Some(end)) = (start, end) else { return Err("no such place: the list is of other files") };
    let span = start..end;
    if let Some(why) = syntax.fixed_by(&span) {
        return Err(why);
    }
    let (range, replacement) = match entry.genre.as_str() {
        "FnValue" | "MatchArmGuard" => (span.clone(), entry.replacement.clone()),
        "MatchArm" => arm(start, syntax).ok_or("no such arm")?,
        _ => {
            let whole = syntax.around(&span).ok_or("no expression around it")?;
            let replacement = replaced(&text[whole.clone()], span.start - whole.start..end - whole.start, entry);
            (whole, replacement)
        }
    };
    let what = match entry.genre.as_str() {
        "FnValue" => "[…]".to_owned(),
        "MatchArm" => format!("[{}]", shortened(&text[span])),
        _ => in_context(text, &range, span),
    };
    let replaced_by = if entry.replacement.is_empty() { "nothing" } else { &entry.replacement };
    let id = format!("{} {}: {what} -> {}", entry.file, entry.function, squeezed(replaced_by));
    Ok(Mutation { id, file: entry.file.clone(), edits: vec![(range, replacement)] })
}

/// An arm is taken away by a guard that never holds.
fn arm(start: usize, syntax: &Syntax) -> Option<(Range<usize>, String)> {
    let arm = syntax.arms.iter().find(|arm| arm.start == start)?;
    Some(
        arm.guard
            .as_ref()
            .map_or((arm.pattern_end..arm.pattern_end, String::new()), |guard| (guard.clone(), "false".to_owned())),
    )
}

/// An expression with a part of it replaced, or left out together with a comma behind it.
fn replaced(whole: &str, part: Range<usize>, entry: &Entry) -> String {
    let (before, after) = (&whole[..part.start], &whole[part.end..]);
    let after = if entry.genre == "StructField" { after.trim_start().trim_start_matches(',') } else { after };
    [before, &entry.replacement, after].concat()
}

/// An expression in one line, with the part that is changed in brackets.
fn in_context(text: &str, whole: &Range<usize>, part: Range<usize>) -> String {
    let before = squeezed(&(text[whole.start..part.start].to_owned() + "["));
    let after = squeezed(&("]".to_owned() + &text[part.end..whole.end]));
    let skipped = before.chars().count().saturating_sub(CONTEXT);
    let before: String = before.chars().skip(skipped).collect();
    let after: String = after.chars().take(CONTEXT).collect();
    before + &squeezed(&text[part]) + &after
}

fn shortened(text: &str) -> String {
    squeezed(text).chars().take(CONTEXT).collect()
}

/// A text in one line, without comments.
fn squeezed(text: &str) -> String {
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}
