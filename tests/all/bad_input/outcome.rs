//! The outcome of a bad input, in the words of the file.

use std::fmt::{self, Debug, Display, Formatter};

use quadrille::{BatchMoved, Rect};

use quadrille_support::Real;

/// The outcome of a call.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    /// It was done, or answered as for any other argument.
    Ok,
    /// It was refused with this error; the index is as it was.
    Error(String),
    /// `None`, or an answer of the same meaning; the index is as it was.
    None,
    /// There is nothing to be done, and nothing is.
    Unchanged,
    /// Of a query: no object, some, or all.
    Nothing,
    Some,
    All,
    /// Of a question.
    Yes,
    No,
    Either,
    /// Of a box: it is empty, or reaches to infinity.
    Empty,
    Infinite,
    /// Of a number that is none.
    NaN,
    /// Of a number: NaN on one axis, and a number on another.
    Varies,
    /// The compiler refuses it.
    Untypable,
}

impl Outcome {
    /// Of an operation that says what it refused.
    pub(super) fn of<T, E: Debug>(result: Result<T, E>) -> Self {
        result.map_or_else(|error| Self::error(&error), |_| Self::Ok)
    }

    /// The name of an error: the innermost, as it is the reason.
    pub(super) fn error(error: &impl Debug) -> Self {
        let debug = format!("{error:?}");
        let names = debug.split(" {").next().expect("a name");
        let innermost = names.split('(').next_back().expect("a name");
        Self::Error(innermost.trim_end_matches(')').to_owned())
    }

    pub(super) fn of_option<T>(option: Option<T>) -> Self {
        option.map_or(Self::None, |_| Self::Ok)
    }

    pub(super) fn of_bool(answer: bool) -> Self {
        if answer { Self::Yes } else { Self::No }
    }

    /// Of a batch of one move.
    pub(super) fn of_batch(moved: &BatchMoved) -> Self {
        match &moved.refused[..] {
            [] => Self::Ok,
            [(_, error), ..] => Self::error(error),
        }
    }

    pub(super) fn of_count(found: usize, all: usize) -> Self {
        match found {
            0 => Self::Nothing,
            _ if found == all => Self::All,
            _ => Self::Some,
        }
    }

    pub(super) fn of_rect<S: Real, const D: usize>(rect: &Rect<S, D>) -> Self {
        Self::of_numbers(rect.min().into_iter().chain(rect.max()))
    }

    pub(super) fn of_numbers<S: Real>(numbers: impl IntoIterator<Item = S>) -> Self {
        let numbers: Vec<_> = numbers.into_iter().map(S::value).collect();
        if numbers.iter().any(|number| number.is_nan()) {
            Self::Empty
        } else if numbers.iter().any(|number| number.is_infinite()) {
            Self::Infinite
        } else {
            Self::Ok
        }
    }

    pub(super) fn of_number(number: f64) -> Self {
        match number {
            number if number.is_nan() => Self::NaN,
            number if number.is_infinite() => Self::Infinite,
            _ => Self::Ok,
        }
    }

    /// The outcome of several inputs of one column, where answers may differ, but not whether it is refused.
    pub(super) fn merged(self, other: &Self, what: &str) -> Self {
        use Outcome::{All, Either, Infinite, NaN, No, Nothing, Ok, Some, Varies, Yes};
        match (&self, other) {
            (one, another) if one == another => self,
            (Nothing | Some | All, Nothing | Some | All) => Some,
            (Yes | No | Either, Yes | No | Either) => Either,
            (Ok | Infinite, Ok | Infinite) => Infinite,
            (NaN | Ok | Varies, NaN | Ok | Varies) => Varies,
            (one, another) => panic!("{what}: {one} and {another}"),
        }
    }

    /// Whether the index must be as it was.
    pub(super) fn leaves_the_index_as_it_was(&self) -> bool {
        !matches!(self, Self::Ok)
    }
}

impl Display for Outcome {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Error(name) => f.write_str(name),
            Self::Ok => f.write_str("ok"),
            Self::None => f.write_str("none"),
            Self::Unchanged => f.write_str("no effect"),
            Self::Nothing => f.write_str("nothing"),
            Self::Some => f.write_str("what matches"),
            Self::All => f.write_str("all"),
            Self::Yes => f.write_str("yes"),
            Self::No => f.write_str("no"),
            Self::Either => f.write_str("yes or no"),
            Self::Empty => f.write_str("empty"),
            Self::Infinite => f.write_str("infinite"),
            Self::NaN => f.write_str("NaN"),
            Self::Varies => f.write_str("NaN on one axis"),
            Self::Untypable => f.write_str("type error"),
        }
    }
}
