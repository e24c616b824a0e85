//! What contenders are asked, what they reply, and what would have been right.

use std::hint::black_box;

use crate::check::{Answers, Tally};
use crate::data::{Point, Rect};
use crate::exact::Segment;
use crate::index::Index;
use crate::nearby::{Nearby, Ten};

/// What is asked, many times.
#[derive(Clone, Copy)]
pub(crate) enum Question<'a> {
    /// What meets each window.
    Windows(&'a [Rect]),
    /// What holds each point.
    Points(&'a [Point]),
    /// Any one object of each window.
    First(&'a [Rect]),
    /// The object nearest to each point.
    Nearest(&'a [Point]),
    /// The ten nearest, in order.
    NearestTen(&'a [Point]),
    /// What is no further from each point.
    Within(&'a [Point], f32),
    /// What each segment enters first.
    Along(&'a [Segment]),
}

impl Question<'_> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Windows(windows) | Self::First(windows) => windows.len(),
            Self::Points(points) | Self::Nearest(points) | Self::NearestTen(points) | Self::Within(points, _) => {
                points.len()
            }
            Self::Along(segments) => segments.len(),
        }
    }

    /// The first `count` of the questions.
    pub(crate) fn first(self, count: usize) -> Self {
        match self {
            Self::Windows(windows) => Self::Windows(&windows[..count]),
            Self::Points(points) => Self::Points(&points[..count]),
            Self::First(windows) => Self::First(&windows[..count]),
            Self::Nearest(points) => Self::Nearest(&points[..count]),
            Self::NearestTen(points) => Self::NearestTen(&points[..count]),
            Self::Within(points, distance) => Self::Within(&points[..count], distance),
            Self::Along(segments) => Self::Along(&segments[..count]),
        }
    }
}

/// What is right.
#[derive(Clone, Copy)]
pub(crate) enum Right<'a> {
    /// All of these objects.
    All(&'a Answers),
    /// One of these objects.
    OneOf(&'a Answers),
    /// Objects as near as these.
    AsNear(&'a Nearby),
    /// This object, or none.
    This(&'a [Option<u32>]),
}

/// The replies, of one kind or another.
#[derive(Default)]
pub(crate) struct Replies {
    tallies: Vec<Tally>,
    ones: Vec<Option<u64>>,
    tens: Vec<Ten>,
}

impl Replies {
    /// Forgets all replies, and makes room for so many.
    pub(crate) fn clear(&mut self, question: Question) {
        let count = question.len();
        self.tallies.clear();
        self.tallies.resize(count, Tally::default());
        self.ones.clear();
        self.ones.resize(count, None);
        self.tens.clear();
        if let Question::NearestTen(_) = question {
            self.tens.resize(count, Ten::default());
        }
    }

    /// Asks; inlined so that each contender has its own loop.
    #[inline]
    pub(crate) fn ask<P: crate::data::Shape, I: Index<P>>(&mut self, index: &mut I, question: Question) {
        let count = question.len();
        let Self { tallies, ones, tens } = self;
        match question {
            Question::Windows(windows) => index.answer(windows, &mut tallies[..count]),
            Question::Points(points) => index.answer_points(points, &mut tallies[..count]),
            Question::First(windows) => index.answer_first(windows, &mut ones[..count]),
            Question::Nearest(points) => index.answer_nearest(points, &mut ones[..count]),
            Question::NearestTen(points) => index.answer_nearest_ten(points, &mut tens[..count]),
            Question::Within(points, distance) => index.answer_within(points, distance, &mut tallies[..count]),
            Question::Along(segments) => index.answer_along(segments, &mut ones[..count]),
        }
        black_box(self);
    }

    /// Whether the first `count` replies are right, of a contender that gives objects these names. What its tallies
    /// should be is reckoned only if it is not known from another round.
    pub(crate) fn are_right(
        &self,
        count: usize,
        right: Right,
        known: &mut Option<Vec<Tally>>,
        name: impl Fn(u32) -> u64,
    ) -> bool {
        match right {
            Right::All(answers) => {
                let known = known.get_or_insert_with(|| answers.tallies(count, name));
                self.tallies[..count] == known[..]
            }
            Right::OneOf(answers) => answers.has_firsts(&self.ones[..count], name),
            Right::AsNear(nearby) if self.tens.is_empty() => {
                let ones = self.ones[..count].iter().enumerate();
                ones.into_iter().all(|(query, one)| nearby.are(query, one.as_slice(), &name))
            }
            Right::AsNear(nearby) => {
                let mut tens = self.tens[..count].iter().enumerate();
                tens.all(|(query, ten)| ten.names().is_some_and(|names| nearby.are(query, names, &name)))
            }
            Right::This(ids) => {
                let mut pairs = self.ones[..count].iter().zip(ids);
                pairs.all(|(one, id)| *one == id.map(&name))
            }
        }
    }
}
