//! Memory runs out in processes of a kept world: each dies cleanly, all start again, and no answer changes.

use std::env;

/// The variable that makes a process take all memory, with a seed.
const HOARDS: &str = "QUADRILLE_TEST_HOARDS";
/// So many starts end for want of memory.
const STARVED: usize = 8;

/// All memory but a little, less from tick to tick: so memory runs out at one allocation or another, in any thread.
pub(super) struct Hoard {
    /// The ticks before.
    after: u64,
    spare: u64,
    pieces: Vec<Vec<u8>>,
}

impl Hoard {
    /// One of the processes of each of the first starts has one.
    pub(super) fn of_this_process() -> Option<Self> {
        let number = |name| env::var(name).ok()?.parse::<u64>().ok();
        let (seed, attempt, process) = (number(HOARDS)?, number("QUADRILLE_ATTEMPT")?, number("QUADRILLE_PROCESS")?);
        let mut dice = super::common::Dice(seed << 32 | attempt);
        let (after, spare) = (4 + dice.roll(8), dice.roll(200_000));
        let is_here = attempt < STARVED as u64 && process == attempt % 2;
        is_here.then(|| Self { after, spare, pieces: Vec::new() })
    }

    #[cfg(target_os = "linux")]
    pub(super) fn take(&mut self) {
        self.after = self.after.saturating_sub(1);
        if self.after > 0 {
            return;
        }
        if self.pieces.is_empty() {
            self.pieces.reserve(1 << 16);
            super::memory::take_no_more_than(1 << 20);
        }
        for size in [1 << 16, 1 << 12, 1 << 8, 1 << 6] {
            let mut piece = Vec::new();
            while self.pieces.len() < self.pieces.capacity() && piece.try_reserve_exact(size).is_ok() {
                self.pieces.push(std::mem::take(&mut piece));
            }
        }
        let mut left = self.spare;
        while left > 0
            && let Some(piece) = self.pieces.pop()
        {
            left = left.saturating_sub(piece.capacity() as u64);
        }
        self.spare /= 2;
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn take(&mut self) {}
}

#[test]
#[cfg(target_os = "linux")]
fn a_world_survives_that_memory_runs_out() {
    use std::os::unix::process::ExitStatusExt;
    use std::sync::{Arc, Mutex};

    use super::case::{Case, case, run};
    use quadrille_timely::Event;
    for seed in 70..72 {
        let dir = tempfile::tempdir().unwrap();
        let case = Case { ticks: 200, pause: 1, ..case(seed, dir.path()) };
        let child = case.clone();
        let command = move |_| {
            let mut command = child.command();
            // With memory of its own for each thread, that of the others would last for long.
            command.env(HOARDS, seed.to_string()).env("MALLOC_ARENA_MAX", "1").env_remove("RUST_BACKTRACE");
            command
        };
        let died = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&died);
        let tell = move |event: &Event| {
            if let Event::Died { status, .. } = event {
                noted.lock().unwrap().push(status.signal());
            }
        };
        run(case.cluster(2).restarts(STARVED).command(command).tell(tell)).unwrap();
        case.compare();
        let died = died.lock().unwrap();
        println!("{died:?}");
        // Aborted, but where an allocation that fails is an error.
        assert!(died.len() == STARVED && died.iter().filter(|signal| **signal == Some(6)).count() > STARVED / 2);
    }
}
