//! Tables of a page.

use std::fmt;

pub(crate) struct Table {
    rows: Vec<String>,
}

impl Table {
    pub(crate) fn new(heads: &str) -> Self {
        Self { rows: vec![format!("| {heads} |"), format!("|{}", "--:|".repeat(heads.split('|').count()))] }
    }

    pub(crate) fn row(&mut self, cells: &[String]) {
        self.rows.push(format!("| {} |", cells.join(" | ")));
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rows.iter().try_for_each(|row| writeln!(f, "{row}"))
    }
}

/// A number of bytes with its unit.
pub(crate) fn bytes(count: usize) -> String {
    match count {
        0 => "0".to_owned(),
        1..10_000 => format!("{count} B"),
        10_000..10_000_000 => format!("{} kB", count / 1000),
        _ => format!("{:.1} MB", count as f64 / 1e6),
    }
}
