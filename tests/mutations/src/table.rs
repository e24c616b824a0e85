//! The table of mutations, and where its texts are in the sources.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::mutation::Mutation;

/// A mutation.
#[derive(Debug, Default)]
pub(crate) struct Row {
    /// Begins with the invariant that it breaks.
    pub(crate) id: String,
    pub(crate) breaks: String,
    pub(crate) file: String,
    /// The line of the table that names the file.
    pub(crate) file_line: usize,
    pub(crate) test: String,
    /// Whether the mutation is compiled. Otherwise tests that read the sources catch it.
    pub(crate) is_compiled: bool,
    /// Whether random operations must find it.
    pub(crate) is_for_fuzz: bool,
    pub(crate) edits: Vec<Edit>,
}

/// A text, with the text around it, and its replacement.
#[derive(Debug, Default)]
pub(crate) struct Edit {
    before: String,
    text: String,
    after: String,
    pub(crate) replacement: String,
}

impl Row {
    /// Where the texts of all edits are in a source, or why not: each must be there exactly once.
    pub(crate) fn places(&self, source: &Source) -> Result<Vec<Range<usize>>, String> {
        self.edits.iter().map(|edit| source.place(edit)).collect()
    }

    /// The mutation at the places of all edits.
    fn mutation(&self, source: &Source) -> Result<Mutation, String> {
        let replacements = self.edits.iter().map(|edit| edit.replacement.clone());
        let edits = self.places(source)?.into_iter().zip(replacements).collect();
        Ok(Mutation { id: self.id.clone(), file: self.file.clone(), edits })
    }
}

/// The mutations of all rows, and for each row that does not apply why. Rows that are not compiled mutate nothing here.
pub(crate) fn mutations(rows: &[Row], sources: &BTreeMap<String, Source>) -> (Vec<Mutation>, BTreeMap<usize, String>) {
    let mut mistakes = BTreeMap::new();
    let mutation = |(number, row): (usize, &Row)| {
        let nothing = Mutation { id: row.id.clone(), ..Mutation::default() };
        let source = sources.get(&row.file).ok_or("no such file".to_owned());
        match source.and_then(|source| row.mutation(source)) {
            Ok(mutation) if row.is_compiled => mutation,
            Ok(_) => nothing,
            Err(why) => {
                mistakes.insert(number, format!("{}: {why}", row.file));
                nothing
            }
        }
    };
    (rows.iter().enumerate().map(mutation).collect(), mistakes)
}

/// A source without white space and comments, and where each of its bytes was.
pub(crate) struct Source {
    code: String,
    offsets: Vec<usize>,
}

impl Source {
    pub(crate) fn new(text: &str) -> Self {
        let (mut code, mut offsets) = (String::new(), Vec::new());
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let end = line.find("//").unwrap_or(line.len());
            for (offset, letter) in line[..end].char_indices().filter(|(_, letter)| !letter.is_whitespace()) {
                code.push(letter);
                offsets.resize(code.len(), start + offset);
            }
            start += line.len();
        }
        Self { code, offsets }
    }

    fn place(&self, edit: &Edit) -> Result<Range<usize>, String> {
        let [before, text, after] = [&edit.before, &edit.text, &edit.after].map(|part| Source::new(part).code);
        let whole = [before.as_str(), &text, &after].concat();
        let mut found = self.code.match_indices(&whole);
        let (first, more) = (found.next(), found.count());
        match (first, more) {
            (Some((start, _)), 0) => {
                let first = start + before.len();
                Ok(self.offsets[first]..self.offsets[first + text.len() - 1] + 1)
            }
            (None, _) => Err(format!("nowhere: {}{}{}", edit.before, edit.text, edit.after)),
            _ => Err(format!("{} times: {}{}{}", more + 1, edit.before, edit.text, edit.after)),
        }
    }
}

/// Reads the table.
pub(crate) fn parse(table: &str) -> Result<Vec<Row>, String> {
    let mut rows: Vec<Row> = Vec::new();
    // The texts and replacements of the row at hand.
    let mut pairs: Vec<[String; 2]> = Vec::new();
    let mut in_text = false;
    for (number, line) in table.lines().map(str::trim_end).enumerate() {
        let mistake = |why: &str| format!("line {}: {why}: {line}", number + 1);
        if let Some(id) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            finish(&mut rows, &mut pairs)?;
            rows.push(Row { id: id.to_owned(), is_compiled: true, ..Row::default() });
            in_text = false;
            continue;
        }
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let row = rows.last_mut().ok_or_else(|| mistake("belongs to no row"))?;
        let part = line.get(2..).unwrap_or_default();
        if line.starts_with('-') {
            if !in_text {
                pairs.push(Default::default());
            }
            in_text = true;
            add_line(&mut pairs.last_mut().expect("just begun")[0], part);
        } else if line.starts_with('+') {
            in_text = false;
            add_line(&mut pairs.last_mut().ok_or_else(|| mistake("replaces nothing"))?[1], part);
        } else {
            let (key, value) = line.split_once(" = ").ok_or_else(|| mistake("says nothing"))?;
            match key {
                "breaks" => value.clone_into(&mut row.breaks),
                "file" => (row.file, row.file_line) = (value.to_owned(), number),
                "test" => value.clone_into(&mut row.test),
                "compiled" if value == "no" => row.is_compiled = false,
                "fuzz" if value == "yes" => row.is_for_fuzz = true,
                _ => return Err(mistake("unknown")),
            }
        }
    }
    finish(&mut rows, &mut pairs)?;
    Ok(rows)
}

fn add_line(text: &mut String, line: &str) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(line);
}

/// Gives the last row its edits.
fn finish(rows: &mut [Row], pairs: &mut Vec<[String; 2]>) -> Result<(), String> {
    let Some(row) = rows.last_mut() else { return Ok(()) };
    for [text, replacement] in pairs.drain(..) {
        let parts: Vec<_> = text.split('`').map(str::to_owned).collect();
        let [before, text, after] = match <[String; 3]>::try_from(parts) {
            Ok(parts) => parts,
            Err(parts) if parts.len() == 1 => [String::new(), text, String::new()],
            Err(_) => return Err(format!("{}: backticks come in pairs, one at most: {text}", row.id)),
        };
        row.edits.push(Edit { before, text, after, replacement });
    }
    let is_whole = !row.edits.is_empty()
        && row.edits.iter().all(|edit| !edit.text.trim().is_empty() && edit.text.trim() != edit.replacement.trim())
        && ![&row.id, &row.breaks, &row.file, &row.test].into_iter().any(String::is_empty);
    if is_whole { Ok(()) } else { Err(format!("{}: something is missing, or replaces itself", row.id)) }
}
