//! The programs of the guide, one test for each chapter: see `build.rs`.

#![expect(unused, reason = "the programs show what there is")]
#![allow(clippy::all, clippy::pedantic, reason = "the programs are short before all")]
#![allow(unreachable_pub, reason = "the `main` of a program that stands alone")]

include!(concat!(env!("OUT_DIR"), "/chapters.rs"));
