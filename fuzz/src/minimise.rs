//! Makes a script that fails shorter: whole stretches of operations are left out, ever shorter ones (Zeller's `ddmin`).

use std::time::{Duration, Instant};

use crate::op::Op;
use crate::script::Script;

/// The shortest script found within a time that fails still, if this one does.
pub fn minimise(script: &Script, patience: Duration, fails: &dyn Fn(&Script) -> bool) -> Script {
    let deadline = Instant::now() + patience;
    let mut best = script.clone();
    let mut stretch = best.ops.len().div_ceil(2).max(1);
    loop {
        let shorter = without_stretches(&best, stretch, deadline, fails);
        let is_shorter = shorter.ops.len() < best.ops.len();
        best = shorter;
        if deadline <= Instant::now() || stretch == 1 && !is_shorter {
            return best;
        }
        if !is_shorter || stretch > best.ops.len() {
            stretch = stretch.div_ceil(2);
        }
    }
}

/// Leaves out one stretch after the other where the rest fails still. Late ones come first: there are most that nothing
/// depends on.
fn without_stretches(script: &Script, stretch: usize, deadline: Instant, fails: &dyn Fn(&Script) -> bool) -> Script {
    let mut best = script.clone();
    let mut end = best.ops.len();
    while 0 < end && Instant::now() < deadline {
        let begin = end.saturating_sub(stretch);
        let rest: Vec<Op> = [&best.ops[..begin], &best.ops[end..]].concat();
        let shorter = Script { ops: rest, ..best.clone() };
        if fails(&shorter) {
            best = shorter;
        }
        end = begin.min(best.ops.len());
    }
    best
}
