//! The programs of the guide, one test for each chapter: see `build.rs`.

#![expect(unused, reason = "the programs show what there is")]
#![allow(clippy::all, clippy::pedantic, reason = "the programs are short before all")]

include!(concat!(env!("OUT_DIR"), "/chapters.rs"));
