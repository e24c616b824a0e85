//! The questions, the replies of contenders, and the right answers.

use std::hint::black_box;

use crate::check::{Answers, Tally};
use crate::data::{Point, Rect, Scalar, Shape};
use crate::exact::Segment;
use crate::index::Index;
use crate::nearby::{Nearby, Ten};

/// One question, asked many times.
#[derive(Clone, Copy)]
pub(crate) enum Question<'a, S = f32, const D: usize = 2> {
    Windows(OfWindow, &'a [Rect<S, D>]),
    Points(OfPoint<S>, &'a [Point<S, D>]),
    /// The object that each segment enters first.
    Along(&'a [Segment<S, D>]),
}

/// The questions about a window.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OfWindow {
    /// All objects that meet it.
    All,
    /// The values of all objects that meet it.
    Values,
    /// How many objects meet it.
    Count,
    /// Any one object.
    First,
    /// Whether there is an object.
    Exists,
    /// An object that the first call with a budget of 1 has found, if it has found any.
    Budget,
}

/// The questions about a point.
#[derive(Clone, Copy)]
pub(crate) enum OfPoint<S> {
    /// All objects that hold it.
    Holders,
    /// The nearest object.
    Nearest,
    /// The ten nearest, in order.
    NearestTen,
    /// All objects no further away.
    Within(S),
}

impl<S: Scalar, const D: usize> Question<'_, S, D> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Windows(_, windows) => windows.len(),
            Self::Points(_, points) => points.len(),
            Self::Along(segments) => segments.len(),
        }
    }

    /// The first `count` of the questions.
    pub(crate) fn first(self, count: usize) -> Self {
        match self {
            Self::Windows(of, windows) => Self::Windows(of, &windows[..count]),
            Self::Points(of, points) => Self::Points(of, &points[..count]),
            Self::Along(segments) => Self::Along(&segments[..count]),
        }
    }
}

/// The right answers.
#[derive(Clone, Copy)]
pub(crate) enum Right<'a> {
    /// All of these objects.
    All(&'a Answers),
    /// The values of all these objects, which are their ids.
    Values(&'a Answers),
    /// So many objects.
    Counts(&'a Answers),
    /// One if there are any of these objects, or none.
    Exist(&'a Answers),
    /// One of these objects, or none if there are none.
    OneOf(&'a Answers),
    /// One of these objects, or none.
    PerhapsOneOf(&'a Answers),
    /// Objects as near as these.
    AsNear(&'a Nearby),
    /// This object, or none.
    This(&'a [Option<u32>]),
}

/// The replies, of one kind or another.
#[derive(Default)]
pub(crate) struct Replies {
    /// The values that a user keeps beside an index that answers with positions, if values are asked for: the ids.
    values: Vec<u64>,
    tallies: Vec<Tally>,
    ones: Vec<Option<u64>>,
    tens: Vec<Ten>,
}

impl Replies {
    /// With values beside so many objects.
    pub(crate) fn with_values(objects: usize) -> Self {
        Self { values: (0..objects as u64).collect(), ..Self::default() }
    }

    /// Forgets all replies, and makes room for so many.
    pub(crate) fn clear<S: Scalar, const D: usize>(&mut self, question: Question<'_, S, D>) {
        let count = question.len();
        self.tallies.clear();
        self.tallies.resize(count, Tally::default());
        self.ones.clear();
        self.ones.resize(count, None);
        self.tens.clear();
        if let Question::Points(OfPoint::NearestTen, _) = question {
            self.tens.resize(count, Ten::default());
        }
    }

    /// Asks; inlined so that each contender has its own loop.
    #[inline]
    pub(crate) fn ask<P: Shape<S, D>, S: Scalar, const D: usize, I: Index<P, S, D>>(
        &mut self,
        index: &mut I,
        question: Question<'_, S, D>,
    ) {
        let count = question.len();
        let Self { values, tallies, ones, tens } = self;
        let (tallies, ones) = (&mut tallies[..count], &mut ones[..count]);
        match question {
            Question::Windows(OfWindow::All, windows) => index.answer(windows, tallies),
            Question::Windows(OfWindow::Values, windows) => index.answer_values(windows, values, tallies),
            Question::Windows(OfWindow::Count, windows) => index.answer_counts(windows, tallies),
            Question::Windows(OfWindow::First, windows) => index.answer_first(windows, ones),
            Question::Windows(OfWindow::Exists, windows) => index.answer_exists(windows, tallies),
            Question::Windows(OfWindow::Budget, windows) => index.answer_budget(windows, ones),
            Question::Points(OfPoint::Holders, points) => index.answer_points(points, tallies),
            Question::Points(OfPoint::Nearest, points) => index.answer_nearest(points, ones),
            Question::Points(OfPoint::NearestTen, points) => index.answer_nearest_ten(points, &mut tens[..count]),
            Question::Points(OfPoint::Within(distance), points) => index.answer_within(points, distance, tallies),
            Question::Along(segments) => index.answer_along(segments, ones),
        }
        black_box(self);
    }

    /// Whether the first `count` replies are right, of a contender that gives objects these names. The tallies that it
    /// should have are computed only if they are not known from another round.
    pub(crate) fn are_right(
        &self,
        count: usize,
        right: Right<'_>,
        known: &mut Option<Vec<Tally>>,
        name: impl Fn(u32) -> u64,
    ) -> bool {
        let (tallies, ones) = (&self.tallies[..count], &self.ones[..count]);
        match right {
            Right::All(answers) => tallies == &known.get_or_insert_with(|| answers.tallies(count, name))[..],
            Right::Values(answers) => tallies == &known.get_or_insert_with(|| answers.tallies(count, u64::from))[..],
            Right::Counts(answers) => answers.counts(count).map(Tally::of_count).eq(tallies.iter().copied()),
            Right::Exist(answers) => {
                answers.counts(count).map(|count| Tally::of_count(count.min(1))).eq(tallies.iter().copied())
            }
            Right::OneOf(answers) => answers.has_firsts(ones, name),
            Right::PerhapsOneOf(answers) => {
                let found = ones.iter().enumerate().filter_map(|(query, one)| Some((query, (*one)?)));
                found.into_iter().all(|(query, found)| answers.has(query, found, &name))
            }
            Right::AsNear(nearby) if self.tens.is_empty() => {
                let ones = ones.iter().enumerate();
                ones.into_iter().all(|(query, one)| nearby.are(query, one.as_slice(), &name))
            }
            Right::AsNear(nearby) => {
                let mut tens = self.tens[..count].iter().enumerate();
                tens.all(|(query, ten)| ten.names().is_some_and(|names| nearby.are(query, names, &name)))
            }
            Right::This(ids) => {
                let mut pairs = ones.iter().zip(ids);
                pairs.all(|(one, id)| *one == id.map(&name))
            }
        }
    }
}
