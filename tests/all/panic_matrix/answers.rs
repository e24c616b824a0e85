//! The rows of queries that are kept where a caller's code panics: they go on, and nothing is lost.

use quadrille::{Handle, ObjectRef, Periodic, Rect, SearchBuffer};

use quadrille_support::Real;
use quadrille_support::oracle::Relation::{self, ContainedIn, Intersecting};

use super::fuse::Hook::{self, Clone, Closure, Into, Metric, Region};
use super::fuse::{Fused, call};
use super::stage::Stage;

/// Adds objects to a list; whether there may be more.
pub(super) type Step<'a> = Box<dyn FnMut(&mut Vec<Handle>) -> bool + 'a>;

pub(super) struct Answer<S, const D: usize> {
    pub(super) covers: &'static [&'static str],
    pub(super) hooks: &'static [Hook],
    /// The objects that it finds; none if that depends on the tree.
    pub(super) relation: Option<Relation>,
    /// How many objects a query has yielded before it is paused, one after the other.
    pub(super) taken: &'static [usize],
    pub(super) make: for<'a> fn(&'a Stage<S, D>, usize) -> Step<'a>,
}

/// A step of an iterator.
fn each<'a>(mut next: impl FnMut() -> Option<Handle> + 'a) -> Step<'a> {
    Box::new(move |found| next().map(|handle| found.push(handle)).is_some())
}

fn each_of<'a, T: 'a, S: Real, const D: usize>(
    mut query: impl Iterator<Item = ObjectRef<'a, T, S, D>> + 'a,
) -> Step<'a> {
    each(move || query.next().map(|object| object.handle()))
}

fn torus<S: Real, const D: usize>(stage: &Stage<S, D>) -> Periodic<S, D> {
    Periodic::new(stage.index.world()).expect("the world of an index")
}

/// A view across all borders.
fn across<S: Real, const D: usize>(stage: &Stage<S, D>) -> Rect<S, D> {
    stage.view.translated([S::of(40.0); D])
}

fn by_metric<S: Real, const D: usize>() -> Answer<S, D> {
    Answer {
        covers: &[],
        hooks: &[Metric, Clone],
        relation: Some(Intersecting),
        taken: &[0],
        make: |stage, _| {
            let mut buffer = SearchBuffer::new();
            assert!(stage.index.nearest_by(Fused(stage.view)).reusing(&mut buffer).exists());
            each_of(stage.index.nearest_by(Fused(stage.view)).within(0.0).clone().map(|found| found.object))
        },
    }
}

fn batch<S: Real, const D: usize>() -> Answer<S, D> {
    Answer {
        covers: &["SpatialIndex::query_batch", "Answers::fill"],
        hooks: &[Into, Region, Closure],
        relation: Some(Intersecting),
        taken: &[0],
        make: |stage, _| {
            let mut answers = quadrille::Answers::new();
            Box::new(move |found| {
                let ask = |view: &Fused<S, D>, answer: &mut quadrille::Answer<'_, Handle>| {
                    call(Closure);
                    answer.extend(stage.index.intersecting(Fused(view.0)).map(|object| object.handle()));
                };
                answers.fill(&stage.index, [Fused(stage.view)], ask);
                assert_eq!(answers, stage.index.query_batch([Fused(stage.view)], ask));
                found.append(&mut answers.items);
                false
            })
        },
    }
}

pub(super) fn answers<S: Real, const D: usize>() -> Vec<Answer<S, D>> {
    [plain(), wrapped()].into_iter().flatten().collect()
}

fn wrapped<S: Real, const D: usize>() -> Vec<Answer<S, D>> {
    vec![
        Answer {
            covers: &["SpatialIndex::intersecting", "Query::periodic"],
            hooks: &[Into, Region, Clone],
            relation: None,
            taken: &[0],
            make: |stage, _| each_of(stage.index.intersecting(Fused(across(stage))).periodic(&torus(stage)).clone()),
        },
        Answer {
            covers: &["SpatialIndex::contained_in", "Query::periodic"],
            hooks: &[Into, Region],
            relation: None,
            taken: &[0],
            make: |stage, _| each_of(stage.index.contained_in(Fused(across(stage))).periodic(&torus(stage))),
        },
    ]
}

fn plain<S: Real, const D: usize>() -> Vec<Answer<S, D>> {
    vec![
        Answer {
            covers: &["SpatialIndex::intersecting"],
            hooks: &[Into, Region],
            relation: Some(Intersecting),
            taken: &[0],
            make: |stage, _| each_of(stage.index.intersecting(Fused(stage.view))),
        },
        Answer {
            covers: &["SpatialIndex::contained_in"],
            hooks: &[Into, Region, Clone],
            relation: Some(ContainedIn),
            taken: &[0],
            make: |stage, _| each_of(stage.index.contained_in(Fused(stage.view)).clone()),
        },
        Answer {
            covers: &["SpatialIndex::near"],
            hooks: &[Into, Region],
            relation: None,
            taken: &[0],
            make: |stage, _| each_of(stage.index.near(Fused(stage.view))),
        },
        Answer {
            covers: &["SpatialIndex::resume"],
            hooks: &[Into, Region],
            relation: Some(Intersecting),
            taken: &[0, 1, 9, 30],
            make: |stage, taken| {
                let mut query = stage.index.intersecting(Fused(stage.view));
                let mut first: Vec<_> = query.by_ref().take(taken).map(|object| object.handle()).collect();
                let mut resumed = stage.index.resume(query.pause()).expect("the same index");
                each(move || first.pop().or_else(|| resumed.next().map(|object| object.handle())))
            },
        },
        Answer {
            covers: &["Cursor::step"],
            hooks: &[Into, Region],
            relation: Some(Intersecting),
            taken: &[0, 1, 9, 30],
            make: |stage, taken| {
                let mut query = stage.index.intersecting(Fused(stage.view));
                let mut first: Vec<_> = query.by_ref().take(taken).map(|object| object.handle()).collect();
                let mut cursor = query.pause();
                each(move || {
                    let mut next = || cursor.step(&stage.index).expect("the same index").map(|object| object.handle());
                    first.pop().or_else(&mut next)
                })
            },
        },
        Answer {
            covers: &["Cursor::run"],
            hooks: &[Into, Region, Closure],
            relation: Some(Intersecting),
            taken: &[0, 1, 9],
            make: |stage, taken| {
                let mut query = stage.index.intersecting(Fused(stage.view));
                let mut first: Vec<_> = query.by_ref().take(taken).map(|object| object.handle()).collect();
                let mut cursor = query.pause().distinct();
                Box::new(move |found| {
                    found.append(&mut first);
                    let slice = cursor.run(&stage.index, 3, |object| {
                        found.push(object.handle());
                        call(Closure);
                    });
                    !slice.expect("the same index").done
                })
            },
        },
        batch(),
        Answer {
            covers: &["SpatialIndex::nearest_by"],
            hooks: &[Metric],
            relation: None,
            taken: &[0],
            make: |stage, _| each_of(stage.index.nearest_by(Fused(stage.view)).map(|found| found.object)),
        },
        by_metric(),
    ]
}
