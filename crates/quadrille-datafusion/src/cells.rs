//! Cells that divide space so that none holds too many rows: the leaves of a k-d tree over a sample.
//!
//! On each axis, space is the engine's order of `f64`, as integers: the total order, in which NaN and the infinities are
//! places like any other, but with both zeros at one place. Every place has a next one, so cells are closed, share no place
//! and leave none out.
//!
//! It knows neither rows nor plans.

/// Where a value stands in the order of the engine.
pub(crate) type Place = i64;

/// The first place and the last one.
const EVERYWHERE: [Place; 2] = [Place::MIN + 1, Place::MAX];

/// A division that makes so many copies of rows for each row is none.
const COPIES_MAX: f64 = 1.5;

/// A part of a divided cell has at most this share of its rows.
const SHARE_MAX: f64 = 0.95;

/// Where a value stands in the order of the engine.
pub(crate) fn place_of(value: f64) -> Place {
    let place = flipped(value.to_bits().cast_signed());
    if place < 0 { place + 1 } else { place }
}

/// The value that stands at a place.
pub(crate) fn value_at(place: Place) -> f64 {
    f64::from_bits(flipped(if place < 0 { place - 1 } else { place }).cast_unsigned())
}

/// The bits of numbers as integers in the same order, or the other way around.
fn flipped(bits: i64) -> i64 {
    bits ^ ((bits >> 63).cast_unsigned() >> 1).cast_signed()
}

/// A box: its first and its last place on each axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span(pub(crate) Vec<[Place; 2]>);

impl Span {
    /// All of space.
    fn everywhere(axes: usize) -> Self {
        Self(vec![EVERYWHERE; axes])
    }

    /// The same box with other ends on one axis.
    fn with(&self, axis: usize, ends: [Place; 2]) -> Self {
        let mut span = self.clone();
        span.0[axis] = ends;
        span
    }
}

/// When a cell is divided.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// A cell with more rows of the sample is divided.
    pub(crate) rows: usize,
    /// There are no more cells.
    pub(crate) cells: usize,
}

/// A cell, and the rows of the sample that touch it.
struct Cell {
    span: Span,
    rows: Vec<u32>,
}

/// Divides space into cells, the fullest first, until none holds too many of the rows. One that cannot be divided, for
/// its rows are at one place or lie across all of it, stays full.
pub(crate) fn divided(sample: &[Span], axes: usize, limits: Limits) -> Vec<Span> {
    let rows = (0..).take(sample.len()).collect();
    let mut cells = vec![Cell { span: Span::everywhere(axes), rows }];
    let mut done = Vec::new();
    while let Some(fullest) = cells.pop_if(|fullest| fullest.rows.len() > limits.rows) {
        if cells.len() + done.len() + 2 > limits.cells {
            done.push(fullest);
            break;
        }
        match halves(&fullest, sample, axes) {
            Some(halves) => halves.into_iter().for_each(|half| insert(&mut cells, half)),
            None => done.push(fullest),
        }
    }
    done.into_iter().chain(cells).map(|cell| cell.span).collect()
}

/// Keeps the fullest cell at the end.
fn insert(cells: &mut Vec<Cell>, cell: Cell) {
    let position = cells.partition_point(|other| other.rows.len() <= cell.rows.len());
    cells.insert(position, cell);
}

/// Divides a cell on the axis where its parts have the fewest rows, if that is worth the copies.
fn halves(cell: &Cell, sample: &[Span], axes: usize) -> Option<[Cell; 2]> {
    let parts = (0..axes).filter_map(|axis| halves_on(axis, cell, sample));
    let best = parts.min_by_key(|parts| parts.iter().map(|part| part.rows.len()).max())?;
    #[expect(clippy::cast_precision_loss, reason = "a sample is small")]
    let share = |rows: usize| rows as f64 / cell.rows.len() as f64;
    let [one, other] = best.each_ref().map(|part| share(part.rows.len()));
    (one + other <= COPIES_MAX && one.max(other) <= SHARE_MAX).then_some(best)
}

