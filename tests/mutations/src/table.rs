//! The table of mutations.

use std::collections::BTreeMap;

use crate::mutation::Mutation;
use crate::sources::{Pattern, Sources};

/// A mutation.
#[derive(Debug, Default)]
pub(crate) struct Row {
    /// Begins with the invariant that it breaks.
    pub(crate) id: String,
    pub(crate) test: String,
    /// Whether the mutation is compiled. Otherwise tests that read the sources catch it.
    pub(crate) is_compiled: bool,
    /// Whether random operations must find it.
    pub(crate) is_for_fuzz: bool,
    edits: Vec<Edit>,
}

/// A text of a function, and its replacement.
#[derive(Debug)]
struct Edit {
    function: String,
    pattern: Pattern,
    replacement: String,
}

impl Row {
    /// The mutation, or why it does not apply.
    pub(crate) fn mutation(&self, sources: &Sources) -> Result<Mutation, String> {
        let mut mutation = Mutation { id: self.id.clone(), ..Mutation::default() };
        for edit in &self.edits {
            let (file, place) = sources.place(&edit.function, &edit.pattern)?;
            if !mutation.edits.is_empty() && mutation.file != file {
                return Err(format!("{file} and {}: a row changes one file", mutation.file));
            }
            mutation.file = file;
            mutation.edits.push((place, edit.replacement.clone()));
        }
        Ok(mutation)
    }
}

/// The mutations of all rows, and for each row that does not apply why. Rows that are not compiled mutate nothing here.
pub(crate) fn mutations(rows: &[Row], sources: &Sources) -> (Vec<Mutation>, BTreeMap<usize, String>) {
    let mut mistakes = BTreeMap::new();
    let mutation = |(number, row): (usize, &Row)| {
        let nothing = Mutation { id: row.id.clone(), ..Mutation::default() };
        match row.mutation(sources) {
            Ok(mutation) if row.is_compiled => mutation,
            Ok(_) => nothing,
            Err(why) => {
                mistakes.insert(number, why);
                nothing
            }
        }
    };
    (rows.iter().enumerate().map(mutation).collect(), mistakes)
}

/// Reads the table.
pub(crate) fn parse(table: &str) -> Result<Vec<Row>, String> {
    let mut rows: Vec<Row> = Vec::new();
    for (number, line) in (1..).zip(table.lines()).filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
        let mistake = |why: &str| format!("line {number}: {why}: {line}");
        let Some(line) = line.strip_prefix("    ") else {
            let (id, _) = line.split_once(": ").ok_or_else(|| mistake("what does it break?"))?;
            rows.push(Row { id: id.to_owned(), is_compiled: true, ..Row::default() });
            continue;
        };
        let row = rows.last_mut().ok_or_else(|| mistake("belongs to no row"))?;
        if let Some((place, replacement)) = line.split_once('→') {
            let (function, pattern) = place.split_once(": ").ok_or_else(|| mistake("in which function?"))?;
            let pattern =
                self::pattern(pattern.trim_end()).ok_or_else(|| mistake("backticks come in pairs, one at most"))?;
            row.edits.push(Edit { function: function.to_owned(), pattern, replacement: replacement.trim().to_owned() });
            continue;
        }
        for word in line.split(' ') {
            match word {
                "fuzz" => row.is_for_fuzz = true,
                "read" => row.is_compiled = false,
                _ if row.test.is_empty() => word.clone_into(&mut row.test),
                _ => return Err(mistake("one test will do")),
            }
        }
    }
    let is_whole = |row: &Row| !row.edits.is_empty() && !row.test.is_empty();
    rows.iter().find(|row| !is_whole(row)).map_or(Ok(()), |row| Err(format!("{}: something is missing", row.id)))?;
    Ok(rows)
}

fn pattern(text: &str) -> Option<Pattern> {
    let parts: Vec<_> = text.split('`').map(str::to_owned).collect();
    match <[String; 3]>::try_from(parts) {
        Ok([before, text, after]) => Some(Pattern { before, text, after }),
        Err(parts) if parts.len() == 1 => Some(Pattern { text: text.to_owned(), ..Pattern::default() }),
        Err(_) => None,
    }
}
