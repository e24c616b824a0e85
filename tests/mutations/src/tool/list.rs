//! The list that a mutation tool prints: `cargo mutants --list --json`.

use serde_json::Value;

/// An entry of the list.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entry {
    pub(crate) file: String,
    /// The function that is changed; empty outside of functions.
    pub(crate) function: String,
    /// The kind of the change, in the tool's words.
    pub(crate) genre: String,
    /// The first line and column, and those behind the last, counted from one.
    pub(crate) span: [(usize, usize); 2],
    pub(crate) replacement: String,
}

/// Reads the list.
pub(crate) fn parse(text: &str) -> Result<Vec<Entry>, String> {
    let list: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let entries = list.as_array().ok_or("the list is no array")?.iter();
    entries.map(|entry| read(entry).ok_or_else(|| format!("not an entry: {entry}"))).collect()
}

fn read(entry: &Value) -> Option<Entry> {
    let text = |key: &str| Some(entry.get(key)?.as_str()?.to_owned());
    let end = |key: &str| {
        let end = entry.get("span")?.get(key)?;
        let number = |key: &str| usize::try_from(end.get(key)?.as_u64()?).ok();
        Some((number("line")?, number("column")?))
    };
    let function = entry.get("function").and_then(|function| function.get("function_name")?.as_str());
    Some(Entry {
        file: text("file")?,
        function: function.unwrap_or_default().to_owned(),
        genre: text("genre")?,
        span: [end("start")?, end("end")?],
        replacement: text("replacement")?,
    })
}
