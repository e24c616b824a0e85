//! Random operations over the whole public interface, on several indexes, beside a linear list: a few seconds of what
//! `soak` does for as long as asked. See `fuzz/README.md`.

use std::time::Duration;

use quadrille_fuzz::minimise::minimise;
use quadrille_fuzz::op::{KINDS, Op};
use quadrille_fuzz::run::{golden, run};
use quadrille_fuzz::script::Script;

/// Scripts that begin with other seeds are those of `soak`.
const SEEDS: std::ops::Range<u64> = 0..16;

/// No difference, and the same answers in the same order the second time.
#[test]
fn seeded_scripts() {
    for seed in SEEDS {
        let script = Script::of_seed(seed, 150);
        let answers = run(&script).unwrap_or_else(|difference| panic!("seed {seed}, {difference}\n{script}"));
        if seed % 8 == 0 {
            assert_eq!(run(&script).ok(), Some(answers), "seed {seed}: the same answers");
        }
    }
}

/// The same operations give the same handles, and the same objects in the same order, in every build.
#[test]
fn the_golden_hash() {
    let come = golden();
    assert_eq!(
        come,
        Ok(()),
        "if objects are stored otherwise than before, write this into `GOLDEN` of `fuzz/src/run.rs`"
    );
}

/// Differences that were found once stay found: the corpus of the coverage-guided fuzzer, an input a line, in hexadecimal digits.
#[test]
fn corpus() {
    for (number, line) in (1..).zip(include_str!("../../fuzz/corpus.txt").lines()) {
        let digits = line.as_bytes().as_chunks::<2>().0.iter().map(|digits| str::from_utf8(digits).expect("ASCII"));
        let bytes: Vec<u8> = digits.map(|digits| u8::from_str_radix(digits, 16).expect("digits")).collect();
        let script = Script::of_bytes(&bytes);
        run(&script).unwrap_or_else(|difference| panic!("line {number} of the corpus, {difference}"));
    }
}

/// Cursors went over to another index than the clone, where there was no room for one more index.
#[test]
fn a_clone_too_many_takes_no_cursors() {
    let script = "space f32/2 scene 15 objects 600\n\
        AddLayer on=36 settings=rects/any/8\n\
        Clone on=200\n\
        BeginCursor on=75 relation=193 region=s1,s3,s-1:s2^1,s7,s18 layers=!0 excluded=none taken=134 form=115\n\
        Clone on=72\n\
        InsertBatch on=232 layer=12 count=185 seed=16106 hint=235\n\
        BeginCursor on=22 relation=88 region=s-1,s16,s19:s0,l6/65,s20 layers=!0 excluded=none taken=163 form=35\n\
        Clone on=211\n";
    run(&script.parse().expect("a script")).unwrap_or_else(|difference| panic!("{difference}"));
}

/// A subnormal number was taken for the line of the lattice beside it.
#[test]
fn a_subnormal_is_on_no_lattice() {
    let script = "space f32/2 scene 0 objects 160\n\
        Clone on=249\n\
        FillLayers on=190 rects=true\n\
        SetWorld on=220 scene=223\n\
        Clone on=248\n\
        InsertBatch on=240 layer=187 count=99 seed=54701 hint=238\n\
        MoveBatch on=63 rects=true count=153 seed=62025\n\
        Figure on=216 relation=54 figure=4 corners=s2,s-1,s1:s3,s-1,s1 more=s10,s8,s13:s11,s9,s15 inner=-2 outer=1 \
        layers=!0 excluded=49661 taken=234 mode=204\n";
    run(&script.parse().expect("a script")).unwrap_or_else(|difference| panic!("{difference}"));
}

/// A ball around no number was to hold what is at an infinite distance.
#[test]
fn no_ball_is_around_infinity() {
    let script = "space f32/2 scene 0 objects 60\n\
        AddLayer on=127 settings=rects/any/5\n\
        InsertBatch on=173 layer=28 count=9 seed=1629 hint=246\n\
        Nearest on=65 target=-inf,s4,s4 within=none beyond=none layers=!0 excluded=none taken=2 mode=0\n";
    run(&script.parse().expect("a script")).unwrap_or_else(|difference| panic!("{difference}"));
}

/// Objects outside of a world that wraps around, which may be missed, were to be found again within their distance.
#[test]
fn who_is_outside_of_a_torus_may_be_missed() {
    let script = "space f32/2 scene 0 objects 600\n\
        FillLayers on=210 rects=true\n\
        InsertBatch on=16 layer=152 count=225 seed=62982 hint=240\n\
        InsertBatch on=167 layer=151 count=48 seed=31992 hint=59\n\
        Torus on=106 axes=144 question=33 region=l2/2,s0,l5/14^-2:l2/2,s1,l5/15^-2 length=l4/0 motion=s0^-2,-0,s-1 layers=!0 excluded=none taken=177 mode=127\n";
    run(&script.parse().expect("a script")).unwrap_or_else(|difference| panic!("{difference}"));
}

/// Scripts are kept as text.
#[test]
fn scripts_are_read_as_they_are_written() {
    let mut kinds = std::collections::BTreeSet::new();
    for seed in 0..200 {
        let script = Script::of_seed(seed, 100);
        kinds.extend(script.ops.iter().map(|op| op.to_string().split(' ').next().map(str::to_owned)));
        assert_eq!(script.to_string().parse(), Ok(script));
    }
    assert_eq!(kinds.len(), KINDS.len(), "every operation is drawn");
    assert!("space f32/2 scene 0 objects 60\nInsert on=0".parse::<Script>().is_err());
}

/// The shortest script that fails is found, if two operations far apart make it fail.
#[test]
fn scripts_are_minimised() {
    let script = Script::of_seed(1, 1000);
    let is_wanted = |op: &Op| matches!(op, Op::Crowd { .. });
    let (first, last) = (script.ops.iter().position(is_wanted), script.ops.iter().rposition(is_wanted));
    let wanted = [first, last].map(|place| script.ops[place.expect("one of a thousand")].clone());
    let shortest = minimise(&script, Duration::from_secs(60), &|script| {
        let first = script.ops.iter().position(|op| *op == wanted[0]);
        first.is_some_and(|first| script.ops[first..].contains(&wanted[1]))
    });
    assert_eq!(shortest.ops, wanted);
}
