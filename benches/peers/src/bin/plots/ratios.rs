//! A table of quadrille's time, and of its ratio to the best of each kind that answered rightly.

use std::fmt::Write;

use crate::rows::{Kind, OURS, Row, Scene};

const HEADER: &str = "space,workload,shape,objects,distribution,quadrille_ns,fold_ns,quadrille_bytes,best_dynamic,ratio_to_dynamic,\
    best_static,ratio_to_static,ratio_to_bound";

/// As comma-separated values: a line for each workload in each scene, in the order of the rows. A ratio below 1 means that
/// quadrille is faster.
pub(crate) fn table(rows: &[Row]) -> String {
    let mut table = format!("{HEADER}\n");
    for same in rows.chunk_by(|a, b| (&a.workload, &a.scene) == (&b.workload, &b.scene)) {
        line(&mut table, same).unwrap_or_else(|error| unreachable!("writing to a string: {error}"));
    }
    table
}

fn line(table: &mut String, rows: &[Row]) -> std::fmt::Result {
    let Some((ours, time)) = rows.iter().find(|row| row.contender == OURS).and_then(|row| Some((row, row.median_ns?)))
    else {
        return Ok(());
    };
    let fold = rows.iter().find(|row| row.contender == "quadrille fold").and_then(|row| row.median_ns);
    let Scene { space, shape, n, distribution } = &ours.scene;
    write!(table, "{space},{},{shape},{n},{distribution},{time:.1},", ours.workload)?;
    write!(table, "{},{},", digits(fold, 1), digits(ours.bytes_per_object, 1))?;
    for kind in [Kind::Dynamic, Kind::Static] {
        let (name, ratio) = best(rows, kind).map_or(("", None), |(name, best)| (name, Some(time / best)));
        write!(table, "{name},{},", digits(ratio, 2))?;
    }
    writeln!(table, "{}", digits(best(rows, Kind::Bound).map(|(_, best)| time / best), 2))
}

fn digits(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(String::new, |value| format!("{value:.decimals$}"))
}

/// The rival of a kind with the least time, and that time.
fn best(rows: &[Row], kind: Kind) -> Option<(&str, f64)> {
    rows.iter()
        .filter(|row| row.correct && row.kind == kind && !row.contender.starts_with(OURS))
        .filter_map(|row| Some((&*row.contender, row.median_ns?)))
        .min_by(|(_, a), (_, b)| a.total_cmp(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::example;

    #[test]
    fn the_best_is_right_and_not_ours() {
        let mut frozen = example("packed", Some(8.0), true);
        frozen.kind = Kind::Static;
        let rows = [
            example("wrong", Some(1.0), false),
            example("quadrille fold", Some(2.0), true),
            example(OURS, Some(4.0), true),
            example("rstar", Some(16.0), true),
            example("kiddo", Some(5.0), true),
            frozen,
            example("unmeasured", None, true),
        ];
        let table = table(&rows);
        let lines: Vec<_> = table.lines().skip(1).collect();
        assert_eq!(lines, ["2d,insert,point,1000,uniform,4.0,2.0,,kiddo,0.80,packed,0.50,"]);
    }
}