/// Divides a cell where half of its rows begin before. `None` if all begin at its first place, or before it.
fn halves_on(axis: usize, cell: &Cell, sample: &[Span]) -> Option<[Cell; 2]> {
    let [first, last] = cell.span.0[axis];
    let ends = |row: &u32| sample[*row as usize].0[axis];
    let mut begins: Vec<_> = cell.rows.iter().map(|row| ends(row)[0].max(first)).collect();
    let middle = begins.len() / 2;
    let (_, median, after) = begins.select_nth_unstable(middle);
    let at = if *median > first { *median } else { after.iter().copied().filter(|place| *place > first).min()? };
    let part = |ends: [Place; 2], touches: &dyn Fn(&u32) -> bool| Cell {
        span: cell.span.with(axis, ends),
        rows: cell.rows.iter().copied().filter(|row| touches(row)).collect(),
    };
    Some([part([first, at - 1], &|row| ends(row)[0] < at), part([at, last], &|row| ends(row)[1] >= at)])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{EVERYWHERE, Limits, Span, divided, place_of, value_at};

    fn point(x: f64, y: f64) -> Span {
        Span([x, y].map(|value| [place_of(value); 2]).to_vec())
    }

    fn touches(one: &Span, other: &Span) -> bool {
        one.0.iter().zip(&other.0).all(|(a, b)| a[0] <= b[1] && b[0] <= a[1])
    }

    fn touching(cell: &Span, rows: &[Span]) -> usize {
        rows.iter().filter(|row| touches(cell, row)).count()
    }

    #[test]
    fn places_are_in_the_order_of_the_engine() {
        let ordered =
            [-f64::NAN, f64::NEG_INFINITY, f64::MIN, -1.0, -5e-324, 0.0, 5e-324, 1.0, f64::INFINITY, f64::NAN];
        assert!(ordered.map(place_of).is_sorted_by(|a, b| a < b));
        for value in ordered {
            assert_eq!(value_at(place_of(value)).to_bits(), value.to_bits());
        }
        assert_eq!([place_of(-5e-324), place_of(-0.0), place_of(0.0)], [-1, 0, 0]);
        for place in EVERYWHERE {
            assert!(value_at(place).is_nan());
            assert_eq!(place_of(value_at(place)), place);
        }
    }

    #[test]
    fn a_full_cell_is_divided_where_the_rows_are() {
        // Nine of ten in a millionth of the square.
        let spread = (0..100).map(|n| point(f64::from(n % 10), f64::from(n / 10)));
        let crowd = (0..900).map(|n| point(5.5 + f64::from(n % 30) * 1e-4, 5.5 + f64::from(n / 30) * 1e-4));
        let rows: Vec<_> = spread.chain(crowd).collect();
        let cells = divided(&rows, 2, Limits { rows: 20, cells: 1000 });
        assert!(cells.iter().all(|cell| touching(cell, &rows) <= 20));
        let crowd = cells.iter().filter(|cell| touching(cell, &rows[100..]) > 0).count();
        assert!(crowd >= 45 && crowd * 10 > cells.len() * 8, "{crowd} of {}", cells.len());
    }

    #[test]
    fn what_cannot_be_divided_stays_full() {
        let rows = vec![point(1.0, 1.0); 100];
        let cells = divided(&rows, 2, Limits { rows: 10, cells: 1000 });
        assert!(cells.len() < 10, "{}", cells.len());
        assert!(cells.iter().any(|cell| touching(cell, &rows) == 100));
        let across = vec![Span(vec![[place_of(0.0), place_of(9.0)]; 2]); 100];
        assert_eq!(divided(&across, 2, Limits { rows: 10, cells: 1000 }).len(), 1);
    }

    #[test]
    fn there_are_no_more_cells_than_allowed() {
        let rows: Vec<_> = (0..1000).map(|n| point(f64::from(n), f64::from(n * 7 % 1000))).collect();
        assert_eq!(divided(&rows, 2, Limits { rows: 1, cells: 10 }).len(), 10);
        assert_eq!(divided(&rows, 2, Limits { rows: 1, cells: 1 }).len(), 1);
        assert_eq!(divided(&[], 2, Limits { rows: 1, cells: 10 }).len(), 1);
    }

    fn any_row() -> impl Strategy<Value = Span> {
        let place = prop_oneof![(-4..5_i32).prop_map(f64::from), Just(f64::NAN), Just(-f64::NAN), Just(f64::INFINITY)];
        let ends = (place.clone(), place).prop_map(|(one, other)| {
            let (one, other) = (place_of(one), place_of(other));
            [one.min(other), one.max(other)]
        });
        proptest::collection::vec(ends, 3).prop_map(Span)
    }

    proptest! {
        #[test]
        fn every_place_is_in_one_cell(
            rows in proptest::collection::vec(any_row(), 0..60), limit in 0..9_usize, cells in 1..40_usize,
            places in proptest::collection::vec(any_row(), 1..20),
        ) {
            let cells = divided(&rows, 3, Limits { rows: limit, cells });
            for place in places.iter().chain(&rows) {
                let place = Span(place.0.iter().map(|ends| [ends[0]; 2]).collect());
                prop_assert_eq!(cells.iter().filter(|cell| touches(cell, &place)).count(), 1);
            }
        }
    }
}
