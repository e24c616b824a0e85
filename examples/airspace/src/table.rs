//! A table with a frame. Columns of numbers stand to the right.

use std::fmt;

/// Rows below a header.
pub(crate) struct Table {
    header: Vec<String>,
    /// How many columns, the first ones, stand to the left.
    left: usize,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new<const N: usize>(header: [&str; N], left: usize) -> Self {
        Self { header: header.map(str::to_owned).to_vec(), left, rows: Vec::new() }
    }

    /// Adds a row with a cell for each column.
    pub(crate) fn add(&mut self, row: impl Into<Vec<String>>) {
        self.rows.push(row.into());
    }

    fn all(&self) -> impl Iterator<Item = &Vec<String>> {
        [&self.header].into_iter().chain(&self.rows)
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = |column: usize| self.all().map(|row| row[column].chars().count()).max().unwrap_or_default();
        let widths: Vec<usize> = (0..self.header.len()).map(width).collect();
        let border = |[begin, fill, between, end]: [&str; 4]| {
            let fills: Vec<String> = widths.iter().map(|width| fill.repeat(width + 2)).collect();
            [begin, &fills.join(between), end].concat()
        };
        writeln!(f, "{}", border(["╭", "─", "┬", "╮"]))?;
        for (number, row) in self.all().enumerate() {
            let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
                let is_left = number == 0 || column < self.left;
                if is_left { format!(" {cell:<width$} ") } else { format!(" {cell:>width$} ") }
            });
            writeln!(f, "│{}│", cells.collect::<Vec<_>>().join("┆"))?;
            if number == 0 {
                writeln!(f, "{}", border(["╞", "═", "╪", "╡"]))?;
            }
        }
        write!(f, "{}", border(["╰", "─", "┴", "╯"]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new(["what", "n"], 1);
        table.add(["–".to_owned(), "1,000".to_owned()]);
        let expected = "╭──────┬───────╮\n│ what ┆ n     │\n╞══════╪═══════╡\n│ –    ┆ 1,000 │\n╰──────┴───────╯";
        assert_eq!(table.to_string(), expected);
    }
}
